"""Frames: put around what is given out, and found again in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jam.echo.bare import bare
from jam.echo.cut import cut_end
from jam.echo.spans import SPACE, Span

OPEN = "[jam memory"
CLOSE = "jam]"
KINDS = ("ask", "browse", "open", "quote", "search", "tree")
"""What a frame that is no plain context says of itself."""

_HEAD = rf"(?={SPACE}+[^\w\n\[]{{0,8}}(?:\d{{1,6}}[^\w\n\[]{{1,3}})?\\*\[\d|{SPACE}*\Z)"
"""What follows the first line of a context: the head of its first source, perhaps behind a line number or a `>`."""
_OPEN = rf"(?P<open>\\*\[jam{SPACE}+memory(?:: (?P<kind>{'|'.join(KINDS)})\b|{_HEAD}))(?P<break>\\+[nr])?"
_CLOSE = r"(?:(?<!\w)|(?<=\\[nrt]))jam\\*\]"
_MARKS = re.compile(rf"{_OPEN}|{_CLOSE}")
_FAKES = re.compile(rf"\[(?=jam{SPACE}+memory\b)|(?:(?<=\bjam)|(?<=\\[nrt]jam))(?=\\*\])")


def framed(text: str, kind: str = "") -> str:
    """The text as it is given out: within a frame that nothing in it can close."""
    return f"{OPEN}{f': {kind}' if kind else ''}\n{harmless(text)}\n{CLOSE}"


def framed_around(context: str, kind: str, before: str, after: str) -> str:
    """A context, in its own frame, with what is said before and after it, in a frame around all."""
    return f"{OPEN}: {kind}\n{harmless(before)}{context}{harmless(after)}\n{CLOSE}"


def unframed(context: str) -> str:
    """What stands within the frame of a context."""
    return context.removeprefix(f"{OPEN}\n").removesuffix(f"\n{CLOSE}")


def harmless(text: str) -> str:
    """The text without what could pass for a mark of a frame."""
    shown = bare(text)
    if shown is None:
        return _FAKES.sub(lambda match: "‹" if match[0] else " ", text) if "jam" in text else text
    parts: list[str] = []
    done = 0
    for fake in _FAKES.finditer(shown.text):
        start, end = shown.inner(fake.start(), fake.start() + 1)
        parts += (text[done:start], "‹" if fake[0] else " ")
        done = end if fake[0] else start
    return "".join(parts) + text[done:]


def frames(text: str, spoken: bool) -> Iterator[Span]:
    """The frames of a text, ascending. A context may stand in a frame of another kind."""
    opened: list[re.Match[str]] = []
    proved = False
    for mark in _MARKS.finditer(text):
        if mark["open"] is None:
            if len(opened) == 1:
                yield opened[0].start(), mark.end()
            if opened:
                opened.pop()
                proved = True
            continue
        if opened and (mark["kind"] or not opened[-1]["kind"]):  # what is open was cut before its end
            yield from _cut(text, opened, mark.start(), spoken, proved)
            opened.clear()
        proved = proved and bool(opened)
        opened.append(mark)
    yield from _cut(text, opened, len(text), spoken, proved)


def _cut(text: str, opened: Sequence[re.Match[str]], limit: int, spoken: bool, proved: bool) -> Iterator[Span]:
    """A frame without an end. Words that look like a first line, but are none, don't begin one, unless a whole context
    behind them has `proved` them.
    """
    for mark in opened:
        if proved or not mark["kind"] or mark["break"] or text[mark.end() : mark.end() + 1] in ("", "\r", "\n"):
            yield mark.start(), cut_end(text, mark, limit, spoken)
            return
