"""Passwords within addresses (`postgres://ann:…@host`), and what else in them opens something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.judging import key_like
from jam.secrets.marks import Secret
from jam.secrets.placeholders import placeholder, usual

_LONGEST = 300
_CREDENTIALS = re.compile(
    r"://(?P<user>[^\s:/@\"'<>`\\]{0,100}):(?P<password>[^\s/\"'<>`\\]{1,250}?)@"
    r"(?=(?:[\w.-]{1,200}|\[[0-9a-fA-F:]+\])(?::\d+)?(?:[/?#,;:\s\"'`<>)\]}\\|]|$|[.!](?:\s|$)))"
)
_CODE = re.compile(
    r"(?:[A-Z]:(?:\\.|[^;\\\n]){0,100};){0,6}?P:(?P<quote>\"?)(?P<value>(?:\\.|[^;\\\n]){1,70}?)(?P=quote);",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?P<value>[\w%+/=-]{30,200})")


def find_credentials(text: str, start: int, end: int) -> Iterator[Secret]:
    """The password of the address whose `://` is at `text[start:end]`."""
    match = _CREDENTIALS.match(text, start, min(len(text), start + _LONGEST))
    if match is None:
        return
    password = match["password"]
    if password != match["user"] and not usual(password) and not placeholder(password):
        yield Secret("password in an address", *match.span("password"))


def find_signature(text: str, start: int, end: int) -> Iterator[Secret]:
    """The signature of an Azure address, which opens what it points to; `sig=` ends at `end`."""
    match = _SIGNATURE.match(text, end)
    if match and text[start - 3 : start - 2] in ("?", "&") and key_like(match["value"].replace("%", "")):
        yield Secret("azure key", *match.span("value"))


def find_in_code(text: str, end: int) -> Iterator[Secret]:
    """The password that a QR code for a wireless network says, behind its `WIFI:`, which ends at `end`."""
    match = _CODE.match(text, end)
    if match and not usual(match["value"]) and not placeholder(match["value"]):
        yield Secret("password", *match.span("value"))
