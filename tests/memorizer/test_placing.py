"""Where sessions are filed: by JAM, and by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import jam
from jam.engines.extractive.organizer import ExtractiveOrganizer
from jam.jobs import Placeable
from jam.memo import Memo
from jam.memorizer.build import build
from jam.workspace.layout import memo_path, parent
from tests.conftest import tree_digest
from tests.memorizer.test_growth import SUBJECTS


def item(number: int, subject: str, folder: str | None = None, fixed: bool = False) -> Placeable:
    words = SUBJECTS[subject].split()
    memo = Memo(
        subject,
        f"{subject} {words[number % 10]}",
        " ".join(words),
        tuple(words[:3]),
        dates=(f"2026-01-{number + 1:02d}",),
    )
    return Placeable(f"s{number}", memo, folder, fixed)


def items(count: int, start: int = 0) -> list[Placeable]:
    return [item(number, list(SUBJECTS)[number % 4]) for number in range(start, start + count)]


def place(known: Sequence[Placeable], limit: int = 6) -> dict[str, str]:
    return ExtractiveOrganizer().place(known, limit, 3)


def test_where_sessions_lie_follows_from_them_alone():
    all_at_once = place(items(24))
    assert len(set(all_at_once.values())) > 2
    moved = place(list(reversed(items(24))))
    assert moved == all_at_once
    there = [Placeable(each.session_id, each.memo, all_at_once.get(each.session_id, "")) for each in items(24)]
    assert place(there) == {}


def test_what_comes_later_in_time_leaves_the_rest_where_it_is():
    before = place(items(15))
    after = place(items(16))
    assert {i: after[i] for i in before} == before


def test_a_fixed_session_stays_and_draws_what_is_like_it():
    mine = [item(0, "boats", "my-boats", True), item(1, "boats", "my-boats", True), *items(8, 4)]
    placed = place(mine)
    assert not {"s0", "s1"} & placed.keys()
    boats = {f"s{n}" for n in range(4, 12) if list(SUBJECTS)[n % 4] == "boats"}
    assert {placed[i] for i in boats} == {"my-boats"}


def test_no_folder_holds_more_than_its_limit_nor_lies_too_deep():
    placed = ExtractiveOrganizer().place(items(24), 5, 2)
    sizes = [list(placed.values()).count(folder) for folder in set(placed.values())]
    assert max(sizes) <= 6
    assert max(folder.count("/") for folder in placed.values()) <= 1
    assert set(ExtractiveOrganizer().place(items(24), 5, 0).values()) == {""}


def test_equal_sessions_are_not_divided_for_ever():
    same = [Placeable(f"s{n:04d}", Memo("t", "g", "s", ("k",)), None) for n in range(600)]
    assert set(place(same).values()) == {""}


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A group of sessions that is divided by topic."""
    for number in range(16):
        add(tmp_path / "h", number)
    return tmp_path / "h"


def add(history: Path, number: int) -> None:
    subject = list(SUBJECTS)[number % 4]
    words = SUBJECTS[subject].split()
    texts = [f"The {words[(number + n) % 10]} and the {words[n]} of the {subject}, again {number}." for n in range(3)]
    data = {"id": f"s{number:02d}", "messages": [{"role": "user", "content": text} for text in texts]}
    (history / "talks").mkdir(parents=True, exist_ok=True)
    (history / "talks" / f"{number:02d}.json").write_text(json.dumps(data), encoding="utf-8")


def homes(workspace: jam.Workspace) -> dict[str, str]:
    return {entry.session_id: parent(entry.path) for entry in workspace.entries()}


def move(workspace: jam.Workspace, session_id: str, folder: str) -> str:
    """Moves a session's files by hand; returns its new path."""
    path = next(entry.path for entry in workspace.entries() if entry.session_id == session_id)
    (workspace.root / folder).mkdir(parents=True, exist_ok=True)
    for old in (path, memo_path(path)):
        (workspace.root / old).rename(workspace.root / folder / old.rpartition("/")[2])
    return f"{folder}/{path.rpartition('/')[2]}"


@pytest.mark.parametrize("forgetful", [False, True])
def test_what_a_person_moved_stays_there(history: Path, tmp_path: Path, forgetful: bool):
    workspace = jam.build(history, tmp_path / "w")
    filed = homes(workspace)
    assert len(set(filed.values())) > 2
    mine = move(workspace, "s02", "talks/my-own")
    other = move(workspace, "s03", "elsewhere")
    back = "s05"
    move(workspace, back, next(folder for i, folder in filed.items() if folder not in (filed[back], "talks")))
    for number in range(16, 20):
        add(history, number)
        if forgetful:
            shutil.rmtree(workspace.root / ".jam")
        workspace = jam.build(history, tmp_path / "w")
    now = {entry.session_id: entry.path for entry in workspace.entries()}
    assert (now["s02"], now["s03"]) == (mine, other)
    assert parent(now[back]) != filed[back]
    assert not [path for path in now.values() if path.startswith("inbox/")]


def test_a_folder_that_a_person_renamed_keeps_its_name(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    (workspace.root / "talks").rename(workspace.root / "gespräche")
    for number in range(16, 20):
        add(history, number)
    workspace = jam.build(history, tmp_path / "w")
    assert {folder.partition("/")[0] for folder in homes(workspace).values()} == {"gespräche"}
    assert not (workspace.root / "talks").exists()


def test_a_build_without_news_files_nothing_anew(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    move(workspace, "s02", "talks/my-own")
    jam.build(history, tmp_path / "w")
    before = tree_digest(workspace.root)
    _, report = build(history, tmp_path / "w")
    assert (report.moved, tree_digest(workspace.root)) == (0, before)
    shutil.rmtree(workspace.root / ".jam")
    _, report = build(history, tmp_path / "w")
    assert (report.moved, tree_digest(workspace.root)) == (0, before)


def test_groups_of_like_names_get_the_same_folders_whichever_came_first(tmp_path: Path):
    names = ["Boats", "boats", "boats!", "a/boats"]
    for order, place in ((names, "one"), (list(reversed(names)), "two")):
        for number, name in enumerate(order):
            folder = tmp_path / place / "h" / name
            folder.mkdir(parents=True)
            (folder / "note.md").write_text(f"# About {name}\n\nThe mast of {name}.", encoding="utf-8")
            jam.build(tmp_path / place / "h", tmp_path / place / "w")
            assert len(list((tmp_path / place / "h").rglob("note.md"))) == number + 1
    one, two = (jam.Workspace.open(tmp_path / place / "w") for place in ("one", "two"))
    assert homes(one) == homes(two)


def test_a_topic_makes_room_for_a_group_of_its_name(tmp_path: Path):
    history = tmp_path / "h"
    history.mkdir()
    for number in range(16):
        subject = list(SUBJECTS)[number % 4]
        (history / f"{number}.md").write_text(
            f"# {subject} {number}\n\nThe {SUBJECTS[subject]}, {number}.", encoding="utf-8"
        )
    workspace = jam.build(history, tmp_path / "w")
    topic = next(folder for folder in homes(workspace).values() if folder)
    (history / topic).mkdir()
    (history / topic / "note.md").write_text("# Beside\n\nA note of its own folder.", encoding="utf-8")
    grown = homes(jam.build(history, tmp_path / "w"))
    assert grown == homes(jam.build(history, tmp_path / "fresh"))
    assert grown[f"{topic}/note.md"] == topic
