"""Which link a segment joins."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jam.links.linking import Linker

_NEAR = 2e-5
"""By so much may a cosine be off."""
vectors = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), max_size=25)
limits = st.sampled_from([0.0, 0.5, 0.7, 0.9])
recents = st.integers(1, 5)


def linked(linker: Linker, segments: list[list[int]]) -> list[int]:
    return [linker.link(np.array(vector, np.float32)) for vector in segments]


def cosine(one: list[int], other: list[int]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else -1.0


@given(vectors, limits, recents)
def test_a_segment_joins_the_most_similar_of_the_latest_links(segments: list[list[int]], above: float, recent: int):
    sums: list[list[int]] = []
    for vector, number in zip(segments, linked(Linker(3, above, recent), segments), strict=True):
        oldest = max(0, len(sums) - recent)
        cosines = {link: cosine(sums[link], vector) for link in range(oldest, len(sums))}
        if number == len(sums):
            assert max(cosines.values(), default=-1.0) <= above + _NEAR
            sums.append(vector)
            continue
        assert cosines[number] > above - _NEAR
        assert cosines[number] >= max(cosines.values()) - _NEAR
        sums[number] = [a + b for a, b in zip(sums[number], vector, strict=True)]


@given(vectors, limits, recents, st.data())
def test_going_on_from_earlier_segments_gives_the_same(
    segments: list[list[int]], above: float, recent: int, data: st.DataObject
):
    whole = linked(Linker(3, above, recent), segments)
    cut = data.draw(st.integers(0, len(segments)))
    linker = Linker(3, above, recent)
    known = np.array(whole[:cut], np.int32)
    counted = [vector for vector, counts in zip(segments, linker.counts(known), strict=False) if counts]
    linker.resume(known, [np.array(vector, np.float32) for vector in counted])
    assert linked(linker, segments[cut:]) == whole[cut:]


def test_of_equals_the_earlier_is_joined():
    halves = [[3, 4, 0], [3, -4, 0]]  # cosine -0.28 to one another, 0.6 each to the third
    assert linked(Linker(3, 0.5), [*halves, [1, 0, 0]]) == [0, 1, 0]
    assert linked(Linker(3, 0.5), [*reversed(halves), [1, 0, 0]]) == [0, 1, 0]


def test_a_link_turns_with_what_joins_it():
    # [0, 1] is at a right angle to [1, 0], and has a cosine of 0.62 to the sum of [1, 0] and [4, 4].
    assert linked(Linker(2, 0.6), [[1, 0], [0, 1]]) == [0, 1]
    assert linked(Linker(2, 0.6), [[1, 0], [4, 4], [0, 1]]) == [0, 0, 0]


def test_what_says_nothing_is_alone():
    assert linked(Linker(2, 0.5), [[0, 0], [1, 0], [0, 0], [1, 0]]) == [0, 1, 2, 1]
