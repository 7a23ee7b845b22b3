"""What hides a password from the rules for it, and shows it to people all the same: colours, entities, other spaces."""

from __future__ import annotations

import re

from jam.shown import COLOUR, Shown

_ENTITIES = {
    "quot": '"',
    "apos": "'",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "nbsp": " ",
    "colon": ":",
    "equals": "=",
    "num": "#",
    "excl": "!",
    "dollar": "$",
    "percnt": "%",
    "commat": "@",
    "lbrack": "[",
}
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_ENTITY = rf"&(?:#(?P<decimal>\d{{2,4}})|#[xX](?P<hexadecimal>[0-9a-fA-F]{{2,4}})|(?P<named>{'|'.join(_ENTITIES)}));"
_ESCAPE = r"\\\\{0,15}u(?P<escaped>00[2-7][0-9a-fA-F]|00[aA]0|20(?:0[0-9aA]|2[fF]))"
_ASCII = re.compile(rf"{COLOUR}|{_ENTITY}|{_ESCAPE}")
_ANY = re.compile(rf"[{_SPACES}]|[{_UNSEEN}]|{_ASCII.pattern}")
_SPACE = re.compile(rf"[{_SPACES}]")
_BLANK = re.compile(rf"[{_SPACES}{_UNSEEN}]")
_NEEDED = ("\x1b", "&", "\\u00", "\\u20", "\\x1", "\\033", "\\e[", "^[[")


def undisguised(text: str) -> Shown | None:
    """The text as it is shown; `None` where that is the text itself."""
    pattern = _ASCII if text.isascii() or not _BLANK.search(text) else _ANY
    if pattern is _ASCII and not (any(sign in text for sign in _NEEDED) and pattern.search(text)):
        return None
    return Shown(text, pattern, _instead)


def _instead(match: re.Match[str]) -> str:
    if match["named"]:
        return _ENTITIES[match["named"]]
    if match["decimal"]:
        return _character(int(match["decimal"]), match[0])
    code = match["hexadecimal"] or match["escaped"]
    if code:
        return _character(int(code, 16), match[0])
    return " " if _SPACE.match(match[0]) else ""


def _character(code: int, written: str) -> str:
    """The character with this number, a space where it is some kind of one; what is no printable one stays."""
    sign = chr(code)
    if _SPACE.match(sign):
        return " "
    return sign if sign.isprintable() else written
