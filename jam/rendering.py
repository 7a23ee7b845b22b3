"""How evidence is written down as a context. The text follows from the evidence alone, so that it can be checked.

    [jam memory
    [1] 8 May 2023
    Caroline: I went to a LGBTQ support group yesterday and it was so powerful.
    …
    Melanie: Wow, that's cool, Caroline!
    jam]

The first and the last line are the frame by which JAM knows its own words again (`jam.echo`). A session opens with the
number of its source and the date of what is quoted; where the date changes within it, it opens again. Messages left out
between two others are a line of their own. What a strategy put into other words has "(edited)" behind its speaker; its
evidence has the words of the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from jam.context import Evidence
from jam.echo import CLOSE, OPEN, harmless

GAP = "…"
EDITED = " (edited)"
"""Stands behind the speaker of what is not quoted word for word."""
_CONTROL = re.compile(
    r"<(?=/?(?:think|thinking|tool_use|tool_calls?|tool_response|answer|system|function|function_calls?|invoke|parameter)\b"
    r"|/?(?:start_of_turn|end_of_turn|bos|eos|pad|unk|s)>|\||｜)|\[(?=/?(?:INST|SYS|TOOL_CALLS|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)
"""What model families take for their own marks: ChatML and Qwen, Llama, Gemma, Mistral, DeepSeek, and tool calls."""
_HEAD = re.compile(r"^(?=\[\d+\])", re.MULTILINE)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def render_context(evidence: Sequence[Evidence], sources: Sequence[str]) -> str:
    """The context of some evidence, which is in the order of its sources and of its messages; none of none."""
    return "\n".join(line for line, _ in context_lines(evidence, sources))


def context_lines(evidence: Sequence[Evidence], sources: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """The context's lines, each with the number of the evidence that it quotes: none for the frame, heads, gaps."""
    if evidence:
        yield OPEN, None
        yield from _quoted(evidence, sources)
        yield CLOSE, None


def _quoted(evidence: Sequence[Evidence], sources: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    numbers = {path: number for number, path in enumerate(sources, 1)}
    before: Evidence | None = None
    for position, item in enumerate(evidence):
        same = before is not None and before.path == item.path
        if not same or _day(before) != _day(item):
            yield f"{chr(10) if before else ''}{head_line(numbers.get(item.path, 0), item.at)}", None
        elif before is not None and item.message != before.message + 1:
            yield GAP, None
        yield evidence_line(item), position
        before = item


def head_line(number: int, at: str | None) -> str:
    """The line over what a source says of one day."""
    return f"[{number}] {day_text(at)}".rstrip()


def evidence_line(item: Evidence) -> str:
    """A quote with its speaker; what was put into other words is marked as edited."""
    name = item.speaker or item.role
    return message_line(name, item.text) if item.rewritten is None else message_line(f"{name}{EDITED}", item.rewritten)


def message_line(name: str, text: str) -> str:
    """A quoted message with its speaker."""
    return f"{plain(name)}: {plain(text)}"


def plain(text: str) -> str:
    """The text with what could steer a model, pass for a source's head or end the frame made harmless: it is quoted,
    not obeyed.
    """
    return _HEAD.sub(r"\\", _CONTROL.sub("‹", harmless(text)))


def day_text(at: str | None) -> str:
    """A date as people write it; what is no full date stays as it is."""
    try:
        day = date.fromisoformat((at or "")[:10])
    except ValueError:
        return (at or "")[:10]
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _day(item: Evidence | None) -> str | None:
    return item.at[:10] if item and item.at else None
