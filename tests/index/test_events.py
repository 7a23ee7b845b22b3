"""Times counted from an event: the event is looked for in the history, and its day counted from."""

from __future__ import annotations

import pytest

import jam
from tests.index.indexes import index_of

_NOTES = {
    "2024-03-02": "Bought red shoes with thin soles for the office.",
    "2024-03-30": "Bought brown shoes with thin soles, for the office again.",
    "2024-05-05": "Bought blue shoes with thick soles in the shop by the bridge.",
    "2024-05-19": "The harbour race is over: eleven kilometres, and I came in forty-second.",
    "2024-05-27": "My knee hurts; the doctor says to rest it for a week.",
    "2024-08-01": "Bought green shoes with thin soles for the garden.",
}


def _diary(notes: dict[str, str]) -> tuple[jam.Session, ...]:
    return tuple(
        jam.Session(day, (jam.Message("user", text, at=f"{day}T18:00:00"), jam.Message("assistant", "Noted.")), at=day)
        for day, text in notes.items()
    )


def _first(question: str, notes: dict[str, str] = _NOTES) -> str:
    index = index_of(*_diary(notes))
    return index.place(index.rank(question).best(1)[0][0])[0].removesuffix(".md")


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("Which shoes with thin soles did I buy two weeks before the harbour race?", "2024-05-05"),
        ("Which shoes with thick soles did I buy two months before the harbour race?", "2024-03-30"),
        ("What did I note the week after the harbour race?", "2024-05-27"),
    ],
)
def test_a_time_counted_from_an_event_leads_to_its_days(question: str, day: str):
    assert _first(question) == day


def test_an_event_that_nobody_speaks_of_changes_nothing():
    without = _first("Which shoes with thin soles for the garden did I buy?")
    assert _first("Which shoes with thin soles for the garden did I buy two weeks before the coronation?") == without


def test_an_event_that_everybody_speaks_of_has_no_day():
    notes = {f"2024-{month:02d}-05": f"The standup was about item {month}." for month in range(1, 9)}
    plain, counted = "What was the standup about?", "What was the standup about two weeks before the standup?"
    index = index_of(*_diary(notes))
    assert index.rank(counted).asked.dates[1].max() == 0.0 == index.rank(plain).asked.dates[1].max()


def test_without_days_an_event_tells_nothing():
    sessions = [jam.Session("one", (jam.Message("user", "The race was long."),))]
    index = index_of(*sessions)
    assert index.rank("What did I buy two weeks before the race?").asked.dates[1].tolist() == [0.0]
