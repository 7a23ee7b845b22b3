"""How much of the time each of several calls took."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.evaluation.costs.call_seconds import FILE, Interval, Shares, shares

times = st.integers(0, 20)
intervals = st.lists(
    st.tuples(st.sampled_from("abcdef"), times, times).map(lambda it: Interval(it[0], min(it[1:]), max(it[1:])))
)


def test_calls_one_after_another_have_their_own_time():
    assert shares([Interval("a", 0, 2), Interval("b", 3, 4)]) == {"a": 2, "b": 1}


def test_calls_side_by_side_share_their_time():
    assert shares([Interval("a", 0, 4), Interval("b", 0, 2)]) == {"a": 3, "b": 1}


@given(intervals)
def test_the_shares_add_up_to_the_time_in_which_any_was_under_way(calls: list[Interval]):
    busy = sum(any(call.began <= second < call.ended for call in calls) for second in range(20))
    assert sum(shares(calls).values()) == pytest.approx(busy)


def test_shares_are_kept_and_read_again(tmp_path: Path):
    folder = tmp_path / "replies"
    Shares(folder).note({"a": 1.5, "b": 0.25})
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write('{"key": "c"\n[]\n')  # cut off, and no share
    assert Shares(folder).total([("a", 9.0), ("b", 9.0), ("unknown", 2.0)]) == 3.75
    assert Shares().total([("a", 9.0)]) == 9.0
