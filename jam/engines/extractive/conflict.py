"""Statements that can't both be true, found without a model: the same subject with another value.

Two sentences conflict if both are about what is asked, word for word nearly the same subject, and each gives a value
(a number, a time, an amount) for it that the other doesn't. Both are then returned, in the order of their times; which
one holds is for the reader to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jam.context import Evidence
from jam.text import sentences, stopwords, words

_VALUE = re.compile(r"(?<![\w.:/-])(\d+(?:[.,:]\d+)*)(?![\w:/-]|\.\d)")
_ASKS_A_VALUE = re.compile(
    r"\b(how (?:many|much|long|often|old|far|big)|what|which|wie ?viele?|wie (?:lange|hoch|oft|alt)|welche[rsnm]?)\b",
    re.IGNORECASE,
)
_NEAR = 4
"""A value belongs to a subject's word at most this many words away."""
_SHARED = 0.6
"""The share of the question's content words that a sentence must have, to be about what is asked."""
_MOST = 12
_STEM = 5


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two quotes, the earlier one first, with their values."""

    first: Evidence
    second: Evidence
    values: tuple[str, str]


def find_conflict(query: str, evidence: Sequence[Evidence]) -> Conflict | None:
    """The first pair of statements among the best evidence that give different values for what is asked."""
    if not _ASKS_A_VALUE.search(query):
        return None
    asked = _content(query)
    if not asked:
        return None
    claims = [(item, claim) for item in evidence[:_MOST] for claim in _claims(item.text, asked)]
    for number, (first, (words_, values)) in enumerate(claims):
        for second, (others, more) in claims[number + 1 :]:
            if first is not second and words_ == others and not values & more:
                early, late = sorted(
                    [(first, values), (second, more)], key=lambda pair: (pair[0].at or "", pair[0].path)
                )
                return Conflict(early[0], late[0], (", ".join(sorted(early[1])), ", ".join(sorted(late[1]))))
    return None


def _claims(text: str, asked: frozenset[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """For each sentence about what is asked: the words of the question that it has, and the values beside them."""
    found = []
    for sentence in sentences(text):
        if not _VALUE.search(sentence):
            continue
        tokens = sentence.split()
        stems = [_content(token) for token in tokens]
        present = asked & frozenset().union(*stems) if stems else frozenset()
        if len(present) < max(1, round(_SHARED * len(asked))):
            continue
        places = [place for place, stem in enumerate(stems) if stem & asked]
        values = frozenset(
            match.group(1)
            for place, token in enumerate(tokens)
            for match in [_VALUE.search(token)]
            if match and any(abs(place - other) <= _NEAR for other in places)
        )
        if values:
            found.append((present, values))
    return found


def _content(text: str) -> frozenset[str]:
    """Content words, cut to a rough stem so that "settle" and "settled" are one."""
    stop = stopwords("en") | stopwords("de")
    return frozenset(
        word[:_STEM] for word in words(text.lower()) if len(word) > 2 and not word[0].isdigit() and word not in stop
    )
