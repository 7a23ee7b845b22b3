"""Objects of JSON that JAM has printed, found in a text that holds them at whatever depth of escaping.

A transcript keeps a program's output as a string, and a log of the transcript keeps that string in another: with each
layer a quote has more backslashes before it. Nothing is parsed here, since such an object may be cut off anywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from jam.echo.spans import SPACE, Span

KEY = "jam memory"
"""The first key of a result: it says that it was given out."""

_FIRST_KEY = re.compile(rf'\{{{SPACE}*(?P<slashes>\\*)"(?P<key>{KEY}|query|event|answer|path|at)(?P=slashes)"{SPACE}*:')
_TOKEN = re.compile(r'\\*"|[{}]')
_VERDICTS = "sufficient|partial|conflicting|absent"
_EFFORT = 20
"""A text is looked through at most this many times over, however it is nested."""


def given_out(text: str, frames: Sequence[Span]) -> Iterator[Span]:
    """Where the objects stand: results, contexts, pieces of evidence; ascending, none within another. What begins
    within one of the frames (ascending too) is quoted, and no object of its own.
    """
    position, effort = 0, _EFFORT * len(text)
    ends = [end for _, end in frames]
    while effort > 0:
        first = _FIRST_KEY.search(text, position)
        if first is None:
            return
        around = bisect_right(ends, first.start())
        if around < len(frames) and frames[around][0] <= first.start():
            position = frames[around][1]
            continue
        end = _object_end(text, first.start(), len(first["slashes"]) + 1)
        effort -= end - first.start()
        if _is_ours(text, first, end):
            yield first.start(), end
            position = end
        else:
            position = first.start() + 1


def _object_end(text: str, start: int, unit: int) -> int:
    """Where an object ends whose quotes have `unit - 1` backslashes before them: with its brace, else with the string
    that it stands in, or with the text.
    """
    depth, inside = 0, False
    for token in _TOKEN.finditer(text, start):
        slashes = len(token[0]) - 1
        if token[0] in "{}":
            depth += 0 if inside else 1 if token[0] == "{" else -1
            if depth == 0:
                return token.end()
        elif slashes < unit - 1:
            return token.start()
        elif ((slashes + 1 - unit) // unit) % 2 == 0:
            inside = not inside
    return len(text)


def _is_ours(text: str, first: re.Match[str], end: int) -> bool:
    """Whether an object is one of JAM's: a result, a context, or a piece of evidence."""
    slashes = re.escape(first["slashes"])

    def has(name: str, value: str = "") -> bool:
        pattern = rf'{slashes}"{name}{slashes}"{SPACE}*:{SPACE}*{value}'
        return re.compile(pattern).search(text, first.start(), end) is not None

    if first["key"] == KEY:
        return True
    if first["key"] in ("path", "at"):
        return has("message", r"\d") and has("path") and (has("sha256") or has("score"))
    framed_context = has("context", rf'{slashes}"\\*\[jam{SPACE}+memory')
    return framed_context or (has("verdict", rf'{slashes}"(?:{_VERDICTS}){slashes}"') and has("query"))
