"""Source files that change under JAM: edited, deleted, renamed, resumed, there twice."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import jam
from jam.cli.build import summary
from jam.memorizer.build import BuildReport, build
from jam.session import Session
from tests.conftest import tree_digest
from tests.transcripts import Record, chat, said, session_id, write_transcript


@pytest.fixture
def history(tmp_path: Path) -> Path:
    (tmp_path / "h").mkdir()
    return tmp_path / "h"


def transcript(history: Path, number: int, records: Sequence[Record]) -> None:
    write_transcript(history / "p" / f"{session_id(number)}.jsonl", records)


def under(records: Sequence[Record], number: int) -> list[Record]:
    return [{**record, "sessionId": session_id(number)} for record in records]


def built(history: Path) -> tuple[dict[str, Session], BuildReport]:
    workspace, report = build(history, history.parent / "w")
    return {session.id: session for session in workspace.sessions()}, report


def texts(session: Session, thread: str | None = None) -> list[str]:
    return [message.text for message in session.messages if message.thread == thread]


def write_export(path: Path, conversations: dict[str, list[tuple[str, str]]], **facts: Any) -> None:
    """A Claude.ai export: conversation id → (message id, text)…"""
    data = [
        {
            "uuid": name,
            "name": facts.get("name", name),
            "created_at": "2026-01-01T10:00:00Z",
            "chat_messages": [
                {
                    "uuid": own,
                    "sender": ("human", "assistant")[n % 2],
                    "text": text,
                    "created_at": f"2026-01-01T10:{n:02d}:00Z",
                }
                for n, (own, text) in enumerate(messages)
            ],
        }
        for name, messages in conversations.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


# Edited


def test_of_an_edited_message_the_newer_text_is_the_message_and_the_older_is_kept_beside_it(history: Path):
    write_export(history / "conversations.json", {"c": [("a", "Hello"), ("b", "The mast is red."), ("c", "Ok")]})
    built(history)
    write_export(
        history / "conversations.json", {"c": [("a", "Hello"), ("b", "The mast is blue."), ("c", "Ok"), ("d", "So")]}
    )
    found, report = built(history)
    assert texts(found["c"]) == ["Hello", "The mast is blue.", "Ok", "So"]
    assert texts(found["c"], "edited") == ["The mast is red."]
    assert [message.id for message in found["c"].messages] == ["a", "b", "b", "c", "d"]
    assert report.grown == 1
    before = tree_digest(history.parent / "w")
    shutil.rmtree(history.parent / "w" / ".jam")
    found, report = built(history)
    assert (report.grown, tree_digest(history.parent / "w")) == (0, before)


def test_an_older_export_beside_the_newer_one_takes_nothing_back(history: Path):
    write_export(history / "2026-06.json", {"c": [("a", "Hello"), ("b", "The mast is blue.")]}, name="New title")
    built(history)
    write_export(history / "2026-01.json", {"c": [("a", "Hello"), ("b", "The mast is red.")]}, name="Old title")
    found, _ = built(history)
    assert (texts(found["c"]), texts(found["c"], "edited")) == (["Hello", "The mast is blue."], ["The mast is red."])
    assert found["c"].title == "New title"
    workspace = jam.build(history, history.parent / "fresh")
    assert list(workspace.sessions()) == list(found.values())


def test_a_reply_that_was_still_being_written_leaves_no_trace(history: Path):
    write_export(history / "conversations.json", {"c": [("a", "Hello"), ("b", "The mast is")]})
    built(history)
    write_export(history / "conversations.json", {"c": [("a", "Hello"), ("b", "The mast is blue.")]})
    found, _ = built(history)
    assert [message.text for message in found["c"].messages] == ["Hello", "The mast is blue."]


# Deleted


def test_a_deleted_file_is_told_of_and_its_sessions_stay(history: Path):
    write_export(history / "a.json", {"a": [("1", "The mast is blue.")]})
    write_export(history / "b.json", {"b": [("2", "The keel is green.")]})
    (history / "note.md").write_text("# Note\n\nThe rudder is gone.", encoding="utf-8")
    built(history)
    (history / "a.json").unlink()
    (history / "note.md").unlink()
    for _ in range(2):
        found, report = built(history)
        assert sorted(found) == ["a", "b", "note.md"]
        assert (report.gone, report.removed, report.complete) == (("a.json", "note.md"), 0, True)
        assert report.to_dict()["gone"] == ["a.json", "note.md"]
        assert "2 source files are gone; what was read of them stays: a.json, note.md" in summary(report)
    write_export(history / "a.json", {"a": [("1", "The mast is blue.")]})
    assert built(history)[1].gone == ("note.md",)


def test_a_session_that_another_file_holds_is_not_gone(history: Path):
    write_export(history / "a.json", {"c": [("1", "The mast is blue.")]})
    write_export(history / "b.json", {"c": [("1", "The mast is blue."), ("2", "The keel is green.")]})
    built(history)
    (history / "a.json").unlink()
    found, report = built(history)
    assert report.gone == ()
    assert texts(found["c"]) == ["The mast is blue.", "The keel is green."]


def test_a_folder_without_permission_is_not_gone(history: Path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    write_export(history / "x" / "a.json", {"a": [("1", "The mast is blue.")]})
    write_export(history / "b.json", {"b": [("2", "The keel is green.")]})
    built(history)
    (history / "x").chmod(0)
    try:
        assert built(history)[1].gone == ()
    finally:
        (history / "x").chmod(0o755)


# Renamed


@pytest.mark.parametrize("target", ["renamed.md", "other/note.md"])
def test_a_renamed_note_is_moved_and_not_doubled(history: Path, target: str):
    (history / "note.md").write_text("# Rudder\n\nThe rudder is made of oak.", encoding="utf-8")
    (history / "more.md").write_text("# Keel\n\nThe keel is made of lead.", encoding="utf-8")
    built(history)
    (history / target).parent.mkdir(exist_ok=True)
    (history / "note.md").rename(history / target)
    found, report = built(history)
    assert sorted(found) == sorted(["more.md", target])
    assert found[target].origin == target
    assert (report.renamed, report.gone, report.new) == ({"note.md": target}, (), 0)
    workspace = jam.build(history, history.parent / "fresh")
    assert list(workspace.sessions()) == [found[session.id] for session in workspace.sessions()]
    grown = jam.Workspace.open(history.parent / "w")
    paths = {entry.session_id: entry.path for entry in grown.entries()}
    assert paths == {entry.session_id: entry.path for entry in workspace.entries()}
    memo = grown.read_memo(paths[target])
    assert memo is not None
    assert memo.session_id == target
    assert built(history)[1].renamed == {}


def test_a_long_note_that_is_renamed_takes_all_its_parts_along(history: Path):
    text = "# Manual\n\n" + "\n\n".join(f"## Part {n}\n\n" + f"rope{n} " * 1500 for n in range(4))
    (history / "a.md").write_text(text, encoding="utf-8")
    count = len(built(history)[0])
    assert count > 1
    (history / "a.md").rename(history / "b.md")
    found, report = built(history)
    assert len(found) == len(report.renamed) == count
    assert {session.origin for session in found.values()} == {"b.md"}


def test_a_copy_beside_its_original_is_a_note_of_its_own(history: Path):
    (history / "a.md").write_text("# Rudder\n\nThe rudder is made of oak.", encoding="utf-8")
    built(history)
    shutil.copy(history / "a.md", history / "b.md")
    found, report = built(history)
    assert (sorted(found), report.renamed) == (["a.md", "b.md"], {})


def test_a_renamed_chat_that_has_grown_is_the_same_chat(history: Path):
    messages = [{"role": "user", "content": f"About the mast, {n}."} for n in range(4)]
    (history / "old.json").write_text(json.dumps({"messages": messages[:2]}), encoding="utf-8")
    built(history)
    (history / "old.json").unlink()
    (history / "new.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    found, report = built(history)
    assert list(found) == ["new.json"]
    assert len(found["new.json"].messages) == 4
    assert report.renamed == {"old.json": "new.json"}


def test_a_renamed_export_goes_on_under_its_new_name(history: Path):
    write_export(history / "a.json", {"c": [("1", "The mast is blue.")]})
    built(history)
    (history / "a.json").rename(history / "b.json")
    found, report = built(history)
    assert (report.new, report.gone) == (0, ())
    assert found["c"].origin == "b.json"


def test_a_history_that_was_renamed_is_the_same_history(history: Path):
    (history / "note.md").write_text("# Rudder\n\nThe rudder is made of oak.", encoding="utf-8")
    (history / "chat.json").write_text(
        json.dumps({"messages": [{"role": "user", "content": "Hello"}]}), encoding="utf-8"
    )
    before, _ = built(history)
    moved = history.rename(history.parent / "moved")
    (moved / "more.md").write_text("# Keel\n\nThe keel is made of lead.", encoding="utf-8")
    found, report = built(moved)
    assert sorted(found) == ["chat.json", "more.md", "note.md"]
    assert (report.new, report.gone, report.renamed) == (1, (), {})
    assert found["note.md"].messages == before["note.md"].messages
    workspace = jam.build(moved, history.parent / "fresh")
    assert list(workspace.sessions()) == [found[session.id] for session in workspace.sessions()]


def test_two_histories_with_files_of_one_name_stay_apart(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"# Note\n\nThis is {name}.", encoding="utf-8")
        workspace = jam.build(tmp_path / name, tmp_path / "w")
    assert sorted(session.id for session in workspace.sessions()) == ["note.md", "two/note.md"]


# There twice


def zipped(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())


@pytest.mark.parametrize("first", ["zip", "folder", "both"])
def test_an_export_that_is_there_packed_and_unpacked_is_there_once(history: Path, first: str):
    folder = history.parent / "export"
    write_export(folder / "conversations.json", {"c": [("1", "The mast is blue.")]})
    (folder / "notes").mkdir()
    (folder / "notes" / "note.md").write_text("# Rudder\n\nThe rudder is made of oak.", encoding="utf-8")
    if first != "folder":
        zipped(folder, history / "export.zip")
    if first != "zip":
        shutil.copytree(folder, history / "export")
    built(history)
    if first == "folder":
        zipped(folder, history / "export.zip")
    if first == "zip":
        shutil.copytree(folder, history / "export")
    built(history)
    found, report = built(history)
    assert sorted(found) == ["c", "export/notes/note.md"]
    assert (len(found["c"].messages), report.gone) == (1, ())
    workspace = jam.build(history, history.parent / "fresh")
    assert {session.id: session.messages for session in workspace.sessions()} == {
        i: s.messages for i, s in found.items()
    }


def test_a_newer_export_beside_an_older_one_is_merged_by_ids(history: Path):
    write_export(history / "2026-01.json", {"c": [("1", "One"), ("2", "Two")], "d": [("5", "Five")]})
    write_export(history / "2026-06.json", {"c": [("1", "One"), ("2", "Two"), ("3", "Three")], "e": [("7", "Seven")]})
    found, _ = built(history)
    assert {i: texts(session) for i, session in found.items()} == {
        "c": ["One", "Two", "Three"],
        "d": ["Five"],
        "e": ["Seven"],
    }


BEFORE = [
    ("a", None, "human", "How deep is the keel?", 0),
    ("b", "a", "assistant", "Two metres.", 1),
    ("c", "b", "human", "And how tall is the mast?", 2),
    ("d", "c", "assistant", "Twelve metres.", 3),
]
EDITED_TURN = [("e", "b", "human", "And how tall is the new mast?", 4), ("f", "e", "assistant", "Fourteen metres.", 5)]
Turn = tuple[str, str | None, str, str, int]


def write_claude_tree(path: Path, turns: Sequence[Turn], leaf: str) -> None:
    messages = [
        {
            "uuid": own,
            "parent_message_uuid": above,
            "sender": sender,
            "text": text,
            "created_at": f"2025-01-01T00:{minute:02d}:00Z",
        }
        for own, above, sender, text, minute in turns
    ]
    facts = {"uuid": "boat", "name": f"Boat, {len(turns)}", "current_leaf_message_uuid": leaf}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{**facts, "chat_messages": messages}]), encoding="utf-8")


def write_chatgpt_tree(path: Path, turns: Sequence[Turn], leaf: str) -> None:
    mapping = {
        own: {
            "id": own,
            "parent": above,
            "children": [each[0] for each in turns if each[1] == own],
            "message": {
                "id": own,
                "author": {"role": "user" if sender == "human" else sender},
                "create_time": 1735689600 + 60 * minute,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        for own, above, sender, text, minute in turns
    }
    facts = {"conversation_id": "boat", "title": f"Boat, {len(turns)}", "current_node": leaf}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{**facts, "create_time": 1735689600, "mapping": mapping}]), encoding="utf-8")


@pytest.mark.parametrize("write", [write_claude_tree, write_chatgpt_tree])
@pytest.mark.parametrize(("older", "newer"), [("2025-01", "2025-06"), ("b", "a")])
@pytest.mark.parametrize("order", ["older first", "newer first", "together"])
def test_an_edited_turn_leaves_the_main_line_to_the_newer_export(
    history: Path, write: Any, older: str, newer: str, order: str
):
    def write_older() -> None:
        write(history / older / "conversations.json", BEFORE, "d")

    def write_newer() -> None:
        write(history / newer / "conversations.json", [*BEFORE, *EDITED_TURN], "f")

    first, second = (write_newer, write_older) if order == "newer first" else (write_older, write_newer)
    first()
    if order != "together":
        built(history)
    second()
    session = built(history)[0]["boat"]
    assert [(message.id, message.thread) for message in session.messages] == [
        ("a", None),
        ("b", None),
        ("e", None),
        ("f", None),
        ("c", "branch-1"),
        ("d", "branch-1"),
    ]
    assert session.title == "Boat, 6"


# Resumed and forked


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 1, 2)])
def test_a_chain_of_resumed_sessions_holds_each_message_once(history: Path, order: Sequence[int]):
    one = chat(session_id(1), ["one", "two", "three", "four"])
    two = [*under(one, 2), *chat(session_id(2), ["five", "six"], first=5)]
    three = [*under(two, 3), *chat(session_id(3), ["seven"], first=7)]
    sources = {1: one, 2: two, 3: three}
    for number in order:
        transcript(history, number, sources[number])
        found, _ = built(history)
    assert {i: texts(session) for i, session in found.items()} == {
        session_id(1): ["one", "two", "three", "four"],
        session_id(2): ["five", "six"],
        session_id(3): ["seven"],
    }
    assert "continues" not in found[session_id(1)].meta
    assert found[session_id(2)].meta["continues"] == session_id(1)
    assert found[session_id(2)].meta["continues_after"] == one[-1]["uuid"]
    assert found[session_id(3)].meta["continues"] == session_id(2)
    before = tree_digest(history.parent / "w")
    _, report = built(history)
    assert (report.new, report.grown, tree_digest(history.parent / "w")) == (0, 0, before)
    shutil.rmtree(history.parent / "w" / ".jam")
    _, report = built(history)
    assert (report.new, report.grown, tree_digest(history.parent / "w")) == (0, 0, before)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_fork_keeps_only_its_own_way(history: Path, order: Sequence[int]):
    trunk = chat(session_id(1), ["one", "two", "three"])
    sources = {
        1: [*trunk, said(4, "assistant", "the one way", session_id(1))],
        2: [*under(trunk[:2], 2), said(13, "user", "the other way", session_id(2))],
    }
    for number in order:
        transcript(history, number, sources[number])
        found, _ = built(history)
    assert texts(found[session_id(1)]) == ["one", "two", "three", "the one way"]
    assert texts(found[session_id(2)]) == ["the other way"]
    assert found[session_id(2)].meta["continues_after"] == trunk[1]["uuid"]


def test_a_resumed_session_that_grows_gets_its_new_messages_only(history: Path):
    one = chat(session_id(1), ["one", "two"])
    transcript(history, 1, one)
    for count in range(1, 4):
        transcript(history, 2, [*under(one, 2), *chat(session_id(2), ["three", "four", "five"][:count], first=3)])
        found, _ = built(history)
    assert texts(found[session_id(1)]) == ["one", "two"]
    assert texts(found[session_id(2)]) == ["three", "four", "five"]


def test_a_resumed_session_without_anything_new_adds_none(history: Path):
    one = chat(session_id(1), ["one", "two"])
    transcript(history, 1, one)
    transcript(history, 2, under(one, 2))
    found, report = built(history)
    assert {i: texts(session) for i, session in found.items()} == {session_id(1): ["one", "two"]}
    assert (report.sessions, report.complete) == (1, True)
    transcript(history, 2, [*under(one, 2), said(3, "user", "three", session_id(2))])
    found, report = built(history)
    assert texts(found[session_id(2)]) == ["three"]
    assert report.new == 1


def test_chats_of_other_formats_that_begin_alike_are_left_alone(history: Path):
    for name in ("a", "b"):
        data = {
            "id": name,
            "messages": [{"role": "user", "content": "Hello", "id": "m1"}, {"role": "user", "content": name}],
        }
        (history / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    found, _ = built(history)
    assert {i: len(session.messages) for i, session in found.items()} == {"a": 2, "b": 2}
