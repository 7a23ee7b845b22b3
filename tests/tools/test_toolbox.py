"""`open`, `search` and `browse`: what they show, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import jam
from jam.engines.extractive.browse import ExtractiveBrowseReader
from jam.errors import ToolError
from jam.index.store import open_index
from jam.tools.toolbox import Toolbox
from tests.histories import PORT

BERTHS = "chats/2026-05-27 berth-plan-for-the-summer.md"
MEETING = "notes/2026-03-17 meeting-at-the-marina-office.md"


def toolbox(place: Path, scope: str = "") -> Toolbox:
    workspace = jam.Workspace.open(place)
    return Toolbox(workspace, open_index(workspace), ExtractiveBrowseReader(), scope)


@pytest.fixture(scope="module")
def tools(built_examples: Path) -> Toolbox:
    return toolbox(built_examples)


@pytest.fixture(scope="module")
def scoped(built_examples: Path) -> Toolbox:
    return toolbox(built_examples, "chats")


def refusal(call: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


def test_open_shows_the_whole_workspace(tools: Toolbox):
    view = tools.open()
    counts = {child.path: (child.kind, child.sessions) for child in view.children}
    assert counts == {"chats": ("folder", 10), "harbor": ("folder", 8), "notes": ("folder", 7)}


@pytest.mark.parametrize("path", ["notes", "notes/", "/notes", "./notes"])
def test_open_shows_a_folder_with_its_readme(tools: Toolbox, built_examples: Path, path: str):
    view = tools.open(path)
    assert view.path == "notes"
    assert view.readme == (built_examples / "notes" / "README.md").read_text(encoding="utf-8")
    assert MEETING in [child.path for child in view.children]
    assert {child.kind for child in view.children} == {"session"}


def test_a_folder_reads_as_text(tools: Toolbox):
    text = tools.open().render()
    assert "chats/ (10 sessions)" in text
    assert "harbor/ (8 sessions)" in text


def test_search_finds_the_session_and_its_message(tools: Toolbox):
    view = tools.search("What is the berth limit for the east pontoon?")
    assert {MEETING, BERTHS} == {file.path for file in view.files[:2]}
    assert any("the east pontoon is 42 boats" in quote.text for file in view.files[:2] for quote in file.quotes)
    assert view.found


def test_search_shows_no_more_than_asked_best_first(tools: Toolbox):
    files = tools.search("harbor", limit=3).files
    assert len(files) == 3
    assert [file.score for file in files] == sorted((file.score for file in files), reverse=True)


def test_search_says_where_nothing_fits(tools: Toolbox):
    view = tools.search("What is the user's blood type?")
    assert not view.found
    assert view.render().startswith("nothing fits well")


def test_search_keeps_to_a_folder(tools: Toolbox):
    assert {file.path.partition("/")[0] for file in tools.search(PORT, scope="notes").files} == {"notes"}


def test_search_keeps_to_days(tools: Toolbox):
    view = tools.search(PORT, since="2026-06-16", until="2026-06-16")
    assert [file.path for file in view.files] == ["notes/2026-06-16 tuesday.md"]


def test_browse_reads_for_a_question_in_order(tools: Toolbox, built_examples: Path):
    reading = tools.browse(BERTHS, "What is the berth limit for the east pontoon?")
    numbers = [quote.message for quote in reading.quotes]
    assert numbers == sorted(set(numbers))
    assert any("48 boats" in quote.text for quote in reading.quotes)
    messages = jam.Workspace.open(built_examples).read_raw(BERTHS).session.messages
    assert all(quote.text == messages[quote.message - 1].text for quote in reading.quotes)


def test_browse_of_the_scope_of_one_session(built_examples: Path):
    assert toolbox(built_examples, BERTHS).browse(BERTHS, "berth limit").path == BERTHS


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda tools: tools.open("chat"), "chats"),
        (lambda tools: tools.open("Harbour"), "harbor"),
        (lambda tools: tools.browse("chats/2026-05-27 berth-plan.md", "limit"), BERTHS),
        (lambda tools: tools.browse("notes/meeting-at-the-marina-office.md", "limit"), MEETING),
    ],
)
def test_a_wrong_path_gets_the_nearest_right_one(tools: Toolbox, call: Callable[[Toolbox], object], near: str):
    error = refusal(lambda: call(tools))
    assert error.code == "not_found"
    assert near in str(error)


def test_a_name_alone_gets_its_path(tools: Toolbox):
    error = refusal(lambda: tools.browse("lisbon", "flight"))
    assert "chats/2026-04-08 flights-to-lisbon.md" in str(error)


@pytest.mark.parametrize("path", ["chats", "/", ""])
def test_a_folder_cannot_be_browsed(tools: Toolbox, path: str):
    assert refusal(lambda: tools.browse(path, "limit")).code == "is_folder"


def test_a_session_cannot_be_opened(tools: Toolbox):
    assert refusal(lambda: tools.open(BERTHS)).code == "is_file"


@pytest.mark.parametrize(
    "path", ["../..", "..", "chats/../../etc", "../examples.jam", "C:/Windows", "chats\\x", "a\0b"]
)
def test_no_path_leads_out(tools: Toolbox, path: str):
    assert refusal(lambda: tools.open(path)).code == "outside_workspace"
    assert refusal(lambda: tools.browse(path, "limit")).code == "outside_workspace"
    assert refusal(lambda: tools.search("limit", scope=path)).code == "outside_workspace"


def test_no_scope_leads_out(built_examples: Path):
    assert refusal(lambda: toolbox(built_examples, "../..")).code == "outside_workspace"


def test_an_absolute_path_is_taken_from_the_workspace(tools: Toolbox):
    assert refusal(lambda: tools.open("/etc")).code == "not_found"


def test_a_link_that_leads_out_is_refused(example_workspace: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("the secret")
    (example_workspace / "chats" / "link").symlink_to(outside)
    (example_workspace / "chats" / "secret.md").symlink_to(outside / "secret.md")
    tools = toolbox(example_workspace)
    assert refusal(lambda: tools.open("chats/link")).code == "outside_workspace"
    assert refusal(lambda: tools.browse("chats/link/secret.md", "secret")).code == "outside_workspace"
    assert refusal(lambda: tools.browse("chats/secret.md", "secret")).code == "outside_workspace"


@pytest.mark.parametrize("path", ["README.md", "jam.yaml", ".jam/ledger.json", BERTHS[:-3] + ".memo.md"])
def test_what_is_no_session_is_not_read(tools: Toolbox, path: str):
    assert refusal(lambda: tools.browse(path, "limit")).code == "not_found"


@pytest.mark.parametrize("query", ["", "  \n"])
def test_a_question_is_needed(tools: Toolbox, query: str):
    assert refusal(lambda: tools.search(query)).code == "bad_arguments"
    assert refusal(lambda: tools.browse(BERTHS, query)).code == "bad_arguments"


def test_a_scope_that_is_not_there_is_refused(built_examples: Path):
    error = refusal(lambda: toolbox(built_examples, "chat"))
    assert error.code == "not_found"
    assert "chats" in str(error)


@pytest.mark.parametrize(
    "call",
    [
        lambda tools: tools.open("notes"),
        lambda tools: tools.open("/"),
        lambda tools: tools.search("limit", scope="notes"),
        lambda tools: tools.browse(MEETING, "limit"),
        lambda tools: tools.browse("notes/nothing.md", "limit"),
    ],
)
def test_a_scope_confines_every_tool(scoped: Toolbox, call: Callable[[Toolbox], object]):
    assert refusal(lambda: call(scoped)).code == "outside_scope"


def test_within_a_scope_the_tools_work(scoped: Toolbox):
    assert scoped.open().path == "chats"
    assert {file.path.partition("/")[0] for file in scoped.search(PORT).files} == {"chats"}
    assert scoped.browse(BERTHS, "berth limit").quotes


def test_a_scope_is_no_hint_to_what_is_outside(scoped: Toolbox):
    error = refusal(lambda: scoped.browse("chats/meeting-at-the-marina-office.md", "limit"))
    assert "notes/" not in str(error)


def test_the_views_are_json_values(tools: Toolbox):
    import json

    for view in (tools.open("chats"), tools.search(PORT), tools.browse(BERTHS, "limit")):
        assert json.loads(json.dumps(view.to_dict()))
