"""Paragraphs of a Word file made into blocks of Markdown: headings, list items, quotes, code."""

from __future__ import annotations

from dataclasses import dataclass, field

from jam.history.parsing.text_blocks import Block, fence
from jam.history.parsing.word.parts import Look, Numbering, Styles

_DEEPEST = 8
"""Lists that are nested deeper look like those at this depth."""


@dataclass(slots=True)
class Paragraph:
    """A paragraph while it is read."""

    style: str = ""
    outline: int | None = None
    numbering: str | None = None
    level: int | None = None
    pieces: list[str] = field(default_factory=list)


class Writer:
    """Writes paragraphs as blocks, into the innermost of the open cells and notes."""

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self.sinks: list[list[Block]] = [[]]
        """Where blocks go: the last list is that of the innermost cell or note, the first that of the text."""
        self.contents = 0
        """Lines of a table of contents, which are left out."""
        self._styles = styles
        self._numbering = numbering
        self._looks: dict[str, Look] = {}
        self._code: list[str] = []
        self._list, self._list_kind = 0, ""
        """How many lists there were, and what the last is; items of one stand together."""

    def write(self, paragraph: Paragraph) -> None:
        """A paragraph has ended."""
        look = self._look(paragraph.style)
        text = "".join(paragraph.pieces)
        if look.code and not look.heading:
            self._code.append(text)
            return
        text = text.strip()
        if look.contents:
            self.contents += bool(text)
        elif text:
            block = self._block(text, paragraph, look)
            self.end_code()
            self.sinks[-1].append(block)

    def end_code(self) -> None:
        """Consecutive paragraphs of code are one block, which ends here."""
        code = "\n".join(self._code).strip("\n")
        self._code = []
        if code.strip():
            self.sinks[-1].append(Block(fence(code), "code"))

    def _look(self, style: str) -> Look:
        if style not in self._looks:
            self._looks[style] = self._styles.look(style)
        return self._looks[style]

    def _block(self, text: str, paragraph: Paragraph, look: Look) -> Block:
        heading = look.heading if paragraph.outline is None else (paragraph.outline + 1) % 10
        numbering = paragraph.numbering if paragraph.numbering is not None else look.numbering
        if heading:
            return Block("#" * min(heading, 6) + " " + " ".join(text.split()), "heading")
        if numbering and numbering != "0":
            level = paragraph.level if paragraph.level is not None else look.level
            return self._item(text, numbering, min(level, _DEEPEST))
        return Block("> " + text.replace("\n", "\n> ") if look.quote else text)

    def _item(self, text: str, numbering: str, level: int) -> Block:
        indent = "  " * level
        marker = self._numbering.marker(numbering, level)
        kind = marker if marker == "- " else numbering
        if not self._list or (level == 0 and kind != self._list_kind):
            self._list, self._list_kind = self._list + 1, kind
        return Block(indent + marker + text.replace("\n", f"\n{indent}  "), list_number=self._list)
