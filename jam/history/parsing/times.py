"""Times of foreign formats as ISO 8601 text, exactly as precise as the source; `None` where none is given."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

_ISO = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:(?:[T ]|\s\([A-Za-z]{3}\)\s)\s*(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d{1,9})?)?"
    r"\s*(Z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?")
_IN_NAME = re.compile(
    r"(?<!\d)(\d{4})(?:-(\d{2})-(\d{2})|(\d{2})(\d{2}))(?:[T_ ](\d{2})[-.:](\d{2})[-.:](\d{2})(Z?))?(?!\d)"
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2200


def iso_time(value: Any) -> str | None:
    """A date, a date and time, or Unix seconds, milliseconds or microseconds, as ISO 8601."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_unix(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _from_unix(float(text) if "." in text else int(text))
    found = _ISO.fullmatch(text)
    return _from_parts(found) if found else None


def _from_parts(found: re.Match[str]) -> str | None:
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    text = f"{year}-{int(month):02}-{int(day):02}"
    if hour is not None:
        text += f"T{int(hour):02}:{minute}"
        text += f":{second}" if second else ""
        text += fraction.replace(",", ".") if fraction else ""
        text += _zone(zone)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text


def _zone(zone: str | None) -> str:
    if zone is None:
        return ""
    if zone.upper() in ("Z", "UTC"):
        return "+00:00"
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return f"{zone[0]}{digits[:2]}:{digits[2:]}"


def _from_unix(number: float) -> str | None:
    """Seconds, milliseconds, microseconds or nanoseconds, told apart by their size; zero means that nobody knew."""
    if not 0 < number < 1e20:
        return None
    divisor = 1
    while number / divisor >= 1e11:
        divisor *= 1000
    whole, rest = divmod(number, divisor) if isinstance(number, int) else (number / divisor, 0)
    try:
        moment = datetime.fromtimestamp(whole, UTC)
        moment = moment.replace(microsecond=int(rest * 1_000_000 // divisor)) if rest else moment
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat() if moment.year >= 1971 else None


def time_in_name(name: str) -> str | None:
    """The first date in a file name, with its time where one follows: `2026-03-02_22-30-03Z-plan`, `20260302`."""
    for found in _IN_NAME.finditer(name):
        year, month, day = found[1], found[2] or found[4], found[3] or found[5]
        try:
            text = date(int(year), int(month), int(day)).isoformat()
        except ValueError:
            continue
        if not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
            continue
        if found[6] is None:
            return text
        return iso_time(f"{text}T{found[6]}:{found[7]}:{found[8]}{found[9]}") or text
    return None
