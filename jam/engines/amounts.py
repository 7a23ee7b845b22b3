"""The numbers in a text, by what they come to. Digits in any text, words in English; no units."""

from __future__ import annotations

import re
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


def amounts(text: str) -> set[Decimal]:
    """The numbers that are written in digits: 350k and 350,000 are one."""
    found = ((_value(match[1]), (match[2] or "").lower()) for match in _NUMBER.finditer(text))
    return {value * _SCALES[scale] if scale else value for value, scale in found}


def spelled_amounts(text: str) -> set[Decimal]:
    """What the English words of number may come to, alone and two together: twenty-five, three hundred."""
    values = [_SPELLED[word] for word in _WORD.findall(text.lower()) if word in _SPELLED]
    sums = (one + other for one, other in pairwise(values) if 20 <= one < 100 and other < 10)
    products = (one * other for one, other in pairwise(values) if one < 100 <= other)
    return {Decimal(value) for value in (*values, *sums, *products)}


def _value(digits: str) -> Decimal:
    """1,200 is twelve hundred, 1,5 and 1.5 are one and a half; of 10.5.2023 and 1.2.3 the digits count."""
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    whole, *parts = re.split(r"[.,]", digits)
    return Decimal(f"{whole}.{parts[0]}" if len(parts) == 1 else "".join([whole, *parts]))
