"""Archive text as it is put into a prompt: delimited, labelled, and unable to close its delimiters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jam.rendering import plain
from jam.session import Message
from jam.workspace.names import label

_OWN_TAGS = re.compile(r"<(?=/?(?:session|file|evidence|overview)\b)", re.IGNORECASE)
_SAID = ("message", "summary")
_ASIDE_CHARS = 200
"""What tools wrote in a session is shown this far: it says what was done, seldom what it was about."""


def as_data(text: str) -> str:
    """The text with what could steer a model, or end the block it stands in, made harmless."""
    return enclosed(plain(text))


def enclosed(text: str) -> str:
    """Text that can't steer a model any more, made unable to end the block it stands in."""
    return _OWN_TAGS.sub("‹", text)


def message_text(message: Message) -> str:
    """A message with its speaker, in one piece."""
    return f"{label(message.speaker or message.role)}: {as_data(message.text)}"


def numbered(number: int, message: Message) -> str:
    """A message with its number and time, for a reader that is to quote it."""
    when = f" ({message.at[:16].replace('T', ' ')})" if message.at else ""
    return f"{number}. {label(message.speaker or message.role)}{when}: {as_data(message.text)}"


def session_lines(messages: Sequence[Message]) -> list[str]:
    """What was said, and in short what was done between; where nothing was said, all there is."""
    spoken = any(message.kind in _SAID for message in messages)
    lines = []
    for message in messages:
        text = message_text(message)
        aside = spoken and message.kind not in _SAID
        lines.append(f"{text[:_ASIDE_CHARS]}…" if aside and len(text) > _ASIDE_CHARS else text)
    return lines
