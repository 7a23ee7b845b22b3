"""Dates named in a question, against the dates of sessions. Nothing here knows today's date."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

# What is told on one day is often about the days before it: a named day is sought up to this many days later.
DAYS_AFTER = 10
DAYS_BEFORE = 3

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NAMED = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s,]+)?(?P<month>{_NAMES})\b\.?"
    rf"(?:[\s,]+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?(?:[\s,]+(?P<year>\d{{4}})\b)?",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"\b(?P<year>(?:19|20)\d\d)(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?)?\b")
# English words that are also months count as months only when written with a capital letter
_WORDS_TOO = {"may", "mar", "march", "sun", "dec", "jan"}


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A date as far as the question names it; None where it doesn't say."""

    year: int | None
    month: int | None
    day: int | None


def _number(text: str | None, low: int, high: int) -> int | None:
    """`text` as an int within [low, high], else None."""
    value = int(text) if text else 0
    return value if low <= value <= high else None


def named_dates(question: str) -> list[NamedDate]:
    """Every date in `question`: `8 May 2023`, `May 8th`, `June 2022`, `2023`, `2023-05-08`."""
    found = []
    for match in _NAMED.finditer(question):
        name = match["month"]
        if name.islower() and name in _WORDS_TOO:
            continue
        day = _number(match["d1"] or match["d2"], 1, 31)
        found.append(NamedDate(_number(match["year"], 1900, 2099), _MONTHS[name.lower()], day))
    rest = _NAMED.sub(" ", question)
    for match in _NUMERIC.finditer(rest):
        found.append(NamedDate(int(match["year"]), _number(match["month"], 1, 12), _number(match["day"], 1, 31)))
    return found


def _same_period(named: NamedDate, session: date) -> float:
    """1 when the session lies in the named month, 0.3 when only a named year agrees, else 0."""
    if named.year is not None and named.year != session.year:
        return 0.0
    if named.month is None:
        return 0.3
    return 1.0 if named.month == session.month else 0.0


def _near_day(named: NamedDate, session: date) -> float:
    """How near the session follows the named day: 1 on the day, falling to 0.5 after DAYS_AFTER."""
    if named.day is None or named.month is None:
        return 0.0
    try:
        gap = (session - date(named.year or session.year, named.month, named.day)).days
    except ValueError:  # 30 February
        return 0.0
    if 0 <= gap <= DAYS_AFTER:
        return 1.0 - gap / (2 * DAYS_AFTER)
    return 0.4 if -DAYS_BEFORE <= gap < 0 else 0.0


def match_dates(question: str, sessions: Sequence[date | None]) -> tuple[np.ndarray, np.ndarray]:
    """Two float32 arrays over sessions, in 0..1: same month or year, and near the named day."""
    period = np.zeros(len(sessions), np.float32)
    day = np.zeros(len(sessions), np.float32)
    for named in named_dates(question):
        for number, session in enumerate(sessions):
            if session is not None:
                period[number] = max(period[number], _same_period(named, session))
                day[number] = max(day[number], _near_day(named, session))
    return period, day
