"""What JAM gives out is framed, so that it is known again when a transcript of it comes back as history.

    [jam memory
    [1] 8 May 2023
    Caroline: I went to a LGBTQ support group yesterday and it was so powerful.
    jam]

A context's first line is `[jam memory` and its last `jam]`; whatever else is given out (the answer of `jam ask` with
its sources, results of search, open and browse) says its kind in the first line, `[jam memory: search`. The frame holds
no character that JSON, HTML or Markdown changes, and is told from a text that merely has these words by what follows
it. It is found again however often it was escaped, in whatever white space, and without its end. What JAM prints as
JSON is known by its fields.

Only text here: what becomes of recalled text is for the index and the memos to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from jam.echo_objects import SPACE, Span, given_out
from jam.session import Message

OPEN = "[jam memory"
CLOSE = "jam]"
KINDS = ("ask", "browse", "open", "quote", "search", "tree")
"""What a frame that is no plain context says of itself."""

_WORDS = ("jam", "verdict", "sha256")
"""One of these stands in every text that has something recalled in it."""
_HEAD = rf"(?={SPACE}+[^\w\n\[]{{0,8}}(?:\d{{1,6}}[^\w\n\[]{{1,3}})?\\*\[\d|{SPACE}*\Z)"
"""What follows the first line of a context: the head of its first source, perhaps behind a line number or a `>`."""
_OPEN = rf"(?P<open>\\*\[jam{SPACE}+memory(?:: (?P<kind>{'|'.join(KINDS)})\b|{_HEAD}))(?P<break>\\+[nr])?"
_CLOSE = r"(?:(?<!\w)|(?<=\\[nrt]))jam\\*\]"
_MARKS = re.compile(rf"{_OPEN}|{_CLOSE}")
_FAKES = re.compile(rf"\[(?=jam{SPACE}+memory\b)|(?:(?<=\bjam)|(?<=\\[nrt]jam))(?=\\*\])")
_CUT = re.compile(
    r"^\W{0,20}(?:output |response |result |text )?(?:[\d.,]+k? ?\w{0,12} )?truncated\b.{0,80}$", re.MULTILINE | re.I
)
"""What tools write where they cut a text."""
_ENDED_TAG = re.compile(r"</([A-Za-z][\w:.-]{0,60})\s*>")
_TAGS = 50
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SPEAKER = re.compile(r"^\[\d+\][^\n]*\n(?:…\n)?([^\n:]{1,80}): ", re.MULTILINE)
_WRAPPING = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|```\w*|~~~\w*|\A\d{1,6}\W{1,3}\Z")
"""Tags, fences and line numbers: what was put around recalled text says nothing by itself."""
_SHELL = re.compile(r'[\[{\s]*(?:"\w{1,30}":\s*(?:""|true|false|null|\d+)?[\s,\]}]*)+')
"""An object without a text in it: how a program's output is handed over."""


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
    return _FAKES.sub(lambda match: "‹" if match[0] else " ", text) if "jam" in text else text


def spans(text: str, spoken: bool = False) -> list[Span]:
    """Where recalled text stands in a text, from first mark to last: ascending, apart from one another.

    Where a frame was cut off before its end, it ends with what it stands in (a string, a tag, a block), else with the
    text; in what a person said (`spoken`) it ends where nothing more of its own form follows.
    """
    if not any(word in text for word in _WORDS):
        return []
    frames = list(_frames(text, spoken))
    return _united([*frames, *given_out(text, frames)])


def without_echo(text: str, spoken: bool = False) -> str:
    """The text without what was recalled; a text without echo is given back as it is."""
    found = spans(text, spoken)
    return "\n".join(text[start:end] for start, end in _between(text, found)) if found else text


def own_stretches(message: Message) -> list[Span]:
    """The stretches of a message that say something of their own; none of one that is recalled altogether."""
    return _between(message.text, spans(message.text, _is_spoken(message)))


def own_text(message: Message) -> str:
    """The message's text without what was recalled in it."""
    return without_echo(message.text, _is_spoken(message))


def own_words(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages as memos take them: without echo, and without those that are nothing else."""
    found = [(message, own_text(message)) for message in messages]
    return tuple(
        message if own == message.text else replace(message, text=own)
        for message, own in found
        if own or not message.text
    )


def _is_spoken(message: Message) -> bool:
    return message.role == "user" and message.kind == "message"


def _between(text: str, found: Sequence[Span]) -> list[Span]:
    """What a text says between recalled stretches, without white space around it; a text without any is all its own."""
    if not found:
        return [(0, len(text))] if text.strip() else []
    bounds = [0, *(bound for span in found for bound in span), len(text)]
    between = [_stripped(text, start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    says = [(start, end) for start, end in between if re.search(r"\w", _WRAPPING.sub("", text[start:end]))]
    left = "".join(text[start:end] for start, end in says)
    return [] if _SHELL.fullmatch(left.replace("\\", "")) else says


def _frames(text: str, spoken: bool) -> Iterator[Span]:
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
            yield mark.start(), _cut_end(text, mark, limit, spoken)
            return


def _cut_end(text: str, opened: re.Match[str], limit: int, spoken: bool) -> int:
    """Where a frame without an end ends, at the latest at `limit`."""
    begin = opened.end()
    if opened["break"]:  # a string of JSON: it ends with the quote that has fewer backslashes than its line breaks
        slashes = len(opened["break"]) - 1
        ends = (quote.start() for quote in re.finditer(r'\\*"', text[begin:limit]) if len(quote[0]) <= slashes)
        return begin + next(ends, limit - begin)
    bounds = [limit, *(cut.end() for cut in islice(_CUT.finditer(text, begin, limit), 1))]
    for tag in islice(_ENDED_TAG.finditer(text, begin, limit), _TAGS):
        if re.search(rf"<{re.escape(tag[1])}[\s>]", text[: opened.start()]):
            bounds.append(tag.start())
            break
    if len(_FENCE.findall(text[: opened.start()])) % 2:
        bounds += [fence.start() for fence in islice(_FENCE.finditer(text, begin, limit), 1)]
    end = min(bounds)
    return _last_of_its_form(text, begin, end) if spoken else end


def _last_of_its_form(text: str, begin: int, limit: int) -> int:
    """The end of the last paragraph that has a source's head or the line of a speaker in it."""
    names = {re.escape(name) for name in _SPEAKER.findall(text[begin:limit])}
    form = re.compile(rf"^(?:\[\d+\]|…$| *\d+\. {''.join(f'|{name}: ' for name in sorted(names))})", re.MULTILINE)
    breaks = [*(gap.start() for gap in _PARAGRAPH.finditer(text, begin, limit)), limit]
    last = max((found.start() for found in form.finditer(text, begin, limit)), default=begin)
    return next(end for end in breaks if end >= last)


def _united(found: Sequence[Span]) -> list[Span]:
    """Spans in their order; what touches or overlaps is one."""
    out: list[Span] = []
    for start, end in sorted(found):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _stripped(text: str, start: int, end: int) -> Span:
    stretch = text[start:end]
    first = start + len(stretch) - len(stretch.lstrip())
    return first, max(first, start + len(stretch.rstrip()))
