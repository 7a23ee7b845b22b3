"""The best messages that don't bring each other along."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import jam
from tests.index.indexes import index_of

_WORDS = ["harbour", "lantern", "ferry", "tariff", "orchard", "violin", "meadow", "copper"]
histories = st.lists(
    st.lists(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4), min_size=1, max_size=9), min_size=1, max_size=4
)


def _sessions(history: list[list[list[str]]]) -> list[jam.Session]:
    return [
        jam.Session(f"s{number}", tuple(jam.Message("user", " ".join(said)) for said in messages))
        for number, messages in enumerate(history)
    ]


@given(histories, st.integers(0, 3), st.integers(1, 12))
def test_the_best_are_apart_and_nothing_better_is_passed_over(history: list[list[list[str]]], width: int, limit: int):
    index = index_of(*_sessions(history))
    ranking = index.rank("Which ferry goes past the harbour lantern?")
    found: list[tuple[str, int]] = []
    for row, _ in ranking.best():  # the obvious way: each in turn, unless one that was taken is near
        path, message = index.place(row)
        near = any(path == other and abs(message - number) <= width for other, number in found)
        if not near and len(found) < limit:
            found.append((path, message))
    assert [index.place(row) for row, _ in ranking.apart(limit, width)] == found


def test_a_very_long_message_is_one():
    long = jam.Message("user", " ".join(f"Sentence {number} about the ferry and its tariff." for number in range(900)))
    index = index_of(jam.Session("long", (long, jam.Message("assistant", "The ferry is late."))))
    assert len(index) > 2  # it is several passages
    assert sorted(index.place(row)[1] for row, _ in index.rank("When is the ferry?").apart(9, 0)) == [1, 2]
