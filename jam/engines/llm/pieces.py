"""Long texts in pieces that fit a prompt: cut between lines, a line that is too long within itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from jam.models.tokens import estimate

_MOST_OF_A_TOKEN = 6
"""Characters that a token holds at most, by the careful estimate: a longer stretch can't fit, and is not looked at."""


def pieces(lines: Sequence[str], limit: int) -> list[str]:
    """The lines as texts of at most `limit` tokens each, by the careful estimate; nothing is left out."""
    return [text for text, _ in sized_pieces(lines, limit)]


def sized_pieces(lines: Sequence[str], limit: int) -> list[tuple[str, int]]:
    """The same with their lengths in tokens. All text is counted once, but for what is cut within a line."""
    out: list[tuple[str, int]] = []
    held: list[str] = []
    size = 0
    for stretch, tokens in (each for line in lines for each in _stretches(line, limit)):
        if held and size + tokens + 1 > limit:
            out.append(("\n".join(held), size))
            held, size = [], 0
        held.append(stretch)
        size += tokens + 1
    return [*out, ("\n".join(held), size)] if held or not out else out


def cut(text: str, limit: int) -> list[str]:
    """The text in stretches of at most `limit` tokens each; a single character is not cut."""
    return [stretch for stretch, _ in _stretches(text, limit)]


def _stretches(text: str, limit: int) -> Iterator[tuple[str, int]]:
    """The text in stretches of about the same length, with their tokens. How long they may be, the one before tells."""
    most = size = max(1, limit * _MOST_OF_A_TOKEN)
    start = 0
    while True:
        stretch = text[start : start + size]
        tokens = estimate(stretch)
        if tokens <= limit or len(stretch) < 2:
            yield stretch, tokens
            start += len(stretch)
            if start >= len(text):
                return
        if not limit // 2 < tokens <= limit:
            size = min(most, max(1, int(len(stretch) * limit / max(1, tokens) * 0.9)))
            left = len(text) - start
            size = math.ceil(left / math.ceil(left / size))


def fitting(lines: Sequence[str], limit: int) -> list[str]:
    """As many of the lines, from the first, as `limit` tokens hold."""
    kept, size = [], 0
    for line in lines:
        size += estimate(line) + 1
        if size > limit:
            break
        kept.append(line)
    return kept


def spread(lines: Sequence[str], limit: int) -> list[str]:
    """Lines that `limit` tokens hold, taken evenly from all of them where they don't all fit."""
    if len(fitting(lines, limit)) == len(lines):
        return list(lines)
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if len(fitting(_evenly(lines, middle), limit)) == middle:
            low = middle
        else:
            high = middle - 1
    return fitting(_evenly(lines, low), limit)


def _evenly(lines: Sequence[str], count: int) -> list[str]:
    return [lines[position * len(lines) // count] for position in range(count)]
