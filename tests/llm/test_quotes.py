"""Quotes that models give, and where they really stand."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from jam.quotes import find_quote

MESSAGES = [
    "Shall we talk about the summer?",
    "The harbour office moved the regatta to 14 June, start at 10:00.\nBring the “blue” flag — and don't be late.",
    "İstanbul'dan gelen tekne, GROẞE Straße 7'de duruyor. The İzmir crew arrives on Friday evening by train.",
    "Berth 7 is for the committee boat; berth 9 stays free until the regatta is over.",
]
LETTERS = st.sampled_from([*"abcdeè AB.,'“\n\t", "İ", "ß", "ﬃ", "港", "the ", "regatta ", "\ud800", "🚣"])
TEXTS = st.lists(LETTERS, max_size=60).map("".join)


def verbatim(quote: str, first: int | None = None, messages=MESSAGES) -> str | None:
    """The passage that is found."""
    passage = find_quote(quote, messages, first)
    return None if passage is None else messages[passage.text][passage.start : passage.end]


def test_a_verbatim_quote():
    passage = find_quote("moved the regatta to 14 June", MESSAGES, 1)
    assert passage is not None
    assert passage.exact
    assert (passage.text, verbatim("moved the regatta to 14 June")) == (1, "moved the regatta to 14 June")


@pytest.mark.parametrize("dressed", ['"{}"', "“{}”", "  {}\n", "'{}'", "…{}…", '"…{}…"'])
def test_marks_around_a_quote_do_not_count(dressed):
    passage = find_quote(dressed.format("moved the regatta to 14 June"), MESSAGES)
    assert passage is not None
    assert passage.exact


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the harbour office MOVED the Regatta to 14 june", "The harbour office moved the regatta to 14 June"),
        ("The harbour  office moved\nthe regatta", "The harbour office moved the regatta"),
        ('Bring the "blue" flag - and don’t be late', "Bring the “blue” flag — and don't be late"),
        ("The harbor office has moved the regatta to 14 June", "The harbour office moved the regatta to 14 June"),
        ("start at 10:00. Bring the “blue” flag", "start at 10:00.\nBring the “blue” flag"),
        ("berth 9 will stay free until the regatta is over", "berth 9 stays free until the regatta is over."),
        ("the izmir crew arrives on friday evening", "The İzmir crew arrives on Friday evening"),
        ("istanbul'dan gelen tekne, große straße 7'de", "İstanbul'dan gelen tekne, GROẞE Straße 7'de"),
    ],
)
def test_a_quote_with_slips_is_brought_to_what_stands_there(quote, found):
    passage = find_quote(quote, MESSAGES)
    assert passage is not None
    assert not passage.exact
    assert verbatim(quote) == found


def test_the_message_it_is_said_to_be_from_comes_first():
    twice = ["The berth is free.", "Ahoy.", "The berth is free."]
    for first, expected in ((None, 0), (0, 0), (2, 2), (1, 0), (17, 0)):
        passage = find_quote("berth is free", twice, first)
        assert passage is not None
        assert passage.text == expected
    again = find_quote("the BERTH is free", twice, 2)
    assert again is not None
    assert again.text == 2


def test_a_quote_is_found_in_another_message_than_was_said():
    passage = find_quote("moved the regatta to 14 June", MESSAGES, 3)
    assert passage is not None
    assert passage.text == 1


@pytest.mark.parametrize(
    "quote",
    [
        "The mayor cancelled the whole festival last winter.",
        "The regatta was called off for want of wind and everybody went home.",
        "zzzzzzzzzzzzzzzzzzzz",
    ],
)
def test_what_stands_nowhere_is_not_found(quote):
    assert find_quote(quote, MESSAGES) is None


def test_a_short_quote_is_only_found_as_it_is():
    assert verbatim("Berth 7") == "Berth 7"
    assert verbatim("berth 8") is None
    assert verbatim("BERTH 7") is None


@pytest.mark.parametrize("quote", ["", "   ", '""', "“”", "…", "' '"])
def test_an_empty_quote_is_nowhere(quote):
    assert find_quote(quote, MESSAGES) is None


def test_nothing_to_look_in():
    assert find_quote("moved the regatta", []) is None
    assert find_quote("moved the regatta", ["", " "]) is None


def test_a_short_message_is_not_what_a_long_quote_meant():
    assert find_quote("Yes, that is fine, and please bring the blue flag.", ["Yes, that is fine, and please"]) is None
    assert verbatim("Yes, that is fine with me!", messages=["Yes, that is fine with me"]) == "Yes, that is fine with me"


def test_a_passage_is_about_as_long_as_the_quote():
    text = "x" * 5000 + "moved the regatta to 14 June" + "y" * 5000
    found = verbatim("moved the regattas to 14th June", messages=[text])
    assert found is not None
    assert "regatta to 14 June" in found
    assert len(found) < 60


@given(st.data())
@settings(max_examples=60)
def test_every_stretch_of_a_message_is_found_word_for_word(data):
    number = data.draw(st.integers(0, len(MESSAGES) - 1))
    start = data.draw(st.integers(0, len(MESSAGES[number]) - 1))
    end = data.draw(st.integers(start + 1, len(MESSAGES[number])))
    quote = MESSAGES[number][start:end].strip().strip("\"“”'…").strip()
    assume(quote)
    passage = find_quote(MESSAGES[number][start:end], MESSAGES, number)
    assert passage is not None
    assert (passage.text, passage.exact) == (number, True)
    assert verbatim(quote, number) == quote


@given(TEXTS, st.lists(TEXTS, max_size=4), st.none() | st.integers(-2, 6))
@example("the regatta ", ["THE REGATTA İ" * 3], 0)
@settings(max_examples=150)
def test_any_input_gives_a_passage_that_is_there_or_none(quote, texts, first):
    passage = find_quote(quote, texts, first)
    if passage is not None:
        assert 0 <= passage.text < len(texts)
        assert 0 <= passage.start < passage.end <= len(texts[passage.text])
        assert len(quote) >= 8 or passage.exact
        assert passage.end - passage.start <= 2 * len(quote) + 80


@given(st.sampled_from([*MESSAGES[1:2], MESSAGES[3]]), st.integers(0, 3), st.integers(6, 10))
def test_a_nearest_passage_has_whole_words(message, skip, count):
    words = message.replace("\n", " ").split(" ")[skip : skip + count]
    passage = find_quote(" ".join(words).upper() + "!", [message])
    assert passage is not None
    before, after = message[: passage.start][-1:], message[passage.end :][:1]
    assert not (before.isalnum() and message[passage.start].isalnum())
    assert not (after.isalnum() and message[passage.end - 1].isalnum())


def test_long_texts_are_searched_quickly():
    texts = ["The wind was fair and the harbour full of boats. " * 4000] * 3
    began = time.process_time()
    find_quote("The mayor cancelled the whole festival last winter. " * 10, texts)
    find_quote("x" * 100_000, texts)
    assert time.process_time() - began < 5
