"""What stands under a name that announces a secret: assigned to it, said of it, or near it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.assigned import find_assigned
from jam.secrets.marks import MARK, Secret
from jam.secrets.names import Meaning, meaning
from jam.secrets.near import find_near
from jam.secrets.sentences import find_said

_IN_NAMES = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-ñçãáéíóúüß")
_LONGEST_NAME = 64
_PATH = re.compile(r"\d:|::")
"""Before a part of a longer name: `arn:aws:…:012:secret:…`, `AWS::IAM::AccessKey`."""
_OTHER_PASS = re.compile(
    r"\b(?:boarding|bus|ski|day|night|season|travel|train|rail|railway|eurail|interrail|hall|mountain|lift|guest|visitor"
    r"|parking|press|backstage|museum|city|annual|yearly|weekly|monthly|week|month|festival|event|gym|transit|metro|tram"
    r"|ferry|flight|park|national|fast|free|entry|battle|forward|backward|first|second|third|last|next|render|shader"
    r"|compiler|optimi[sz]er|multi|single|one|two|touchdown|bypass|low|high|band)[ -]pass$",
    re.IGNORECASE,
)
_LONGEST_KIND = 20
_TARGET = re.compile(r"\]\((?:<[^<>\n]*|[^()<>\s]*)$")
_RAW = '\nraw: "'
_LONGEST_TARGET = 400
_KEYS = frozenset(("key", "keys"))
_SOMEBODYS = ("my ", "our ", "the ", "this ", "new ")
_IS = re.compile(r" is[: ]|: ")
_OF_KEYS = (
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "license",
    "master",
    "encryption",
    "signing",
    "account",
    "admin",
)


def find_under_name(text: str, start: int, end: int, done: set[int]) -> Iterator[Secret]:
    """The secret that the name around `text[start:end]` announces; `done` is of the names before it."""
    begin, end = _name_at(text, start, end)
    if begin in done:
        return
    done.add(begin)
    what = _meaning(text, begin, end)
    if what is None or _in_mark(text, begin) or _PATH.fullmatch(text, max(0, begin - 2), begin):
        return
    if _OTHER_PASS.search(text, max(0, begin - _LONGEST_KIND), end) or _in_file_name(text, begin):
        return
    secret, settled = find_assigned(text, begin, end, what)
    if secret is None and not settled and what.chosen:
        secret = find_said(text, begin, end, what)
    if secret is None and not settled and not what.chosen:
        secret = find_near(text, begin, end, what)
    if secret:
        yield secret


def _name_at(text: str, begin: int, end: int) -> tuple[int, int]:
    """The whole identifier that `text[begin:end]` is part of."""
    first, last = max(0, begin - _LONGEST_NAME), min(len(text), end + _LONGEST_NAME)
    while begin > first and text[begin - 1] in _IN_NAMES:
        begin -= 1
    while end < last and text[end] in _IN_NAMES:
        end += 1
    return begin, end


def _meaning(text: str, begin: int, end: int) -> Meaning | None:
    name = text[begin:end]
    if name.lower() in _KEYS:
        before = text[max(0, begin - 12) : begin].lower()
        if before.endswith(_SOMEBODYS) and _IS.match(text, end):
            return meaning("api_key")
        return meaning("api_key") if before[-1:] == " " and before[:-1].endswith(_OF_KEYS) else None
    return meaning(name)


def _in_mark(text: str, begin: int) -> bool:
    """Whether a word is one of a mark's own: `[redacted: github token]`."""
    mark = text.rfind(MARK, max(0, begin - 40), begin)
    return mark >= 0 and "]" not in text[mark:begin]


def _in_file_name(text: str, begin: int) -> bool:
    """Whether a word is part of a file's name, as a workspace's own files have them: in a link, in a memo's `raw:`."""
    before = text[max(0, begin - _LONGEST_TARGET) : begin]
    place = before.rfind("](")
    if place >= 0 and (target := _TARGET.match(before, place)):
        return "://" not in target[0] and "=" not in target[0]
    place = before.rfind(_RAW)
    return place >= 0 and not set('"\n') & set(before[place + len(_RAW) :])
