"""When the events were that a question tells its time by: of "two weeks before the race" the day of the race.

An event's day is taken to be that of the sessions that speak most of it. They may have spoken of it before or after,
so that the days found only rank, as every time does.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.times import TimeExpression

_SPOKEN_OF = 0.6
"""The share of the event's words, by their weight, that one message must have."""
_AS_GOOD = 0.9
"""The share of what the best message has, from which another session may as well be the event's."""
_MOST = 3
"""An event that many sessions speak of has no day."""


def needs_event(expression: TimeExpression) -> bool:
    """Whether the days that it means hang on when something happened, and on nothing else."""
    told = expression.span is not None or expression.recurring is not None
    return expression.anchor is not None and expression.offset is not None and not told


def event_days(spoken: NDArray[Any], start: NDArray[Any], days: NDArray[Any]) -> list[date]:
    """The days of the sessions that speak most of an event; none where that tells nothing.

    `spoken` is, for each message, the share of the event's words that it has (0 to 1); session n holds the messages
    from `start[n]` to `start[n + 1]`, at least one, and was on `days[n]`, an ordinal, 0 where that isn't known.
    """
    if not len(days):
        return []
    best = np.where(days > 0, np.maximum.reduceat(spoken, start[:-1]), 0.0)
    near = np.flatnonzero(best >= max(_SPOKEN_OF, _AS_GOOD * float(best.max())))
    found = sorted({int(day) for day in days[near]})
    return [date.fromordinal(day) for day in found] if len(found) <= _MOST else []


def counted_from(expression: TimeExpression, day: date) -> TimeExpression:
    """The expression, now that the day of its event is known."""
    return replace(expression, span=expression.around(day), offset=None, anchor=None)
