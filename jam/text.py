"""Words and sentences of plain text. No models, no I/O."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator

from jam.languages import LANGUAGES as LANGUAGES
from jam.languages import language as language
from jam.languages import stopwords as stopwords

_WORD = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_STEM = 5
"""Words are compared by this many first letters."""
_LONGER_WORD = re.compile(r"\w{3,}")
_PLACEHOLDER = re.compile(r"\[(?:image|tool_use|file|attachment)\b[^\]\n]*\]")
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}|[-*+]|\d+[.)]|>)[ \t]+|\*\*|__|`", re.MULTILINE)


def words(text: str) -> list[str]:
    """The words of a text in their order and case; inner apostrophes, hyphens and points belong to the word."""
    return _WORD.findall(text)


def sentences(text: str) -> list[str]:
    """The sentences of a text, stripped; a line break ends a sentence too."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def plain(text: str) -> str:
    """The text without placeholders (`[image: …]`), marks of lists and headings, and emphasis. Not for quotes."""
    return _MARKS.sub("", _PLACEHOLDER.sub("", text)).strip()


def stems(text: str) -> frozenset[str]:
    """The longer words of a text, each by its first letters: a rough way to compare."""
    return frozenset(word.lower()[:_STEM] for word in _LONGER_WORD.findall(text))


def has_cjk(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean characters, whose words aren't set apart by spaces."""
    return _CJK.search(text) is not None


def slices(text: str, size: int) -> Iterator[str]:
    """The text in pieces of at most `size` characters, cut between words, or anywhere where no word ends for long."""
    start = 0
    while len(text) - start > size:
        end = start + size
        blank = max(text.rfind(" ", start + size // 2, end), text.rfind("\n", start + size // 2, end))
        end = blank if blank > start else end
        yield text[start:end]
        start = end
    if start < len(text) or not start:
        yield text[start:] if start else text


def stretches(text: str, size: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a long stretch of a text can be cut into pieces of about `size` characters: behind a line, a sentence or a
    word.
    """
    while end - start > size:
        middle, limit = start + size // 2, start + size
        ends = (text.rfind(mark, middle, limit) for mark in ("\n", ". ", " "))
        cut = next((place + 1 for place in ends if place >= 0), limit)
        yield start, cut
        start = cut
    yield start, end


def densest(text: str, sought: Collection[str], size: int) -> int:
    """Where in a very long text the `size` characters begin that have the most, and the rarest, of the sought stretches
    of small letters; of equals the first.
    """
    begins = range(0, max(1, len(text) - size // 2), max(1, size // 2))
    there = [[stem in window for stem in sought] for window in (text[b : b + size].lower() for b in begins)]
    rarity = [math.log1p(len(begins) / (1 + sum(row))) for row in zip(*there, strict=True)]
    met = [sum(weight for weight, found in zip(rarity, row, strict=True) if found) for row in there]
    return begins[max(range(len(met)), key=met.__getitem__)]


def around(text: str, query: str, size: int, longest: int = 0) -> str:
    """The `size` characters of a long text that speak most to a question; one of up to `longest` as it is."""
    if len(text) <= max(longest, size):
        return text
    begin = densest(text, stems(query), size)
    return text[begin : begin + size]


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut at a word with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ,;:.-") + "…"
