"""The times of a text by what they hang on: those counted from the day it was said, and dates.

`with_dates` adds the day behind the words, which stay: relative times are never rewritten.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from jam.languages import language
from jam.text import has_cjk
from jam.times.expressions import TimeExpression
from jam.times.reading import read_times
from jam.times.spans import Span
from jam.times.words import TABLES

ANY_DAY = date(2000, 1, 3)
"""Stands for the day of a message that has none, so that its relative times are known as such."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = rf"(?:\d{{1,2}} )?(?:(?:{'|'.join(_MONTHS)}) )?\d{{1,4}}"
_BEGIN = rf"(?:{_DAYS}|\d{{1,2}}|(?:\d{{1,2}} )?(?:{'|'.join(_MONTHS)}))"
_ADDED = re.compile(rf" \[(?:{_BEGIN} to )?{_DAYS}\]")
"""Days as `with_dates` writes them."""
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_YEARS = (1900, 2200)
"""What is counted back to before or beyond is meant as a figure of speech."""
_CODE = re.compile(r"[{}<>;=]|\w\(|://|--\w|\w/\w|`")
"""A sentence with one of these may be code, a command or an address: nothing is added to it."""
_QUALIFIED_BEFORE = re.compile(
    r"\b(?:every|each|than|over|under|least|most|nearly|almost|about|around|roughly|my|your|his|her|its|our|their)\s+$"
    r"|[\w'’]['’]s\s+$|[\"/_.-]$",
    re.IGNORECASE,
)
"""What stands before a time that means other days, or none: "every last Friday", "more than a year ago"."""
_QUALIFIED_AFTER = re.compile(
    r"\s*[(\[–—\"/_-]|\s+(?:of|before|after|until|since|in \d{4}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|[A-Za-z0-9]",
    re.IGNORECASE,
)
"""And behind it: "last week of March", "yesterday (7 May)", "a week ago Friday"."""
_POSSESSIVE = re.compile(r"['’]s\b")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_][.!?…])\s+|(?<=[。！？])|\n+")
"""No end is a point behind a number: "5. Mai"."""
_WORD = re.compile(r"[^\W\d_]+")
_COUNTING_ROLES = ("today", "which", "which after", "ago after", "ago before", "trailing")
"""The roles in `TABLES` of words by which a time hangs on the day it was said."""


@lru_cache(maxsize=512)
def with_dates(text: str, at: str | None) -> str:
    """The text with the days that its relative times mean in brackets behind them: "yesterday [7 May 2023]".

    They are counted from `at`, the time of the message (ISO 8601). Nothing is added where that isn't known, nor to what
    is open ("since last year"), hangs on an event, could as well be the next as the last (a bare "on Monday", "in
    June"), is limited by what stands beside it ("the last week of March"), or may be code or
    a title. What has its days already gets no second ones.
    """
    day = day_of(at)
    if day is None or not _may_count(text):
        return text
    bare, added = _without_added(text)
    for begin, sentence in _sentences(bare):
        if _may_count(sentence):
            for end, span in _certain(sentence, day):
                added.setdefault(begin + end, f" [{_days(span)}]")
    out, start = [], 0
    for place in sorted(added):
        out += [bare[start:place], added[place]]
        start = place
    return "".join([*out, bare[start:]])


@dataclass(frozen=True, slots=True)
class Times:
    """The times that a text tells."""

    every: tuple[TimeExpression, ...]
    """All of them, in their order, those too that hang on an event or have no end."""
    relative: tuple[TimeExpression, ...]
    """Counted from the day it was said: "last week", "on Monday"."""
    dates: tuple[TimeExpression, ...]
    """The others with a beginning and an end: "May 2023", "in June"."""

    def spans(self) -> Counter[Span]:
        """What the relative ones mean, and how often each is told."""
        return Counter(one.span for one in self.relative if one.span)


@lru_cache(maxsize=512)
def times_of(text: str, day: date) -> Times:
    """The times of a text that was said on a day."""
    every = read_times(text, day)
    relative = _relative(text, every)
    dates = (one for one in every if one not in relative and closed(one.named or one.span))
    return Times(tuple(every), tuple(relative), tuple(dates))


def day_of(at: str | None) -> date | None:
    """The day of a time in ISO 8601; `None` where it has none."""
    try:
        return date.fromisoformat((at or "")[:10])
    except ValueError:
        return None


def closed(span: Span | None) -> bool:
    """Whether a span has a beginning and an end."""
    return span is not None and span.first is not None and span.last is not None


def _relative(text: str, found: Sequence[TimeExpression]) -> list[TimeExpression]:
    """Of what was found in a text on a day, what means nothing without one; dates that only lack their year aside."""
    alone = {(one.start, one.end): one.span for one in read_times(text)} if found else {}
    return [one for one in found if one.span and not alone.get((one.start, one.end)) and not _is_yearly(one)]


def _is_yearly(one: TimeExpression) -> bool:
    """Whether it is a date without a year: "5 July", "at Christmas"; "last June" is counted."""
    return one.recurring is not None and one.recurring.weekdays is None and not _counts(one.text)


def _certain(sentence: str, day: date) -> Iterator[tuple[int, Span]]:
    """Where the relative times end that mean certain days, and those days.

    "Last Friday" does, "Friday" may be the next one, "the week before June" that of any year.
    """
    if _CODE.search(sentence):
        return
    for one in _relative(sentence, read_times(sentence, day)):
        if not closed(one.span) or one.span is None or one.span.first is None or one.named is not None:
            continue
        if not _YEARS[0] <= one.span.first.year <= _YEARS[1] or _is_qualified(sentence, one):
            continue
        if one.recurring is None or _counts(one.text):
            tail = _POSSESSIVE.match(sentence, one.end)
            yield tail.end() if tail else one.end, one.span


def _is_qualified(sentence: str, one: TimeExpression) -> bool:
    """Whether what stands beside a time changes what it means, or makes it no time at all."""
    before, after = sentence[: one.start], sentence[one.end :]
    if _QUALIFIED_BEFORE.search(before) or _QUALIFIED_AFTER.match(after):
        return True
    if one.text.casefold() == "hier" and language(sentence, ("fr",)) != "fr":
        return True  # "yesterday" in French, "here" in German and Dutch
    inside = before.strip() and before.rstrip()[-1] not in ".!?…:\"'“‘("
    return bool(inside) and one.text[:1].isupper() and one.text.isascii() and not _is_name_of_day(one.text)


def _is_name_of_day(text: str) -> bool:
    """Days and months have capitals in English anywhere."""
    return text.split()[0].rstrip("s") in {*_MONTHS, *_WEEKDAYS}


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences with where they begin: few of a long text have a time, and reading times takes its own."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


def _without_added(text: str) -> tuple[str, dict[int, str]]:
    """The text without days in brackets, and those by the place in it where they stood."""
    parts, added, length, start = [], dict[int, str](), 0, 0
    for match in _ADDED.finditer(text):
        parts.append(text[start : match.start()])
        length += len(parts[-1])
        added[length] = added.get(length, "") + match[0]
        start = match.end()
    return "".join([*parts, text[start:]]), added


def _days(span: Span) -> str:
    """Days as people write them: 7 May 2023, 29 May to 4 June 2023, June to August 2022, 2022."""
    first, last = span.first, span.last
    assert first is not None
    assert last is not None
    months = first.day == 1 and last.day == monthrange(last.year, last.month)[1]
    years = months and (first.month, last.month) == (1, 12)
    begin, end = (_written(day, not months, not years) for day in (first, last))
    if begin == end:
        return end
    if first.year == last.year:
        same_month = first.month == last.month
        begin = str(first.day) if same_month else begin.removesuffix(f" {first.year}")
    return f"{begin} to {end}"


def _written(day: date, with_day: bool, with_month: bool) -> str:
    parts = [str(day.day)] * with_day + [_MONTHS[day.month - 1]] * with_month + [str(day.year)]
    return " ".join(parts)


def _may_count(text: str) -> bool:
    """Whether a text may have a time that is counted from its day: cheap, since nearly all texts have none."""
    return has_cjk(text) or _counts(text)


def _counts(text: str) -> bool:
    """Whether it has a word by which times are counted from a day: yesterday, last, ago, …"""
    return not _counting_words().isdisjoint(word.lower() for word in _WORD.findall(text))


@cache
def _counting_words() -> frozenset[str]:
    """Of each phrase that counts from a day its last word that is no single letter; "now" of "three days from now"."""
    rows = (table.get(role, "") for table in TABLES.values() for role in _COUNTING_ROLES)
    phrases = (_WORD.findall(entry.split("=")[-1]) for row in rows for entry in re.split(r"[|,]", row))
    telling = (next((word for word in reversed(words) if len(word) > 1), words[0]) for words in phrases if words)
    return frozenset([*telling, "now"])
