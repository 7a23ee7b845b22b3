"""However sessions came to be in segments, the index is the same, byte for byte and score for score."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.index.embedder import static_embedder
from jam.index.indexing import build_arrays, load_arrays
from jam.index.merging import merge
from jam.index.search_index import SearchIndex
from jam.index.store import IndexState, index_state, open_index, rebuild, refresh
from tests.histories import PORT, example_questions, lasting
from tests.index.indexes import collection_of, index_of, records

PIECES = [
    "the tide is high",
    "we painted two boats",
    "Der Hafen ist zu",
    "port 8443",
    "x_1 v2.0",
    "",
    "\ud800",
    "tides",
]
messages = st.builds(
    jam.Message,
    st.sampled_from(["user", "assistant"]),
    st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join),
    speaker=st.sampled_from([None, "Ann", "Bo", "Zoë"]),
    at=st.sampled_from([None, "2026-05-04T10:00:00"]),
    kind=st.sampled_from(["message", "notice"]),
)
histories = st.lists(st.lists(messages, max_size=5), max_size=6).map(
    lambda found: [jam.Session(f"s{n}", tuple(own), title="Boats" if n % 2 else None) for n, own in enumerate(found)]
)


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jam.index.store._LOOK_AGAIN", 0.0)


@settings(max_examples=60, deadline=None)
@given(histories, st.data())
def test_merged_segments_are_as_if_made_at_once(sessions: list[jam.Session], data: st.DataObject):
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(sessions), max_size=len(sessions)))
    fresh = build_arrays(sessions, static_embedder())
    with tempfile.TemporaryDirectory() as folder:
        merge(collection_of(sessions, owners), Path(folder))
        merged = load_arrays(Path(folder), mapped=False)
    assert set(merged) == set(fresh)
    for name, values in fresh.items():
        assert merged[name].dtype == values.dtype, name
        assert np.array_equal(merged[name], values), name


@settings(max_examples=60, deadline=None)
@given(histories, st.data(), st.sampled_from(["Which boats did Ann paint?", "Is the port of May high?", "Hafen"]))
def test_segments_score_as_one(sessions: list[jam.Session], data: st.DataObject, question: str):
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(sessions), max_size=len(sessions)))
    one = index_of(*sessions).rank(question)
    several = SearchIndex(collection_of(sessions, owners), records(sessions)).rank(question)
    assert several.scores.tolist() == one.scores.tolist()
    assert several.found == one.found


@settings(max_examples=40, deadline=None)
@given(histories, st.data())
def test_what_is_left_out_leaves_no_trace(sessions: list[jam.Session], data: st.DataObject):
    """A segment may hold files that are no longer in the tree."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(sessions), max_size=len(sessions)))
    whole = collection_of(sessions, [0] * len(sessions))
    left = [session for session, keep in zip(sessions, kept, strict=True) if keep]
    places = [place for place, keep in zip(whole.places, kept, strict=True) if keep]
    part = SearchIndex(type(whole)(whole.segments, places, static_embedder()), records(left))
    fresh = index_of(*left)
    assert part.rank("tide boats").scores.tolist() == fresh.rank("tide boats").scores.tolist()
    with tempfile.TemporaryDirectory() as folder:
        merge(part.collection, Path(folder))
        merged = load_arrays(Path(folder), mapped=False)
    assert all(np.array_equal(merged[name], values) for name, values in fresh.collection.segments[0].items())


def segments(place: Path) -> list[str]:
    return list(json.loads((place / ".jam" / "index" / "manifest.json").read_text())["segments"])


def touch(place: Path, number: int, text: str) -> str:
    """Somebody writes into a raw file."""
    path = jam.Workspace.open(place).stamps()[number].path
    raw = place / path
    raw.write_text(raw.read_text(encoding="utf-8").rstrip("\n") + f" {text}\n", encoding="utf-8")
    return path


def answers(place: Path) -> list[dict[str, object]]:
    workspace = jam.Workspace.open(place)
    asked = [PORT, *(item["question"] for item in example_questions()[:8])]
    return [lasting(jam.recall(workspace, question, strategy="search", save=False)) for question in asked]


def test_what_changed_gets_a_segment_of_its_own(example_workspace: Path):
    (before,) = segments(example_workspace)
    path = touch(example_workspace, 2, "The zeppelin was lavender.")
    context = jam.recall(jam.Workspace.open(example_workspace), "Was the zeppelin lavender?", save=False)
    assert path in context.sources
    assert segments(example_workspace)[0] == before
    assert len(segments(example_workspace)) == 2
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal


def test_growing_bit_by_bit_ends_in_the_same_answers(example_workspace: Path):
    for number in range(20):
        touch(example_workspace, number % 25, f"Note {number} of the harbour master.")
        (refresh if number % 2 else open_index)(jam.Workspace.open(example_workspace))
    assert len(segments(example_workspace)) <= 8
    grown = answers(example_workspace)
    assert index_state(jam.Workspace.open(example_workspace)) == IndexState.equal
    assert rebuild(jam.Workspace.open(example_workspace))
    assert len(segments(example_workspace)) == 1
    assert answers(example_workspace) == grown


def test_a_segment_that_is_mostly_of_no_use_is_written_anew(example_workspace: Path):
    for number in range(12):
        touch(example_workspace, number, "Changed.")
    refresh(jam.Workspace.open(example_workspace))
    index = open_index(jam.Workspace.open(example_workspace))
    assert sum(int(arrays["start"][-1]) for arrays in index.collection.segments) == len(index)


def test_a_damaged_segment_costs_only_its_own_files(example_workspace: Path, monkeypatch: pytest.MonkeyPatch):
    touch(example_workspace, 1, "The zeppelin was lavender.")
    whole = answers(example_workspace)
    large, small = segments(example_workspace)
    (example_workspace / ".jam" / "index" / small / "sum.npy").unlink()
    read = []
    reading = jam.Workspace.read_raw
    monkeypatch.setattr(jam.Workspace, "read_raw", lambda self, path: (read.append(path), reading(self, path))[1])
    open_index(jam.Workspace.open(example_workspace))
    assert len(read) == 1
    assert large in segments(example_workspace)
    monkeypatch.undo()
    assert answers(example_workspace) == whole
