"""What JAM gives out is framed, so that it is known again when a transcript of it comes back as history.

    [jam memory
    [1] 8 May 2023
    Caroline: I went to a LGBTQ support group yesterday and it was so powerful.
    jam]

A context's first line is `[jam memory` and its last `jam]`; whatever else is given out (the answer of `jam ask` with
its sources, results of search, open and browse) says its kind in the first line, `[jam memory: search`. The frame holds
no character that JSON, HTML or Markdown changes, and is told from a text that merely has these words by what follows
it. It is found again however often it was escaped, in whatever white space, and without its end. What JAM prints as
JSON is known by its fields, and so are the files of a workspace that somebody has read without asking.

Only text here: what becomes of recalled text is for the index and the memos to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from jam.echo.bare import bare
from jam.echo.files import files
from jam.echo.frames import CLOSE as CLOSE
from jam.echo.frames import OPEN as OPEN
from jam.echo.frames import framed as framed
from jam.echo.frames import framed_around as framed_around
from jam.echo.frames import frames
from jam.echo.frames import harmless as harmless
from jam.echo.frames import unframed as unframed
from jam.echo.objects import given_out
from jam.echo.spans import Span, stripped, united
from jam.session import Message

_WORDS = ("jam", "verdict", "sha256")
"""One of these stands in every text that has something recalled in it."""
_WRAPPING = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|```\w*|~~~\w*|\A\d{1,6}\W{1,3}\Z")
"""Tags, fences and line numbers: what was put around recalled text says nothing by itself."""
_SHELL = re.compile(r'[\[{\s]*(?:"\w{1,30}":\s*(?:""|true|false|null|\d+)?[\s,\]}]*)+')
"""An object without a text in it: how a program's output is handed over."""


def spans(text: str, spoken: bool = False) -> list[Span]:
    """Where recalled text stands in a text, from first mark to last: ascending, apart from one another.

    Where a frame was cut off before its end, it ends with what it stands in (a string, a tag, a block), else with the
    text; in what a person said (`spoken`) it ends where nothing more of its own form follows.
    """
    if not any(word in text for word in _WORDS):
        return []
    shown = bare(text)
    if shown is None:
        return _spans(text, spoken)
    return united([shown.outer(*span) for span in _spans(shown.text, spoken)])


def _spans(text: str, spoken: bool) -> list[Span]:
    found = united([*frames(text, spoken), *files(text)])
    return united([*found, *given_out(text, found)])


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
    between = [stripped(text, start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    says = [(start, end) for start, end in between if re.search(r"\w", _WRAPPING.sub("", text[start:end]))]
    left = "".join(text[start:end] for start, end in says)
    return [] if _SHELL.fullmatch(left.replace("\\", "")) else says
