"""Times that are told by others: between two, since or until one, so many days before or after an event."""

from __future__ import annotations

from dataclasses import replace

from jam.times.cursor import Cursor, Found
from jam.times.dates import recurring_found, weekday
from jam.times.expressions import Offset, Recurring
from jam.times.nearest import latest
from jam.times.parts import read_time
from jam.times.spans import Span, Unit, plus, plus_days, real_day, unit_span, year_span

_DASHES = frozenset("-–—")
_ANCHOR_WORDS = 12
"""An event is told in so many words at most."""
_DAYS: dict[Unit, tuple[float, int]] = {
    "day": (1, 0),
    "week": (7, 3),
    "weekend": (7, 3),
    "month": (30.44, 15),
    "quarter": (91.3, 45),
    "year": (365.25, 182),
    "decade": (3652.5, 1826),
}
"""How long a unit is, and how far off, either way, "two weeks before" may be."""


def read_range(cursor: Cursor, place: int) -> Found | None:
    """Between 1 May and 3 June, from 2021 to 2023, May–June, 1 to 5 July."""
    years = _years(cursor, place)
    if years is not None:
        return years
    opening = cursor.at(place, "between")
    joint = "and" if opening else "to"
    opening = opening or cursor.at(place, "from")
    begin = cursor.skip(opening[1] if opening else place, "of") if opening else place
    first = read_time(cursor, begin)
    day = cursor.day(begin)
    for behind in [first.next] if first else [day[1]] if day else []:
        second_at = _behind_joint(cursor, behind, joint)
        second = read_time(cursor, cursor.skip(second_at, "of")) if second_at > behind else None
        if second is not None:
            joined = _join(cursor, first, second) if first else _from_day(cursor, day[0] if day else 0, second)
            return joined and replace(joined, next=second.next)
    return None


def _years(cursor: Cursor, place: int) -> Found | None:
    """2021-2023, which single years refuse: there a number beside a dash is part of a name."""
    first, last = cursor.plain_year(place), cursor.plain_year(place + 2)
    if not first or not last or cursor.word(place + 1) not in _DASHES or first[1] != place + 1 or first[0] > last[0]:
        return None
    before, after = cursor.glued(place), cursor.glued(last[1]) and cursor.word(last[1]) in _DASHES
    if after or (before and cursor.word(place - 1) not in ("(", "[", "“", '"')):
        return None
    return Found(last[1], Span(year_span(first[0]).first, year_span(last[0]).last))


def _behind_joint(cursor: Cursor, place: int, role: str) -> int:
    if role == "to" and cursor.word(place) in _DASHES:
        return place + 1
    return cursor.skip(place, role, 1)


def _from_day(cursor: Cursor, day: int, last: Found) -> Found | None:
    """From a day of the month that the second date names."""
    if last.recurring is not None and last.recurring.months is not None and last.recurring.day is not None:
        first = recurring_found(cursor, last.next, replace(last.recurring, day=day), None)
        return first and _join(cursor, first, last)
    end = last.span.last if last.span and last.span.first == last.span.last else None
    begin = end and real_day(end.year, end.month, day)
    return Found(last.next, Span(begin, end)) if begin and end and begin <= end else None


def _join(cursor: Cursor, first: Found, last: Found) -> Found | None:
    """From the first to the last, a missing year being that of the other; None where they don't make a stretch."""
    recurring = _recurring_stretch(first.recurring, last.recurring)
    if recurring is not None:
        return Found(last.next, latest(recurring, cursor.reference) if cursor.reference else None, recurring=recurring)
    begin, end = first.span, last.span
    if first.recurring is not None and end is not None:
        begin = _before(first.recurring, end) or begin
    elif last.recurring is not None and begin is not None:
        end = _behind(last.recurring, begin) or end
    if not begin or not end or not begin.first or not end.last or begin.first > end.last:
        return None
    return Found(last.next, Span(begin.first, end.last))


def _recurring_stretch(first: Recurring | None, last: Recurring | None) -> Recurring | None:
    """May to July, Monday to Wednesday."""
    if first is None or last is None:
        return None
    if first.weekdays and last.weekdays and first.weekdays[0] < last.weekdays[1]:
        return Recurring(weekdays=(first.weekdays[0], last.weekdays[1]))
    plain = all(one.months and not (one.day or one.nth or one.part) for one in (first, last))
    return Recurring(months=(first.months[0], last.months[1])) if plain and first.months and last.months else None


def _before(recurring: Recurring, end: Span) -> Span | None:
    """The occurrence that begins last before the end."""
    return latest(recurring, end.last) if end.last else None


def _behind(recurring: Recurring, begin: Span) -> Span | None:
    """The first occurrence that doesn't end before the begin."""
    if begin.first is None:
        return None
    found = [recurring.in_year(year) for year in (begin.first.year, begin.first.year + 1)]
    return next((span for span in found if span and span.last and span.last >= begin.first), None)


def read_relation(cursor: Cursor, place: int) -> Found | None:
    """Since 2022, until Friday, before 3 April; two weeks before the race, the day after my birthday."""
    return _open(cursor, place) or (_offset(cursor, place) if cursor.language == "en" else None)


def _open(cursor: Cursor, place: int) -> Found | None:
    for role in ("since", "until", "before", "after", "from"):
        found = cursor.at(place, role)
        time = read_time(cursor, cursor.skip(found[1], "of")) if found else None
        if time is None or time.offset is not None:
            continue
        if role == "from":
            onwards = time.next + (cursor.language == "en" and cursor.word(time.next) in ("on", "onward", "onwards"))
            return replace(_opened(time, "since"), next=onwards) if onwards > time.next else None
        return _opened(time, role)
    return None


def _opened(time: Found, role: str) -> Found:
    span = time.span
    if span is None or span.first is None or span.last is None:
        return replace(time, span=None)
    if role == "since":
        return Found(time.next, Span(span.first, None), named=span)
    if role == "until":
        return Found(time.next, Span(None, span.last), named=span)
    if role == "before":
        return Found(time.next, Span(None, plus_days(span.first, -1)), named=span)
    return Found(time.next, Span(plus_days(span.last, 1), None), named=span)


def _offset(cursor: Cursor, place: int) -> Found | None:
    """An amount or "the day" before or after an event; an amount later; the next day."""
    which = cursor.integer(place, "which")
    last = which is not None and which[0] < 0  # "last weekend before 4 October"
    place = which[1] if which and last else place
    amount = None if last else cursor.amount(place)
    unit = cursor.unit(amount[2] if amount else place)
    named = None if amount else weekday(cursor, place)
    behind = unit[1] if unit else named[1] if named else -1
    following = cursor.word(place - 1) in ("next", "following") and cursor.word(place - 2) == "the"
    if following and unit and not amount and not cursor.at(behind, "before"):
        return Found(behind, offset=_next_to(unit[0], 1))
    if behind < 0 or not (amount or last or cursor.word(place - 1) == "the"):
        return None
    if amount and unit and (cursor.at(behind, "later") or cursor.at(behind, "earlier")):
        return Found(behind + 1, offset=_far(amount, unit[0], 1 if cursor.at(behind, "later") else -1))
    before, after = cursor.at(behind, "before"), cursor.at(behind, "after")
    event = before[1] if before else after[1] if after else -1
    if event < 0:
        return None
    direction = -1 if before else 1
    if unit and before and cursor.word(event) == "last":
        day = cursor.reference
        span = unit_span(plus(day, -2, unit[0]), unit[0]) if day else None
        return Found(event + 1, span)
    if amount and unit:
        return _anchored(cursor, event, _far(amount, unit[0], direction))
    offset = _next_to(unit[0], direction) if unit else _weekday_next_to(named[0] if named else 0, direction)
    return _anchored(cursor, event, offset)


def _far(amount: tuple[int, int, int], unit: Unit, direction: int) -> Offset:
    length, tolerance = _DAYS[unit]
    near, far = round(amount[0] * length) - tolerance, round(amount[1] * length) + tolerance
    near, far = (max(1, near), max(1, far))
    return Offset(near, far) if direction > 0 else Offset(-far, -near)


def _next_to(unit: Unit, direction: int) -> Offset:
    days = round(_DAYS[unit][0])
    weekdays = (5, 6) if unit == "weekend" else None
    return Offset(1, days, weekdays) if direction > 0 else Offset(-days, -1, weekdays)


def _weekday_next_to(weekday: int, direction: int) -> Offset:
    return Offset(1, 7, (weekday, weekday)) if direction > 0 else Offset(-7, -1, (weekday, weekday))


def _anchored(cursor: Cursor, event: int, offset: Offset) -> Found | None:
    """Counted from a date at once; from an event by its words, which end at a mark or where another time begins."""
    named = read_time(cursor, cursor.skip(event, "of"))
    if named is not None and named.span is not None and named.span.first and named.span.last:
        day = named.span.first if offset.last < 0 else named.span.last
        return Found(named.next, offset.around(day), named=named.span)
    end = named.next if named else _anchor_end(cursor, event)
    if end <= event:
        return None
    anchor = cursor.text[cursor.tokens[event].start : cursor.tokens[end - 1].end]
    return Found(end, recurring=named.recurring if named else None, offset=offset, anchor=anchor)


def _anchor_end(cursor: Cursor, event: int) -> int:
    end = event
    while end < min(event + _ANCHOR_WORDS, len(cursor.tokens)):
        token = cursor.tokens[end]
        broken = end > event and "\n" in cursor.text[cursor.tokens[end - 1].end : token.start]
        if broken or (token.kind == "mark" and token.text not in "'’-&") or read_time(cursor, end):
            break
        end += 1
    while end > event and (cursor.at(end - 1, "in") or cursor.at(end - 1, "of")):
        end -= 1
    return end
