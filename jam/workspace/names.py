"""Names: what titles and ids become in a file system, on Windows, macOS and Linux alike.

Only strings here; what exists on disk is the caller's knowledge.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

NAME_BYTES = 120
"""No name made here is longer, in UTF-8; file systems allow 255, and endings such as `.memo.md` must fit as well."""

ENCODED_LENGTH = 180
"""An id whose encoding is longer than this becomes prefix and hash, and can't be decoded from its name."""

_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")
# Letters and marks that show nothing: they'd make two names that look the same, or a name that looks empty.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# Apostrophes and joiners stand inside words, and vanish instead of parting them.
_INSIDE_WORDS = re.compile("['’ʼ\u00ad\u200b-\u200d\u2060\ufeff]")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?=T|$)", re.ASCII)


def slug(title: str, max_chars: int = 60) -> str:
    """The title as a name: letters and digits of any script, lower-case, everything else as single `-`."""
    text = _INSIDE_WORDS.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFC", title)))
    text = unicodedata.normalize("NFC", text.lower())
    kept: list[str] = []
    for char in text:
        if _is_word(char, after_word=bool(kept) and kept[-1] != "-"):
            kept.append(char)
        elif kept and kept[-1] != "-":
            kept.append("-")
    return _legal(_cut("".join(kept).rstrip("-"), max_chars, NAME_BYTES))


def raw_name(started: str | None, title: str) -> str:
    """The name, without an ending, of a session's files: `2023-05-08 support-group`, or `undated support-group`.

    A date that the title begins with is not said twice.
    """
    match = _DATE.match(started or "")
    date = match[0] if match else "undated"
    words = slug(title)
    words = words.removeprefix(f"{date}-") or words  # a daily note is titled by its date
    return f"{date} {_legal(_cut(words, 60, NAME_BYTES - len(date) - 1))}"


def folded(name: str) -> str:
    """The form in which two names are compared: file systems ignore case, and composition of characters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def unique_name(wanted: str, taken: Collection[str], tie: str) -> str:
    """`wanted`, or with a short ending made from `tie` where that is taken. `taken` holds names as `folded` gives them.

    The ending depends on `tie` alone, so that a second build of the same history arrives at the same name. Names are
    without file endings.
    """
    if folded(wanted) not in taken:
        return wanted
    digest = hashlib.sha256(tie.encode("utf-8", "surrogatepass")).hexdigest()
    for length in (4, 8, 16, 32, 64):
        ending = f" ~{digest[:length]}"
        name = _cut(wanted, NAME_BYTES, NAME_BYTES - len(ending)).rstrip(" .-") + ending
        if folded(name) not in taken:
            return name
    raise ValueError(f"no free name for {wanted!r}: every ending made from {tie!r} is taken")


def label(text: str, max_chars: int = 120) -> str:
    """The text as one line that is safe in a heading or a list: no control or direction characters, no HTML."""
    if not text.isprintable():
        text = "".join(char if _is_printable(char) else " " for char in text)
    flat = " ".join(text.split())
    flat = flat.replace("<", "‹").replace(">", "›")
    return flat if len(flat) <= max_chars else _cut(flat, max_chars - 1, 4 * max_chars).rstrip() + "…"


def encode_id(id: str) -> str:
    """Any id as a portable ASCII name that differs from every other id's even without case.

    Small letters, digits, `-`, `_` and inner dots stand for themselves; `+a` is `A`; `=2f` is one byte of UTF-8. Up to
    180 characters that is reversible (`decode_id`), so for every id of up to 60 bytes; beyond, the name ends in `==`
    and a hash.
    """
    parts = [_encode_byte(byte) for byte in id.encode("utf-8", "surrogatepass")] or ["="]
    if parts[0] == "." or _RESERVED.match("".join(parts)):
        parts[0] = f"={ord(parts[0]):02x}"
    if parts[-1] == ".":
        parts[-1] = "=2e"
    name = "".join(parts)
    if len(name) <= ENCODED_LENGTH:
        return name
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:80]}=={digest[:40]}"


def decode_id(name: str) -> str:
    """The id that `encode_id` made this name from. `ValueError` where it made no such name, or hashed the id."""
    if "==" in name:
        raise ValueError(f"{name!r} stands for an id too long to be read back from its name")
    if name == "=":
        return ""
    plain = re.sub(r"\+([a-z])", lambda match: match[1].upper(), name)
    pieces = re.split(r"=([0-9a-f]{2})", plain)
    data = b"".join(
        bytes.fromhex(piece) if index % 2 else piece.encode("utf-8", "surrogatepass")
        for index, piece in enumerate(pieces)
    )
    id = data.decode("utf-8", "surrogatepass")
    if encode_id(id) != name:
        raise ValueError(f"{name!r} is not the name of an id")
    return id


def _encode_byte(byte: int) -> str:
    char = chr(byte)
    if "a" <= char <= "z" or "0" <= char <= "9" or char in "-_.":
        return char
    return f"+{char.lower()}" if "A" <= char <= "Z" else f"={byte:02x}"


def _is_word(char: str, *, after_word: bool) -> bool:
    category = unicodedata.category(char)
    return category[0] == "L" or category == "Nd" or (category[0] == "M" and after_word)


def _is_printable(char: str) -> bool:
    # The joiners count as format characters, but emoji and several scripts are written with them.
    return char.isprintable() or char in "\u200c\u200d"


def _legal(name: str) -> str:
    if not name:
        return "untitled"
    return f"{name}_" if _RESERVED.match(name) else name


def _cut(text: str, max_chars: int, max_bytes: int) -> str:
    """The longest beginning within both limits that ends between two characters as people see them."""
    end = min(len(text), max_chars)
    while len(text[:end].encode("utf-8", "surrogatepass")) > max_bytes:
        end -= 1
    if end == len(text):
        return text
    while end and unicodedata.category(text[end])[0] == "M":
        end -= 1
    # A whole last word is nicer than half of one, if it doesn't cost much.
    dash = text.rfind("-", 0, end + 1)
    return text[: dash if dash > end * 2 // 3 else end].rstrip("-")
