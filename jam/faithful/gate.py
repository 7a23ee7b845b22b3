"""What keeps rewriting honest: no statement takes the place of a message whose times or numbers it changes.

A statement in other words is compared with the message that it is from: its dates, its numbers, what it leaves out of
a comparison. That is arithmetic; whether it means the same is not known here. What is doubted is not used: a message's
own words cost some length, a wrong date costs the answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from jam.faithful.amounts import amounts, spelled_amounts, told_amounts
from jam.jobs import Candidate
from jam.times import Span, TimeExpression
from jam.times.dated import ANY_DAY, Times, closed, day_of, times_of

_COMPARES = re.compile(
    r"\b(?:compar\w+|differ\w*|more|less|fewer|higher|lower|larger|smaller|bigger|cheaper|older|younger|longer|shorter|"
    r"than|versus|vs|total|sum|average|altogether|combined|increased?|decreased?|sav(?:e|ed|ings?)|percentage|ratio)\b",
    re.IGNORECASE,
)
"""A question with one of these (English alone) puts numbers together."""
_FEW = 6
"""A message with more numbers is a list of all sorts, of which a comparison wants but some."""
_EXPLAINS = re.compile(r"\s*[(\[,–—-]\s*(?:on |i\.?e\.?,? )?", re.IGNORECASE)
"""What stands between a relative time and a date that says which day it is."""
_WORD = re.compile(r"[^\W\d_]+|\d+")


def objection(statement: str, candidate: Candidate, query: str = "") -> str:
    """Why a statement may not take the place of the message that it is from; empty where it may.

    - It has no relative time ("yesterday", "next week") that the message doesn't have.
    - It names no date that the message's text doesn't tell. Where the message has relative times, and all stay as they
      are, the days that they mean and the day of the message may be added.
    - It has no number that the message doesn't have, each in digits or in English words.
    - Where the question compares or adds up, it has all of the message's few numbers, or none.
    """
    if not statement.strip():
        return "it says nothing"
    text, day = candidate.message.text, day_of(candidate.at) or ANY_DAY
    own, said = times_of(text, day), times_of(statement, day)
    spans = own.spans()
    other = next((one for one in said.relative if one.span not in spans), None)
    if other:
        return f"its time is not in the message: {other.text!r}"
    invented = _invented_date(statement, said, text, own, Span(day, day) if day is not ANY_DAY else None)
    if invented:
        return f"its date is not in the message: {invented!r}"
    bare = _blanked(statement, [*said.dates, *said.relative])
    numbers = (amounts(bare) | told_amounts(bare)) - amounts(text) - spelled_amounts(text)
    if numbers:
        return f"its number is not in the message: {min(numbers):f}"
    if _COMPARES.search(query) and _loses_some(statement, _blanked(text, [*own.dates, *own.relative])):
        return "it leaves out a number of those that are to be compared"
    return ""


def _invented_date(statement: str, said: Times, text: str, own: Times, day: Span | None) -> str:
    """The first date of a statement that its message doesn't tell; empty where it tells all."""
    years = {span.first.year for one in own.dates for span in _readings(one) if span.first}
    years |= {day.first.year, day.first.year + 1} if day and day.first else set()
    told = [span for one in own.dates for span in _readings(one, years)]
    spans = own.spans()
    if day is not None and spans and spans <= said.spans():
        told += [day, *spans]
    for one in said.dates:
        readings = _readings(one, years)
        meant = _explained(statement, said, text, one)
        known = told if meant is None else [meant]
        literal = meant is None and any(_is_told_in(other, one, years) for other in own.every)
        if not literal and not any(_within(span, reading) for reading in readings for span in known):
            return one.text
    return ""


def _is_told_in(one: TimeExpression, date: TimeExpression, years: Iterable[int]) -> bool:
    """Whether a time of a message has the words of a date: side by side, or as one of its ends: "5 to 7 May" has 5 May.

    So "We march on" has no March, and "5 to 7 May" no 6 May.
    """
    words, wanted = _words(one.text), _words(date.text)
    if f" {wanted} " in f" {words} ":
        return True
    begins = {span.first for span in _readings(one, years)}
    ends = {span.last for span in _readings(one, years)}
    return set(wanted.split()) <= set(words.split()) and any(
        span.first in begins or span.last in ends for span in _readings(date, years)
    )


def _explained(statement: str, said: Times, text: str, date: TimeExpression) -> Span | None:
    """The days of the relative time that a date stands directly behind, as it doesn't in the message: "yesterday (7
    May 2023)".
    """
    before = [one for one in said.relative if one.end <= date.start]
    if not before or not _EXPLAINS.fullmatch(statement, before[-1].end, date.start):
        return None
    return None if statement[before[-1].start : date.end] in text else before[-1].span


def _readings(one: TimeExpression, years: Iterable[int] = ()) -> list[Span]:
    """The days that a date may mean, one without a year in each of some years too."""
    spans = [one.named or one.span, *one.others]
    if one.recurring is not None:
        spans += [one.recurring.in_year(year) for year in years]
    return [span for span in spans if span is not None and closed(span)]


def _within(span: Span, other: Span) -> bool:
    if span.first is None or span.last is None or other.first is None or other.last is None:
        return False
    return other.first <= span.first and span.last <= other.last


def _words(text: str) -> str:
    """The words of a text in small letters, a blank between two."""
    return " ".join(_WORD.findall(text.lower()))


def _loses_some(statement: str, text: str) -> bool:
    """Whether a statement has some of the few numbers of a text, and others not."""
    wanted = amounts(text)
    has = wanted & (amounts(statement) | spelled_amounts(statement))
    return len(wanted) <= _FEW and 0 < len(has) < len(wanted)


def _blanked(text: str, expressions: Collection[TimeExpression]) -> str:
    """The text without some expressions, at the same length."""
    for one in expressions:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text
