"""Chats that a program saved as Markdown, with a header before each turn.

`_**User (2026-05-05 14:00:00Z)**_`, `## Assistant`, `**You:**`.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from jam.history.parsing.blocks import Line, lines_of
from jam.history.parsing.times import iso_time
from jam.history.parsing.turns import ROLES, Turn, role_of, wrapped

_INFO = r"(?:\s*\((?P<info>[^()\n]{1,120})\))?"
_WHO = "(?P<who>" + "|".join(sorted(ROLES, key=len, reverse=True)) + ")"
_SAVED = re.compile(r"_\*\*(?P<who>[^*():\n]{1,60}?)(?::\s*(?P<name>[^*()\n]{1,60}?))?" + _INFO + r"\*\*_\s*$")
"""The headers of SpecStory, and of programs that took them over."""
_HEADERS = (
    re.compile(r"#{1,6}\s+(?:[^\w\s]+\s*)?" + _WHO + _INFO + r" ?:?\s*$", re.IGNORECASE),
    re.compile(r"\*\*(?:[^\w\s*]+\s*)?" + _WHO + _INFO + r":?\*\*:?\s*(?P<rest>.*)$", re.IGNORECASE),
)
_UNCLEAR = frozenset({"ai", "agent", "bot", "model", "response", "prompt", "me", "system", "tool", "llm", "cursor"})
"""Names that are headings of ordinary texts, too."""
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_TIME = re.compile(r"(?:^|\s)(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*Z?)?)\s*$")

Header = tuple[int, re.Match[str]]
"""The number of a line, and what it says."""


def headed_turns(text: str) -> tuple[str, list[Turn]] | None:
    """What stands before the turns, and the turns; `None` for a text that is no chat."""
    lines = lines_of(text)
    saved = saved_headers(lines)
    best = saved if {"user", "assistant"} <= _roles(saved) else []
    for pattern in _HEADERS:
        found = [(n, match) for n, line in enumerate(lines) if (match := pattern.match(line.text))]
        if len(found) > len(best) and {"user", "assistant"} <= _roles(found := _outside_code(lines, found)):
            best = found if _is_chat(found) else best
    return (text[: lines[best[0][0]].start].strip(), turns_between(text, lines, best)) if best else None


def saved_headers(lines: list[Line]) -> list[Header]:
    """The headers of a chat that SpecStory saved; those in the output of a tool are not its own."""
    found = [(n, match) for n, line in enumerate(lines) if (match := _SAVED.match(line.text))]
    shown = _shown(lines) if found else set()
    own = [(n, match) for n, match in found if _stands_alone(lines, n) and n not in shown]
    return own if 2 * len(own) >= len(found) else found


def turns_between(text: str, lines: list[Line], headers: list[Header]) -> list[Turn]:
    """The turns under their headers; an empty one says nothing and is left out."""
    ranges = zip(headers, pairwise([*(n for n, _ in headers), len(lines)]), strict=True)
    turns = (_turn(text, lines[begin:end], match) for (_, match), (begin, end) in ranges)
    return [turn for turn in turns if turn.text]


def _roles(headers: list[Header]) -> set[str]:
    return {role_of(match["who"]) for _, match in headers}


def _is_chat(headers: list[Header]) -> bool:
    """Names that might be headings of an ordinary text count once they come again."""
    names = Counter(match["who"].lower() for _, match in headers)
    return len(names) < len(headers) or not names.keys() & _UNCLEAR


def _outside_code(lines: list[Line], headers: list[Header]) -> list[Header]:
    """The headers that don't stand in a block of code."""
    inside: set[int] = set()
    opening, mark = 0, ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line.text)
        if found is None:
            continue
        if not mark:
            opening, mark = number, found[1]
        elif line.text.strip().strip(mark[0]) == "" and len(found[1]) >= len(mark):
            inside.update(range(opening, number))
            mark = ""
    return [(number, match) for number, match in headers if number not in inside]


def _shown(lines: list[Line]) -> set[int]:
    """The lines within a tool's output."""
    shown: set[int] = set()
    opening: int | None = None
    for number, line in enumerate(lines):
        if opening is None and line.text.startswith("<tool-use"):
            opening = number
        if opening is not None and line.text.rstrip().endswith("</tool-use>"):
            shown.update(range(opening, number))
            opening = None
    return shown


def _stands_alone(lines: list[Line], number: int) -> bool:
    """Whether a line is a paragraph by itself."""
    around = [lines[n].text for n in (number - 1, number + 1) if 0 <= n < len(lines)]
    return not any(text.strip() for text in around)


def _turn(text: str, lines: list[Line], match: re.Match[str]) -> Turn:
    found = match.groupdict()
    info = (match["info"] or "").strip()
    time = _TIME.search(info)
    begin = match.start("rest") if found.get("rest") else len(lines[0].text)
    body = _without_rule(text[lines[0].start + begin : lines[-1].end].lstrip("\r\n"))
    meta = _facts(info[: time.start()] if time else info)
    return Turn(
        body,
        role_of(match["who"]),
        (found.get("name") or "").strip() or None,
        iso_time(time[1]) if time else None,
        meta,
        "tool_call" if wrapped(body, "<tool-use", "</tool-use>") else
        "thinking" if wrapped(body, "<think>", "</think>") else "message",
    )  # fmt: skip


def _facts(info: str) -> dict[str, str]:
    """`claude-opus`, or `model claude-opus, mode Agent`."""
    facts: dict[str, str] = {}
    for number, part in enumerate(part.strip() for part in info.split(",")):
        key, _, value = part.partition(" ")
        if key in ("model", "mode") and value:
            facts[key] = value
        elif number == 0 and part:
            facts["model"] = part
    return facts


def _without_rule(body: str) -> str:
    """A turn without the rule that separates it from the next."""
    body = body.rstrip()
    rest = body.removesuffix("---")
    return rest.rstrip() if rest != body and rest.rpartition("\n")[2].strip() == "" else body
