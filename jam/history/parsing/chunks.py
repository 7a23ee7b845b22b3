"""From a document's text to messages of a readable size, and from those to parts of a bounded length.

Small neighbouring blocks under one heading share a message; code and tables are never cut, lists only between items,
paragraphs only when they are very long. Every character that isn't blank ends up in exactly one chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.blocks import Block, Line, Style, item_indent, parse, weight

MESSAGE_WORDS = 120
"""Neighbouring blocks are merged up to this size."""
LONGEST_PARAGRAPH = 240
"""A paragraph or list above this size is cut into several messages."""
PART_WORDS = 4_000
"""A longer document becomes several sessions."""

_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\n|\r))+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A message of a document."""

    text: str
    words: int
    level: int = 0
    """Of the heading that it begins with; 0 where it begins with none."""
    heading: str = ""
    """The heading that it begins with."""
    at: str | None = None
    speaker: str | None = None
    """When it was written and by whom, where that is not said of the document as a whole."""
    meta: Mapping[str, Any] = field(default_factory=dict)


def chunk(text: str, style: Style) -> list[Chunk]:
    """The text as messages."""
    chunks: list[Chunk] = []
    pending: list[Block] = []
    words = 0
    for block in parse(text, style):
        size = weight(_slice(text, block.lines))
        only_headings = all(earlier.kind == "heading" for earlier in pending[-2:])
        if (
            pending
            and not (only_headings and words < MESSAGE_WORDS)
            and (block.kind == "heading" or words + size > MESSAGE_WORDS)
        ):
            chunks += _finish(text, pending)
            pending, words = [], 0
        pending.append(block)
        words += size
    return chunks + _finish(text, pending)


def _slice(text: str, lines: list[Line]) -> str:
    return text[lines[0].start : lines[-1].end]


def _finish(text: str, blocks: list[Block]) -> list[Chunk]:
    """The chunks of some blocks: one, or several where the last block is too long."""
    if not blocks:
        return []
    lead = blocks[0] if blocks[0].kind == "heading" else None
    head = [line for block in blocks[:-1] for line in block.lines]
    pieces = [text[p.start : p.end] for p in _pieces(text, blocks[-1])]
    if head:
        pieces[0] = text[head[0].start : blocks[-1].lines[0].start] + pieces[0]
    cleaned = [_LEADING_BLANK_LINES.sub("", piece).rstrip() for piece in pieces]
    return [
        Chunk(piece, weight(piece), lead.level if lead and n == 0 else 0, lead.title if lead and n == 0 else "")
        for n, piece in enumerate(cleaned)
        if piece.strip()
    ]


def _pieces(text: str, block: Block) -> Iterator[Line]:
    """The block's range, cut where its kind allows."""
    whole = Line(block.lines[0].start, block.lines[-1].end, "")
    size = weight(text[whole.start : whole.end])
    if block.kind == "list" and size > LONGEST_PARAGRAPH:
        yield from _cut(text, block.lines, _item_starts(block.lines))
    elif size > (LONGEST_PARAGRAPH if block.kind == "paragraph" else PART_WORDS):
        yield from _cut(text, [piece for line in block.lines for piece in _sentences(text, line)], None)
    else:
        yield whole


def _item_starts(lines: list[Line]) -> dict[int, bool]:
    """Where a list may be cut: line number → whether it is an item of the highest level."""
    indents = {number: indent for number, line in enumerate(lines) if (indent := item_indent(line.text)) is not None}
    lowest = min(indents.values())
    return {number: indent == lowest for number, indent in indents.items()}


def _cut(text: str, lines: list[Line], allowed: dict[int, bool] | None) -> Iterator[Line]:
    """Ranges of about the size of a message, cut before an allowed line; before any line where `allowed` is `None`."""
    start, words = lines[0].start, 0
    for number, line in enumerate(lines):
        size = weight(text[line.start : line.end])
        if allowed is None:
            cut = words + size > MESSAGE_WORDS
        else:
            cut = number in allowed and words >= (MESSAGE_WORDS if allowed[number] else LONGEST_PARAGRAPH)
        if cut and line.start > start:
            yield Line(start, line.start, "")
            start, words = line.start, 0
        words += size
    yield Line(start, lines[-1].end, "")


def _sentences(text: str, line: Line) -> Iterator[Line]:
    """A line, or its sentences where it is a paragraph by itself; a sentence without end is cut by size."""
    if weight(text[line.start : line.end]) <= MESSAGE_WORDS:
        yield line
        return
    start = line.start
    ends = [found.end() for found in _SENTENCE_END.finditer(text, line.start, line.end)]
    for end in [*ends, line.end]:
        # The first test keeps a line of many megabytes from being weighed again and again.
        while end - start > MESSAGE_WORDS * 13 or weight(text[start:end]) > MESSAGE_WORDS:
            middle = _word_boundary(text, start, end)
            yield Line(start, middle, "")
            start = middle
        if end > start:
            yield Line(start, end, "")
            start = end


def _word_boundary(text: str, start: int, end: int) -> int:
    """A place to cut an endless sentence: after a blank if there is one, else anywhere."""
    limit = min(end, start + MESSAGE_WORDS * 6)
    while weight(text[start:limit]) > MESSAGE_WORDS:
        limit = start + max(1, (limit - start) // 2)
    blank = max(text.rfind(" ", start + 1, limit), text.rfind("\t", start + 1, limit))
    return blank + 1 if blank > start else limit


def parts(chunks: list[Chunk]) -> list[list[Chunk]]:
    """The chunks in parts of at most `PART_WORDS`, cut at a heading where one is near, else between two chunks.

    Cuts depend on what stands before them only, so the earlier parts of a document stay as they are when it grows.
    """
    done: list[list[Chunk]] = []
    current: list[Chunk] = []
    words = 0
    for piece in chunks:
        current.append(piece)
        words += piece.words
        if len(current) > 1 and words > PART_WORDS:
            place = _best_cut(current)
            done.append(current[:place])
            current = current[place:]
            words = sum(each.words for each in current)
    return [*done, current] if current else done


def _best_cut(chunks: list[Chunk]) -> int:
    """Before the highest heading in the second half, the last of these; else before the last chunk."""
    total = 0
    best, best_level = len(chunks) - 1, 99
    for place, piece in enumerate(chunks):
        if place and piece.level and total >= PART_WORDS // 2 and piece.level <= best_level:
            best, best_level = place, piece.level
        total += piece.words
    return best
