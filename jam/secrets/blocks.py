"""Private keys in armour: PEM, OpenSSH and PGP, on many lines or escaped on one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.marks import Secret

_OPENS = "-----BEGIN "
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST = 40_000
_LEAST = 20
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}+")
# What a key that was cut off still has: base64, and what parts it in text, in quotes or escaped.
_REST = re.compile(r"(?:[A-Za-z0-9+/=]{16,}+|\\[nrt]|[\s\"'+>|#*,]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]*+)*+")
_PUTTY = re.compile(r"Private-Lines: \d+(?:\r?\n|\\n)(?:[A-Za-z0-9+/=]+(?:\r?\n|\\n)?){1,200}")


def find_private_keys(text: str) -> Iterator[Secret]:
    """The private keys of a text, each with its first and last line."""
    position = text.find(_OPENS)
    while position >= 0:
        following = text.find(_OPENS, position + len(_OPENS))
        begin = _BEGIN.match(text, position)
        if begin:
            stop = _stop(text, begin.end(), following if following >= 0 else len(text))
            if stop:
                yield Secret("private key", position, stop)
        position = following
    if "Private-Lines: " in text:
        for match in _PUTTY.finditer(text):
            yield Secret("private key", *match.span())


def _stop(text: str, start: int, limit: int) -> int | None:
    """Where the key ends that begins here; `None` where there is only talk of one."""
    limit = min(limit, start + _LONGEST)
    end = _END.search(text, start, limit)
    if end:
        return end.end() if _is_key(text[start : end.start()]) else None
    rest = _REST.match(text, start, limit)
    body = rest[0].rstrip(" \t\r\n\"'") if rest else ""
    return start + len(body) if _is_key(body) else None


def _is_key(body: str) -> bool:
    """Mostly base64, and enough of it."""
    length = sum(len(run) for run in _BASE64.findall(body))
    return length >= max(_LEAST, len(body) // 2)
