"""Single words that tell a time or an amount, in any of the languages that are read."""

from __future__ import annotations

from functools import cache

from jam.times.words import TABLES

_TIMES = ("month", "weekday", "season", "unit", "today", "which", "which after", "ago after", "decade", "holiday")


@cache
def time_words() -> frozenset[str]:
    """Names of months, days and seasons, units, and what stands beside them ("last", "ago", "yesterday")."""
    return frozenset(word for table in TABLES.values() for row in _TIMES for word in _single(table.get(row, "")))


@cache
def number_words() -> frozenset[str]:
    """Words for numbers above one: "one" is an article too often."""
    rows = (table.get("number", "").partition("|")[2] for table in TABLES.values())
    return frozenset(word for row in rows for word in _single(row))


def _single(row: str) -> list[str]:
    spellings = [word.split("=")[-1].strip() for meaning in row.split("|") for word in meaning.split(",")]
    return [word for word in spellings if word and " " not in word]
