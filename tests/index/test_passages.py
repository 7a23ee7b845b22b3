"""Windows and sessions over messages, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.index.collection import Collection, ranges
from jam.index.embedder import static_embedder
from jam.index.passages import SESSION, Passages

sizes = st.lists(st.integers(0, 6), min_size=1, max_size=6)


def passages(lengths: list[int], mask: list[bool]) -> Passages:
    whole = Collection.of({"start": np.cumsum([0, *lengths])}, static_embedder())
    return Passages(whole, np.array(mask))


def windows(lengths: list[int], level: int) -> list[list[int]]:
    """Positions that belong to each message's window."""
    out, begin = [], 0
    for size in lengths:
        for own in range(begin, begin + size):
            out.append([near for near in range(begin, begin + size) if abs(near - own) <= level])
        begin += size
    return out


@given(sizes, st.sampled_from([0, 1, 3]), st.randoms(use_true_random=False))
def test_windows_stay_within_their_session(lengths, level, random):
    part = passages(lengths, [True] * len(lengths))
    values = np.array([[random.randint(0, 9) for _ in range(sum(lengths))] for _ in range(2)], np.float64)
    expected = windows(lengths, level)
    if not expected:
        return
    assert part.sum(values, level).tolist() == [[float(sum(row[near])) for near in expected] for row in values]
    assert part.max(values, level).tolist() == [[float(max(row[near])) for near in expected] for row in values]


@given(sizes.filter(any), st.randoms(use_true_random=False))
def test_a_session_is_all_its_messages(lengths, random):
    part = passages(lengths, [True] * len(lengths))
    values = np.array([random.randint(0, 9) for _ in range(sum(lengths))], np.float64)
    own = np.split(values, np.cumsum(lengths)[:-1])
    assert part.sum(values, SESSION).tolist() == [float(piece.sum()) for piece in own if len(piece)]
    assert part.max(values, SESSION).tolist() == [float(piece.max()) for piece in own if len(piece)]


@given(sizes, st.data())
def test_a_scope_holds_the_messages_of_its_files(lengths, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    start = np.cumsum([0, *lengths])
    expected = [m for number, keep in enumerate(mask) if keep for m in range(start[number], start[number + 1])]
    part = passages(lengths, mask)
    assert part.messages.tolist() == expected
    assert [int(part.local[m]) for m in expected] == list(range(len(expected)))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_ranges_are_what_they_say(pairs):
    begin = np.array([low for low, _ in pairs], np.int64)
    size = np.array([size for _, size in pairs], np.int64)
    expected = [number for low, width in pairs for number in range(low, low + width)]
    assert ranges(begin, begin + size).tolist() == expected


@pytest.mark.parametrize("level", [1, 3])
def test_the_widest_values_are_not_changed_in_place(level):
    part = passages([3], [True])
    values = np.array([1.0, 2.0, 3.0])
    part.max(values, level)
    assert values.tolist() == [1.0, 2.0, 3.0]
