"""Long texts in pieces that fit a prompt: cut between lines, a line that is too long within itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jam.models.tokens import estimate


def pieces(lines: Sequence[str], limit: int) -> list[str]:
    """The lines as texts of at most `limit` tokens each, by the careful estimate; nothing is left out."""
    out: list[str] = []
    held: list[str] = []
    size = 0
    for line in _short_enough(lines, limit):
        tokens = estimate(line) + 1
        if held and size + tokens > limit:
            out.append("\n".join(held))
            held, size = [], 0
        held.append(line)
        size += tokens
    return [*out, "\n".join(held)] if held or not out else out


def cut(text: str, limit: int) -> list[str]:
    """The text in stretches of at most `limit` tokens each; a single character is not cut."""
    tokens = estimate(text)
    if tokens <= limit or len(text) < 2:
        return [text]
    size = max(1, int(len(text) * limit / tokens * 0.9))
    stretches = [text[start : start + size] for start in range(0, len(text), size)]
    return [part for stretch in stretches for part in cut(stretch, limit)]  # some take more tokens than the average


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


def _short_enough(lines: Sequence[str], limit: int) -> Iterator[str]:
    for line in lines:
        yield from cut(line, limit)
