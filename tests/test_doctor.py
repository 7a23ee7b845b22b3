"""The check of a workspace: what it finds, and that it changes nothing."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import numpy as np
import pytest

import jam
from jam.doctor import Checkup, check
from jam.memorizer.build import build
from jam.workspace.layout import memo_path
from jam.workspace.lease import Lease
from jam.workspace.settings import Settings
from tests.conftest import tree_digest
from tests.histories import write_chat

BERTHS = "chats/2026-05-27 berth-plan-for-the-summer.md"


def examine(place: Path, **options: bool) -> Checkup:
    return check(jam.Workspace.open(place), **options)


def codes(checkup: Checkup) -> dict[str, tuple[str, str]]:
    return {finding.code: (finding.level, finding.path) for finding in checkup.findings}


def test_a_new_workspace_is_sound(built_examples: Path):
    checkup = examine(built_examples)
    assert (checkup.findings, checkup.sound, checkup.index) == ((), True, "equal")
    assert (checkup.sessions, checkup.messages) == (25, 196)


def test_a_check_changes_nothing(example_workspace: Path):
    (example_workspace / BERTHS).write_text("garbage")
    before = tree_digest(example_workspace)
    examine(example_workspace)
    assert tree_digest(example_workspace) == before


def test_a_file_that_does_not_parse(example_workspace: Path):
    (example_workspace / BERTHS).write_text("garbage")
    checkup = examine(example_workspace)
    assert codes(checkup)["damaged_file"] == ("fault", BERTHS)
    assert not checkup.sound


def test_a_message_that_was_changed(example_workspace: Path):
    raw = example_workspace / BERTHS
    raw.write_bytes(raw.read_bytes().replace(b"pontoon is 48 boats", b"pontoon is 49 boats"))
    checkup = examine(example_workspace)
    assert codes(checkup)["damaged_message"] == ("fault", BERTHS)
    (finding,) = [item for item in checkup.findings if item.code == "damaged_message"]
    workspace = jam.Workspace.open(example_workspace)
    assert f"message {workspace.read_raw(BERTHS).damaged[0]}:" in finding.text


def test_a_session_that_is_there_twice(example_workspace: Path):
    shutil.copy(example_workspace / BERTHS, example_workspace / "notes" / "copy.md")
    assert codes(examine(example_workspace))["doubled_part"] == ("fault", "notes/copy.md")


@pytest.mark.parametrize("lost", ["first", "middle"])
def test_a_part_that_is_missing(tmp_path: Path, lost: str):
    texts = [f"message {n} " + "tide " * 200 for n in range(40)]
    write_chat(tmp_path / "h" / "a.json", texts, id="long")
    place = jam.Workspace.create(tmp_path / "w", Settings(part_tokens=2000))
    build(tmp_path / "h", place.root)
    paths = [entry.path for entry in place.by_session()["long"]]
    gone, after = (paths[0], paths[1]) if lost == "first" else (paths[1], paths[2])
    for path in (gone, memo_path(gone)):
        (place.root / path).unlink()
    assert codes(examine(place.root))["missing_part"] == ("fault", after)


def test_a_payload_that_is_missing(tmp_path: Path):
    picture = base64.b64encode(bytes(range(256)) * 40).decode()
    content = [
        {"type": "text", "text": "Look at this."},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
    ]
    write_chat(tmp_path / "h" / "a.json", [content, "Nice."], id="a")  # type: ignore[list-item]
    place = jam.build(tmp_path / "h", tmp_path / "w")
    (payload,) = (place.root / "attachments").iterdir()
    assert examine(place.root).sound
    payload.unlink()
    assert codes(examine(place.root))["missing_attachment"][0] == "fault"


def test_a_memo_alone(example_workspace: Path):
    (example_workspace / BERTHS).unlink()
    assert codes(examine(example_workspace))["orphan_memo"] == ("fault", memo_path(BERTHS))


def test_a_memo_that_does_not_parse(example_workspace: Path):
    (example_workspace / memo_path(BERTHS)).write_text("garbage")
    assert codes(examine(example_workspace))["damaged_memo"] == ("fault", memo_path(BERTHS))


def test_a_session_without_a_memo_is_remarked(example_workspace: Path):
    (example_workspace / memo_path(BERTHS)).unlink()
    checkup = examine(example_workspace)
    assert codes(checkup)["raw_only"] == ("remark", BERTHS)
    assert checkup.sound


def test_a_session_in_the_inbox_is_remarked(example_workspace: Path):
    (example_workspace / "inbox").mkdir()
    for path in (BERTHS, memo_path(BERTHS)):
        (example_workspace / path).rename(example_workspace / "inbox" / Path(path).name)
    checkup = examine(example_workspace)
    assert codes(checkup)["in_inbox"] == ("remark", f"inbox/{Path(BERTHS).name}")
    assert checkup.sound


def test_a_file_of_somebody_elses_is_remarked(example_workspace: Path):
    (example_workspace / "notes" / "photo.png").write_bytes(b"\x89PNG")
    checkup = examine(example_workspace)
    assert codes(checkup) == {"other_file": ("remark", "notes/photo.png")}
    assert checkup.sound


def test_no_index_is_remarked(example_workspace: Path):
    shutil.rmtree(example_workspace / ".jam" / "index")
    checkup = examine(example_workspace)
    assert codes(checkup) == {"index_missing": ("remark", "")}
    assert checkup.index == "missing"


def test_an_index_older_than_the_tree_is_remarked(example_workspace: Path):
    for path in (BERTHS, memo_path(BERTHS)):
        (example_workspace / path).unlink()
    checkup = examine(example_workspace)
    assert codes(checkup) == {"index_stale": ("remark", "")}
    assert checkup.sound


def alter(place: Path) -> None:
    """Another number in the stored index."""
    (array,) = (place / ".jam" / "index").glob("*/sum.npy")
    values = np.load(array)
    values[0, 0] ^= 1
    np.save(array, values)


def test_an_index_that_differs_is_a_fault(example_workspace: Path):
    alter(example_workspace)
    checkup = examine(example_workspace)
    assert codes(checkup) == {"index_differs": ("fault", "")}
    assert not checkup.sound


def test_to_rebuild_mends_the_index(example_workspace: Path):
    alter(example_workspace)
    checkup = examine(example_workspace, rebuild_index=True)
    assert (checkup.index, checkup.rebuilt) == ("differs", True)
    assert examine(example_workspace).index == "equal"


def test_to_rebuild_makes_a_missing_index(example_workspace: Path):
    shutil.rmtree(example_workspace / ".jam")
    examine(example_workspace, rebuild_index=True)
    assert examine(example_workspace).index == "equal"


def test_a_writer_at_work_is_remarked(example_workspace: Path):
    with Lease(example_workspace, purpose="a long build"):
        checkup = examine(example_workspace)
    (finding,) = checkup.findings
    assert (finding.level, finding.code) == ("remark", "busy")
    assert "a long build" in finding.text


def test_the_checkup_is_json_values(built_examples: Path):
    data = examine(built_examples).to_dict()
    assert data["sound"] is True
    assert data["findings"] == []
