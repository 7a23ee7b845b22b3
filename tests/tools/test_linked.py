"""Sessions that go on with a matter, named under what a search finds."""

from __future__ import annotations

import pytest

import jam
from jam.cli.tools import toolbox
from jam.index.store import open_index
from jam.jobs import ToolCall
from jam.strategies.question import Question, extractive_roles
from jam.strategies.research.calls import carry_out
from tests.histories import small_workspace

_CAMPING = "We pitched the tent by the lake, cooked over the campfire and slept in the sleeping bags."
_AGAIN = "Again we pitched the tent by the lake, cooked over the campfire and slept in sleeping bags."
_OTHER = "The invoice of the printer is overdue; the bank charges interest on it."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> jam.Workspace:
    chats = {"june": [_CAMPING, "Lovely."], "july": [_AGAIN, "Lovely."], "office": [_OTHER, "Pay it."]}
    return small_workspace(tmp_path_factory.mktemp("linked"), **chats)


def _linked(workspace: jam.Workspace, scope: str = "") -> dict[str, tuple[str, ...]]:
    tools = toolbox(workspace.root, scope)
    tools.show_links = True
    return {hit.path: hit.linked for hit in tools.search("Where did we pitch the tent?").files}


def test_a_search_names_where_a_matter_goes_on(workspace: jam.Workspace):
    found = _linked(workspace)
    texts = {path: workspace.file(path).read_text(encoding="utf-8") for path in found}
    june, july, office = (next(p for p in texts if said in texts[p]) for said in (_CAMPING, _AGAIN, _OTHER))
    assert found == {june: (july,), july: (june,), office: ()}


def test_only_where_that_is_wanted(workspace: jam.Workspace):
    view = toolbox(workspace.root).search("Where did we pitch the tent?")
    assert all(hit.linked == () for hit in view.files)
    assert "goes on in" not in view.render()


def test_jam_yaml_turns_it_on_for_research_too(workspace: jam.Workspace):
    settings = workspace.root / "jam.yaml"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(f"{before}show_links: true\n", encoding="utf-8")
    try:
        place = jam.Workspace.open(workspace.root)
        index = open_index(place)
        question = Question(place, "Where?", "", jam.Budget(), extractive_roles(index), index)
        seen = carry_out(question, ToolCall("search", {"query": "Where did we pitch the tent?"}))
        assert seen["text"].count("goes on in: ") == 2
    finally:
        settings.write_text(before, encoding="utf-8")
