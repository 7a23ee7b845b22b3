"""Long sessions are kept in parts. A session that grows keeps its earlier parts as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from jam.session import Session
from jam.workspace.raw_file import RawFile

Count = Callable[[Sequence[str]], list[int]]


def split(session: Session, part_tokens: int, count: Count) -> list[RawFile]:
    """The session in parts of at most `part_tokens`, cut between messages; a longer message is a part of its own."""
    parts: list[RawFile] = []
    begin, size = 0, 0
    for number, tokens in enumerate(count([message.text for message in session.messages])):
        if number > begin and size + tokens > part_tokens:
            parts.append(_part(session, begin, number, len(parts) + 1))
            begin, size = number, 0
        size += tokens
    return [*parts, _part(session, begin, len(session.messages), len(parts) + 1)]


def _part(session: Session, begin: int, end: int, number: int) -> RawFile:
    return RawFile(replace(session, messages=session.messages[begin:end]), part=number, first=begin)
