"""Quoting a part of a very long message: the verbatim run of sentences that speaks most to the question."""

from __future__ import annotations

import re

from jam.index.embedder import count_tokens
from jam.text import sentences

_WORD = re.compile(r"\w{3,}")
_STEM = 5
"""Words are compared by this many first letters."""

Span = tuple[int, int, int]
"""Begin, end (characters), tokens."""


def stretch(text: str, query: str, tokens: int) -> str:
    """A run of sentences of at most `tokens` that has most of the question's words; of equals the first."""
    asked = _stems(query)
    spans = _spans(text, tokens)
    said = [_stems(text[begin:end]) & asked for begin, end, _ in spans]
    best, best_met = (0, 0), -1
    end, spent = 0, 0
    for begin in range(len(spans)):
        while end < len(spans) and spent + spans[end][2] <= tokens:
            spent += spans[end][2]
            end += 1
        met = len(frozenset[str]().union(*said[begin:end]))
        if end > begin and met > best_met:
            best, best_met = (spans[begin][0], spans[end - 1][1]), met
        spent -= spans[begin][2] if end > begin else 0
        end = max(end, begin + 1)
    return text[best[0] : best[1]]


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.lower()[:_STEM] for word in _WORD.findall(text))


def _spans(text: str, tokens: int) -> list[Span]:
    """The sentences of a text; one that is too long is halved until it fits."""
    spans: list[Span] = []
    position = 0
    for sentence in sentences(text):
        begin = text.index(sentence, position)
        position = begin + len(sentence)
        spans += _fitting(text, begin, position, tokens)
    return spans


def _fitting(text: str, begin: int, end: int, tokens: int) -> list[Span]:
    size = count_tokens(text[begin:end])
    if size <= tokens or end - begin < 2:
        return [(begin, end, min(size, tokens))]
    middle = begin + (end - begin) // 2
    return [*_fitting(text, begin, middle, tokens), *_fitting(text, middle, end, tokens)]
