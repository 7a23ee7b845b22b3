"""Which occurrence of something that comes back is meant, seen from a reference day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from jam.times.expressions import Recurring
from jam.times.spans import Span, plus_days, weekdays_span

_YEARS_AROUND = 8
"""29 February comes back after eight years at most."""


def latest(recurring: Recurring, reference: date) -> Span | None:
    """The one that runs on the day or began last before it: what a bare "in May" looks back to."""
    return _last(span for span in _around(recurring, reference) if span.first and span.first <= reference)


def relative(recurring: Recurring, reference: date, which: int) -> Span | None:
    """The last that is over (-1), this one (0: running, or of the same week or year), or the next to begin (1)."""
    spans = list(_around(recurring, reference))
    if which < 0:
        return _last(span for span in spans if span.last and span.last < reference)
    if which > 0:
        return next((span for span in spans if span.first and span.first > reference), None)
    if recurring.weekdays is not None:
        return weekdays_span(plus_days(reference, -reference.weekday()), *recurring.weekdays)
    running = _last(span for span in spans if span.first and span.last and span.first <= reference <= span.last)
    return running or recurring.in_year(reference.year)


def _around(recurring: Recurring, reference: date) -> Iterator[Span]:
    """The occurrences around a day, in their order."""
    if recurring.weekdays is not None:
        monday = plus_days(reference, -reference.weekday())
        yield from (weekdays_span(plus_days(monday, 7 * week), *recurring.weekdays) for week in (-1, 0, 1))
        return
    for year in range(reference.year - _YEARS_AROUND, reference.year + _YEARS_AROUND + 1):
        span = recurring.in_year(year)
        if span is not None:
            yield span


def _last(spans: Iterator[Span]) -> Span | None:
    found = None
    for span in spans:
        found = span
    return found
