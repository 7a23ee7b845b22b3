"""Does a quote stand in a text? Exactly, or where is the nearest passage that does. No I/O, no models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jam.text import densest, stems

_NEAR = 80.0
"""A passage is what was meant by a quote from this likeness on (0 to 100, share of characters that agree)."""
_SHORTEST = 8
"""A shorter quote is only found exactly: anything resembles it."""
_LONGEST_WORD = 40
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[\.\.\.\]|\[…\])\s*")
_NUMBER = re.compile(r"\d+")
_DENIAL = re.compile(
    r"n['’]t\b|\b(?:not|no|never|none|cannot|nicht|kein\w*|nie|pas|jamais|nunca|non|mai|não|niet|geen|inte|ikke|не|нет)\b",
    re.IGNORECASE,
)
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
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    if len(parts) > 1:  # what is left out between them isn't said; the longest part stands for the quote
        return find_quote(max(parts, key=len), texts, first)
    return _nearest(quote, texts, order) if len(quote) >= _SHORTEST else None


def _nearest(quote: str, texts: Sequence[str], order: Sequence[int]) -> Passage | None:
    from rapidfuzz import fuzz

    sought = _lower(quote)
    best, found = 0.0, None
    for number in order:
        whole = texts[number]
        offset = densest(whole, stems(quote), _TEXT_CHARS // 8) if len(whole) > _TEXT_CHARS else 0
        text = whole[offset : offset + _TEXT_CHARS // 8] if offset else whole[:_TEXT_CHARS]
        if len(text) < len(quote) / 2:
            continue
        shown, least = _lower(text), max(_NEAR, best + 0.01)
        match = fuzz.partial_ratio_alignment(sought, shown, score_cutoff=least)
        if match is None or match.dest_end <= match.dest_start:
            continue
        likeness = fuzz.ratio(sought, shown[match.dest_start : match.dest_end])  # of the whole quote: a short text is
        if likeness < least:  # sought in the quote, and would be found in any that holds it and much more
            continue
        start, end = _whole_words(text, match.dest_start, match.dest_end)
        if not _says_the_same(quote, text[start:end]):
            continue
        best = likeness
        found = Passage(number, offset + start, offset + end, exact=False)
    return found


def _says_the_same(quote: str, passage: str) -> bool:
    """Whether what makes the whole difference is the same in both: the numbers, and whether something is denied."""
    numbers = sorted(_NUMBER.findall(quote)) == sorted(_NUMBER.findall(passage))
    return numbers and bool(_DENIAL.search(quote)) == bool(_DENIAL.search(passage))


def _lower(text: str) -> str:
    """The text in small letters, at the same length: a few letters have no small one of a single character."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch, widened to whole words; where no word ends for long (Chinese, base64) it is left as it is."""
    left = next((n for n in range(_LONGEST_WORD) if not _within_word(text, start - n)), 0)
    right = next((n for n in range(_LONGEST_WORD) if not _within_word(text, end + n)), 0)
    return start - left, end + right


def _within_word(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isalnum() and text[position].isalnum()
