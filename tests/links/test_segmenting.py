"""Segments and their boundaries, against the same said slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.links.segmenting import cosines_across, segment_starts, segment_sums

_score = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0])
gaps = st.lists(st.tuples(_score, _score), max_size=12)
talks = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(-3, 3), min_size=width, max_size=width), min_size=1, max_size=9)
)


def floats(values: object) -> np.ndarray:
    return np.array(values, np.float32)


@given(gaps, _score)
def test_a_segment_begins_at_each_peak_across_which_messages_differ(
    given_gaps: list[tuple[float, float]], below: float
):
    scores = [score for score, _ in given_gaps]
    expected = [0]
    for gap, (score, cosine) in enumerate(given_gaps):
        left = scores[gap - 1] if gap > 0 else -math.inf
        right = scores[gap + 1] if gap + 1 < len(scores) else -math.inf
        if left <= score and score > right and cosine < below:
            expected.append(gap + 1)
    cosines = floats([cosine for _, cosine in given_gaps])
    assert segment_starts(floats(scores), cosines, below).tolist() == expected


@given(gaps)
def test_segments_only_fall_apart_as_the_limit_rises(given_gaps: list[tuple[float, float]]):
    scores, cosines = floats([score for score, _ in given_gaps]), floats([cosine for _, cosine in given_gaps])
    few, more = (set(segment_starts(scores, cosines, below).tolist()) for below in (0.3, 0.8))
    assert few <= more


@given(talks, st.integers(1, 3))
def test_cosines_are_of_the_directions_on_either_side(messages: list[list[int]], width: int):
    def side(places: range) -> list[float]:
        total = [0.0] * len(messages[0])
        for place in places:
            length = math.hypot(*messages[place])
            for axis, value in enumerate(messages[place]):
                total[axis] += value / length if length else 0.0
        return total

    expected = []
    for gap in range(len(messages) - 1):
        left = side(range(max(0, gap + 1 - width), gap + 1))
        right = side(range(gap + 1, min(len(messages), gap + 1 + width)))
        lengths = math.hypot(*left) * math.hypot(*right)
        product = sum(one * other for one, other in zip(left, right, strict=True))
        expected.append(product / lengths if lengths > 1e-9 else 1.0)
    assert cosines_across(floats(messages), width).tolist() == pytest.approx(expected, abs=1e-5)


@given(talks, st.data())
def test_sums_are_of_all_messages_of_a_segment(messages: list[list[int]], data: st.DataObject):
    later = data.draw(st.sets(st.integers(1, len(messages))))
    starts = [0, *sorted(later - {len(messages)})]
    sums = segment_sums(floats(messages), np.array(starts))
    ends = [*starts[1:], len(messages)]
    expected = [[sum(column) for column in zip(*messages[a:b], strict=True)] for a, b in zip(starts, ends, strict=True)]
    assert sums.tolist() == expected
