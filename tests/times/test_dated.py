"""Relative times, with the days that they mean."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.times.dated import with_dates
from tests.times.parts import DAYS, TEXTS

SAID = "2023-06-09T18:30:00"


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("I went yesterday.", "I went yesterday [8 June 2023]."),
        ("Yesterday's tea", "Yesterday's [8 June 2023] tea"),
        ("last week, or so", "last week [29 May to 4 June 2023], or so"),
        ("this week", "this week [5 to 11 June 2023]"),
        ("two days ago", "two days ago [7 June 2023]"),
        ("last Friday", "last Friday [2 June 2023]"),
        ("next month", "next month [July 2023]"),
        ("last year", "last year [2022]"),
        ("a few years ago", "a few years ago [2018 to 2021]"),
        ("last summer", "last summer [June to August 2022]"),
        ("from yesterday to tomorrow", "from yesterday to tomorrow [8 to 10 June 2023]"),
        ("Gestern. Und letzte Woche", "Gestern [8 June 2023]. Und letzte Woche [29 May to 4 June 2023]"),
        ("昨天我去了", "昨天 [8 June 2023]我去了"),
        ("Today\nand tomorrow", "Today [9 June 2023]\nand tomorrow [10 June 2023]"),
    ],
)
def test_relative_times_get_their_days(text: str, dated: str):
    assert with_dates(text, SAID) == dated
    assert with_dates(text, SAID[:10]) == dated
    assert with_dates(dated, SAID) == dated


@pytest.mark.parametrize(
    "text",
    [
        "since last year",
        "until next week",
        "See you on Monday.",
        "in June",
        "at Christmas",
        "on 8 May 2023",
        "two weeks before the race",
        "the week before 5 July",
        "recently",
        "This is the last one.",
        "",
    ],
)
def test_what_is_open_or_unsure_or_a_date_gets_none(text: str):
    assert with_dates(text, SAID) == text


@pytest.mark.parametrize("at", [None, "", "2023", "2023-06", "last June", "2023-13-40"])
def test_without_a_day_nothing_is_added(at: str | None):
    assert with_dates("I went yesterday.", at) == "I went yesterday."


def test_a_new_year_is_told_in_full():
    assert with_dates("last week", "2023-01-04") == "last week [26 December 2022 to 1 January 2023]"
    assert with_dates("last winter", "2023-06-09") == "last winter [December 2022 to February 2023]"


ADDED = re.compile(r" \[[\w ]*\d\]")


@given(TEXTS, DAYS)
def test_days_are_only_added_and_only_once(text: str, at: str):
    dated = with_dates(text, at)
    assert with_dates(dated, at) == dated
    assert ADDED.sub("", dated) == ADDED.sub("", text)
    assert len(dated) >= len(text)


@given(st.integers(1, 12), DAYS)
def test_the_days_are_counted_from_the_messages_own(count: int, at: str):
    day = date.fromisoformat(at) - timedelta(count)
    (said,) = re.findall(r"\[(.*)\]", with_dates(f"It was {count} days ago, I think.", at))
    assert said.split()[0] == str(day.day)
    assert said.split()[2] == str(day.year)


@pytest.mark.parametrize(
    "text",
    [
        "Wir sind hier in Berlin",
        "in the last week of March 2021",
        "every last Friday",
        "yesterday (7 May 2023)",
        "five days ago in 2020",
        "a week ago Friday",
        "more than two years ago",
        "my last year at school",
        "We read USA Today at breakfast",
        "def yesterday(self): return today - timedelta(1)",
        "git log --since=yesterday",
        "see http://x.com/yesterday",
        '{"when": "yesterday"}',
        "9999 years ago",
    ],
)
def test_nothing_is_added_where_it_would_be_wrong(text: str):
    assert with_dates(text, "2023-06-09T10:00:00") == text
