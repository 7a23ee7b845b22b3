"""Blocks of Markdown made from other formats (pages, Word files), and the tables that they may stand in: data becomes a
Markdown table, layout the text of its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_LONGEST_CELL = 600
"""A table with a longer cell is a layout."""
_CELL_BLOCKS = 6
_WIDEST_CELL = 20
_RAGGED = 10
"""A table that is emptier than one cell in so many is a layout."""


_TICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of text."""

    text: str
    kind: str = "paragraph"
    """`paragraph`, `heading`, `code` or `table`."""
    list_number: int = 0
    """Which of the lists it belongs to; 0 where it is in none."""
    hidden: bool = False
    """Whether it is not shown, or leads elsewhere."""
    aside: bool = False
    """Whether it surrounds the main text."""
    main: bool = False
    """Whether it is in what the page calls its main part."""


class Table:
    """A table while it is read: rows of cells of blocks."""

    def __init__(self) -> None:
        self.around: list[Block] = []
        """What stands in the table and in none of its cells: its caption."""
        self._rows: list[list[list[Block]]] = []
        self._headed = False

    def row(self) -> list[Block]:
        """Begin a row; what stands in it outside of its cells goes around the table."""
        self._rows.append([])
        return self.around

    def cell(self, header: bool = False) -> list[Block]:
        """Begin a cell, and give where its blocks go."""
        if not self._rows:
            self._rows.append([])
        self._headed |= header
        self._rows[-1].append([])
        return self._rows[-1][-1]

    def widen(self, columns: int) -> None:
        """The cell that has just begun is so many columns wide."""
        if self._rows:
            self._rows[-1] += [[] for _ in range(min(columns, _WIDEST_CELL) - 1)]

    def blocks(self, make: Callable[[str], Block]) -> list[Block]:
        """The table's text; `make` makes a block of a whole table."""
        rows = [row for row in self._rows if any(row)]
        if self._is_data(rows):
            texts = [[" ".join(map(_plain, cell)) for cell in row] for row in rows]
            return [*self.around, make(pipes(texts))]
        return [*self.around, *(block for row in rows for cell in row for block in cell)]

    def _is_data(self, rows: list[list[list[Block]]]) -> bool:
        widest, count = max(map(len, rows), default=0), sum(map(len, rows))
        if widest < 2 or (len(rows) < 2 and not self._headed) or widest * len(rows) > _RAGGED * count:
            return False
        return all(
            len(cell) <= _CELL_BLOCKS
            and sum(len(block.text) for block in cell) <= _LONGEST_CELL
            and not any(block.kind in ("table", "code") for block in cell)
            for row in rows
            for cell in row
        )


def pipes(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table; the first is its head."""
    width = max(map(len, rows))
    lines = ["| " + " | ".join(_cell(text) for text in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _plain(block: Block) -> str:
    return block.text.lstrip("#").lstrip() if block.kind == "heading" else "" if block.hidden else block.text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def fence(text: str, language: str = "") -> str:
    """Code as a block of Markdown."""
    mark = "`" * (max((len(found) for found in _TICKS.findall(text)), default=2) + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def join(blocks: Sequence[Block]) -> str:
    """The blocks with a blank line between them; items of one list stand on consecutive lines."""
    parts: list[str] = []
    for number, block in enumerate(blocks):
        if number:
            together = block.list_number and block.list_number == blocks[number - 1].list_number
            parts.append("\n" if together else "\n\n")
        parts.append(block.text)
    return "".join(parts)
