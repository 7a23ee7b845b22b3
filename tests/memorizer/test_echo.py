"""What the memory gave out comes back as history: it is kept, but neither found nor summarised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.echo import OPEN, own_text
from jam.index.store import IndexState, index_state, open_index, rebuild
from jam.workspace.store import Workspace
from tests.transcripts import Record, said, session_id, tool_result, tool_use, write_transcript

ASKED = "Why did we drop the Halvorsen winch?"
REASON = "We dropped the Halvorsen winch because its brake slipped twice under load."
TOPICS = {
    1: ["Which winch do we take?", REASON, "Then take the Lewmar one.", "Ordered; it comes on 4 May."],
    2: ["How do I bake rye bread?", "Feed the sourdough the evening before.", "And salt?", "Ten grams a loaf."],
    3: ["The choir sings on Sunday.", "Noted, at eleven.", "In the new hall.", "With the organ then."],
}
STRATEGIES = ("search", "lazy", "defer", "research", "auto")


@pytest.fixture
def history(tmp_path: Path) -> Path:
    for number, texts in TOPICS.items():
        speakers = ("user", "assistant")
        records = [
            said(number * 100 + n, speakers[n % 2], text, session_id(number), minute=number * 1440 + n)
            for n, text in enumerate(texts)
        ]
        write_transcript(tmp_path / "h" / "harbor" / f"{session_id(number)}.jsonl", records)
    return tmp_path / "h"


def printed(workspace: jam.Workspace, *arguments: str) -> str:
    result = CliRunner().invoke(cli, [arguments[0], str(workspace.root), *arguments[1:], "-q"])
    assert result.exit_code == 0, result.output
    return result.output


def asked(workspace: jam.Workspace) -> jam.MemoryContext:
    return jam.recall(workspace, ASKED, save=False)


Way = Callable[[jam.Workspace, str, int], list[Record]]


def as_command(*arguments: str) -> Way:
    """An agent runs `jam`, and its output comes back as a tool result."""

    def way(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
        output = printed(workspace, *arguments)
        return [
            said(first, "user", "Look it up, please.", session),
            said(first + 1, "assistant", tool_use(f"jam {' '.join(arguments)}"), session),
            said(first + 2, "user", tool_result(output), session),
            said(first + 3, "assistant", "I have looked it up.", session),
        ]

    return way


def injected(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
    """A hook puts the context before what the user says."""
    text = f"Relevant memories:\n\n{asked(workspace).render()}\n\nPaint the mast green today."
    return [said(first, "user", text, session), said(first + 1, "assistant", "The mast is green now.", session)]


def in_log(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
    """The answer as JSON in the JSON of a tool, in a string once more."""
    inner = json.dumps({"stdout": printed(workspace, "ask", ASKED, "--json"), "stderr": ""})
    return [
        said(first, "assistant", tool_use("log"), session),
        said(first + 1, "user", tool_result(json.dumps({"result": inner})), session),
    ]


def cut_result(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
    output = printed(workspace, "ask", ASKED)
    return [
        said(first, "assistant", tool_use("jam ask"), session),
        said(first + 1, "user", tool_result(output[: len(output) // 2]), session),
    ]


def cut_prefix(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
    context = asked(workspace).render()
    text = f"{context[: len(context) // 2]}\n\nPaint the mast green today."
    return [said(first, "user", text, session)]


def called(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
    """A LangChain agent's tool, its retriever, and the graph."""
    tool = jam.as_tool(workspace).invoke({"query": ASKED})
    documents = jam.as_retriever(workspace).invoke(ASKED)
    state = jam.build_researcher(workspace).invoke({"query": ASKED, "save": False})
    texts = [tool, "\n\n".join(document.page_content for document in documents), json.dumps(state), state["context"]]
    return [said(first + n, "user", tool_result(text), session) for n, text in enumerate(texts)]


def reading(suffix: str) -> Way:
    """An agent reads a file of the workspace by itself, with numbers before the lines."""

    def way(workspace: jam.Workspace, session: str, first: int) -> list[Record]:
        path = next(entry.path for entry in workspace.entries() if entry.session_id == session_id(1))
        file = (
            workspace.root / f"{path.removesuffix('.md')}{suffix}"
            if suffix
            else workspace.root / "harbor" / "README.md"
        )
        lines = file.read_text(encoding="utf-8").split("\n")
        text = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))
        return [
            said(first, "assistant", tool_use(f"cat -n {path}"), session),
            said(first + 1, "user", tool_result(text), session),
        ]

    return way


WAYS: dict[str, Way] = {
    "ask": as_command("ask", ASKED),
    "ask in JSON": as_command("ask", ASKED, "--json"),
    "search": as_command("search", ASKED),
    "search in JSON": as_command("search", ASKED, "--json"),
    "open": as_command("open", ""),
    "tree": as_command("tree"),
    "injected": injected,
    "in a log": in_log,
    "cut result": cut_result,
    "cut prefix": cut_prefix,
    "called": called,
    "reading a raw file": reading(".md"),
    "reading a memo": reading(".memo.md"),
    "reading a README": reading(""),
}


def quoted_from(workspace: jam.Workspace, strategy: str) -> set[tuple[str, str]]:
    context = jam.recall(workspace, ASKED, strategy=strategy, save=False)
    assert jam.verify_context(workspace, context) == []
    assert OPEN not in "".join(item.text for item in context.evidence)
    return {(workspace.read_raw(item.path).session.id, item.text) for item in context.evidence}


@pytest.mark.parametrize("way", WAYS)
def test_an_echo_is_kept_but_neither_found_nor_quoted_nor_summarised(history: Path, tmp_path: Path, way: str):
    workspace = jam.build(history, tmp_path / "w")
    before = {strategy: quoted_from(workspace, strategy) for strategy in STRATEGIES}
    session = session_id(9)
    records = WAYS[way](workspace, session, 9001)
    write_transcript(history / "harbor" / f"{session}.jsonl", records)
    workspace = jam.build(history, tmp_path / "w")

    kept = next(found for found in workspace.sessions() if found.id == session)
    assert len(kept.messages) == len(records)
    echoes = [message for message in kept.messages if own_text(message) != message.text]
    assert echoes
    for strategy in STRATEGIES:
        new = {text for owner, text in quoted_from(workspace, strategy) - before[strategy] if owner == session}
        assert not [text for text in new if "brake slipped" in text or "sourdough" in text]
        assert any(text == REASON for _, text in quoted_from(workspace, strategy))
    index = open_index(workspace)
    shown = {index.place(row) for row, _ in index.rank(ASKED).best()}
    path = next(entry.path for entry in workspace.entries() if entry.session_id == session)
    whole = {number for number, message in enumerate(kept.messages, 1) if not own_text(message)}
    assert not shown & {(path, number) for number in whole}
    memo = workspace.read_memo(path)
    assert memo is not None
    assert "brake" not in memo.memo.descriptor()
    assert "Halvorsen" not in " ".join(memo.memo.things)
    assert index_state(workspace) is IndexState.equal
    assert rebuild(workspace)
    assert index_state(workspace) is IndexState.equal


def test_tools_show_of_a_message_only_what_is_its_own(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    session = session_id(9)
    write_transcript(history / "harbor" / f"{session}.jsonl", injected(workspace, session, 9001))
    workspace = jam.build(history, tmp_path / "w")
    context = jam.recall(workspace, "What colour is the mast painted?", strategy="search", save=False)
    assert "Paint the mast green today." in [item.text for item in context.evidence]
    assert jam.verify_context(workspace, context) == []
    path = next(entry.path for entry in workspace.entries() if entry.session_id == session)
    assert "brake slipped" not in printed(workspace, "browse", path, ASKED)
    assert "mast green" in printed(workspace, "browse", path, "What colour is the mast?")


def test_ten_rounds_of_asking_do_not_grow_the_echo(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    first = {strategy: quoted_from(workspace, strategy) for strategy in STRATEGIES}
    names = list(WAYS)
    for turn in range(10):
        session = session_id(20 + turn)
        ways = [WAYS[names[turn % len(names)]], WAYS[names[(turn + 3) % len(names)]]]
        records = [
            record for n, way in enumerate(ways) for record in way(workspace, session, 10_000 + 100 * turn + 10 * n)
        ]
        write_transcript(history / "harbor" / f"{session}.jsonl", records)
        workspace = jam.build(history, tmp_path / "w")
    for strategy in STRATEGIES:
        quotes = quoted_from(workspace, strategy)
        assert [text for _, text in quotes if "brake slipped" in text] == [REASON]
        assert len([text for _, text in quotes if "sourdough" in text]) <= 1
        assert {text for owner, text in quotes if owner in map(session_id, TOPICS)} <= {
            t for _, t in first[strategy]
        } | {text for texts in TOPICS.values() for text in texts}
    for entry in workspace.entries():
        memo = workspace.read_memo(entry.path)
        assert memo is not None
        if entry.session_id not in map(session_id, TOPICS):
            assert "brake" not in memo.memo.descriptor()


def test_a_person_who_quotes_a_sentence_is_heard(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    session = session_id(9)
    text = f'You told me: "{REASON}" Is the new brake any better?'
    write_transcript(history / "harbor" / f"{session}.jsonl", [said(9001, "user", text, session)])
    workspace = jam.build(history, tmp_path / "w")
    context = jam.recall(workspace, "Is the new Halvorsen winch brake any better?", strategy="search", save=False)
    assert text in [item.text for item in context.evidence]


def test_a_session_of_nothing_but_echo_is_filed_like_any_other(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    session = session_id(9)
    write_transcript(history / "harbor" / f"{session}.jsonl", [said(9001, "user", asked(workspace).render(), session)])
    workspace = jam.build(history, tmp_path / "w")
    assert isinstance(workspace, Workspace)
    path = next(entry.path for entry in workspace.entries() if entry.session_id == session)
    assert not path.startswith("inbox/")
    assert {i for i, _ in quoted_from(workspace, "search")} <= set(map(session_id, TOPICS))
