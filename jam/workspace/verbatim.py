"""Somebody's text within a file of the workspace: hidden from whatever reads the file as Markdown, or prints it.

Nothing here knows what a raw file or a memo is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from jam.errors import DamagedFile

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Characters that never stand bare in a file of the workspace: controls, line separators other than LF, direction
overrides, byte order marks, and surrogates, which UTF-8 can't hold."""

OWN_COMMENT = "<!-- jam:"
"""What a line begins with that structures a file; no line of somebody's text does, once it is hidden."""

_GUARD = re.compile(rf"^(?=\\*{OWN_COMMENT})", re.MULTILINE)
_UNGUARD = re.compile(rf"^\\(?=\\*{OWN_COMMENT})", re.MULTILINE)
_HIDE = re.compile(rf"(\\*)({UNSAFE.pattern})|(\\+)(?=u\{{)")
_REVEAL = re.compile(r"(\\+)u\{(?:([0-9a-f]{1,6})\})?")


def hide(text: str) -> tuple[str, dict[str, object]]:
    """The text as it can stand in a file of the workspace, and the flags that `reveal` needs."""
    flags: dict[str, object] = {}
    if "\r" in text and text.count("\r") == text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
        flags["newlines"] = "crlf"
    if UNSAFE.search(text):
        text = _HIDE.sub(_hide_one, text)
        flags["escaped"] = True
    return (_GUARD.sub(r"\\", text) if OWN_COMMENT in text else text), flags


def reveal(stored: str, flags: Mapping[str, object]) -> str:
    """The text that `hide` was given."""
    text = _UNGUARD.sub("", stored) if OWN_COMMENT in stored else stored
    if flags.get("escaped"):
        text = _REVEAL.sub(_reveal_one, text)
    return text.replace("\n", "\r\n") if flags.get("newlines") == "crlf" else text


def decode_text(data: bytes, where: str) -> str:
    """The text of a file of the workspace, without the CRLF or BOM that an editor or git may have put in."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DamagedFile(f"{where}, line {line}: not UTF-8; save it as UTF-8, or restore it") from error
    # JAM writes no CR into a file, so none can be a part of the text.
    return text.replace("\r\n", "\n") if "\r" in text else text


def _hide_one(match: re.Match[str]) -> str:
    if match[2] is None:
        return match[3] * 2
    return f"{match[1] * 2}\\u{{{ord(match[2]):x}}}"


def _reveal_one(match: re.Match[str]) -> str:
    half, odd = divmod(len(match[1]), 2)
    if odd and match[2] is None:
        return match[0]  # Only a person writes that.
    rest = f"{match[2]}}}" if match[2] else ""
    return "\\" * half + (chr(int(match[2], 16) % 0x110000) if odd else "u{" + rest)
