"""Stretches of days and the arithmetic of the calendar. No text here, and no clock."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date
from typing import Literal

Unit = Literal["day", "week", "weekend", "month", "quarter", "year", "decade"]
Part = Literal["early", "mid", "late"]
Holiday = Literal[
    "christmas",
    "christmas eve",
    "christmas day",
    "new year",
    "new year's eve",
    "new year's day",
    "easter",
    "halloween",
    "thanksgiving",
    "valentine's day",
    "holidays",
]
_MONTHS_OF: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_THURSDAY, _SATURDAY = 3, 5


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both included; None leaves that side open."""

    first: date | None
    last: date | None

    def __post_init__(self) -> None:
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ValueError(f"a span ends before it begins: {self.first} to {self.last}")

    def part(self, part: Part) -> Span:
        """Its first, middle or last third; an open span stays as it is."""
        if self.first is None or self.last is None:
            return self
        days = (self.last - self.first).days + 1
        third = max(1, round(days / 3))
        if part == "early":
            return Span(self.first, plus_days(self.first, third - 1))
        if part == "late":
            return Span(plus_days(self.last, 1 - third), self.last)
        begin = plus_days(self.first, (days - third) // 2)
        return Span(begin, plus_days(begin, third - 1))


def plus_days(day: date, days: int) -> date:
    """The day so many days later; the calendar's own first or last day where it has no such day."""
    ordinal = day.toordinal() + days
    return date.fromordinal(min(max(ordinal, date.min.toordinal()), date.max.toordinal()))


def plus_months(day: date, months: int) -> date:
    """The same day so many months later, or the last one of a shorter month."""
    number = day.year * 12 + day.month - 1 + months
    number = min(max(number, date.min.year * 12), date.max.year * 12 + 11)
    year, month = divmod(number, 12)
    return date(year, month + 1, min(day.day, _length(year, month + 1)))


def plus(day: date, count: int, unit: Unit) -> date:
    """The day so many days, weeks, months … later."""
    if unit in _MONTHS_OF:
        return plus_months(day, count * _MONTHS_OF[unit])
    return plus_days(day, count if unit == "day" else 7 * count)


def one_day(day: date) -> Span:
    """A day alone."""
    return Span(day, day)


def real_day(year: int, month: int, day: int) -> date | None:
    """That day; None where the calendar has none (30 February)."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def months_span(year: int, first: int, last: int) -> Span:
    """From month `first` of a year to month `last`: of the next year, where that is the smaller one."""
    end = min(year + (last < first), date.max.year)
    return Span(date(year, first, 1), date(end, max(last, first) if end == year else last, _length(end, last)))


def year_span(year: int) -> Span:
    """A whole year."""
    return months_span(year, 1, 12)


def week_of_year(year: int, week: int) -> Span | None:
    """An ISO week, Monday to Sunday; None where the year has no such week."""
    try:
        return week_span(date.fromisocalendar(year, week, 1))
    except ValueError:
        return None


def week_span(day: date) -> Span:
    """Monday to Sunday around a day."""
    monday = plus_days(day, -day.weekday())
    return Span(monday, plus_days(monday, 6))


def unit_span(day: date, unit: Unit) -> Span:
    """The day, week, weekend (of the same week), month, quarter, year or decade that a day lies in."""
    if unit == "day":
        return one_day(day)
    if unit == "week":
        return week_span(day)
    if unit == "weekend":
        return weekdays_span(plus_days(day, -day.weekday()), _SATURDAY, 6)
    if unit == "decade":
        begin = max(1, day.year // 10 * 10)
        return Span(date(begin, 1, 1), date(min(begin + 9, date.max.year), 12, 31))
    size = _MONTHS_OF[unit]
    first = (day.month - 1) // size * size + 1
    return months_span(day.year, first, first + size - 1)


def weekdays_span(monday: date, first: int, last: int) -> Span:
    """Some neighbouring weekdays (Monday is 0) of the week that begins on `monday`."""
    return Span(plus_days(monday, first), plus_days(monday, last))


def nth_of_month(year: int, month: int, nth: int, unit: Unit | int) -> Span | None:
    """The nth week, weekend or weekday (a number) of a month, -1 for the last; None where there is none.

    A month's nth week is its nth seven days, and its last week the last seven.
    """
    length = _length(year, month)
    if unit == "week":
        begin = length - 6 if nth < 0 else 7 * (nth - 1) + 1
        return Span(date(year, month, begin), date(year, month, min(begin + 6, length))) if begin <= length else None
    weekday = _SATURDAY if unit == "weekend" else unit if isinstance(unit, int) else 0
    begin = 1 + (weekday - date(year, month, 1).weekday()) % 7
    begin += 7 * ((length - begin) // 7 if nth < 0 else nth - 1)
    found = real_day(year, month, begin)
    return Span(found, plus_days(found, 1 if unit == "weekend" else 0)) if found else None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm, as Meeus gives it)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    leaps = century // 4
    moon = (19 * golden + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def holiday_span(holiday: Holiday, year: int) -> Span | None:
    """The days that a holiday fills in a year: Christmas is 24 to 26 December, New Year begins the evening before."""
    if holiday == "easter":
        sunday = easter(year)
        return Span(plus_days(sunday, -2), plus_days(sunday, 1))
    if holiday == "thanksgiving":
        return nth_of_month(year, 11, 4, _THURSDAY)
    if holiday == "new year":
        return Span(plus_days(date(year, 1, 1), -1), date(year, 1, 1))
    if holiday == "holidays":
        return Span(date(year, 12, 24), plus_days(date(year, 12, 31), 1))
    month, first, last = _FIXED[holiday]
    return Span(date(year, month, first), date(year, month, last))


_FIXED: dict[Holiday, tuple[int, int, int]] = {
    "christmas": (12, 24, 26),
    "christmas eve": (12, 24, 24),
    "christmas day": (12, 25, 25),
    "new year's eve": (12, 31, 31),
    "new year's day": (1, 1, 1),
    "halloween": (10, 31, 31),
    "valentine's day": (2, 14, 14),
}


def _length(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]
