"""Transcripts: texts with a name before each turn, perhaps with the time within the recording.

`Ann: Good morning.`, `Speaker 0 (3s):`, `2 (16s):`, `Ann Lee: 00:01:54`, `**Ann:** …`, `Ann Lee  0:03`,
`[12:34] <ann> …`.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from jam.history.parsing.blocks import Line, lines_of
from jam.history.parsing.turns import HEADING, ROLES, Turn

_CLOCK = r"(?:\d{1,2}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?: ?[AaPp][Mm])?"
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’&-]+){0,3}?"
_FORMS = (
    re.compile(
        rf"(?:[\[(]?(?P<clock>{_CLOCK})[\])]?\s+(?:-\s+)?)?(?P<bold>\*\*|)(?P<who>{_NAME})(?: (?P<number>\d{{1,4}}))?"
        r"(?: ?\((?P<info>[^()\n]{1,30})\))?(?:(?P=bold)[:：]|[:：](?P=bold))(?P<rest>(?:[ \t]+\S.*|[^\x00-\x7f/].*)?)$"
    ),
    re.compile(
        rf"(?P<who>\d{{1,3}})(?P<number>)(?P<bold>) \((?P<info>(?:\d+[hms] ?)+|{_CLOCK})\)(?P<clock>):(?P<rest>.*)$"
    ),
    re.compile(
        rf"(?P<bold>\*\*?|)(?P<who>{_NAME})(?: (?P<number>\d{{1,4}}))?(?P=bold)?\s{{1,4}}[(\[]?(?P<clock>{_CLOCK})"
        r"[)\]]?(?P=bold)?(?P<info>)(?P<rest>)[ \t]*$"
    ),
    re.compile(
        rf"\[?(?P<clock>{_CLOCK})\]?[ \t]*<[ @+~&%]?(?P<who>[\w\[\]\\`^{{}}|.-]{{1,40}})>"
        r"(?P<number>)(?P<info>)(?P<rest> .*)$"
    ),
)
_OFFSET = re.compile(rf"(?:\d+[hms] ?)+|{_CLOCK}")
_OFFSET_FIRST = re.compile(rf"[ \t]*([(\[]?)({_CLOCK})[)\]]?(?=\s|$)")
_GENERIC = frozenset({"speaker", "person", "participant", "voice", "guest", "user"})
_PARTICLES = frozenset({"al", "bin", "da", "de", "del", "den", "der", "di", "du", "la", "le", "van", "von", "y"})
_NOT_NAMES = frozenset(
    "info debug error warning warn trace fatal critical note notes todo fixme question answer example http https date"
    " time title subject from to cc re summary risks usage author version url source tags status name names files file"
    " copyright license format description type size path id key value address email phone host port owner location"
    " input output expected actual result steps pros cons due priority category price total start end begin package"
    " depends section maintainer homepage see".split()
)
_INITIALS = re.compile(r"[A-Z]{2,3}")
_SPARSE = 0.05
"""Where the turns bear times, so few of the paragraphs need to begin one."""

Start = tuple[int, re.Match[str]]
"""The number of a line, and what it says."""


def spoken_turns(text: str) -> tuple[str, list[Turn]] | None:
    """What stands before the turns, and the turns; `None` for a text that is no transcript."""
    lines = lines_of(text)
    best: list[Start] = []
    for form in _FORMS:
        starts = [(n, match) for n, line in enumerate(lines) if (match := _named(form, line.text))]
        if len(starts) > len(best) and _is_transcript(lines, starts):
            best = starts
    if not best:
        return None
    ranges = zip(best, pairwise([*(n for n, _ in best), len(lines)]), strict=True)
    turns = [turn for (_, match), (begin, end) in ranges for turn in _spoken(text, lines[begin:end], match)]
    said = [turn for turn in turns if turn.text]
    return (text[: lines[best[0][0]].start].strip(), said) if 2 * len(said) > len(turns) else None


def _named(form: re.Pattern[str], line: str) -> re.Match[str] | None:
    """A line that begins a turn: a capitalised name, a role or a number."""
    found = form.match(line)
    if found is None:
        return None
    who = found["who"]
    if who.lower() in ROLES or who.isdecimal() or form is _FORMS[-1]:
        return found
    first, *others = who.split(" ")
    named = not first[0].islower() and all(not word[0].islower() or word in _PARTICLES for word in others)
    return found if named and who.lower() not in _NOT_NAMES else None


def _is_transcript(lines: list[Line], starts: list[Start]) -> bool:
    """Most of the text belongs to turns, and people speak more than once."""
    if len(starts) < 3:
        return False
    timed = sum(_offset(match) is not None for _, match in starts) >= 0.8 * len(starts)
    if not timed and any(HEADING.match(line.text) for line in lines[starts[0][0] :]) and not _are_people(starts):
        return False  # an article that quotes
    names = {match["who"].casefold() for _, match in starts}
    voices = {f"{match['who'].casefold()} {match['number']}" for _, match in starts}
    filled = [n for n, line in enumerate(lines) if line.text.strip() and not HEADING.match(line.text)]
    paragraphs = [n for n in filled if n == 0 or not lines[n - 1].text.strip()]
    if _are_records([match["who"].casefold() for _, match in starts]):
        return False
    at = {n for n, _ in starts}
    dense = len(at) >= 0.5 * len(filled) or len(at.intersection(paragraphs)) >= 0.45 * len(paragraphs)
    dense = dense or (timed and len(at) >= _SPARSE * len(paragraphs))
    early = sum(n < starts[0][0] for n in filled) <= max(10, len(filled) // 5)
    return dense and early and (timed or len(voices) > 1) and len(names) <= 0.75 * len(starts)


def _are_records(names: list[str]) -> bool:
    """Whether the names come round and round in the same order, or are hyphenated: fields of records, not people."""
    counts = Counter(names)
    if sum("-" in name for name in counts) >= 0.3 * len(counts):
        return True
    orders = len(set(pairwise(names)))
    return (
        len(counts) > 2
        and len(names) >= 3 * len(counts)
        and orders <= 1.5 * len(counts)
        and max(counts.values()) <= 0.42 * len(names)
    )


def _are_people(starts: list[Start]) -> bool:
    """Whether most names are those of persons, and not words that may head a paragraph."""
    persons = sum(" " in who or who.lower() in _GENERIC or bool(_INITIALS.fullmatch(who)) for who in map(_who, starts))
    return len(starts) >= 8 and persons >= 0.6 * len(starts)


def _who(start: Start) -> str:
    return start[1]["who"]


def _offset(match: re.Match[str]) -> str | None:
    """The time within the recording, before the name, behind it, or at the beginning of the turn."""
    info = match["info"] or ""
    found = _OFFSET_FIRST.match(match["rest"] or "")
    return match["clock"] or (info if _OFFSET.fullmatch(info) else "") or (found[2] if found else None) or None


def _spoken(text: str, lines: list[Line], match: re.Match[str]) -> list[Turn]:
    """A turn, and the headings that stand between it and the next."""
    count = len(lines)
    while count > 1 and (not lines[count - 1].text.strip() or HEADING.match(lines[count - 1].text)):
        count -= 1
    headings = [line.text.strip() for line in lines[count:] if line.text.strip()]
    begin = lines[0].start + match.start("rest")
    if match["rest"] and (timed := _OFFSET_FIRST.match(match["rest"])) and not (match["clock"] or match["info"]):
        begin += timed.end()
    meta = {"offset": offset} if (offset := _offset(match)) else {}
    if match["info"] and match["info"] != offset:
        meta["label"] = match["info"]
    who, number = match["who"], match["number"]
    speaker = f"{who} {number}" if number and who.lower() in _GENERIC else who
    body = text[begin : lines[count - 1].end].strip(" \t\r\n")
    turns = [Turn(body, ROLES.get(who.lower(), "user"), speaker, None, meta)]
    return turns + [Turn(heading, kind="notice") for heading in headings]
