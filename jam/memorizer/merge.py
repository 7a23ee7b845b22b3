"""What becomes of a session that is read again: grown, forked, edited, or the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from jam.session import Message, Session

_Key = tuple[str | None, str, str, str | None, str, int]


def merge(known: Session, read: Session) -> Session:
    """The session that holds what was known and what was read, each message once.

    A document is replaced by its newer version. In a conversation nothing is ever taken away: a message is the same
    if its id, its text and its place in a thread are; otherwise it is added. Merging the same again changes nothing.
    """
    fields = {"title": read.title or known.title, "at": known.at or read.at, "meta": {**known.meta, **read.meta}}
    if read.kind == "document":
        return replace(read, group=known.group)
    old, new = _keys(known.messages), _keys(read.messages)
    if set(new) <= set(old):
        return replace(known, **fields)  # type: ignore[arg-type]
    if set(old) <= set(new):
        return replace(known, messages=read.messages, **fields)  # type: ignore[arg-type]
    missing = [message for key, message in new.items() if key not in old]
    return replace(known, messages=_together(known.messages, missing, read.messages), **fields)  # type: ignore[arg-type]


def _keys(messages: Sequence[Message]) -> dict[_Key, Message]:
    """Each message by what makes it itself; equal messages without an id are told apart by their count."""
    seen: Counter[tuple[str | None, str, str, str | None, str]] = Counter()
    keys: dict[_Key, Message] = {}
    for message in messages:
        same = (message.id, message.sha256, message.role, message.thread, message.kind)
        keys[(*same, seen[same])] = message
        seen[same] += 1
    return keys


def _together(known: Sequence[Message], missing: Sequence[Message], read: Sequence[Message]) -> tuple[Message, ...]:
    """By time where every message has one; else each new message behind the one it followed in its source."""
    if all(message.at for message in (*known, *missing)):
        return tuple(sorted((*known, *missing), key=lambda message: message.at or ""))
    found = list(known)
    new = set(map(id, missing))
    behind = len(found) if read and id(read[0]) in new else 0
    for message in read:
        if id(message) in new:
            found.insert(behind, message)
            behind += 1
        else:
            behind = found.index(message) + 1 if message in found else behind
    return tuple(found)
