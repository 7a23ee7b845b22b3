"""Statements in other words against the messages they are from, and relative times with their days."""

from __future__ import annotations

import re
import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.engines.amounts import amounts, spelled_amounts
from jam.engines.faithful import faithful, objection, with_dates
from jam.jobs import Candidate
from jam.session import Message

SAID = "2023-06-09T18:30:00"
COMPARES = "How much more did the house cost than the loan?"


def says(text: str, at: str | None = SAID) -> Candidate:
    return Candidate("a.md", 1, Message("user", text), at)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("She painted the boat on 9 June 2023.", "I painted the boat last week."),
        ("She painted the boat on 2 June 2023.", "I painted the boat last week."),
        ("She painted the boat in June.", "I painted the boat last week."),
        ("The crew met on October 4.", "The crew met yesterday."),
        ("The crew met on 2023-06-09.", "Yesterday the crew met, and today we row."),
        ("The crew met yesterday (9 June 2023).", "The crew met yesterday."),
        ("The crew met yesterday, on 7 June.", "The crew met yesterday."),
        ("They moved in 2022.", "We moved last year."),
        ("They moved in 2021.", "We moved in May 2020."),
        ("Sie malte das Boot am 9. Juni 2023.", "Ich habe das Boot letzte Woche gemalt."),
    ],
)
def test_a_date_that_a_message_does_not_tell_is_doubted(statement: str, text: str):
    assert "date" in objection(statement, says(text))
    assert not faithful(statement, says(text))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("She painted the boat last week.", "I painted the boat last week."),
        ("She painted the boat.", "I painted the boat last week."),
        ("Said on 9 June 2023: she painted the boat last week.", "I painted the boat last week."),
        ("She painted the boat last week (29 May to 4 June 2023).", "I painted the boat last week."),
        ("The crew met 2 days ago.", "The crew met two days ago."),
        ("The crew met yesterday (8 June 2023).", "The crew met yesterday."),
        ("They moved in May 2020.", "We moved on 8 May 2020."),
        ("They moved in 2020.", "We moved on 8/5/2020."),
        ("They moved on May 8th, 2020.", "We moved on 8 May 2020."),
        ("They are away from 5 March 2023.", "We are away from 5 to 7 March 2023."),
        ("They come on 5 July 2023.", "We come on 5 July."),
        ("They came at Christmas.", "We came at Christmas."),
        ("They came on Friday.", "On Friday we came, as always."),
    ],
)
def test_a_date_that_a_message_tells_is_not(statement: str, text: str):
    assert objection(statement, says(text)) == ""


def test_without_a_day_no_date_can_be_worked_out():
    assert objection("She painted it last week.", says("I painted it last week.", at=None)) == ""
    assert "date" in objection("She painted it on 9 June 2023.", says("I painted it last week.", at=None))
    assert "date" in objection("Said on 9 June 2023: she painted it last week.", says("I painted it last week.", None))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("It cost $325k.", "It cost $352k."),
        ("It cost $350.", "It cost $350k."),
        ("It rose by 12%.", "It rose by 12.5%."),
        ("She has 4 children.", "I have three children."),
        ("It starts at 10:30.", "It starts at 10:00."),
        ("Bus 7 goes there.", "The bus goes there."),
    ],
)
def test_a_number_that_a_message_does_not_have_is_doubted(statement: str, text: str):
    assert "number" in objection(statement, says(text))


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("It cost $350,000.", "It cost $350k."),
        ("It cost 1.2 million.", "It cost 1,200,000 all in all."),
        (
            "She has 3 children, 25 cousins and 200 books.",
            "I have three children, twenty-five cousins, two hundred books",
        ),
        ("Half of it, 50%, is gone.", "half of it is gone"),
        ("She is the 2nd.", "I came second."),
        ("It starts at 10.", "It starts at 10:00."),
        ("She rowed.", "I rowed 5 km in 40 minutes."),
    ],
)
def test_a_number_that_a_message_has_is_not(statement: str, text: str):
    assert objection(statement, says(text)) == ""


@pytest.mark.parametrize("statement", ["", " ", "\n\t"])
def test_nothing_is_no_statement(statement: str):
    assert "nothing" in objection(statement, says("Ahoy."))


PRICES = "The bank lent us $350k, and the house was $325k."


@pytest.mark.parametrize("question", [COMPARES, "What is the total?", "Was the house cheaper?", "How much was saved?"])
def test_a_comparison_must_not_lose_an_operand(question: str):
    assert "leaves out a number" in objection("The bank lent them $350k.", says(PRICES), question)
    assert objection("Lent $350k, the house was $325k.", says(PRICES), question) == ""
    assert objection("They have a bank and a house.", says(PRICES), question) == ""


def test_other_questions_may_leave_numbers_out():
    assert objection("The bank lent them $350k.", says(PRICES), "What did the bank lend?") == ""
    assert objection("The bank lent them $350k.", says(PRICES)) == ""


def test_dates_and_long_lists_are_no_operands():
    assert objection("They paid 40.", says("We paid 40 on 8 May 2023, two weeks ago."), COMPARES) == ""
    table = "Tides: " + ", ".join(f"{hour} metres" for hour in range(2, 12))
    assert objection("The tide was 2 metres.", says(table), COMPARES) == ""


SENTENCES = (
    "I went there yesterday.",
    "Last Friday we met at 10:30.",
    "The loan was $350,000, at 4.5%.",
    "In May 2023 the house cost 325k.",
    "On 8 June we rowed 12 km.",
    "Gestern war es kalt.",
    "Nothing else happened.",
    "Ring 555-0199 two days ago.",
)
MESSAGES = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6)


@given(MESSAGES, st.data())
def test_a_messages_own_sentences_are_faithful(sentences: list[str], data: st.DataObject):
    first = data.draw(st.integers(0, len(sentences) - 1))
    last = data.draw(st.integers(first, len(sentences) - 1))
    assert objection(" ".join(sentences[first : last + 1]), says(" ".join(sentences))) == ""


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from([SAID, None, "", "2023", "soon"]))
def test_any_texts_are_compared_without_an_error(statement: str, text: str, at: str | None):
    assert isinstance(objection(statement, says(text, at), COMPARES), str)
    if text.strip():
        assert objection(text, says(text, at)) == ""


@pytest.mark.parametrize(
    ("text", "digits", "words"),
    [
        ("1,200 and 1.5 and 2,5", {"1200", "1.5", "2.5"}, set()),
        ("350k, 2 million, 3 km", {"350000", "2000000", "3"}, set()),
        ("twenty-five or three hundred", set(), {"20", "5", "25", "3", "100", "300"}),
        ("٣ boats", {"3"}, set()),
        ("192.168.1.1", {"19216811"}, set()),
        ("none", set(), set()),
    ],
)
def test_numbers_by_what_they_come_to(text: str, digits: set[str], words: set[str]):
    assert {f"{value:f}" for value in amounts(text)} == digits
    assert {f"{value:f}" for value in spelled_amounts(text)} >= words


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


PARTS = st.sampled_from(
    [
        *("yesterday", "last week", "next", "month", "on Friday", "two days ago", "a few years ago", "since", "today"),
        *(" [8 June 2023]", " [2022]", " [29 May to 4 June 2023]", " [1 to 2 May 2023]", "'s", ". ", ", ", "\n", " "),
        *("5. Mai", "May", "2023", "昨天", "。", "gestern", "hier", "il y a deux jours", "from", "to", "the", "["),
    ]
)
TEXTS = st.lists(PARTS, max_size=12).map("".join) | st.lists(PARTS, max_size=12).map(" ".join)
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str)
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


@given(TEXTS, DAYS)
def test_a_message_is_faithful_to_itself(text: str, at: str):
    if text.strip():
        assert objection(text, says(text, at), COMPARES) == ""


def test_the_messages_of_a_question_take_little_time():
    texts = [
        f"Note {number}: the tide was low last week, we saw seals. Then we rowed home, all of us."
        for number in range(200)
    ]
    with_dates("warm yesterday", SAID)
    began = time.process_time()
    assert all("[29 May" in with_dates(text, SAID) for text in texts)
    assert time.process_time() - began < 0.5  # 0.03 s on a quiet machine
