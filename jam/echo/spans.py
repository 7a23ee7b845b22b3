"""Stretches of a text, and white space that may be escaped."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]
SPACE = r"(?:\s|\\+[nrt])"
"""White space, or the escape that stands for it in a string of JSON."""


def united(found: Sequence[Span]) -> list[Span]:
    """Spans in their order; what touches or overlaps is one."""
    out: list[Span] = []
    for start, end in sorted(found):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def stripped(text: str, start: int, end: int) -> Span:
    """A stretch without the white space around it."""
    stretch = text[start:end]
    first = start + len(stretch) - len(stretch.lstrip())
    return first, max(first, start + len(stretch.rstrip()))
