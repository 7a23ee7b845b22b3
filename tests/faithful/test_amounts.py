"""Numbers in a text, by what they come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.faithful.amounts import amounts, spelled_amounts, told_amounts


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
    ("text", "told"),
    [
        ("Two kayaks, SEVENTEEN oars", {2, 17}),
        ("twenty-five, thirty one and forty", {25, 31, 40}),
        ("two and three", {2, 3}),
        ("three hundred and six, four hundred fifty-two", {306, 452}),
        ("twelve hundred, a hundred", {1200, 100}),
        ("two thousand three hundred, five hundred thousand, six million", {2300, 500_000, 6_000_000}),
        ("two dozen eggs, a dozen", {24, 12}),
        ("the twenty-first, the third", {21, 3}),
        ("she rowed twice", {2}),
        ("a boat, an oar, one of both, once, first, a second, half", set()),
        ("nineteen eighty-four, fifty-fifty, one on one, two three", set()),
        ("2 thousand, 3 hundred", set()),
        ("hundreds, thirds, freight, often, attend", set()),
        ("", set()),
    ],
)
def test_words_that_are_numbers_beyond_doubt(text: str, told: set[int]):
    assert told_amounts(text) == told
    assert told <= spelled_amounts(text)


ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def written(number: int) -> str:
    """A whole number below a billion in English words."""
    for scale, word in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = f" {written(number % scale)}" if number % scale else ""
            return f"{written(number // scale)} {word}{rest}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")


@given(st.integers(2, 999_999_999))
def test_a_number_in_words_comes_to_itself(number: int):
    assert told_amounts(f"It was {written(number)}.") == {number}
