"""Times that are counted from a reference day: yesterday, last week, three days ago. Without one they stay open."""

from __future__ import annotations

from datetime import date

from jam.times.cursor import Cursor, Found
from jam.times.dates import holiday, month, qualified, season
from jam.times.expressions import Recurring
from jam.times.spans import Span, Unit, one_day, plus, plus_days, unit_span

_TOLERANCE = 3
"""Two weeks ago is fourteen days ago, give or take so many."""


def read_counted(cursor: Cursor, place: int) -> Found | None:
    """The time counted from the reference day that begins there."""
    return _today(cursor, place) or _ago(cursor, place) or _trailing(cursor, place) or read_which(cursor, place)


def _today(cursor: Cursor, place: int) -> Found | None:
    found = cursor.integer(place, "today")
    if found is None:
        return None
    # "Morgen" is the morning too: there it is capital, or behind an article
    if cursor.weak(place) and (cursor.tokens[place].text[0].isupper() or cursor.at(place - 1, "of")):
        return None
    return Found(found[1], one_day(plus_days(cursor.reference, found[0])) if cursor.reference else None)


def _ago(cursor: Cursor, place: int) -> Found | None:
    """Three days ago, vor drei Tagen, il y a trois jours; three days from now."""
    before = cursor.at(place, "ago before")
    amount = cursor.amount(before[1] if before else place)
    unit = cursor.unit(amount[2]) if amount else None
    if amount is None or unit is None:
        return None
    behind = cursor.at(unit[1], "ago after")
    ahead = cursor.language == "en" and cursor.word(unit[1]) == "from" and cursor.word(unit[1] + 1) in ("now", "today")
    if not (before or behind or ahead):
        return None
    span = distant(cursor.reference, amount[:2], unit[0], 1 if ahead else -1) if cursor.reference else None
    return Found(unit[1] + 2 if ahead else behind[1] if behind else unit[1], span)


def distant(reference: date, amount: tuple[int, int], unit: Unit, direction: int) -> Span:
    """The days that lie so many units away: of weeks about that day, of longer units that whole month or year."""
    near, far = (_window(plus(reference, direction * count, unit), unit) for count in amount)
    first, last = (far, near) if direction < 0 else (near, far)
    return Span(first.first, last.last)


def _window(day: date, unit: Unit) -> Span:
    if unit == "week":
        return Span(plus_days(day, -_TOLERANCE), plus_days(day, _TOLERANCE))
    return unit_span(day, unit)


def _trailing(cursor: Cursor, place: int) -> Found | None:
    """The past two weeks, the last three months, in the last year: up to the reference day; the next two: from it."""
    which = cursor.integer(place, "which")
    start = cursor.at(place, "trailing") or which
    if start is None:
        return _amount_first(cursor, place)
    amount = cursor.amount(start[1])
    unit = cursor.unit(amount[2] if amount else start[1])
    if unit is None or (which and (amount is None or which[0] == 0)) or (amount is None and unit[0] == "weekend"):
        return None
    count = amount[1] if amount else 1
    return Found(unit[1], _stretch(cursor, count, unit[0], which[0] if which else -1))


def _amount_first(cursor: Cursor, place: int) -> Found | None:
    """Les trois derniers mois, las dos semanas pasadas."""
    amount = cursor.amount(place)
    if amount is None or cursor.language == "en":
        return None
    which = cursor.integer(amount[2], "which")
    unit = cursor.unit(which[1] if which else amount[2])
    if unit is not None and which is None:
        which = cursor.integer(unit[1], "which after")
        unit = which and (unit[0], which[1])
    return Found(unit[1], _stretch(cursor, amount[1], unit[0], which[0])) if unit and which and which[0] else None


def _stretch(cursor: Cursor, count: int, unit: Unit, direction: int) -> Span | None:
    if cursor.reference is None:
        return None
    first, last = sorted((cursor.reference, plus(cursor.reference, direction * count, unit)))
    return Span(first, last)


def read_which(cursor: Cursor, place: int) -> Found | None:
    """Last week, next Monday, this summer, la semaine dernière, last May, past weekend."""
    which = cursor.integer(place, "which")
    if which is None and cursor.at(place, "trailing") is not None:
        which = (-1, place + 1)
    if which is None:
        return _which_after(cursor, place)
    found = _subject(cursor, which[1])
    if found is None or (cursor.word(found[1]) in ("of", "before", "after") and cursor.word(place - 1) == "the"):
        return None  # "the last week of the project", "the next day before noon" are counted from something else
    return _qualified(cursor, found[1], found[0], which[0])


def _which_after(cursor: Cursor, place: int) -> Found | None:
    found = _subject(cursor, place)
    which = cursor.integer(found[1], "which after") if found else None
    return _qualified(cursor, which[1], found[0], which[0]) if found and which else None


def _subject(cursor: Cursor, place: int) -> tuple[Unit | Recurring, int] | None:
    """What can be last, this or next."""
    unit = cursor.unit(place)
    if unit is not None:
        return None if unit[0] == "day" else unit
    weekday = cursor.integer(place, "weekday") or cursor.integer(place, "short weekday")
    if weekday is not None:
        capital = cursor.language != "en" or cursor.at(place, "weekday") or cursor.tokens[place].text[0].isupper()
        return (Recurring(weekdays=(weekday[0], weekday[0])), weekday[1]) if capital else None
    named = month(cursor, place)
    if named is not None:
        small = cursor.language == "en" and cursor.weak(place) and cursor.tokens[place].text.islower()
        this_may = small and cursor.integer(place - 1, "which") == (0, place)
        return None if this_may else (Recurring(months=(named[0], named[0])), named[1])
    return season(cursor, place) or holiday(cursor, place)


def _qualified(cursor: Cursor, place: int, what: Unit | Recurring, which: int) -> Found:
    if isinstance(what, Recurring):
        return qualified(cursor, place, what, which)
    if what == "weekend":
        found = qualified(cursor, place, Recurring(weekdays=(5, 6)), which)
        return Found(place, found.span)
    return Found(place, unit_span(plus(cursor.reference, which, what), what) if cursor.reference else None)
