"""The text of a Word file: paragraphs, headings, lists and tables in their order, as blocks of Markdown.

Changes that were tracked are read as accepted. Nothing here knows about files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jam.history.parsing.text_blocks import Block, Table
from jam.history.parsing.word.paragraphs import Paragraph, Writer
from jam.history.parsing.word.parts import Numbering, Styles, level_of, number_of

_LEFT_OUT = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "delInstrText", "rt"})
"""Deleted text, the commands of fields, and what only old programs show."""
_SIGNS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-"}
_DEEPEST = 8
"""Tables that are nested deeper are read as the text of their cells."""

Picture = Callable[[str, str], str]
"""(target, alternative text) → the mark that stands in the text for a picture."""


@dataclass(slots=True)
class Remark:
    """A footnote, an endnote or a comment."""

    id: str
    author: str = ""
    at: str = ""
    blocks: list[Block] = field(default_factory=list)


class Body:
    """Takes the elements of a part one by one; `finish` gives its text, `remarks` its notes."""

    def __init__(
        self, styles: Styles, numbering: Numbering, relations: Mapping[str, tuple[str, str]], picture: Picture
    ) -> None:
        self.remarks: list[Remark] = []
        self.changed = False
        """Whether there are tracked changes."""
        self._writer = Writer(styles, numbering)
        self._relations = relations
        self._picture = picture
        self._tables: list[Table | None] = []
        self._paragraphs: list[Paragraph] = []
        self._links: list[tuple[int, str]] = []
        self._controls: list[bool] = []
        """Of each open content control, whether it holds nothing but a prompt or the contents."""
        self._alternative = ""
        self._runs = self._skipping = 0
        self._taking = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        prompt = name == "sdtContent" and self._controls and self._controls[-1]
        if self._skipping or prompt or name in _LEFT_OUT:
            self._skipping += 1
            self.changed |= name in ("del", "moveFrom")
            return
        value = attributes.get("val", "")
        match name:
            case "p":
                self._paragraphs.append(Paragraph())
            case "pStyle" | "outlineLvl" | "numId" | "ilvl" if self._paragraphs:
                self._property(name, value)
            case "r":
                self._runs += 1
            case "t":
                self._taking = True
            case "tab" | "cr" | "noBreakHyphen" if self._runs:
                self._put(_SIGNS[name])
            case "br" if self._runs:
                self._put("\n" if attributes.get("type", "textWrapping") == "textWrapping" else "")
            case "footnoteReference" | "endnoteReference":
                self._put(f"[^{_note_id(name, attributes)}]")
            case "hyperlink":
                at = len(self._paragraphs[-1].pieces) if self._paragraphs else 0
                self._links.append((at, self._relations.get(attributes.get("id", ""), ("", ""))[1]))
            case "docPr":
                self._alternative = " ".join(attributes.get("descr", "").split())
            case "blip" | "imagedata":
                target = self._relations.get(attributes.get("embed") or attributes.get("id", ""), ("", ""))[1]
                self._put(self._picture(target, self._alternative) if target else "")
            case "sdt":
                self._controls.append(False)
            case "showingPlcHdr" if self._controls:
                self._controls[-1] = True
            case "docPartGallery" if self._controls:
                self._controls[-1] |= value == "Table of Contents"
            case "tbl" | "tr" | "tc":
                self._start_table(name)
            case "gridSpan" if self._tables and (table := self._tables[-1]) is not None:
                table.widen(number_of(value))
            case "footnote" | "endnote" | "comment":
                self._writer.sinks.append([])
                remark = Remark(_note_id(name, attributes), attributes.get("author", ""), attributes.get("date", ""))
                remark.blocks = self._writer.sinks[-1]
                if attributes.get("type", "normal") == "normal":
                    self.remarks.append(remark)
            case "ins" | "moveTo":
                self.changed = True

    def end(self, name: str) -> None:
        """An element ends."""
        if self._skipping:
            self._skipping -= 1
            return
        match name:
            case "p":
                self._writer.write(self._paragraphs.pop())
            case "r":
                self._runs -= 1
            case "t":
                self._taking = False
            case "hyperlink":
                self._end_link(*self._links.pop())
            case "sdt":
                self._controls.pop()
            case "tbl":
                self._end_table()
            case "footnote" | "endnote" | "comment":
                self._writer.end_code()
                self._writer.sinks.pop()

    def text(self, data: str) -> None:
        """Characters."""
        if self._taking and not self._skipping:
            self._put(data)

    def finish(self) -> list[Block]:
        """All blocks; of a damaged part, those before the damage."""
        while self._paragraphs:
            self._writer.write(self._paragraphs.pop())
        while self._tables:
            self._end_table()
        self._writer.end_code()
        return self._writer.sinks[0]

    @property
    def contents(self) -> int:
        """Lines of a table of contents, which are left out."""
        return self._writer.contents

    # --- paragraphs

    def _put(self, text: str) -> None:
        if self._paragraphs and text:
            self._paragraphs[-1].pieces.append(text)

    def _property(self, name: str, value: str) -> None:
        paragraph = self._paragraphs[-1]
        if name == "pStyle":
            paragraph.style = value
        elif name == "outlineLvl":
            paragraph.outline = level_of(value)
        elif name == "numId":
            paragraph.numbering = value
        else:
            paragraph.level = level_of(value)

    def _end_link(self, at: int, target: str) -> None:
        """A link is followed by its address, unless that is what it says."""
        if not self._paragraphs or "://" not in target[:12]:
            return
        said = "".join(self._paragraphs[-1].pieces[at:]).strip()
        if said and said not in target:
            self._put(f" ({target})")

    # --- tables

    def _start_table(self, name: str) -> None:
        self._writer.end_code()
        if name == "tbl":
            table = Table() if len(self._tables) < _DEEPEST else None
            self._tables.append(table)
            if table is not None:
                self._writer.sinks.append(table.around)
        elif self._tables and (table := self._tables[-1]) is not None:
            self._writer.sinks[-1] = table.row() if name == "tr" else table.cell()

    def _end_table(self) -> None:
        self._writer.end_code()
        table = self._tables.pop()
        if table is not None:
            self._writer.sinks.pop()
            self._writer.sinks[-1] += table.blocks(lambda text: Block(text, "table"))


def _note_id(name: str, attributes: Mapping[str, str]) -> str:
    """Endnotes are numbered apart from footnotes."""
    return ("e" if name.startswith("endnote") else "") + attributes.get("id", "")
