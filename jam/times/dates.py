"""Times that are named: dates, months, quarters, seasons, holidays, years. Nothing that is counted from today."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import cast

from jam.times.cursor import Cursor, Found, century
from jam.times.expressions import Recurring
from jam.times.nearest import latest, relative
from jam.times.spans import Holiday, Span, Unit, months_span, one_day, real_day, year_span

SEASON_MONTHS = ((3, 5), (6, 8), (9, 11), (12, 2))
"""Of spring, summer, autumn and winter, as meteorologists of the northern half count them."""


def read_named(cursor: Cursor, place: int) -> Found | None:
    """The named time that begins there."""
    return (
        _numeric(cursor, place)
        or _nth(cursor, place)
        or _dated_weekday(cursor, place)
        or read_date(cursor, place)
        or _weekday(cursor, place)
        or part_of_year(cursor, place)
        or _week(cursor, place)
        or read_season(cursor, place)
        or _holiday(cursor, place)
        or read_decade(cursor, place)
        or read_year(cursor, place)
    )


def recurring_found(cursor: Cursor, place: int, recurring: Recurring, year: int | None) -> Found | None:
    """Something yearly in a year, or, without one, as often as it comes back."""
    if year is not None:
        span = recurring.in_year(year)
        return Found(place, span) if span else None
    span = latest(recurring, cursor.reference) if cursor.reference else None
    return Found(place, span, recurring=recurring)


def _numeric(cursor: Cursor, place: int) -> Found | None:
    """2023-05-08, 2023/5, 8/5/2023, 8.5.2023."""
    token = cursor.token(place)
    if token is None or token.kind not in ("ymd", "dmy"):
        return None
    mark = next(sign for sign in token.text if not sign.isdecimal())
    numbers = [int(part) for part in token.text.split(mark)]
    if token.kind == "ymd":
        if len(numbers) == 2 and mark != "." and 1 <= numbers[1] <= 12:
            return Found(place + 1, months_span(numbers[0], numbers[1], numbers[1]))
        if len(numbers) < 3 or not 1 <= numbers[1] <= 12 or not 1 <= numbers[2] <= 31:
            return None
        day = real_day(*numbers)
        return Found(place + 1, one_day(day) if day else months_span(numbers[0], numbers[1], numbers[1]))
    year = century(numbers[2]) if numbers[2] < 100 else numbers[2]
    day_first, month_first = real_day(year, numbers[1], numbers[0]), real_day(year, numbers[0], numbers[1])
    days = [day for day in dict.fromkeys((day_first, None if mark == "." else month_first)) if day]
    return Found(place + 1, one_day(days[0]), tuple(one_day(day) for day in days[1:])) if days else None


def month(cursor: Cursor, place: int) -> tuple[int, int] | None:
    """A month's name, in full or short, whatever else the word may mean."""
    found = cursor.integer(place, "month")
    if found is None:
        found = cursor.integer(place, "short month")
        if found and cursor.word(found[1]) == ".":
            return found[0], found[1] + 1
    return found


def read_date(cursor: Cursor, place: int) -> Found | None:
    """8 May 2023, May 8th, May 2023, May."""
    day = cursor.day(place)
    if day is not None:
        return _day_first(cursor, place, day)
    named = month(cursor, place)
    if named is None:
        return None
    day = cursor.day(cursor.skip(cursor.skip_comma(named[1]), "of", 1)) if cursor.language == "en" else None
    if day is not None and _means_month(cursor, place, cursor.suffixed_day(day[1] - 2), day[1]):
        return _days_of_month(cursor, named[0], day) or _dated(cursor, day[1], named[0], day[0])
    if _is_name(cursor, place):
        return None
    year = cursor.year_after(named[1])
    if year is not None:
        return _dated(cursor, year[1], named[0], None, year[0])
    full = cursor.at(place, "month") is not None and not cursor.weak(place)
    if not full and not (cursor.supported(place) and _means_month(cursor, place, False, named[1])):
        return None
    return recurring_found(cursor, named[1], Recurring(months=(named[0], named[0])), None)


def _day_first(cursor: Cursor, place: int, day: tuple[int, int]) -> Found | None:
    """8 May, 8 de mayo: of a word with another meaning something more must speak for the month."""
    at = cursor.skip(cursor.skip_comma(day[1]), "of")
    named = month(cursor, at)
    if named is None or not _means_month(cursor, at, day[1] == place + 2, named[1]):
        return None
    if cursor.language != "en" and cursor.weak(at) and not _year_at(cursor, named[1]):
        announced = cursor.supported(place) or cursor.at(place - 1, "of") or at > day[1] or cursor.opens_sentence(place)
        if not announced:
            return None
    return _dated(cursor, named[1], named[0], day[0])


def _is_name(cursor: Cursor, place: int) -> bool:
    """Whether a capital letter makes it a name: a month has one in English and German only (Rio de Janeiro)."""
    capital = cursor.tokens[place].text[0].isupper()
    return capital and cursor.language not in ("en", "de") and not cursor.opens_sentence(place)


def _means_month(cursor: Cursor, place: int, sure: bool, behind: int) -> bool:
    """Whether a word that is not only a month's name means the month: "may" and "march" in small letters rarely do,
    unless a day with its suffix stands beside it (`sure`), or a year at `behind`.
    """
    small = cursor.language == "en" and cursor.weak(place) and cursor.tokens[place].text.islower()
    return sure or not small or cursor.supported(place, strict=True) or _year_at(cursor, behind) is not None


def _year_at(cursor: Cursor, place: int) -> tuple[int, int] | None:
    return cursor.plain_year(cursor.skip(cursor.skip_comma(place), "of"))


def _dated(cursor: Cursor, place: int, month: int, day: int | None, year: int | None = None) -> Found | None:
    """A month or a day of it, with the year that is given or that follows."""
    if year is None:
        following = cursor.year_after(place)
        year, place = following or (None, place)
    recurring = Recurring(months=(month, month), day=day)
    if year is not None and recurring.in_year(year) is None:  # no such day: the month is still what is asked for
        recurring = replace(recurring, day=None)
    return recurring_found(cursor, place, recurring, year)


def _days_of_month(cursor: Cursor, month: int, first: tuple[int, int]) -> Found | None:
    """May 1-5, May 1 to 5, 2023: the days up to the second one, where the year is known."""
    behind = first[1] + 1 if cursor.word(first[1]) in ("-", "–", "—") else cursor.skip(first[1], "to", 1)
    last = cursor.day(behind) if behind > first[1] else None
    if last is None or last[0] <= first[0]:
        return None
    end = _dated(cursor, last[1], month, last[0])
    if end is None or end.span is None or end.span.last is None:
        return end
    begin = real_day(end.span.last.year, month, first[0])
    return Found(end.next, Span(begin, end.span.last)) if begin and begin <= end.span.last else end


def _dated_weekday(cursor: Cursor, place: int) -> Found | None:
    """Monday, 8 May 2023: the weekday adds nothing."""
    weekday = cursor.at(place, "weekday") or cursor.at(place, "short weekday")
    if weekday is None:
        return None
    behind = cursor.skip(cursor.skip_comma(weekday[1]), "of")
    found = read_date(cursor, behind) or _numeric(cursor, behind)
    day = found and (found.recurring.day is not None if found.recurring else found.span and single(found.span))
    return found if day else None


def single(span: Span) -> bool:
    return span.first == span.last


def weekday(cursor: Cursor, place: int) -> tuple[int, int] | None:
    """A weekday's name; a short one only where something announces it."""
    found = cursor.integer(place, "weekday")
    if found:
        return None if cursor.weak(place) and not cursor.supported(place) else found
    found = cursor.integer(place, "short weekday")
    token = cursor.token(place)
    return found if found and token and token.text[0].isupper() and cursor.supported(place) else None


def _weekday(cursor: Cursor, place: int) -> Found | None:
    found = weekday(cursor, place)
    if found is not None:
        return recurring_found(cursor, found[1], Recurring(weekdays=(found[0], found[0])), None)
    unit = cursor.unit(place)
    if unit is None or unit[0] != "weekend" or not cursor.supported(place):
        return None
    return recurring_found(cursor, unit[1], Recurring(weekdays=(5, 6)), None)


def _nth(cursor: Cursor, place: int) -> Found | None:
    """The first weekend of August, the last Monday in May 2023, the second week of November."""
    nth = cursor.integer(place, "nth")
    if nth is None:
        return None
    unit = cursor.unit(nth[1])
    named = cursor.integer(nth[1], "weekday")
    what: Unit | int | None = unit[0] if unit and unit[0] in ("week", "weekend") else named[0] if named else None
    behind = unit[1] if unit else named[1] if named else place
    of = cursor.skip(behind, "of")
    in_month = month(cursor, of) if what is not None and of > behind else None
    if in_month is None or what is None:
        return None
    year = cursor.year_after(in_month[1])
    recurring = Recurring(months=(in_month[0], in_month[0]), nth=(nth[0], what))
    found = recurring_found(cursor, year[1] if year else in_month[1], recurring, year[0] if year else None)
    return replace(found, named=months_span(year[0], in_month[0], in_month[0])) if found and year else found


def part_of_year(cursor: Cursor, place: int) -> Found | None:
    """Q3 2024, H1, third quarter of 2024, first half of 2024."""
    token, word = cursor.token(place), cursor.word(place)
    number, behind, size = 0, place + 2, 3
    if token and word in ("q", "h") and token.text.isupper() and cursor.glued(place + 1):
        number = cursor.tokens[place + 1].number or 0
        size = 3 if word == "q" else 6
        if cursor.glued(behind) and cursor.tokens[behind].kind in ("word", "number"):
            return None
    elif (nth := cursor.integer(place, "nth")) is not None:
        unit, half = cursor.unit(nth[1]), cursor.at(nth[1], "half")
        if half is not None and cursor.year_after(half[1]) is None:
            return None
        number, size = nth[0], 6 if half else 3
        behind = half[1] if half else unit[1] if unit and unit[0] == "quarter" else -1
    if behind < 0 or not 1 <= number <= 12 // size:
        return None
    year = cursor.year_after(behind)
    recurring = Recurring(months=(size * number - size + 1, size * number))
    return recurring_found(cursor, year[1] if year else behind, recurring, year[0] if year else None)


def _week(cursor: Cursor, place: int) -> Found | None:
    """Week 23, week 23 of 2024."""
    unit = cursor.unit(place)
    token = cursor.token(unit[1]) if unit and unit[0] == "week" else None
    if unit is None or token is None or token.number is None or not 1 <= token.number <= 53 or len(token.text) > 2:
        return None
    if cursor.amount(place - 1) or (cursor.glued(unit[1] + 1) and cursor.tokens[unit[1] + 1].kind == "word"):
        return None
    year = cursor.year_after(unit[1] + 1)
    recurring = Recurring(week=token.number)
    return recurring_found(cursor, year[1] if year else unit[1] + 1, recurring, year[0] if year else None)


def season(cursor: Cursor, place: int) -> tuple[Recurring, int] | None:
    """A season's name, whatever else the word may mean."""
    found = cursor.integer(place, "season")
    return found and (Recurring(months=SEASON_MONTHS[found[0]]), found[1])


def read_season(cursor: Cursor, place: int) -> Found | None:
    found = season(cursor, place)
    if found is None:
        return None
    year = cursor.year_after(found[1])
    if year is not None:
        return recurring_found(cursor, year[1], found[0], year[0])
    of = cursor.word(found[1]) in ("of", "in")
    return None if of or not cursor.supported(place) else recurring_found(cursor, found[1], found[0], None)


def holiday(cursor: Cursor, place: int) -> tuple[Recurring, int] | None:
    """A holiday's name."""
    found = cursor.at(place, "holiday")
    return found and (Recurring(holiday=cast(Holiday, found[0])), found[1])


def _holiday(cursor: Cursor, place: int) -> Found | None:
    found = holiday(cursor, place)
    if found is None:
        return None
    year = cursor.year_after(found[1])
    return recurring_found(cursor, year[1] if year else found[1], found[0], year[0] if year else None)


def read_decade(cursor: Cursor, place: int) -> Found | None:
    """The 1990s, the 90s, '90s, the nineties."""
    spelled = cursor.integer(place, "decade")
    if spelled is not None and cursor.word(place - 1) == "the":
        return Found(spelled[1], Span(date(spelled[0], 1, 1), date(spelled[0] + 9, 12, 31)))
    token = cursor.token(place)
    behind = place + 1 + (cursor.word(place + 1) in ("'", "’"))
    if token is None or token.number is None or cursor.word(behind) != "s" or not cursor.glued(behind):
        return None
    if token.number % 10 or len(token.text) not in (2, 4):
        return None
    if len(token.text) == 2 and cursor.word(place - 1) not in ("the", "'", "’"):
        return None
    begin = token.number if len(token.text) == 4 else token.number + (1900 if token.number >= 30 else 2000)
    if not 1800 <= begin < 2100:
        return None
    return Found(behind + 1, Span(date(begin, 1, 1), date(begin + 9, 12, 31)))


def read_year(cursor: Cursor, place: int) -> Found | None:
    year = cursor.sole_year(place)
    return Found(year[1], year_span(year[0])) if year else None


def qualified(cursor: Cursor, place: int, recurring: Recurring, which: int) -> Found:
    """The last, this or next occurrence: without a reference day any."""
    span = relative(recurring, cursor.reference, which) if cursor.reference else None
    return Found(place, span, recurring=recurring)
