"""Building, and building again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jam
from jam.engines import load_engine
from jam.errors import HistoryError, NotAWorkspace, WorkspaceBusy, WorkspaceError
from jam.memo import Memo
from jam.memorizer.build import build
from jam.memorizer.preview import preview
from jam.session import Session
from jam.workspace.layout import README, memo_path
from jam.workspace.lease import Lease
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.conftest import EXAMPLES, tree_digest


def write_chat(path: Path, texts: Sequence[str], **fields: object) -> None:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(texts)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**fields, "messages": messages}), encoding="utf-8")


def texts_of(workspace: Workspace, session_id: str) -> list[str]:
    return [m.text for s in workspace.sessions() if s.id == session_id for m in s.messages]


def test_every_session_of_the_examples_is_kept_described_and_filed(built_examples: Path):
    workspace = Workspace.open(built_examples)
    entries = workspace.entries()
    assert len({entry.session_id for entry in entries}) == 25
    assert not [entry.path for entry in entries if entry.path.startswith("inbox/")]
    assert all(workspace.read_memo(entry.path) for entry in entries)
    for folder in {str(Path(entry.path).parent) for entry in entries} | {"."}:
        assert (built_examples / folder / README).is_file()


def test_building_twice_changes_no_byte(example_history: Path, tmp_path: Path):
    jam.build(example_history, tmp_path / "w")
    before = tree_digest(tmp_path / "w")
    workspace, report = build(example_history, tmp_path / "w")
    assert tree_digest(workspace.root) == before
    assert (report.new, report.grown, report.memos_written, report.moved, report.readmes_written) == (0, 0, 0, 0, 0)


def test_without_its_derived_data_it_reads_again_and_changes_no_byte(example_history: Path, tmp_path: Path):
    jam.build(example_history, tmp_path / "w")
    before = tree_digest(tmp_path / "w")
    shutil.rmtree(tmp_path / "w" / ".jam")
    _, report = build(example_history, tmp_path / "w")
    assert tree_digest(tmp_path / "w") == before
    assert report.history.ingested == report.history.found


def test_a_grown_session_gets_its_new_messages_and_keeps_its_file(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["Where is the winch?", "In the shed."], id="s1")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    path = workspace.entries()[0].path
    write_chat(tmp_path / "h" / "a.json", ["Where is the winch?", "In the shed.", "It is broken."], id="s1")
    os.utime(tmp_path / "h" / "a.json", (1, 1))
    workspace, report = build(tmp_path / "h", tmp_path / "w")
    assert report.grown == 1
    assert [entry.path for entry in workspace.entries()] == [path]
    assert texts_of(workspace, "s1") == ["Where is the winch?", "In the shed.", "It is broken."]


def test_two_files_of_one_session_become_one(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["one", "two"], id="s1")
    write_chat(tmp_path / "h" / "b.json", ["one", "two", "three"], id="s1")
    assert texts_of(jam.build(tmp_path / "h", tmp_path / "w"), "s1") == ["one", "two", "three"]


def test_an_edited_note_is_replaced_and_its_lost_parts_go(tmp_path: Path):
    note = tmp_path / "h" / "note.md"
    note.parent.mkdir()
    note.write_text("# Long\n\n" + "\n\n".join(f"## Part {n}\n\n" + "word " * 1500 for n in range(6)), encoding="utf-8")
    first = jam.build(tmp_path / "h", tmp_path / "w")
    assert len(list(first.sessions())) > 1
    note.write_text("# Short\n\nJust this.", encoding="utf-8")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert [s.id for s in workspace.sessions()] == ["note.md"]
    assert "Just this." in texts_of(workspace, "note.md")[-1]


def test_a_long_session_is_kept_in_parts_that_join_again(tmp_path: Path):
    texts = [f"message {n} " + "tide " * 200 for n in range(100)]
    write_chat(tmp_path / "h" / "a.json", texts[:60], id="long")
    place = Workspace.create(tmp_path / "w", Settings(part_tokens=2000))
    build(tmp_path / "h", place.root)
    early = {entry.front.part: entry.path for entry in place.entries()}
    before = tree_digest(place.root)
    write_chat(tmp_path / "h" / "a.json", texts, id="long")
    workspace, _ = build(tmp_path / "h", place.root)
    assert texts_of(workspace, "long") == texts
    assert len(early) > 3
    late = {entry.front.part: entry.path for entry in workspace.entries()}
    assert {part: late[part] for part in early} == early
    unchanged = [early[part] for part in sorted(early)[:-1]]
    after = tree_digest(place.root)
    assert all(after[path] == before[path] for path in unchanged)


def test_sessions_added_one_at_a_time_are_all_filed(example_history: Path, tmp_path: Path):
    staged = tmp_path / "staged"
    staged.mkdir()
    for path in sorted((example_history / "chats").iterdir()):
        shutil.copy(path, staged / path.name)
        workspace, report = build(staged, tmp_path / "w")
        assert report.raw_only == ()
        assert not [entry.path for entry in workspace.entries() if entry.path.startswith("inbox/")]
    assert len(list(workspace.sessions())) == 10


def test_a_wide_group_is_divided_by_topic(tmp_path: Path):
    subjects = {"bread": "sourdough flour oven crust yeast", "bikes": "chain brake gears wheel saddle"}
    for name, words in subjects.items():
        for n in range(10):
            write_chat(tmp_path / "h" / f"{name}{n}.json", [f"{words} {n}", f"more on {words}"], id=f"{name}{n}")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    homes: dict[str, set[str]] = {}
    for entry in workspace.entries():
        homes.setdefault(str(Path(entry.path).parent), set()).add(entry.session_id[:5])
    assert len(homes) >= 2
    assert all(len(kinds) == 1 for kinds in homes.values())


class Broken:
    """An engine that dies at the third memo."""

    name = "extractive"
    fingerprint = "broken"

    def __init__(self) -> None:
        self.count = 0

    def write_memo(self, session: Session) -> Memo:
        self.count += 1
        if self.count == 3:
            raise RuntimeError("the model is gone")
        return Memo("t", "g", "s")

    def reduce(self, memos: Sequence[Memo]) -> Memo:
        return memos[0]


def test_a_dead_engine_costs_memos_never_sessions(example_history: Path, tmp_path: Path):
    engine = replace(load_engine("extractive"), memo_writer=Broken())
    with pytest.raises(RuntimeError):
        build(example_history, tmp_path / "w", engine=engine)
    workspace = Workspace.open(tmp_path / "w")
    assert len(list(workspace.sessions())) == 25
    _, report = build(example_history, tmp_path / "w")
    assert report.raw_only == ()
    assert report.history.unchanged == report.history.found or report.new == 0


def test_what_people_write_stays(example_workspace: Path, example_history: Path):
    readme = example_workspace / "notes" / README
    readme.write_text(readme.read_text(encoding="utf-8") + "\nMy own remark.\n", encoding="utf-8")
    workspace = Workspace.open(example_workspace)
    path = next(
        entry.path for entry in workspace.entries() if "lisbon" in entry.path and entry.path.startswith("notes")
    )
    memo = example_workspace / memo_path(path)
    memo.write_text(memo.read_text(encoding="utf-8").replace("# Lisbon", "# Lisbon with Tobe"), encoding="utf-8")
    (example_history / "notes" / "new.md").write_text("# Sails\n\nThe new sails are red.", encoding="utf-8")
    build(example_history, example_workspace)
    assert "My own remark." in readme.read_text(encoding="utf-8")
    kept = workspace.read_memo(path)
    assert kept is not None
    assert (kept.memo.title, kept.memo.engine) == ("Lisbon with Tobe", "person")
    assert "Lisbon with Tobe" in readme.read_text(encoding="utf-8")


def test_a_memo_that_a_crash_left_behind_finds_its_file(example_workspace: Path, example_history: Path):
    workspace = Workspace.open(example_workspace)
    path = workspace.entries()[0].path
    memo = example_workspace / memo_path(path)
    (example_workspace / "inbox").mkdir()
    memo.rename(example_workspace / "inbox" / memo.name)
    build(example_history, example_workspace)
    assert memo.is_file()
    assert not (example_workspace / "inbox").exists()


def test_files_that_are_not_history_are_listed(tmp_path: Path):
    history = tmp_path / "h"
    write_chat(history / "a.json", ["hello", "there"], id="s1")
    (history / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (history / "cut.json").write_text('{"messages": [{"role": "user", "con', encoding="utf-8")
    (history / "empty.md").write_text("")
    _, report = build(history, tmp_path / "w")
    counts = report.history
    assert (counts.found, counts.ingested, counts.skipped) == (4, 1, 3)
    assert {row.name: bool(row.reason) for row in counts.rows if row.status == "skipped"} == {
        "cut.json": True,
        "empty.md": True,
        "photo.png": True,
    }
    assert not report.complete


def test_nothing_to_read_is_an_error(tmp_path: Path):
    with pytest.raises(HistoryError, match="no file or folder"):
        jam.build(tmp_path / "absent", tmp_path / "w")
    (tmp_path / "h").mkdir()
    with pytest.raises(HistoryError):
        jam.build(tmp_path / "h", tmp_path / "w")


def test_a_folder_with_other_things_is_not_written_to(tmp_path: Path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "thesis.tex").write_text("mine")
    with pytest.raises(NotAWorkspace, match="not a JAM workspace"):
        jam.build(EXAMPLES / "history", tmp_path / "w")
    with pytest.raises(WorkspaceError, match="can't hold the history"):
        jam.build(EXAMPLES / "history", EXAMPLES / "history")


def test_a_second_writer_is_told_who_is_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    workspace = Workspace.create(tmp_path / "w")
    monkeypatch.setattr("jam.memorizer.build.WAIT_SECONDS", 0.2)
    with Lease(workspace.root, purpose="a long build"), pytest.raises(WorkspaceBusy, match="a long build"):
        build(EXAMPLES / "history", workspace.root)


any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(any_text.filter(str.strip), min_size=1, max_size=4), min_size=1, max_size=3))
def test_any_text_comes_back_from_the_raw_files(tmp_path_factory: pytest.TempPathFactory, sessions: list[list[str]]):
    base = tmp_path_factory.mktemp("any")
    for number, texts in enumerate(sessions):
        write_chat(base / "h" / f"{number}.json", texts, id=f"s{number}")
    workspace = jam.build(base / "h", base / "w")
    assert [texts_of(workspace, f"s{n}") for n in range(len(sessions))] == sessions


def test_a_preview_writes_nothing_and_counts_what_a_build_reads(example_history: Path, tmp_path: Path):
    seen = preview(example_history)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history"]
    _, report = build(example_history, tmp_path / "w")
    assert (seen.sessions, seen.messages) == (report.sessions, report.messages)
    assert (seen.model_calls, seen.history.found) == (0, report.history.found)


def test_sessions_come_in_the_order_of_their_times(built_examples: Path):
    started = [session.started or "" for session in Workspace.open(built_examples).sessions()]
    assert started == sorted(started)
    assert len(started) == 25


def test_a_history_without_messages_is_an_error_that_says_so(tmp_path: Path):
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "conversations.json").write_text("[]")
    with pytest.raises(HistoryError, match=r"there are no messages in .*\n  conversations.json: no conversations in"):
        jam.build(tmp_path / "h", tmp_path / "w")
    assert not (tmp_path / "w").exists()
