"""How well days fit the times that a question tells. It ranks and never excludes: a misread time costs little.

A fit has two sides, each 0 to 1. The period is coarse (in the same month, week, season, year), the day fine (on the
day or the few days meant, or soon after them, for what is told on one day is often about the days before).
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from jam.times import Recurring, Span, TimeExpression, read_times

DAYS_AFTER = 10
"""So long after the days meant they are still told of, if less and less."""
DAYS_BEFORE = 3
FEW_DAYS = 16
"""Up to so many days a span is meant to the day."""
_ALL_YEAR = 0.3
"""The period's fit of a whole year, and of anything longer or open: it tells little."""
_SEASON_DAYS, _YEAR_DAYS = 92, 365
_BESIDE = 0.5
"""Of the time itself: how well the next month fits "before June", and other years one that is asked of this year."""
_ON_WEEKDAY = 0.3
"""The day's fit of any Monday to "on Monday", which falls to nothing in three days."""

Days = NDArray[np.int32]
Fit = NDArray[np.float32]


def depends_on_day(text: str, reference: date | None) -> bool:
    """Whether what the times of a text mean hangs on the day it was said: "last week" does, "May 2023" doesn't."""
    return reference is not None and read_times(text, reference) != read_times(text)


def fits(expressions: Iterable[TimeExpression], days: Days) -> tuple[Fit, Fit]:
    """How well each day fits the best of the expressions, as (period, day), float32 in 0 to 1.

    `days` are proleptic ordinals (`date.toordinal`), 0 where the day isn't known: that fits nothing. An expression that
    takes a reference day or an event's day to be understood, and had none, adds nothing.
    """
    period, day = np.zeros(len(days), np.float32), np.zeros(len(days), np.float32)
    known = days > 0
    if not known.any():
        return period, day
    for expression in expressions:
        for coarse, fine in _fits(expression, days, known):
            np.maximum(period, coarse, out=period)
            np.maximum(day, fine, out=day)
    period[~known] = day[~known] = 0.0
    return period, day


def _fits(expression: TimeExpression, days: Days, known: NDArray[np.bool_]) -> Iterable[tuple[Fit, Fit]]:
    """The fit of each of its readings, and of the time that is named to tell it."""
    readings = [span for span in (expression.span, *expression.others) if span is not None]
    for span in readings:
        yield _closed([span], days) if span.first and span.last else _open(span, days)
    if expression.named is not None:
        scale = np.float32(1.0 if expression.span is None or _touch(expression.span, expression.named) else _BESIDE)
        coarse, fine = _closed([expression.named], days)
        yield scale * coarse, scale * fine
    recurring = expression.recurring
    if recurring is None:
        return
    scale = np.float32(_BESIDE if expression.span else 1.0)
    if recurring.weekdays is not None:
        yield np.zeros(len(days), np.float32), scale * _on_weekday(recurring.weekdays, days)
        return
    for one in dict.fromkeys((recurring, replace(recurring, part=None, nth=None))):
        spans = _occurrences(one, int(days[known].min()), int(days[known].max()))
        if expression.offset is not None:
            spans = [expression.offset.around(span.first) for span in spans if span.first]
        coarse, fine = _closed(spans, days)
        yield scale * coarse, scale * fine


def _touch(span: Span, named: Span) -> bool:
    """Whether the time named is part of what is meant, or the day it is counted from; "before June" leaves June out."""
    closed = span.first is not None and span.last is not None
    return closed or (span.first or span.last) in (named.first, named.last)


def _occurrences(recurring: Recurring, first: int, last: int) -> list[Span]:
    """Those of something yearly in the years of the days, and in the years beside them."""
    begin, end = date.fromordinal(first).year - 1, date.fromordinal(last).year + 1
    spans = [recurring.in_year(year) for year in range(begin, end + 1)]
    if recurring.day is not None and not any(spans):  # 30 February: its month is still what is asked for
        return _occurrences(replace(recurring, day=None), first, last)
    return [span for span in spans if span is not None]


def _open(span: Span, days: Days) -> tuple[Fit, Fit]:
    """A weak fit on all of its side."""
    inside = np.ones(len(days), bool)
    if span.first is not None:
        inside &= days >= span.first.toordinal()
    if span.last is not None:
        inside &= days <= span.last.toordinal()
    return np.float32(_ALL_YEAR) * inside, np.zeros(len(days), np.float32)


def _closed(spans: list[Span], days: Days) -> tuple[Fit, Fit]:
    """The fit of some like spans, which are in order and don't overlap."""
    ends = [(span.first.toordinal(), span.last.toordinal()) for span in spans if span.first and span.last]
    if not ends:
        return np.zeros(len(days), np.float32), np.zeros(len(days), np.float32)
    length = max(last - first + 1 for first, last in ends)
    before, after = _distances(ends, days)
    fine = _near(before, after) if length <= FEW_DAYS else np.zeros(len(days), np.float32)
    if length == 1:
        before, after = _distances([_month(first) for first, _ in ends], days)
    weight = np.float32(np.interp(length, (_SEASON_DAYS, _YEAR_DAYS), (1.0, _ALL_YEAR)))
    coarse = weight * (after <= 0)
    if length > 1 and not _named_whole(spans[0]):
        shoulder = weight * np.float32(_BESIDE) * (1 - after / np.float32(DAYS_AFTER + 1))
        coarse = np.where((after > 0) & (after <= DAYS_AFTER), shoulder, coarse)
    return coarse.astype(np.float32), fine


def _distances(ends: list[tuple[int, int]], days: Days) -> tuple[Days, Days]:
    """How many days each day lies before the next span, and after the one that began last (0 or less: within it)."""
    firsts, lasts = (np.array(side, np.int32) for side in zip(*ends, strict=True))
    behind = np.searchsorted(firsts, days, side="right")
    far = np.int32(2 * date.max.toordinal())
    before = np.append(firsts, far)[behind] - days
    after = days - np.insert(lasts, 0, -far // 4)[behind]
    return before, after


def _near(before: Days, after: Days) -> Fit:
    """1 within the days meant, then falling to 0.5 over DAYS_AFTER; 0.4 on the DAYS_BEFORE days before."""
    late = 1 - np.maximum(after, 0) / np.float32(2 * DAYS_AFTER)
    early = np.where(before <= DAYS_BEFORE, np.float32(0.4), np.float32(0.0))
    near: Fit = np.where(after <= DAYS_AFTER, late, early).astype(np.float32)
    return near


def _on_weekday(weekdays: tuple[int, int], days: Days) -> Fit:
    first, last = weekdays
    since = (days - 1 - first) % 7 - (last - first) % 7  # ordinal 1 is a Monday
    fit: Fit = np.clip(_ON_WEEKDAY * (1 - np.maximum(since, 0) / 3), 0, 1).astype(np.float32)
    return fit


def _month(ordinal: int) -> tuple[int, int]:
    """The first and the last day of a day's month."""
    day = date.fromordinal(ordinal)
    first = ordinal - day.day + 1
    return first, first + monthrange(day.year, day.month)[1] - 1


def _named_whole(span: Span) -> bool:
    """Whether a span is one calendar month or year: those are named for what is in them, to the day."""
    if span.first is None or span.last is None or span.first.day != 1:
        return False
    month = _month(span.first.toordinal())[1] == span.last.toordinal()
    year = span.first.replace(month=12, day=31) == span.last and span.first.month == 1
    return month or year
