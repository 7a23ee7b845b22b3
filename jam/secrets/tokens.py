"""Tokens that say by their form what they are: issuers give them prefixes so that they can be recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jam.secrets.judging import random_like
from jam.secrets.marks import Secret
from jam.secrets.placeholders import repetitive
from jam.secrets.token_forms import IN_ADDRESSES, LIKELY, SURE, TELEGRAM, UNKNOWN_ISSUER, WITHOUT_PREFIX

_LONGEST = 9000
_ADDRESS = 120
_WORDS = re.compile(r"[a-z_.-]+")
_PIECE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{2}")
# Behind an escape (`\n`, `%3D`, `\u0022`) the first characters of the run are no part of the token.
_ESCAPED = re.compile(r"(?<=\\)[nrt]|(?<=%)[0-9A-Fa-f]{2}|(?<=\\)u[0-9a-fA-F]{4}")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_NEAR = 120


@dataclass(frozen=True, slots=True)
class _Form:
    kind: str
    pattern: re.Pattern[str]
    sure: bool


def _by_beginning() -> dict[str, list[_Form]]:
    found: dict[str, list[_Form]] = {}
    for table, sure in ((SURE, True), (LIKELY, False)):
        for kind, beginnings, pattern in table:
            form = _Form(kind, re.compile(pattern, re.ASCII), sure)
            for beginning in beginnings.split():
                found.setdefault(beginning, []).append(form)
    return found


_FORMS = _by_beginning()
_BARE = [_Form(kind, re.compile(pattern, re.ASCII), True) for kind, pattern in WITHOUT_PREFIX]
_ADDRESSES = [_Form(kind, re.compile(pattern, re.ASCII), True) for kind, pattern in IN_ADDRESSES]
_UNKNOWN = re.compile(UNKNOWN_ISSUER, re.ASCII)
_TELEGRAM = re.compile(TELEGRAM, re.ASCII)


def find_tokens(text: str, start: int, end: int) -> Iterator[Secret]:
    """The tokens that begin in a run of letters, digits, `-`, `_` and `.`, which is `text[start:end]`."""
    before = text[start - 1 : start]
    if before == "/":
        yield from _in_address(text, start)
    elif before == ":":
        yield from _of_telegram(text, start)
    if _WORDS.fullmatch(text, start, end):
        return
    escaped = _ESCAPED.match(text, start)
    place = escaped.end() if escaped else start
    done = place
    for form in _BARE:
        if match := form.pattern.match(text, place, end):
            yield Secret(form.kind, *match.span())
    if escaped:
        for secret in _of_form(text, place):
            done = secret.end
            yield secret
    for piece in _PIECE.finditer(text, place, end):
        if piece[0] in _FORMS and piece.start() >= done:
            for secret in _of_form(text, piece.start()):
                done = secret.end
                yield secret
    if done == place and (match := _UNKNOWN.match(text, place, end)) and random_like(match[0], 0.8):
        yield Secret("api key", *match.span())


def _of_form(text: str, place: int) -> Iterator[Secret]:
    """The token that begins at a place; with an access key of AWS, its other half."""
    for form in _FORMS.get(text[place : place + 2], ()):
        match = form.pattern.match(text, place, min(len(text), place + _LONGEST))
        if match and not repetitive(match[0]) and (form.sure or random_like(match[0], 0.8)):
            yield Secret(form.kind, *match.span())
            if form.kind == "aws access key":
                yield from _aws_secrets(text, *match.span())
            return


def _of_telegram(text: str, start: int) -> Iterator[Secret]:
    """The number of a bot stands before the run."""
    match = _TELEGRAM.match(text, start)
    if match and (match[0].startswith("AA") or random_like(match[0])):
        begin = start - 1
        while begin > 0 and start - begin < 12 and text[begin - 1] in "0123456789":
            begin -= 1
        if 8 <= start - 1 - begin <= 10:
            yield Secret("telegram token", begin, match.end())


def _in_address(text: str, start: int) -> Iterator[Secret]:
    begin = text.rfind("http", max(0, start - _ADDRESS), start)
    if begin >= 0:
        for form in _ADDRESSES:
            match = form.pattern.match(text, begin)
            if match:
                yield Secret(form.kind, *match.span())


def _aws_secrets(text: str, start: int, end: int) -> Iterator[Secret]:
    """The other half of a pair of AWS keys has no form of its own, but stands near the first."""
    for match in _AWS_SECRET.finditer(text, max(0, start - _AWS_NEAR), min(len(text), end + _AWS_NEAR)):
        if random_like(match[0]) and not match[0].islower():  # which a digest is
            yield Secret("aws secret key", *match.span())
