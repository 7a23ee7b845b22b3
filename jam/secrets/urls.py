"""Passwords within addresses (`postgres://ann:…@host`), and those that some commands take as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.judging import key_like, password_like
from jam.secrets.marks import Secret
from jam.secrets.placeholders import placeholder, usual

_LONGEST = 300
_CREDENTIALS = re.compile(
    r"://(?P<user>[^\s:/@\"'<>`\\]{0,100}):(?P<password>[^\s/\"'<>`\\]{1,250}?)@"
    r"(?=(?:[\w.-]{1,200}|\[[0-9a-fA-F:]+\])(?::\d+)?(?:[/?#,;:\s\"'`<>)\]}\\|]|$|[.!](?:\s|$)))"
)
_SIGNATURE = re.compile(r"(?P<value>[\w%+/=-]{30,200})")

_CURL = re.compile(r"\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,60}:(?P<value>[^\s\"']{3,128})")
_MYSQL = re.compile(r"\w*\b[^\n|;]{0,200}?\s-p(?P<quote>[\"']?)(?P<value>[^\s\"']{3,128})(?P=quote)(?=[\s`;]|$)")
_SUDO = re.compile(r"echo\s+(?:-\w+\s+)?[\"']?(?P<value>[^\s\"']{3,128})[\"']?\s*\|\s*sudo\s+-\w*S")


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


def find_argument(text: str, start: int, end: int) -> Iterator[Secret]:
    """The password given to the command at `text[start:end]`."""
    command = text[start:end].lower()
    if command == "udo -":
        match = _SUDO.search(text, max(0, start - _LOOK_BACK), end + 4)
    else:
        match = (_CURL if command == "curl" else _MYSQL).match(text, end)
    if match and _is_argument(match["value"]):
        yield Secret("password", *match.span("value"))


def _is_argument(value: str) -> bool:
    return not placeholder(value) and (password_like(value) or value.isalpha())


_LOOK_BACK = 150
