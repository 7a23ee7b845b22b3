"""How the text of a block is written: its blanks, and the marks of Markdown before it."""

from __future__ import annotations

import re

from jam.history.parsing.html.elements import Open
from jam.history.parsing.text_blocks import fence

_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")
_SEVERAL = re.compile(r" {2,}")
_AROUND_BREAK = re.compile(r" ?\n ?")
_GAP = re.compile(r"\n{3,}")


def spaced(text: str) -> str:
    """Text as a browser shows it: blanks and line ends are one blank, and a soft hyphen is nothing."""
    return _SPACES.sub(" ", text.replace("\xad", ""))


def tidied(raw: str, top: Open) -> str:
    """The text of a block; line ends in it are those of `<br>`, or of code."""
    if top.pre:
        return raw.replace("\r\n", "\n").strip("\n")
    return _GAP.sub("\n\n", _AROUND_BREAK.sub("\n", _SEVERAL.sub(" ", raw))).strip()


def laid_out(text: str, top: Open, marker: str) -> str:
    """A block with the marks of what it is in; `marker` is that of the list item that it begins."""
    if top.pre:
        text = fence(text, top.language)
    elif top.heading:
        text = "#" * top.heading + " " + " ".join(text.split())
    if top.lists:
        indent = "  " * (top.lists - 1)
        text = indent + (marker or "  ") + text.replace("\n", f"\n{indent}  ")
    if top.quotes:
        mark = "> " * top.quotes
        text = mark + text.replace("\n", f"\n{mark}")
    return text
