"""Long sessions are kept in parts. A session that grows keeps its earlier parts as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from jam.session import Session
from jam.workspace.raw_file import Kept, RawFile, raw_of

Count = Callable[[Sequence[str]], list[int]]
_FEWEST, _MOST = 4, 64
"""Characters of a token, about: of a text that is not counted, and of one that has hardly any tokens."""
_BATCH_MESSAGES, _BATCH_CHARACTERS = 256, 262_144
"""What is counted at a time."""


def split(session: Session, part_tokens: int, count: Count) -> list[RawFile]:
    """The session in parts of at most `part_tokens`, cut between messages; a longer message is a part of its own."""
    return list(in_parts(session, map(Kept.of, session.messages), part_tokens, count))


def in_parts(
    session: Session, messages: Iterable[Kept], part_tokens: int, count: Count, part: int = 1, first: int = 0
) -> Iterator[RawFile]:
    """The messages in parts of the session, of which the first has the number `part` and begins with message `first`.

    Where a part ends depends on what stands before only.
    """
    return divided(session, sized(messages, count), part_tokens, part, first)


def divided(
    session: Session, messages: Iterable[tuple[Kept, int]], part_tokens: int, part: int = 1, first: int = 0
) -> Iterator[RawFile]:
    """The same of messages whose lengths are known."""
    held: list[Kept] = []
    size = 0
    for kept, tokens in messages:
        if held and size + tokens > part_tokens:
            yield raw_of(session, held, part, first)
            part, first = part + 1, first + len(held)
            held, size = [], 0
        held.append(kept)
        size += tokens
    yield raw_of(session, held, part, first)


def sized(messages: Iterable[Kept], count: Count) -> Iterator[tuple[Kept, int]]:
    """The messages with their lengths in tokens, counted many at a time; a very long one is not counted exactly."""
    batch: list[Kept] = []
    characters = 0
    for kept in messages:
        batch.append(kept)
        characters += len(kept.message.text)
        if len(batch) == _BATCH_MESSAGES or characters > _BATCH_CHARACTERS:
            yield from _counted(batch, count)
            batch, characters = [], 0
    yield from _counted(batch, count)


def _counted(batch: Sequence[Kept], count: Count) -> Iterator[tuple[Kept, int]]:
    tokens = iter(count([kept.message.text for kept in batch if kept.spilled is None]))
    for kept in batch:
        if kept.spilled:
            yield kept, kept.spilled.characters // _FEWEST
        else:
            yield kept, max(next(tokens), len(kept.message.text) // _MOST)
