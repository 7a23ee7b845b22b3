"""The stored index: as fresh as its tree, made anew where it isn't, and always with the same results."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import jam
from jam.index.search_index import Within
from jam.index.store import IndexState, index_state, open_index, rebuild
from jam.workspace.layout import memo_path
from tests.histories import BLOOD, PORT, STRATEGIES, example_questions, lasting
from tests.index.indexes import index_of


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jam.index.store._LOOK_AGAIN", 0.0)


@pytest.fixture(scope="module")
def expected(built_examples: Path) -> dict[str, object]:
    return lasting(jam.recall(built_examples, PORT, strategy="search", save=False))


def ask(place: Path) -> dict[str, object]:
    """As a new program would ask."""
    return lasting(jam.recall(jam.Workspace.open(place), PORT, strategy="search", save=False))


def current(place: Path) -> Path:
    """The folder of its one segment."""
    home = place / ".jam" / "index"
    names = json.loads((home / "manifest.json").read_text())["segments"]
    assert len(names) == 1
    return home / names[0]


def with_pieces(place: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every scope of more than `limit` messages a large one."""
    monkeypatch.setattr("jam.index.shortlist._KEPT_MESSAGES", 1)
    monkeypatch.setattr("jam.index.search_index.SHORTLIST", limit)
    shutil.rmtree(place / ".jam" / "index")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_without_its_derived_data_every_context_is_the_same(example_workspace: Path, strategy: str):
    questions = [item["question"] for item in example_questions()]

    def answers() -> list[dict[str, object]]:
        workspace = jam.Workspace.open(example_workspace)
        return [lasting(jam.recall(workspace, question, strategy=strategy, save=False)) for question in questions]

    before = answers()
    shutil.rmtree(example_workspace / ".jam")
    assert json.dumps(answers()) == json.dumps(before)


def test_a_stored_index_scores_as_one_in_memory(built_examples: Path):
    workspace = jam.Workspace.open(built_examples)
    stored = open_index(workspace)
    sessions = [workspace.read_raw(record.path).session for record in stored.files]
    fresh = index_of(*sessions)
    assert isinstance(stored.collection.segments[0]["sum"], np.memmap)
    assert stored.rank(PORT).scores.tolist() == fresh.rank(PORT).scores.tolist()


def test_a_stored_index_equals_a_fresh_one(built_examples: Path):
    assert index_state(jam.Workspace.open(built_examples)) == IndexState.equal


def test_a_removed_session_is_no_longer_found(example_workspace: Path):
    workspace = jam.Workspace.open(example_workspace)
    path = open_index(workspace).files[0].path
    (example_workspace / path).unlink()
    (example_workspace / memo_path(path)).unlink()
    assert index_state(workspace) == IndexState.stale
    assert not open_index(workspace).has(path)


def test_a_message_that_a_person_wrote_in_is_found(example_workspace: Path):
    workspace = jam.Workspace.open(example_workspace)
    path = next(stamp.path for stamp in workspace.stamps() if "long-run" in stamp.path)
    jam.recall(workspace, PORT, save=False)
    raw = example_workspace / path
    raw.write_text(raw.read_text(encoding="utf-8").rstrip("\n") + " The zeppelin was lavender.\n", encoding="utf-8")
    context = jam.recall(workspace, "Was the zeppelin lavender?", strategy="search", save=False)
    assert path in context.sources


def test_a_changed_memo_is_noticed(example_workspace: Path):
    workspace = jam.Workspace.open(example_workspace)
    path = open_index(workspace).files[0].path
    memo = example_workspace / memo_path(path)
    title = open_index(workspace).file(path).title
    memo.write_text(memo.read_text(encoding="utf-8").replace(f"# {title}", "# A lavender zeppelin"), encoding="utf-8")
    assert open_index(workspace).file(path).title == "A lavender zeppelin"


def test_another_embedder_means_a_new_index(example_workspace: Path, expected: dict[str, object]):
    meta = example_workspace / ".jam" / "index" / "manifest.json"
    data = json.loads(meta.read_text())
    meta.write_text(json.dumps({**data, "embedder": "static-999-other"}))
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.stale
    assert ask(example_workspace) == expected


def test_the_index_of_another_embedder_is_replaced(example_workspace: Path):
    meta = current(example_workspace) / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "embedder": "static-999-other"}))
    ask(example_workspace)
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff\xfe not what it was")


def swap(path: Path) -> None:
    np.save(path, np.zeros(3, np.float32))


ARRAYS = ["sum.npy", "start.npy", "speakers.npy", "posting_count.npy"]


@pytest.mark.parametrize("harm", [cut, garbage])
@pytest.mark.parametrize("name", ARRAYS)
def test_a_damaged_array_is_made_anew(
    example_workspace: Path, expected: dict[str, object], name: str, harm: Callable[[Path], None]
):
    harm(current(example_workspace) / name)
    assert ask(example_workspace) == expected


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_without_content_is_made_anew(example_workspace: Path, expected: dict[str, object], name: str):
    empty(current(example_workspace) / name)
    assert ask(example_workspace) == expected


@pytest.mark.parametrize("name", ["sum.npy", "start.npy"])
def test_a_missing_array_of_the_first_is_made_anew(example_workspace: Path, expected: dict[str, object], name: str):
    (current(example_workspace) / name).unlink()
    assert ask(example_workspace) == expected


@pytest.mark.parametrize("name", ["speakers.npy", "posting_count.npy", "file_day.npy"])
def test_a_missing_array_is_made_anew(example_workspace: Path, expected: dict[str, object], name: str):
    (current(example_workspace) / name).unlink()
    assert ask(example_workspace) == expected


@pytest.mark.parametrize("name", ["sum.npy", "speakers.npy", "posting_count.npy"])
def test_an_array_of_another_shape_is_made_anew(example_workspace: Path, expected: dict[str, object], name: str):
    swap(current(example_workspace) / name)
    assert ask(example_workspace) == expected


@pytest.mark.parametrize("harm", [cut, empty, garbage, Path.unlink])
def test_damaged_data_about_the_index_is_made_anew(
    example_workspace: Path, expected: dict[str, object], harm: Callable[[Path], None]
):
    harm(current(example_workspace) / "meta.json")
    assert ask(example_workspace) == expected
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


@pytest.mark.parametrize("field", ["version", "files", "embedder", "arrays"])
def test_data_about_the_index_that_lacks_something_is_made_anew(
    example_workspace: Path, expected: dict[str, object], field: str
):
    meta = current(example_workspace) / "meta.json"
    data = json.loads(meta.read_text())
    del data[field]
    meta.write_text(json.dumps(data))
    assert ask(example_workspace) == expected
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


@pytest.mark.parametrize("name", ["", "nowhere", "../../chats", "\u00e9", None, 3])
def test_a_pointer_to_nowhere_is_mended(example_workspace: Path, expected: dict[str, object], name: object):
    manifest = example_workspace / ".jam" / "index" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "segments": [name]}), encoding="utf-8")
    assert ask(example_workspace) == expected
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


@pytest.mark.parametrize("harm", [cut, empty, garbage, Path.unlink])
def test_a_damaged_manifest_is_mended(
    example_workspace: Path, expected: dict[str, object], harm: Callable[[Path], None]
):
    harm(example_workspace / ".jam" / "index" / "manifest.json")
    assert ask(example_workspace) == expected
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


def test_an_altered_index_is_noticed_and_rebuilt(example_workspace: Path):
    array = current(example_workspace) / "sum.npy"
    array.write_bytes(array.read_bytes()[:-4] + b"\x00\x00\x80\x3f")
    workspace = jam.Workspace.open(example_workspace)
    assert index_state(workspace) == IndexState.differs
    rebuild(workspace)
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


@pytest.mark.parametrize("name", ["sum.npy", "speakers.npy"])
@pytest.mark.parametrize("harm", [cut, empty, Path.unlink])
def test_the_check_tells_a_damaged_array(example_workspace: Path, name: str, harm: Callable[[Path], None]):
    harm(current(example_workspace) / name)
    assert index_state(jam.Workspace.open(example_workspace)) in (IndexState.differs, IndexState.missing)


def test_a_workspace_that_cannot_be_written_is_asked_from_memory(example_workspace: Path, expected: dict[str, object]):
    shutil.rmtree(example_workspace / ".jam")
    (example_workspace / ".jam").write_text("in the way")
    assert ask(example_workspace) == expected
    context = jam.recall(example_workspace, PORT, strategy="search", save=True)
    assert lasting(context) == expected


def test_a_large_scope_is_cut_down_and_finds_the_same_session(example_workspace: Path, monkeypatch: pytest.MonkeyPatch):
    before = open_index(jam.Workspace.open(example_workspace))
    with_pieces(example_workspace, 3, monkeypatch)
    monkeypatch.setattr("jam.index.shortlist._KEPT", 6)
    index = open_index(jam.Workspace.open(example_workspace))
    assert index.shortlist is not None
    for item in example_questions():
        if item["gold"]:
            ranking = index.rank(item["question"])
            assert len({int(file) for file in index.collection.file[ranking.order]}) <= 12
            assert ranking.files(1)[0][0] == before.rank(item["question"]).files(1)[0][0], item["id"]


def test_a_small_scope_of_a_large_workspace_is_not_cut(example_workspace: Path, monkeypatch: pytest.MonkeyPatch):
    with_pieces(example_workspace, 40, monkeypatch)
    monkeypatch.setattr("jam.index.shortlist._KEPT", 1)
    index = open_index(jam.Workspace.open(example_workspace))
    inside = sum(record.path.startswith("notes/") for record in index.files)
    assert len(index.rank(PORT, Within("notes")).files(100)) == inside


def test_segments_that_are_of_no_use_are_swept(example_workspace: Path):
    first = current(example_workspace)
    for raw in [stamp.path for stamp in jam.Workspace.open(example_workspace).stamps()]:
        path = example_workspace / raw
        path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + " And so on.\n", encoding="utf-8")
    open_index(jam.Workspace.open(example_workspace))
    assert current(example_workspace) != first
    assert not first.exists()


def test_the_absent_stays_absent_when_the_index_is_made_anew(example_workspace: Path):
    shutil.rmtree(example_workspace / ".jam")
    assert jam.recall(example_workspace, BLOOD, strategy="search", save=False).verdict == "absent"


def test_what_a_killed_build_left_is_swept_after_a_day(example_workspace: Path):
    home = example_workspace / ".jam" / "index"
    for name, age in ((".new-1-1", 100_000), (".new-1-2", 10)):
        (home / name).mkdir()
        os.utime(home / name, (time.time() - age, time.time() - age))
    rebuild(jam.Workspace.open(example_workspace))
    assert sorted(entry.name for entry in home.iterdir() if entry.name.startswith(".new")) == [".new-1-2"]
