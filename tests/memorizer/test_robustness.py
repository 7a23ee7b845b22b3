"""What crashes, copies and hands do to a workspace, and what the next build makes of it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from pathlib import Path

import pytest

import jam
from jam.doctor import check
from jam.memorizer import staging
from jam.memorizer.build import build
from jam.workspace.layout import INBOX, README, memo_path
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.conftest import tree_digest
from tests.memorizer.test_build import texts_of, write_chat

TEXTS = [f"message {n} " + "tide " * 120 for n in range(30)]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """One long session, in a file that was written a while ago."""
    write_chat(tmp_path / "h" / "a.json", TEXTS, id="long")
    old = time.time() - 60
    os.utime(tmp_path / "h" / "a.json", (old, old))
    return tmp_path / "h"


@pytest.fixture
def workspace(history: Path, tmp_path: Path) -> Workspace:
    place = Workspace.create(tmp_path / "w", Settings(part_tokens=1000))
    built, _ = build(history, place.root)
    assert len(built.entries()) > 3
    return built


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(1, 12))
def test_a_kill_while_parts_are_replaced_loses_and_doubles_nothing(
    workspace: Workspace, history: Path, monkeypatch: pytest.MonkeyPatch, moment: int
):
    settings = workspace.root / "jam.yaml"
    settings.write_text(settings.read_text().replace("part_tokens: 1000", "part_tokens: 1700"))
    write_chat(history / "a.json", [*TEXTS, "one more"], id="long")
    count = 0
    real = os.replace

    def replace(source: object, target: object) -> None:
        nonlocal count
        count += 1
        if count == moment:
            raise Killed
        real(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", replace)
    try:
        build(history, workspace.root)
    except Killed:
        monkeypatch.undo()
        (history / "a.json").unlink()  # the tree alone must hold what it held
        write_chat(history / "b.json", ["another"], id="other")
        build(history, workspace.root)
        assert texts_of(workspace, "long")[: len(TEXTS)] == TEXTS
        assert len(texts_of(workspace, "long")) <= len(TEXTS) + 1
    assert check(Workspace.open(workspace.root)).sound


def test_a_plan_that_was_made_is_carried_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "old.md").write_bytes(b"old")
    monkeypatch.setattr(staging, "_carry_through", lambda *_: None)
    staging.write_together(tmp_path, "s", [("a/new.md", b"new"), ("b.md", b"too")], ["old.md"])
    monkeypatch.undo()
    assert staging.recover(tmp_path) == 1
    assert ((tmp_path / "a" / "new.md").read_bytes(), (tmp_path / "b.md").read_bytes()) == (b"new", b"too")
    assert not (tmp_path / "old.md").exists()
    assert staging.recover(tmp_path) == 0


@pytest.mark.parametrize("number", [0, 1, -1])
def test_a_lost_part_is_read_again(workspace: Workspace, history: Path, number: int):
    (workspace.root / workspace.by_session()["long"][number].path).unlink()
    _, report = build(history, workspace.root)
    assert texts_of(Workspace.open(workspace.root), "long") == TEXTS
    assert report.complete
    assert check(Workspace.open(workspace.root)).sound


def test_a_copied_raw_file_doubles_nothing(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["one", "two"], id="s")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    raw = workspace.root / workspace.entries()[0].path
    shutil.copy(raw, raw.with_name(f"{raw.stem} (conflicted copy).md"))
    write_chat(tmp_path / "h" / "a.json", ["one", "two", "three"], id="s")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert texts_of(workspace, "s") == ["one", "two", "three"]
    assert [f.code for f in check(workspace).findings if f.level == "fault"] == ["doubled_part"]


def test_one_damaged_file_stops_nothing_and_is_told(example_workspace: Path, example_history: Path):
    workspace = Workspace.open(example_workspace)
    path = workspace.entries()[3].path
    data = (example_workspace / path).read_bytes()
    (example_workspace / path).write_bytes(data[: len(data) // 2])
    (example_history / "notes" / "new.md").write_text("# Sails\n\nThe new sails are red.", encoding="utf-8")
    workspace, report = build(example_history, example_workspace)
    assert report.damaged == (path,)
    assert not report.complete
    workspace, _ = build(example_history, example_workspace)
    assert len(list(workspace.sessions())) == 26
    assert [f.path for f in check(workspace).findings if f.level == "fault"] == [f"{path}.damaged"]


def test_a_memo_that_can_not_be_read_is_left_to_its_owner(example_workspace: Path, example_history: Path):
    workspace = Workspace.open(example_workspace)
    memo = example_workspace / memo_path(workspace.entries()[0].path)
    spoilt = memo.read_text(encoding="utf-8").replace('title: "', 'title: "MINE: ', 1).replace('"\ngist', "\ngist", 1)
    memo.write_text(spoilt, encoding="utf-8")
    _, report = build(example_history, example_workspace)
    assert memo.read_text(encoding="utf-8") == spoilt
    assert not report.complete


def test_a_persons_letters_in_a_readme_survive_in_any_encoding(example_workspace: Path, example_history: Path):
    readme = example_workspace / "notes" / README
    readme.write_bytes(readme.read_bytes() + "\nSatz über Bäume\n".encode("latin-1"))
    (example_history / "notes" / "new.md").write_text("# Sails\n\nThe new sails are red.", encoding="utf-8")
    build(example_history, example_workspace)
    assert "Satz über Bäume" in readme.read_text(encoding="utf-8")


def test_a_lost_attachment_is_read_again(tmp_path: Path):
    image = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3000)).decode()
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": image}}]
    path = tmp_path / "h" / "a.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"id": "s", "messages": [{"role": "user", "content": content}]}))
    os.utime(path, (time.time() - 60, time.time() - 60))
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    payload = next((workspace.root / "attachments").iterdir())
    before = payload.read_bytes()
    payload.write_bytes(b"evil")
    assert [f.code for f in check(workspace).findings if f.level == "fault"] == ["missing_attachment"]
    payload.unlink()
    jam.build(tmp_path / "h", tmp_path / "w")
    assert payload.read_bytes() == before


def test_histories_with_files_of_one_name_are_kept_apart(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"# Note\n\nThis is {name}.", encoding="utf-8")
        (tmp_path / name / "chat.json").write_text(
            json.dumps({"messages": [{"role": "user", "content": f"of {name}"}]})
        )
    jam.build(tmp_path / "one", tmp_path / "w")
    shutil.rmtree(tmp_path / "w" / ".jam")
    workspace = jam.build(tmp_path / "two", tmp_path / "w")
    assert {s.id: s.messages[-1].text.split()[-1] for s in workspace.sessions()} == {
        "note.md": "one.",
        "chat.json": "one",
        "two/note.md": "two.",
        "two/chat.json": "two",
    }
    before = tree_digest(workspace.root)
    for name in ("one", "two"):
        jam.build(tmp_path / name, tmp_path / "w")
    assert tree_digest(workspace.root) == before


def test_half_written_files_are_swept_up(example_workspace: Path, example_history: Path):
    (example_workspace / INBOX).mkdir()
    (example_workspace / INBOX / ".jam-0123.tmp").write_bytes(b"half")
    build(example_history, example_workspace)
    assert not (example_workspace / INBOX).exists()


def test_a_note_of_somebodys_own_in_the_tree_is_no_fault(example_workspace: Path):
    (example_workspace / "notes" / "mine.md").write_text("# Mine\n\nNot from a history.")
    found = check(Workspace.open(example_workspace))
    assert found.sound
    assert [f.code for f in found.findings if f.path == "notes/mine.md"] == ["other_file"]


def test_nothing_is_made_where_there_is_nothing_to_read(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    for history in (tmp_path / "empty", tmp_path / "absent", "", tmp_path / "binary"):
        with pytest.raises(jam.JamError):
            jam.build(history, tmp_path / "w")
    assert not (tmp_path / "w").exists()


def test_what_was_set_aside_is_never_overwritten(example_workspace: Path, example_history: Path):
    path = Workspace.open(example_workspace).entries()[3].path
    for number in range(2):
        data = (example_workspace / path).read_bytes()
        (example_workspace / path).write_bytes(data[: len(data) // (number + 2)])
        for _ in range(2):
            build(example_history, example_workspace)
    kept = sorted(p.name for p in (example_workspace / path).parent.glob("*.damaged"))
    assert len(kept) == 2
    assert len(list(Workspace.open(example_workspace).sessions())) == 25


def test_a_file_that_can_not_be_read_just_now_keeps_its_name(
    example_workspace: Path, example_history: Path, monkeypatch: pytest.MonkeyPatch
):
    path = Workspace.open(example_workspace).entries()[3].path

    def skim_raw(self: Workspace, wanted: str) -> object:
        if wanted == path:
            raise OSError(5, "Input/output error", wanted)
        return real(self, wanted)

    real = Workspace.skim_raw
    monkeypatch.setattr(Workspace, "skim_raw", skim_raw)
    with pytest.raises(OSError, match="Input/output"):
        build(example_history, example_workspace)
    assert (example_workspace / path).is_file()
