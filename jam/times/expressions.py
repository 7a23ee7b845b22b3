"""What an expression of time means. Nothing here reads text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from jam.times.spans import (
    Holiday,
    Part,
    Span,
    Unit,
    holiday_span,
    months_span,
    nth_of_month,
    one_day,
    plus_days,
    real_day,
    week_of_year,
)


@dataclass(frozen=True, slots=True)
class Recurring:
    """A time without a year, which comes back. `weekdays` stands alone; all else comes once a year."""

    months: tuple[int, int] | None = None
    """First and last month: of May (5, 5), of a third quarter (7, 9), of winter (12, 2)."""
    day: int | None = None
    """The day of the first month."""
    weekdays: tuple[int, int] | None = None
    """First and last weekday; Monday is 0, a weekend (5, 6)."""
    week: int | None = None
    """ISO week."""
    holiday: Holiday | None = None
    nth: tuple[int, Unit | int] | None = None
    """Which week, weekend or weekday of the first month; -1 is the last."""
    part: Part | None = None

    def in_year(self, year: int) -> Span | None:
        """Its days in a year (a winter's begin in it); None where there are none, as for 30 February or a weekday."""
        whole = self._whole(year) if date.min.year <= year <= date.max.year else None
        return whole.part(self.part) if whole is not None and self.part is not None else whole

    def _whole(self, year: int) -> Span | None:
        if self.holiday is not None:
            return holiday_span(self.holiday, year)
        if self.week is not None:
            return week_of_year(year, self.week)
        if self.months is None:
            return None
        if self.nth is not None:
            return nth_of_month(year, self.months[0], *self.nth)
        if self.day is not None:
            found = real_day(year, self.months[0], self.day)
            return one_day(found) if found else None
        return months_span(year, *self.months)


@dataclass(frozen=True, slots=True)
class Offset:
    """How far from an event, in days after it (before it below zero), from `first` to `last`.

    With `weekdays` the last such days of that stretch are meant before an event, the first ones after it.
    """

    first: int
    last: int
    weekdays: tuple[int, int] | None = None

    def around(self, day: date) -> Span:
        """The days meant, given the day of the event."""
        if self.weekdays is None:
            return Span(plus_days(day, self.first), plus_days(day, self.last))
        begin, end = self.weekdays
        if self.last < 0:
            edge = plus_days(day, self.last)
            last = plus_days(edge, -((edge.weekday() - end) % 7))
            return Span(plus_days(last, begin - end), last)
        edge = plus_days(day, self.first)
        first = plus_days(edge, (begin - edge.weekday()) % 7)
        return Span(first, plus_days(first, end - begin))


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A stretch of a text that tells a time, and what it means as far as that is known."""

    start: int
    end: int
    text: str
    span: Span | None = None
    """The days meant. None where that takes a reference day or an event's day that isn't known."""
    others: tuple[Span, ...] = ()
    """Readings as good as `span`: of 8/5/2023 the other order."""
    recurring: Recurring | None = None
    """Without a year: it fits any, and `span` is the most natural reading, given a reference day."""
    named: Span | None = None
    """What the text names to tell it: of "since May 2023" and "early May 2023" the month, of "the week before 8 May
    2023" the day."""
    offset: Offset | None = None
    """How far from `anchor` or, where that is None, from what is told before ("three days later")."""
    anchor: str | None = None
    """The words of the event."""

    def around(self, day_of_event: date) -> Span:
        """The days meant, given the day of the anchor's event. Raises ValueError where the expression has no offset."""
        if self.offset is None:
            raise ValueError(f"{self.text!r} is not relative to an event")
        return self.offset.around(day_of_event)
