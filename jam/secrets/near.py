"""A random-looking word near a name: `my key for the test server, don't lose it: …`"""

from __future__ import annotations

import re

from jam.secrets.judging import random_like
from jam.secrets.marks import MARK, Secret
from jam.secrets.names import Meaning
from jam.secrets.placeholders import is_expression, placeholder

_RUN = re.compile(r"(?<![\w/+.=@%-])[A-Za-z0-9+/_][A-Za-z0-9+/_.~=-]{15,400}")
_OTHER_THINGS = """
    commit sha hash hashes hashed digest checksum revision rev md5 uuid guid id ids etag branch tree blob trace
    fingerprint model version file filename path image base64 integrity nonce block merge into public transaction
    address session request tool_use
""".split()
_NOT_A_KEY = re.compile(rf"(?:\b(?:{'|'.join(_OTHER_THINGS)}|sha\d+|ssh-[a-z0-9-]+)\b\W*)$", re.IGNORECASE)
"""What a random-looking word is if it follows one of these."""
_LINE_BREAK = re.compile(r"[ \t*_\"'`]{0,4}[:：][ \t*_\"'`]{0,4}(?:[|>][-+]?)?(?:\r?\n[ \t>\"'`]*){1,2}")
_WITHIN_PATH = frozenset("/\\.")
_BARRIERS = (MARK, "--BEGIN", "://", "]")
_NEAR = 100
_MOST = 3
"""Long words that are looked at."""


def find_near(text: str, start: int, end: int, what: Meaning) -> Secret | None:
    """The first random-looking word behind a name, which is `text[start:end]`."""
    if text[start - 1 : start] in _WITHIN_PATH or text[end : end + 1] in _WITHIN_PATH:
        return None
    for number, run in enumerate(_RUN.finditer(text, end, end + 5 * _NEAR)):
        if run.start() > end + _NEAR or number == _MOST:
            return None
        between = text[end : run.start()]
        if any(barrier in between for barrier in _BARRIERS):
            return None
        word = run[0].rstrip(".~")
        if random_like(word, 0.8 if "aws" in what.kind else 0.6) and not placeholder(word) and not is_expression(word):
            near = "\n" not in between or _LINE_BREAK.fullmatch(between)
            return Secret(what.kind, *_span(run, word)) if near and not _NOT_A_KEY.search(between) else None
    return None


def _span(run: re.Match[str], word: str) -> tuple[int, int]:
    return run.start(), run.start() + len(word)
