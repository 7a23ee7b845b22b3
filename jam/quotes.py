"""Does a quote stand in a text? Exactly, or where is the nearest passage that does. No I/O, no models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NEAR = 80.0
"""A passage is what was meant by a quote from this likeness on (0 to 100, share of characters that agree)."""
_SHORTEST = 8
"""A shorter quote is only found exactly: anything resembles it."""
_QUOTE_CHARS = 2000
_TEXT_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim stretch of one of the texts."""

    text: int
    """Which of the texts, counted from 0."""
    start: int
    end: int
    exact: bool
    """Whether the quote was verbatim; else this is the nearest that is."""


def find_quote(quote: str, texts: Sequence[str], first: int | None = None) -> Passage | None:
    """Where the quote stands in the texts; `first` is the one it is said to be from. `None` where nothing is near."""
    quote = quote.strip().strip("\"“”'…").strip()[:_QUOTE_CHARS]
    if not quote:
        return None
    order = sorted(range(len(texts)), key=lambda number: number != first)
    for number in order:
        start = texts[number].find(quote)
        if start >= 0:
            return Passage(number, start, start + len(quote), exact=True)
    return _nearest(quote, texts, order) if len(quote) >= _SHORTEST else None


def _nearest(quote: str, texts: Sequence[str], order: Sequence[int]) -> Passage | None:
    from rapidfuzz import fuzz

    best, found = 0.0, None
    for number in order:
        text = texts[number][:_TEXT_CHARS]
        if len(text) < len(quote) / 2:
            continue  # the shorter is sought in the longer: a short text would be found in any long quote
        match = fuzz.partial_ratio_alignment(quote.lower(), text.lower(), score_cutoff=max(_NEAR, best + 0.01))
        if match is None or match.dest_end <= match.dest_start or len(text.lower()) != len(text):
            continue
        best = match.score
        start, end = _whole_words(text, match.dest_start, match.dest_end)
        found = Passage(number, start, end, exact=False)
    return found


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch, widened to whole words."""
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end
