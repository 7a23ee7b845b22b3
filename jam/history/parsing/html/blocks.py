"""Tags and texts made into blocks of Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from jam.history.parsing.html.elements import BLOCKS, CONTAINED, DEEPEST, DROPPED, LISTS, PARTS_OF_TABLES, Open
from jam.history.parsing.html.layout import laid_out, spaced, tidied
from jam.history.parsing.html.tokens import VOID, Token
from jam.history.parsing.text_blocks import Block, Table

_LONGEST_STACK = 500
"""Elements that are nested deeper are not told from the one around them."""


class Renderer:
    """Takes the tokens of a page one by one; `finish` gives its blocks."""

    def __init__(self, picture: Callable[[str, str], str] | None = None) -> None:
        self._headings: dict[bool, list[str]] = {True: [], False: []}
        self._picture = picture or _alternative
        self._blocks: list[Block] = []
        self._sinks: list[list[Block]] = [self._blocks]
        self._stack: list[Open] = [Open("")]
        self._open: Counter[str] = Counter()
        self._containers: list[int] = []
        """Where in the stack lists and tables are."""
        self._tables: list[Table] = []
        self._pieces: list[str] = []
        """The inline text that no block has yet."""
        self._marker = ""
        """Of the list item that the next block begins."""
        self._lists = 0
        """How many lists there were, without those in others."""

    def take(self, token: Token) -> None:
        """The next token."""
        if token.kind == "text":
            self._text(token.value)
        elif token.kind == "end":
            self._end(token.value)
        elif token.kind == "start":
            self._start(token)

    @property
    def headings(self) -> list[str]:
        """The highest headings (`<h1>`) of the main part, else of the page."""
        return self._headings[True] or self._headings[False]

    def finish(self) -> list[Block]:
        """All blocks; whatever is open ends here."""
        self._pop_to(1)
        self._flush()
        return self._blocks

    def _text(self, text: str) -> None:
        top = self._stack[-1]
        if not top.dropped:
            self._pieces.append(text if top.pre else spaced(text))

    # --- tags

    def _start(self, token: Token) -> None:
        name = token.value
        if name in VOID:
            self._void(token)
            return
        if name in BLOCKS:
            self._leave_foreign()
            self._end_siblings(name)
            self._break(self._stack[-1].pre and name != "pre")
        elif token.closed:
            return
        if len(self._stack) < _LONGEST_STACK:
            self._push(token)

    def _push(self, token: Token) -> None:
        name, top = token.value, self._stack[-1]
        opened = top.within(token)
        if name not in BLOCKS and not self._open[name] and name != "math" and opened.says_the_same(top):
            return  # it changes nothing, so that its end needn't be known
        if name == "table" and len(self._tables) < DEEPEST and not opened.dropped:
            opened.table = Table()
            self._tables.append(opened.table)
            self._sinks.append(opened.table.around)
        self._stack.append(opened)
        self._open[name] += 1
        if name in LISTS and opened.lists == 1:
            self._lists += 1
        if name in LISTS or name == "table":
            self._containers.append(len(self._stack) - 1)
        self._begin(token, opened)

    def _begin(self, token: Token, opened: Open) -> None:
        """What some elements do to the text where they begin."""
        name = token.value
        if name == "code":
            self._stack[-2].language = opened.language
        elif name == "li":
            self._marker = self._next_marker()
        elif name in ("dt", "dd"):
            self._marker = "- " if name == "dt" else "  "
        elif name in ("tr", "td", "th") and self._tables:
            table = self._tables[-1]
            self._sinks[-1] = table.row() if name == "tr" else table.cell(header=name == "th")
            if (span := token.attributes.get("colspan", "")).isdecimal() and name != "tr":
                table.widen(int(span[:3]))
        elif name == "math" and token.attributes.get("alttext") and not opened.dropped:
            self._pieces.append(token.attributes["alttext"])
            opened.dropped = True

    def _void(self, token: Token) -> None:
        top = self._stack[-1]
        if top.dropped:
            return
        if token.value == "br":
            self._pieces.append("\n")
        elif token.value == "hr":
            self._break(top.pre)
        elif token.value == "img" and not (top.hidden or top.aside):
            address = token.attributes.get("src") or token.attributes.get("data-src") or ""
            self._pieces.append(self._picture(address, " ".join(token.attributes.get("alt", "").split())))
        elif token.value == "input" and token.attributes.get("type", "").lower() == "checkbox" and top.lists:
            self._pieces.append("[x] " if "checked" in token.attributes else "[ ] ")

    def _end(self, name: str) -> None:
        if name in VOID or not self._open[name]:
            if name in ("p", "br"):
                self._break(self._stack[-1].pre)
            return
        place = len(self._stack) - 1
        while (other := self._stack[place].name) != name:
            if other in ("td", "th", "table") and name != "table" and name not in PARTS_OF_TABLES:
                return  # what began outside a cell doesn't end in it
            if other in BLOCKS and name not in BLOCKS and name not in DROPPED:
                return  # nor does a block end with the inline element around it
            place -= 1
        self._pop_to(place)

    def _pop_to(self, length: int) -> None:
        """Close elements until so many are open."""
        while len(self._stack) > length:
            top = self._stack[-1]
            if top.name in BLOCKS:
                self._break(self._stack[-2].pre)
            self._stack.pop()
            self._open[top.name] -= 1
            if self._containers and self._containers[-1] == len(self._stack):
                self._containers.pop()
            if top.table is not None:
                self._end_table(top, top.table)
            elif top.name == "tr" and self._tables:
                self._sinks[-1] = self._tables[-1].around

    def _end_table(self, opened: Open, table: Table) -> None:
        self._tables.pop()
        self._sinks.pop()
        self._sinks[-1] += table.blocks(lambda text: self._block(text, "table", opened))

    def _end_siblings(self, name: str) -> None:
        """A list item ends where the next begins, and so do cells and rows; a paragraph ends where any block begins."""
        containers = CONTAINED.get(name)
        if containers and self._containers and self._stack[self._containers[-1]].name in containers:
            place = self._containers[-1] + 1
            if name in ("td", "th"):
                row = (n for n in range(place, min(place + 2, len(self._stack))) if self._stack[n].name == "tr")
                place = next(row, place - 1) + 1
            self._pop_to(place)
            return
        place = len(self._stack) - 1
        while self._stack[place].name not in BLOCKS and place:
            place -= 1
        if self._stack[place].name == "p":
            self._pop_to(place)

    def _leave_foreign(self) -> None:
        """A block ends a drawing or formula that was never closed, as in browsers."""
        length = len(self._stack)
        while self._stack[length - 1].foreign:
            length -= 1
        self._pop_to(length)

    def _next_marker(self) -> str:
        """Of the item that begins: a dash, or its number."""
        container = self._stack[self._containers[-1]] if self._containers else None
        if container is None or container.number < 0:
            return "- "
        container.number += 1
        return f"{container.number - 1}. "

    # --- blocks

    def _break(self, in_code: bool) -> None:
        """Where a block begins or ends: a new block, or merely a new line within code."""
        if not in_code:
            self._flush()
        elif self._pieces and not self._pieces[-1].endswith("\n"):
            self._pieces.append("\n")

    def _flush(self) -> None:
        """The pending text becomes a block."""
        if not self._pieces:
            return
        raw, top = "".join(self._pieces), self._stack[-1]
        self._pieces = []
        text = tidied(raw, top)
        if not text.strip():
            return
        kind = "code" if top.pre else "heading" if top.heading else "paragraph"
        if top.heading == 1 and not (top.hidden or top.aside):
            self._headings[top.main].append(" ".join(text.split()))
        self._sinks[-1].append(self._block(laid_out(text, top, self._marker), kind, top))
        self._marker = ""

    def _block(self, text: str, kind: str, top: Open) -> Block:
        number = self._lists if top.lists and kind != "table" else 0
        return Block(text, kind, number, top.hidden, top.aside, top.main)


def _alternative(_address: str, alternative: str) -> str:
    return f"[image: {alternative}]" if alternative else ""
