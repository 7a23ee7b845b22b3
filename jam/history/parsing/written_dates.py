"""Dates as people and pages write them: ISO, `May 6, 2024`, `6 May 2024 14:05`, `Mon, 06 May 2024 14:05:00 +0200`.

A date in digits whose day and month could be exchanged (`03/04/2024`) is not read: nobody can know.
"""

from __future__ import annotations

import re
from typing import Any

from jam.history.parsing.times import iso_time

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_CLOCK = (
    r"(?:,?\s+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s?(?P<half>[ap]\.?m\.?)?"
    r"(?:\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?"
)
_WORDS = tuple(
    re.compile(rf"(?:[a-z]{{2,9}}\.?,?\s+)?{order}{_CLOCK}", re.IGNORECASE)
    for order in (rf"{_MONTH}\s+{_DAY},?\s+(?P<year>\d{{4}})", rf"{_DAY}\s+{_MONTH},?\s+(?P<year>\d{{4}})")
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_LONGEST = 60


def written_time(value: Any) -> str | None:
    """A date or a date and time in any of these forms, as ISO 8601."""
    if not isinstance(value, str):
        return iso_time(value)
    text = " ".join(value[: 2 * _LONGEST].split()).removeprefix("[[").removesuffix("]]")
    if len(text) > _LONGEST:
        return None
    if compact := _COMPACT.fullmatch(text):
        return iso_time("-".join(compact.groups()))
    return time_in_words(text) or iso_time(text)


def time_in_words(text: str) -> str | None:
    """A date whose month is a word, as ISO 8601."""
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _WORDS)), None) if len(text) <= _LONGEST else None
    if found is None:
        return None
    day = f"{found['year']}-{_MONTHS[found['month'].lower()]:02}-{int(found['day']):02}"
    if found["hour"] is None:
        return iso_time(day)
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"][0] in "pP" else 0)
    seconds = f":{found['second']}" if found["second"] else ""
    zone = found["zone"] or ""
    return iso_time(f"{day}T{hour:02}:{found['minute']}{seconds}{'Z' if zone.isalpha() else zone}") or iso_time(day)
