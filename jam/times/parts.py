"""One time, of whatever kind: named, counted, or a part of either."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import cast

from jam.times.counted import read_counted, read_which
from jam.times.cursor import Cursor, Found
from jam.times.dates import part_of_year, read_date, read_decade, read_named, read_season, read_year, single
from jam.times.nearest import latest
from jam.times.spans import Part, Span


def read_time(cursor: Cursor, place: int) -> Found | None:
    """The time that begins there, without "since", "between" or "after" about it."""
    if place not in cursor.times:
        cursor.times[place] = _part(cursor, place) or read_named(cursor, place) or read_counted(cursor, place)
    return cursor.times[place]


def _part(cursor: Cursor, place: int) -> Found | None:
    """Early May, the end of 2023, mid-June: a third of what follows."""
    found = cursor.at(place, "part")
    if found is None:
        return None
    behind = found[1] + (cursor.word(found[1]) == "-")
    whole = _period(cursor, cursor.skip(behind, "of"))
    if whole is None or (whole.span is None and whole.recurring is None):
        return None
    part = cast(Part, found[0])
    span = whole.span.part(part) if whole.span else None
    if whole.recurring is None:
        return Found(whole.next, span, named=whole.span)
    recurring = replace(whole.recurring, part=part)
    if cursor.reference and _running(whole.span, cursor.reference) and not _begun(span, cursor.reference):
        span = latest(recurring, cursor.reference)  # early in May, its end is still to come: last year's is meant
    return Found(whole.next, span, recurring=recurring)


def _begun(span: Span | None, reference: date) -> bool:
    return span is not None and span.first is not None and span.first <= reference


def _running(span: Span | None, reference: date) -> bool:
    return _begun(span, reference) and span is not None and span.last is not None and reference <= span.last


def _period(cursor: Cursor, place: int) -> Found | None:
    """What has a beginning and an end of its own: a month, quarter, season, decade, year, "last week"."""
    for reader in (read_which, read_date, part_of_year, read_season, read_decade, read_year):
        found = reader(cursor, place)
        if found and not (found.recurring and found.recurring.day) and not (found.span and single(found.span)):
            return found
    return None
