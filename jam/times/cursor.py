"""Where a reader stands in the tokens of a text, in one language. Small questions only: nothing is put together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import cast

from jam.times.expressions import Offset, Recurring
from jam.times.spans import Span, Unit
from jam.times.tokens import Roles, Token, Value
from jam.times.words import COUNTED_THINGS, NUMBERED_THINGS

YEARS = range(1900, 2100)
_YEAR = re.compile(r"(?<![\w$€£¥#@])(?<![\w][-./:,=])(?<![#][ ])[0-9]{4}(?![\w%°])(?![-./:,][0-9])")
_DAY_MARKS = frozenset("st nd rd th er º ª ° го е".split())
_GERMAN_MARKS = _DAY_MARKS | {"."}
_SENTENCE_ENDS = frozenset(".!?:;\"“”'’()-–—*#>")
_SUPPORT = (
    *("in", "since", "until", "before", "after", "from", "to"),
    *("between", "and", "part", "which", "trailing"),
)
_STRICT_SUPPORT = ("in", "since", "part", "which")
"""What shows that a word means a time where it means something else as well; for "may" in small letters, less does."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was read, up to the token `next`."""

    next: int
    span: Span | None = None
    others: tuple[Span, ...] = ()
    recurring: Recurring | None = None
    named: Span | None = None
    offset: Offset | None = None
    anchor: str | None = None


class Cursor:
    """Tokens with their meanings in a language, and the reference day. Places are numbers of tokens."""

    def __init__(
        self, text: str, tokens: list[Token], language: str, roles: list[Roles], reference: date | None
    ) -> None:
        self.text, self.tokens, self.language, self.reference = text, tokens, language, reference
        self._roles = roles
        self.times: dict[int, Found | None] = {}
        """The times already read, by place: several readings begin with the same one."""

    def token(self, place: int) -> Token | None:
        """The token there, if there is one."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else None

    def promising(self, place: int) -> bool:
        """Whether anything can begin there: a number, or a word with a meaning."""
        token = self.tokens[place]
        return bool(self._roles[place]) or token.kind in ("ymd", "dmy", "number") or token.text in ("Q", "H")

    def word(self, place: int) -> str:
        """The token there in small letters; empty where there is none."""
        token = self.token(place)
        return token.lower if token else ""

    def at(self, place: int, role: str) -> tuple[Value, int] | None:
        """The meaning in a role of what begins there, and the place behind it."""
        if not 0 <= place < len(self._roles):
            return None
        found = self._roles[place].get(role)
        return found and (found[0], place + found[1])

    def integer(self, place: int, role: str) -> tuple[int, int] | None:
        """As `at`, where the meaning is a number."""
        found = self.at(place, role)
        return (found[0], found[1]) if found and isinstance(found[0], int) else None

    def unit(self, place: int) -> tuple[Unit, int] | None:
        """The unit of time there."""
        found = self.at(place, "unit")
        return found and (cast(Unit, found[0]), found[1])

    def skip(self, place: int, role: str, most: int = 2) -> int:
        """The place behind up to `most` words of a role."""
        for _ in range(most):
            found = self.at(place, role)
            if found is None:
                break
            place = found[1]
        return place

    def skip_comma(self, place: int) -> int:
        """The place behind a comma, if there is one."""
        return place + (self.word(place) == ",")

    def glued(self, place: int) -> bool:
        """Whether no blank stands between the token there and the one before."""
        return place > 0 and place < len(self.tokens) and self.tokens[place - 1].end == self.tokens[place].start

    def opens_sentence(self, place: int) -> bool:
        """Whether the token begins a sentence, so that its capital letter says nothing."""
        return place == 0 or self.tokens[place - 1].text in _SENTENCE_ENDS

    def supported(self, place: int, strict: bool = False) -> bool:
        """Whether the word before, articles aside, announces a time."""
        before = self._support_at(place - 1, strict)
        article = self.at(place - 1, "of") is not None and self._support_at(place - 2, strict)
        return before or article

    def _support_at(self, place: int, strict: bool) -> bool:
        for role in _STRICT_SUPPORT if strict else _SUPPORT:
            for length in (1, 2, 3):
                found = self.at(place + 1 - length, role)
                if found is not None and found[1] == place + 1 and not (strict and found[0] == 0):
                    return role != "and" or self.at(place - 1, "month") is not None
        return self.language == "en" and self.word(place) in ("for", "through", "every", "each")

    def weak(self, place: int) -> bool:
        """Whether the word there has another meaning that is as common."""
        return self.at(place, "also other words") is not None

    def day(self, place: int) -> tuple[int, int] | None:
        """A day of a month, as 8, 8th, 8. or 1er."""
        token = self.token(place)
        number = token.number if token else None
        if token is None or number is None or not 1 <= number <= 31 or len(token.text) > 2:
            return None
        if self.glued(place) and self.tokens[place - 1].kind in ("number", "word"):
            return None
        marks = _GERMAN_MARKS if self.language == "de" else _DAY_MARKS
        return number, place + 1 + (self.word(place + 1) in marks and self.glued(place + 1))

    def suffixed_day(self, place: int) -> bool:
        """Whether a day with its suffix (8th) stands there."""
        found = self.day(place)
        return found is not None and found[1] == place + 2

    def plain_year(self, place: int) -> tuple[int, int] | None:
        """A year of four digits that stands in a date or behind a month."""
        token = self.token(place)
        number = token.number if token else None
        if token is None or number not in YEARS or number is None or len(token.text) != 4:
            return None
        if self.glued(place + 1) and self.tokens[place + 1].kind == "word":
            return None
        named = self.at(place + 1, "year word")
        return number, named[1] if named else place + 1

    def sole_year(self, place: int) -> tuple[int, int] | None:
        """A year that stands for itself: not the number of a room, nor an amount."""
        found = self.plain_year(place)
        if found is None or not _YEAR.match(self.text, self.tokens[place].start):
            return None
        if self.word(place - 1) in NUMBERED_THINGS or self.word(found[1]) in COUNTED_THINGS:
            return None
        return found

    def year_after(self, place: int) -> tuple[int, int] | None:
        """The year behind a month, season or quarter: `2022`, `, 2022`, `of 2022`, `'22`, `last year`."""
        place = self.skip(self.skip_comma(place), "of")
        if self.word(place) in ("'", "’") and self.glued(place + 1):
            token, behind = self.tokens[place + 1], self.token(place + 2)
            word_goes_on = behind is not None and behind.kind == "word" and self.glued(place + 2)
            if token.kind == "number" and len(token.text) == 2 and not word_goes_on:
                return century(int(token.text)), place + 2
        return self.plain_year(place) or self._spoken_year(place)

    def _spoken_year(self, place: int) -> tuple[int, int] | None:
        which = self.integer(place, "which")
        unit = self.unit(which[1] if which else place)
        if unit is None or unit[0] != "year" or self.reference is None:
            return None
        if which is None:
            which = self.integer(unit[1], "which after")
            unit = which and (unit[0], which[1])
        year = self.reference.year + which[0] if which else 0
        return (year, unit[1]) if unit and year in YEARS else None

    def amount(self, place: int) -> tuple[int, int, int] | None:
        """`3`, `three`, `a few`: the least and the most that it means, and the place behind."""
        token = self.token(place)
        if token is not None and token.kind == "number":
            number = token.number
            decimal = self.word(place - 1) in (".", ",") and self.glued(place) and self.glued(place - 1)
            return None if number is None or decimal or number == 0 else (number, number, place + 1)
        article = self.integer(place, "number")
        vague = self.at(article[1] if article and article[0] == 1 else place, "vague")
        if vague and isinstance(vague[0], tuple):
            return (*vague[0], vague[1])
        if article and article[0] == 1:
            pair = self.integer(article[1], "number")
            article = pair if pair and pair[0] == 2 else article
        return article and (article[0], article[0], article[1])


def century(short: int) -> int:
    """The year that two digits mean: 50 is 2050, 51 is 1951."""
    return short + (2000 if short <= 50 else 1900)
