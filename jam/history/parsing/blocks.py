"""The blocks of a text: headings, paragraphs, lists, tables, code.

A block is a range of the text; nothing is changed or moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "fence"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_ATX = re.compile(r" {0,3}(#{1,6})((?:[ \t].*)?)$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,9}[.)]|[a-z][.)])[ \t]+\S")
_TABLE = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{3,})[ \t]*$")
_RST = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_ORG = re.compile(r"(\*{1,6})[ \t]+(.+)$")
_CHAPTER = re.compile(
    r"[ \t]*(?:chapter|book|part|volume|act|scene|letter|section|prologue|epilogue|preface|introduction)\b.{0,60}$",
    re.IGNORECASE,
)
_LETTERS_OF_EAST_ASIA = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")

Style = Literal["markdown", "plain", "org"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line's place in the text, and what it says without its end."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Block:
    """A range of lines that belong together."""

    kind: BlockKind
    lines: list[Line]
    level: int = 0
    """Of a heading: 1 is the highest."""
    title: str = ""


def weight(text: str) -> int:
    """About how many words a text has, in any script, and however long its words."""
    return max(len(text.split()), len(text) // 12) + len(_LETTERS_OF_EAST_ASIA.findall(text)) // 2


def lines_of(text: str) -> list[Line]:
    """The lines of a text, with any line end."""
    return [Line(found.start(), found.end(), found[0].rstrip("\r\n")) for found in _LINE.finditer(text)]


def parse(text: str, style: Style) -> list[Block]:
    """The blocks of a text in their order; together they hold every line that isn't blank."""
    return list(_Parser(lines_of(text), style).blocks())


class _Parser:
    def __init__(self, lines: list[Line], style: Style) -> None:
        self._lines = lines
        self._style = style
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at].text
            if not line.strip():
                self._at += 1
            elif self._style == "markdown" and _FENCE.match(line):
                yield self._fence(line)
            else:
                yield self._heading(line) or self._list(line) or self._table(line) or self._paragraph()

    def _take(self, count: int) -> list[Line]:
        taken = self._lines[self._at : self._at + count]
        self._at += count
        return taken

    def _peek(self, ahead: int) -> str:
        index = self._at + ahead
        return self._lines[index].text if index < len(self._lines) else ""

    def _fence(self, first: str) -> Block:
        """To the closing fence; an unclosed one ends with the text, as in CommonMark."""
        opening = _FENCE.match(first)
        assert opening is not None
        mark = opening[1]
        count = 1
        while self._at + count < len(self._lines):
            line = self._peek(count).strip()
            count += 1
            if len(line) >= len(mark) and not line.strip(mark[0]):
                break
        return Block("fence", self._take(count))

    def _heading(self, line: str) -> Block | None:
        after = self._peek(1)
        if self._style == "markdown":
            if found := _ATX.match(line):
                return Block("heading", self._take(1), len(found[1]), _heading_text(found[2]))
            if after and (under := _SETEXT.match(after)) and not (_ITEM.match(line) or _TABLE.match(line)):
                return Block("heading", self._take(2), 1 if under[1][0] == "=" else 2, line.strip())
            return None
        if self._style == "org":
            found = _ORG.match(line)
            return Block("heading", self._take(1), len(found[1]), found[2].strip()) if found else None
        if _RST.match(after) and line[:1].isalnum() and len(after.rstrip()) >= len(line.rstrip()):
            return Block("heading", self._take(2), 1, line.strip())
        alone = not after.strip() and (self._at == 0 or not self._peek(-1).strip())
        if alone and (_CHAPTER.match(line) or _is_shouted(line.strip())):
            return Block("heading", self._take(1), 2, line.strip())
        return None

    def _list(self, line: str) -> Block | None:
        """Items with what is indented below them, and blank lines between them."""
        if not _ITEM.match(line):
            return None
        count = 1
        while self._at + count < len(self._lines):
            text = self._peek(count)
            if not text.strip():
                following = self._peek(count + 1)
                if not following.strip() or not (_ITEM.match(following) or following[0] in " \t"):
                    break
            elif self._starts_other(text):
                break
            count += 1
        return Block("list", self._take(count))

    def _starts_other(self, text: str) -> bool:
        return self._style == "markdown" and bool(_ATX.match(text) or (_FENCE.match(text) and text[0] not in " \t"))

    def _table(self, line: str) -> Block | None:
        count = 0
        while _TABLE.match(self._peek(count)):
            count += 1
        return Block("table", self._take(count)) if count > 1 and _TABLE.match(line) else None

    def _paragraph(self) -> Block:
        count = 1
        while (text := self._peek(count)).strip():
            if self._style == "markdown" and (_ATX.match(text) or _FENCE.match(text)):
                break
            count += 1
        return Block("paragraph", self._take(count))


def _heading_text(text: str) -> str:
    """A heading without the marks that may close it."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else text


def _is_shouted(line: str) -> bool:
    """A short line in capitals: a heading of books and old documents."""
    return 4 <= len(line) <= 60 and line.isupper() and line[0].isalpha()


def item_indent(line: str) -> int | None:
    """How far a list item is indented; `None` for a line that begins no item."""
    found = _ITEM.match(line)
    return len(found[1].expandtabs(4)) if found else None
