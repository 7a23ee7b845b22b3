"""What requests carry: `Authorization: Bearer …`, and cookies that keep somebody logged in."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from jam.secrets.judging import key_like, random_like
from jam.secrets.marks import Secret
from jam.secrets.placeholders import is_expression, placeholder, usual

_SEPARATOR = r"(?:\\{0,3}[\"'`])?\]?\s{0,3}(?:=>|[:=,])?\s{0,3}(?:[fbru]?\\{0,3}[\"'`])?"
_VALUE = r"(?P<value>[A-Za-z0-9+/_=.~:-]{6,8192}+)"
_AUTHORIZATION = re.compile(
    rf"{_SEPARATOR}(?:(?P<scheme>bearer|basic|token|apikey|api-key|bot|negotiate)[\s:=]{{1,3}})?{_VALUE}",
    re.IGNORECASE,
)
_COOKIE = re.compile(rf"s?{_SEPARATOR}(?P<pairs>[\w.-]{{1,80}}=[^\n\"'`\\]{{8,2048}})", re.IGNORECASE)
_PAIR = re.compile(r"[\w.-]{1,80}=(?P<value>[^\s;,]{16,2000})")
_BEARER = re.compile(rf"(?:%20|[ \t:=]){{1,3}}[\"'`]?{_VALUE}", re.IGNORECASE)


def find_authorization(text: str, start: int, end: int) -> Iterator[Secret]:
    """What the word `authorization` introduces, which ends at `end`."""
    match = _AUTHORIZATION.match(text, end)
    if match is None or text[max(0, start - 2) : start - 1].isalpha():
        return
    scheme, value = (match["scheme"] or "").lower(), match["value"]
    if scheme == "basic":
        if _basic(value):
            yield Secret("basic credentials", *match.span("value"))
    elif _is_token(value, bool(scheme)):
        yield Secret("bearer token", *match.span("value"))


def find_bearer(text: str, start: int, end: int) -> Iterator[Secret]:
    """The token behind the word `bearer`, which ends at `end`."""
    match = _BEARER.match(text, end)
    if match and _is_token(match["value"], False):
        yield Secret("bearer token", *match.span("value"))


def find_cookies(text: str, start: int, end: int) -> Iterator[Secret]:
    """The values made by chance in the cookies behind the word `cookie`, which ends at `end`."""
    match = _COOKIE.match(text, end)
    if match and text[end : match.start("pairs")].strip("s\"'`\\] "):
        for pair in _PAIR.finditer(text, *match.span("pairs")):
            if random_like(pair["value"].replace("%", "")) and not placeholder(pair["value"]):
                yield Secret("cookie", *pair.span("value"))


def _is_token(value: str, announced: bool) -> bool:
    value = value.rstrip(".:")
    if placeholder(value) or is_expression(value):
        return False
    return random_like(value, 0.8 if announced else 0.6) or ((announced or len(value) >= 12) and key_like(value))


def _basic(value: str) -> bool:
    """`Basic` is followed by name and password in base64."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    name, colon, password = plain.partition(":")
    return bool(colon) and plain.isprintable() and not usual(password or name)
