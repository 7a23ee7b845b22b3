"""Which times a sentence tells, and that ordinary words and numbers tell none."""

from __future__ import annotations

from datetime import date

import pytest

from jam.times import TimeExpression, read_times
from tests.times.sentences import ASKED, TELLING_NO_TIME, TOLD


def shown(expression: TimeExpression) -> str:
    """An expression as the table writes it."""
    if expression.span is not None:
        first, last = expression.span.first, expression.span.last
        return str(first) if first == last else f"{first or ''}/{last or ''}"
    if expression.offset is not None:
        return f"{expression.offset.first}..{expression.offset.last} of {expression.anchor or ''}".strip()
    return "?"


@pytest.mark.parametrize(("sentence", "told"), TOLD)
def test_the_times_that_a_sentence_tells(sentence, told):
    assert "; ".join(shown(expression) for expression in read_times(sentence, ASKED)) == told


@pytest.mark.parametrize("sentence", TELLING_NO_TIME)
def test_ordinary_words_and_numbers_tell_no_time(sentence):
    assert [expression.text for expression in read_times(sentence, ASKED)] == []


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("8/5/2023", [date(2023, 8, 5)]),
        ("25/5/2023", []),
        ("5/25/2023", []),
        ("8/8/2023", []),
        ("8.5.2023", []),
        ("8/5/23", [date(2023, 8, 5)]),
    ],
)
def test_numbers_are_read_in_both_orders_unless_one_is_impossible(text, others):
    [found] = read_times(text)
    assert found.span is not None
    assert found.span.first is not None
    assert found.span.first.year == 2023
    assert [span.first for span in found.others] == others


@pytest.mark.parametrize("text", ["yesterday", "last week", "two days ago", "in the last month", "gestern", "去年"])
def test_without_a_reference_day_what_is_counted_from_it_stays_open(text):
    [found] = read_times(f"So {text}?")
    assert (found.span, found.recurring, found.offset) == (None, None, None)


@pytest.mark.parametrize("text", ["last May", "in May", "on 8 May", "last summer", "on Monday", "at Christmas", "Q3"])
def test_what_comes_back_is_known_without_a_reference_day(text):
    [found] = read_times(text)
    assert found.span is None
    assert found.recurring is not None
    [known] = read_times(text, ASKED)
    assert known.span is not None
    assert known.recurring == found.recurring


def test_what_comes_back_has_its_days_in_each_year():
    [easter] = read_times("at Easter")
    [winter] = read_times("this winter")
    [leap_day] = read_times("on 29 February")
    assert easter.recurring is not None
    assert winter.recurring is not None
    assert leap_day.recurring is not None
    assert str(easter.recurring.in_year(2025)) == str(read_times("from 18 to 21 April 2025")[0].span)
    assert winter.recurring.in_year(2023) == read_times("from 1 December 2023 to 29 February 2024")[0].span
    assert leap_day.recurring.in_year(2023) is None
    assert leap_day.recurring.in_year(2024) == read_times("2024-02-29")[0].span


@pytest.mark.parametrize(
    ("text", "event", "first", "last"),
    [
        ("two days before the race", date(2024, 5, 10), date(2024, 5, 8), date(2024, 5, 8)),
        ("the week after the race", date(2024, 5, 10), date(2024, 5, 11), date(2024, 5, 17)),
        ("the Sunday before the race", date(2024, 5, 10), date(2024, 5, 5), date(2024, 5, 5)),
        ("the weekend after the race", date(2024, 5, 10), date(2024, 5, 11), date(2024, 5, 12)),
        ("the next day", date(2024, 5, 10), date(2024, 5, 11), date(2024, 5, 11)),
    ],
)
def test_a_time_told_by_an_event_is_known_once_the_event_is(text, event, first, last):
    [found] = read_times(text, ASKED)
    assert found.span is None
    around = found.around(event)
    assert (around.first, around.last) == (first, last)


def test_only_a_time_told_by_an_event_has_days_around_one():
    with pytest.raises(ValueError, match="2023"):
        read_times("in 2023")[0].around(ASKED)


def test_a_day_that_never_was_leaves_its_month():
    february = read_times("February 2023")[0].span
    assert read_times("on 30 February 2023")[0].span == read_times("on 2023-02-30")[0].span == february


def test_an_open_time_keeps_what_is_named_as_its_limit():
    [found] = read_times("since May 2023")
    assert found.named == read_times("May 2023")[0].span


def test_each_end_of_the_calendar_is_its_own_limit():
    [found] = read_times("9999 years ago, or so", ASKED)
    assert found.span is not None
    assert found.span.first == date.min
    assert read_times("next year", date.max)[0].span is not None
    assert read_times("last winter, last week, last Easter and the day before yesterday", date.min)
