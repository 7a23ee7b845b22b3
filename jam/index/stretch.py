"""Quoting a part of a very long message: the verbatim run of sentences that speaks most to the question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from jam.echo import own_stretches
from jam.index.embedder import count_tokens
from jam.session import Message
from jam.text import densest, sentences, stems

_CHARACTERS = 12
"""Characters that a token has at most, nearly always."""

Span = tuple[int, int, int]
"""Begin, end (characters), tokens."""


def stretch(text: str, query: str, tokens: int) -> str:
    """A run of sentences of at most `tokens` that has most of the question's words; of equals the first."""
    asked = stems(query)
    text = _region(text, asked, tokens * _CHARACTERS)
    spans = _spans(text, tokens)
    said = [stems(text[begin:end]) & asked for begin, end, _ in spans]
    best, best_met = (0, 0), -1
    last, spent = 0, 0
    for first in range(len(spans)):
        while last < len(spans) and spent + spans[last][2] <= tokens:
            spent += spans[last][2]
            last += 1
        met = len(frozenset[str]().union(*said[first:last]))
        if last > first and met > best_met:
            best, best_met = (first, last), met
        spent -= spans[first][2] if last > first else 0
        last = max(last, first + 1)
    return _trimmed(text, spans[slice(*best)], tokens)


def own_part(message: Message, query: str) -> str:
    """What a message says itself; where recalled text divides it, the part that speaks most to the question."""
    own = [message.text[start:end] for start, end in own_stretches(message)]
    return max(own, key=lambda part: words_met(part, query), default="")


def words_met(text: str, query: str) -> int:
    """How many of a question's words a text has."""
    return len(stems(query) & stems(text))


def _region(text: str, asked: frozenset[str], size: int) -> str:
    """The `size` characters in which most of the asked words stand; a text of megabytes is not cut finely."""
    if len(text) <= 2 * size:
        return text
    begin = densest(text, asked, size)
    return text[begin : begin + size]


def _trimmed(text: str, spans: Sequence[Span], tokens: int) -> str:
    """The text of some spans; spans at the end are left out while it is too long, for halves of words add up amiss."""
    kept = list(spans)
    while kept:
        run = text[kept[0][0] : kept[-1][1]].strip()
        if count_tokens(run) <= tokens:
            return run
        kept.pop()
    return ""


def _spans(text: str, tokens: int) -> list[Span]:
    """The sentences of a text, each with what stands before the next; one that is too long is halved until it fits."""
    starts: list[int] = []
    position = 0
    for sentence in sentences(text):
        position = text.index(sentence, position)
        starts.append(position)
        position += len(sentence)
    spans: list[Span] = []
    for begin, end in pairwise([*starts, len(text)]):
        spans += _fitting(text, begin, end, tokens)
    return spans


def _fitting(text: str, begin: int, end: int, tokens: int) -> list[Span]:
    size = count_tokens(text[begin:end])
    if size <= tokens or end - begin < 2:
        return [(begin, end, min(size, tokens))]
    middle = begin + (end - begin) // 2
    return [*_fitting(text, begin, middle, tokens), *_fitting(text, middle, end, tokens)]
