"""The numbers in a text, by what they come to. Digits in any text, words in English; no units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

_NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)(?:\s?(k|thousand|million|billion)\b)?", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SCALES = {"k": 1000, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = re.compile(r"[a-z]+")
_IN_ORDER = {
    0: """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""",
    1: "first second third fourth fifth sixth seventh eighth ninth tenth",
}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED = {
    **{word: first + place for first, row in _IN_ORDER.items() for place, word in enumerate(row.split())},
    **{word: 10 * place for place, word in enumerate(_TENS.split(), 2)},
    **dict.fromkeys(("a", "an", "once"), 1),
    **dict.fromkeys(("twice", "couple", "pair", "both"), 2),
    "dozen": 12,
    "half": 50,
    "hundred": 100,
    "thousand": 1000,
}
"""Half is fifty percent."""
_SCALE_WORDS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_VAGUE = ("a", "an", "once", "couple", "pair", "both", "half")
_BELOW_HUNDRED = {word: value for word, value in _SPELLED.items() if word not in (*_VAGUE, *_SCALE_WORDS)}
_ALONE_NO_NUMBER = frozenset(("one", "first", "second"))
"""One of many, first of all, a second: only with others ("twenty-one") they are numbers for sure."""
_PLAIN = rf"(?:{'|'.join(_BELOW_HUNDRED)})"
_SCALE = rf"(?:{'|'.join(_SCALE_WORDS)})"
_BETWEEN = r"(?:[\s-]|(?:(?<=hundred)|(?<=thousand))\sand\s)"
_WRITTEN_OUT = re.compile(
    rf"\b(?:{_PLAIN}|(?<!\d[\s-]){_SCALE})\b(?:{_BETWEEN}(?:{_PLAIN}|{_SCALE})\b)*",
    re.IGNORECASE,
)
"""Number words side by side. A scale behind digits belongs to those."""


def amounts(text: str) -> set[Decimal]:
    """The numbers that are written in digits: 350k and 350,000 are one."""
    found = ((_value(match[1]), (match[2] or "").lower()) for match in _NUMBER.finditer(text))
    return {value * _SCALES[scale] if scale else value for value, scale in found}


def spelled_amounts(text: str) -> set[Decimal]:
    """What the English words of number may come to, alone and two together: twenty-five, three hundred."""
    values = [_SPELLED[word] for word in _WORD.findall(text.lower()) if word in _SPELLED]
    sums = (one + other for one, other in pairwise(values) if 20 <= one < 100 and other < 10)
    products = (one * other for one, other in pairwise(values) if one < 100 <= other)
    return {Decimal(value) for value in (*values, *sums, *products)} | told_amounts(text)


def told_amounts(text: str) -> set[Decimal]:
    """What the English words of number come to where that is beyond doubt: two, twenty-five, three hundred and six.

    Not what may be no number (a, one, first, a second, both, half), nor words side by side that make no one number
    ("nineteen eighty-four", "fifty-fifty").
    """
    found = (_WORD.findall(match[0].lower()) for match in _WRITTEN_OUT.finditer(text))
    runs = ([word for word in words if word != "and"] for words in found)
    values = (_put_together(words) for words in runs if len(words) > 1 or words[0] not in _ALONE_NO_NUMBER)
    return {Decimal(value) for value in values if value is not None}


def _put_together(words: Iterable[str]) -> int | None:
    """The one number that some words make; `None` where they don't."""
    total, part = 0, 0
    room, last_scale = 100, 10**12  # the next word or scale must be smaller
    for word in words:
        value, scale = _BELOW_HUNDRED.get(word), _SCALE_WORDS.get(word, 0)
        if value is not None and value < room:
            part, room = part + value, 10 if value >= 20 else 0
        elif 0 < scale <= 100 and part < 100:
            part, room = (part or 1) * scale, 100 if scale == 100 else 0
        elif 1000 <= scale < last_scale:
            total, part, room, last_scale = total + (part or 1) * scale, 0, 100, scale
        else:
            return None
    return total + part


def _value(digits: str) -> Decimal:
    """1,200 is twelve hundred, 1,5 and 1.5 are one and a half; of 10.5.2023 and 1.2.3 the digits count."""
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    whole, *parts = re.split(r"[.,]", digits)
    return Decimal(f"{whole}.{parts[0]}" if len(parts) == 1 else "".join([whole, *parts]))
