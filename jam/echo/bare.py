"""What hides a mark of JAM's from a search: a terminal's colours, and brackets that are escaped in a string of JSON."""

from __future__ import annotations

import re

from jam.shown import COLOUR, Shown

_HIDING = ("\x1b", "\\u001", "\\x1", "\\033", "\\e[", "^[[", "\\u005")
_HIDDEN = re.compile(rf"{COLOUR}|\\\\{{0,15}}u005(?P<bracket>[bBdD])")
_BRACKETS = {"b": "[", "d": "]"}


def bare(text: str) -> Shown | None:
    """The text without these; `None` where it has none."""
    if not any(sign in text for sign in _HIDING):
        return None
    return Shown(text, _HIDDEN, lambda match: _BRACKETS[match["bracket"].lower()] if match["bracket"] else "")
