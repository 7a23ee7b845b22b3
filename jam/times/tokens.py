"""A text as tokens, with what each can mean for times in a language. How dates are put together is not known here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from jam.times.words import TABLES

Value = int | str | tuple[int, int]
Roles = dict[str, tuple[Value, int]]
"""What begins at a token in a language: the meaning of each role, and the tokens that it takes."""

_TOKEN = re.compile(
    r"(?P<ymd>(?<![0-9])(?<![0-9][-/.])(?:19|20)[0-9]{2}(?P<s>[-/.])[0-9]{1,2}(?:(?P=s)[0-9]{1,2})?"
    r"(?!(?!T[0-9])\w|[-/.][0-9]))"
    r"|(?P<dmy>(?<![\w./:-])[0-9]{1,2}(?P<t>[-/.])[0-9]{1,2}(?P=t)(?:(?:19|20)[0-9]{2}|(?<=/)[0-9]{2})"
    r"(?!\w|[-/.][0-9]))"
    r"|(?P<number>[0-9]+)|(?P<word>[^\W\d_]+)|(?P<mark>\S)"
)
_UNITS = ("day", "week", "weekend", "month", "quarter", "year", "decade")
_IN_ORDER: dict[str, Sequence[int] | Sequence[str]] = {
    "month": range(1, 13),
    "short month": range(1, 13),
    "weekday": range(7),
    "short weekday": range(7),
    "season": range(4),
    "unit": _UNITS,
    "number": range(1, 13),
}
_TELLING = frozenset(
    ("month", "short month", "weekday", "short weekday", "season", "unit", "today", "holiday", "decade", "later")
)
"""The roles without which a text tells no time in a language, apart from numerals."""
_TELLING_WITH_YEAR = _TELLING | {"since", "until", "before", "after", "between", "part"}


class Token(NamedTuple):
    """A word, number, numeric date or mark; `kind` is the name of its group in the pattern."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def number(self) -> int | None:
        """Its value, of at most four digits."""
        return int(self.text) if self.kind == "number" and len(self.text) <= 4 else None


def tokens(text: str) -> list[Token]:
    """The tokens of a text in their order; blanks are none."""
    return [Token(m.lastgroup or "mark", m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]


@cache
def _lexicon() -> dict[str, list[tuple[tuple[str, ...], str, str, Value]]]:
    """First word → (the words after it, language, role, meaning)."""
    found: dict[str, list[tuple[tuple[str, ...], str, str, Value]]] = {}
    for language, table in TABLES.items():
        for role, entries in table.items():
            for value, phrase in _phrases(role, entries):
                first, *rest = _words(phrase)
                found.setdefault(first, []).append((tuple(rest), language, role, value))
    return found


def _words(phrase: str) -> list[str]:
    words = phrase.split()
    return words if all(map(str.isalpha, words)) else [token.lower for token in tokens(phrase)]


def _phrases(role: str, entries: str) -> Iterator[tuple[Value, str]]:
    if role == "also other words":
        yield from ((1, word) for word in entries.split())
        return
    for place, entry in enumerate(entries.split("|")):
        named, sign, phrases = entry.partition("=")
        value = _value(named.strip()) if sign else _in_order(role, place)
        yield from ((value, phrase) for phrase in (phrases if sign else named).split(",") if phrase.strip())


def _value(named: str) -> Value:
    """The meaning as it is written before `=`: a number, two numbers, or a name."""
    numbers = [int(part) for part in named.split() if part.lstrip("-").isdecimal()]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    return numbers[0] if numbers else named


def _in_order(role: str, place: int) -> Value:
    """The meaning by its place in the table, for the roles whose meanings have an order."""
    return _IN_ORDER[role][place] if role in _IN_ORDER else 1


def roles(found: list[Token]) -> dict[str, list[Roles]]:
    """Language → what begins at each token, the longest phrase of each role; only languages that tell a time
    here, and English where there is a number."""
    lexicon = _lexicon()
    small = [token.lower for token in found]
    out: dict[str, list[Roles]] = {}
    dated = any(token.kind in ("ymd", "dmy") or len(token.text) == 4 for token in found if token.kind != "word")
    telling = {"en"} if any(token.kind not in ("word", "mark") for token in found) else set()
    for place, word in enumerate(small):
        for rest, language, role, value in lexicon.get(word, ()):
            length = 1 + len(rest)
            if rest and tuple(small[place + 1 : place + length]) != rest:
                continue
            if language not in out:
                out[language] = [{} for _ in small]
            lines = out[language]
            if lines[place].get(role, (0, 0))[1] < length:
                lines[place][role] = (value, length)
            if role in (_TELLING_WITH_YEAR if dated else _TELLING):
                telling.add(language)
    return {language: out.get(language) or [{} for _ in small] for language in telling}
