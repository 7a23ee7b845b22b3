"""The lines that begin a message in a WhatsApp export, in the many ways in which phones write a date.

Nothing on such a line says which of two numbers is the day: `Dates` decides that from all lines of a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Order = Literal["day first", "month first"]

MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff"
"""Signs that show nothing: they tell the direction of writing, or that the line was not typed."""
_WORD = r"[^\W\d_]{1,6}\.?(?:\s?[^\W\d_]{1,2}\.)?"
_HEADER = re.compile(
    rf"[\s{MARKS}]{{0,8}}(?P<open>\[)?"
    rf"(?P<first>\d{{1,4}})[{MARKS}]?(?P<mark>[./-]\s?|[年년]\s?)"
    rf"(?P<second>\d{{1,2}})[{MARKS}]?(?:[./-]\s?|[月월]\s?)(?P<third>\d{{1,4}})[日일.]?"
    rf"(?P<comma>[,،])?\s{{1,3}}(?:(?P<before>{_WORD})\s?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<seconds>\d{2}))?"
    rf"(?:\s?(?P<after>{_WORD}))?"
    r"(?(open)\]|(?:\s[-–—]|(?P<colon>:)|(?P<list>,)))(?:\s(?P<rest>.*))?$",
    re.DOTALL,
)
_SENDER = re.compile(r"([^:\"“”«»]{1,100}):(?:\s|$)")
_MARK = re.compile(f"[{MARKS}]")
_MORNING = frozenset("am a 上午 早上 清晨 凌晨 오전 午前 ص πμ öö sa vorm".split())
_AFTERNOON = frozenset("pm p 下午 中午 晚上 傍晚 오후 午後 م μμ ös ch nachm".split())
_KOREAN = ("오전", "오후")
_DATE_IN_FILE_NAME = re.compile(r"(?<!\d)(20\d{2})-?(\d{2})-?(\d{2})(?:-WA\d|-\d{2}-\d{2})")
_NEWEST_CENTURY = 2000
_FIRST_YEAR, _LAST_YEAR = 2009, 2200


@dataclass(frozen=True, slots=True)
class Header:
    """The date, time and first words of a message."""

    numbers: tuple[int, int, int]
    """The date, in the order of the file; a year of two digits is completed."""
    year_first: bool
    clock: str
    """`15:04` or `15:04:05`."""
    rest: str
    """All that follows, without the signs that show nothing at its beginning."""
    short_year: bool
    dotted: bool
    half_days: bool
    """Whether the clock has twelve hours."""
    comma: bool

    @property
    def sender(self) -> str | None:
        """Who wrote it; `None` for what WhatsApp itself says."""
        found = _SENDER.match(self.rest)
        name = clean_name(found[1]) if found else ""
        return name or None

    @property
    def text(self) -> str:
        """What was written on this line."""
        found = _SENDER.match(self.rest)
        return self.rest[found.end() :] if found and clean_name(found[1]) else self.rest

    def day(self, order: Order) -> date | None:
        """The date; where it can't be in this order, the other is tried."""
        first, second, third = self.numbers
        if self.year_first:
            return _date(first, second, third)
        day, month = (first, second) if order == "day first" else (second, first)
        return _date(third, month, day) or _date(third, day, month)

    def at(self, order: Order) -> str:
        """The local time, as precise as it is written."""
        day = self.day(order)
        return f"{day.isoformat() if day else ''}T{self.clock}"


def read_header(line: str) -> Header | None:
    """The beginning of a message; `None` where the line goes on with one."""
    found = _HEADER.match(line)
    if found is None or (found["colon"] and not found["seconds"]):
        return None
    if found["list"] and found["before"] not in _KOREAN:  # a table has commas too
        return None
    first, second, third = (int(found[name]) for name in ("first", "second", "third"))
    year_first = first > 31
    short = not year_first and len(found["third"]) <= 2
    numbers = (first, second, third + _NEWEST_CENTURY if short else third)
    hour, minute = int(found["hour"]), int(found["minute"])
    half = _half_day(found["before"]) or _half_day(found["after"])
    if half == "afternoon" and hour < 12:
        hour += 12
    elif half == "morning" and hour == 12:
        hour = 0
    clock = f"{hour:02}:{minute:02}" + (f":{int(found['seconds']):02}" if found["seconds"] else "")
    header = Header(
        numbers=numbers,
        year_first=year_first,
        clock=clock,
        rest=(found["rest"] or "").lstrip(" \u200e\u200f\ufeff"),
        short_year=short,
        dotted=found["mark"].startswith("."),
        half_days=half is not None,
        comma=found["comma"] is not None,
    )
    valid = hour < 24 and minute < 60 and int(found["seconds"] or 0) < 60 and header.day("day first") is not None
    return header if valid else None


def clean_name(name: str) -> str:
    """A sender's name or number without signs that show nothing, and without the `~` of those who are no contacts."""
    plain = _MARK.sub("", name).replace("\u202f", " ").replace("\u00a0", " ").strip()
    return plain.removeprefix("~").strip()


def _half_day(word: str | None) -> str | None:
    letters = "".join(char for char in (word or "").lower() if char.isalpha())
    return "morning" if letters in _MORNING else "afternoon" if letters in _AFTERNOON else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if _FIRST_YEAR <= year <= _LAST_YEAR else None
    except ValueError:
        return None


@dataclass(slots=True)
class Dates:
    """What all lines of a file tell about the order of day and month."""

    days: int = 0
    """Lines that can only be read with the day first, and those that can only be read with the month first."""
    months: int = 0
    backwards: dict[Order, int] = field(default_factory=lambda: {"day first": 0, "month first": 0})
    """How often time would run backwards."""
    named: dict[Order, int] = field(default_factory=lambda: {"day first": 0, "month first": 0})
    """How often a picture's name, which holds the date, would be right."""
    last: dict[Order, date] = field(default_factory=dict)
    year_first: bool = True
    month_first_style: bool = False

    def add(self, header: Header) -> None:
        """Take one line into account."""
        if header.year_first:
            return
        self.year_first = False
        first, second, _ = header.numbers
        self.days += first > 12
        self.months += second > 12
        # Where people write the month first, they also use short years, slashes and a clock of twelve hours.
        self.month_first_style |= header.half_days and header.short_year and not header.dotted
        found = _DATE_IN_FILE_NAME.search(header.rest[:300])
        told = _date(*map(int, found.groups())) if found else None
        for order in self.backwards:
            day = header.day(order)
            if day is None:
                continue
            self.named[order] += day == told
            self.backwards[order] += order in self.last and day < self.last[order]
            self.last[order] = day

    def order(self) -> tuple[Order, bool]:
        """The order, and whether the file leaves it open, so that it is merely likely."""
        evidence = (
            (self.days, self.months),
            (self.named["day first"], self.named["month first"]),
            (self.backwards["month first"], self.backwards["day first"]),
        )
        for for_days, for_months in evidence:
            if for_days != for_months:
                return ("day first" if for_days > for_months else "month first"), False
        return ("month first" if self.month_first_style else "day first"), not self.year_first
