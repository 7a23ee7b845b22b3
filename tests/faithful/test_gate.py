"""Statements in other words against the messages they are from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.faithful.gate import objection
from jam.jobs import Candidate
from jam.session import Message
from tests.times.parts import DAYS, TEXTS

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
        ("Yesterday she ran. She swam on 9 June 2023.", "Yesterday I ran. Yesterday I swam."),
        ("The race is on 5 May.", "I may take 5 of them to the race."),
        ("She goes in May.", "I may go."),
        ("They march in March.", "We march on."),
        ("They left on 5 May.", "We left on 15 May."),
        ("They left on 6 May 2023.", "We are away from 5 to 7 May 2023."),
        ("They left on 5 June 2021.", "We were away from 5 May to 7 June 2021."),
        ("They left on 7 May 2021.", "We were away from 5 May to 7 June 2021."),
        ("Sie malte das Boot am 9. Juni 2023.", "Ich habe das Boot letzte Woche gemalt."),
    ],
)
def test_a_date_that_a_message_does_not_tell_is_doubted(statement: str, text: str):
    assert "date" in objection(statement, says(text))


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
        ("They came in May.", "We came last May."),
        ("They left on 7 May.", "We left between 5 and 7 May."),
        ("Yesterday she ran, said on 9 June 2023. Yesterday she swam.", "Yesterday I ran. Yesterday I swam."),
        ("They came on Friday.", "On Friday we came, as always."),
    ],
)
def test_a_date_that_a_message_tells_is_not(statement: str, text: str):
    assert objection(statement, says(text)) == ""


@pytest.mark.parametrize("at", [SAID, None])
@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Yesterday the kayak went to the boathouse.", "I moved the kayak to the boathouse last year."),
        ("She ran last week.", "I ran yesterday."),
        ("She runs next Friday.", "I run."),
        ("She ran yesterday.", "I ran the day before yesterday."),
        ("She ran yesterday.", "I ran on 8 May 2023."),
        ("Since last year she runs.", "I ran last year."),
        ("Sie lief gestern.", "Ich lief letzte Woche."),
        ("她昨天跑步", "我跑步"),
    ],
)
def test_a_relative_time_that_a_message_does_not_have_is_doubted(statement: str, text: str, at: str | None):
    assert "its time is not in the message" in objection(statement, says(text, at))


@pytest.mark.parametrize("at", [SAID, None])
def test_a_relative_time_may_be_put_in_other_words(at: str | None):
    text = "I ran two days ago, and swam last week."
    assert objection("2 days ago she ran.", says(text, at)) == ""
    assert objection("She swam the previous week.", says(text, at)) == ""


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
        ("She sold three kayaks.", "I sold two kayaks."),
        ("She sold three kayaks.", "I sold 2 kayaks."),
        ("She sold twenty-five kayaks.", "I sold five of twenty kayaks, and 26 boats."),
        ("She sold two thousand.", "I sold 200."),
        ("She came third.", "I came second."),
        ("She rowed twice.", "I rowed."),
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
        ("She sold two kayaks.", "I sold a couple of kayaks."),
        ("She sold three hundred and six.", "I sold 306."),
        ("She sold 2 million.", "I sold two million."),
        ("She sold two million.", "I sold 2 million."),
        ("She has one boat, a second one, half an oar and both.", "I have a boat, another, half an oar."),
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


@given(TEXTS, DAYS)
def test_a_message_is_faithful_to_itself(text: str, at: str):
    if text.strip():
        assert objection(text, says(text, at), COMPARES) == ""


def test_the_day_it_was_said_is_not_the_day_it_happened():
    assert objection("I went to Paris on 9 June 2023.", says("I will go to Paris."))
    assert objection("I met her on 9 June 2023.", says("I met her in 2022."))
