"""Collecting messages into sessions while a file streams by, in bounded memory.

A file may interleave sessions, and may hold a record twice (a resumed conversation copies its past). Messages are
known by their id: the same one again is dropped and counted, another text under the same id is kept under `id~2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jam.session import Message, Session, text_digest

MAX_CHARACTERS = 64_000_000
MAX_MESSAGES = 50_000
"""What may be waiting; above it, the sessions are handed out in parts."""


@dataclass(slots=True)
class Draft:
    """A session as far as it has been read."""

    id: str
    group: tuple[str, ...] = ()
    title: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    at: str | None = None
    messages: list[Message] = field(default_factory=list)

    def describe(self, facts: Mapping[str, object]) -> None:
        """Keep what is said of the session for the first time."""
        for key, value in facts.items():
            if value is not None:
                self.meta.setdefault(key, value)


class Gathering:
    """The sessions of one file."""

    def __init__(self, format: str, origin: str) -> None:
        self._format = format
        self._origin = origin
        self._seen: dict[tuple[str, str], list[str]] = {}
        self._waiting_messages = 0
        self._waiting_characters = 0
        self.drafts: dict[str, Draft] = {}
        self.repeated = 0
        """Messages that stood there twice."""

    def draft(self, session_id: str) -> Draft:
        """The draft of a session, new or known."""
        if session_id not in self.drafts:
            self.drafts[session_id] = Draft(session_id)
        return self.drafts[session_id]

    def add(self, session_id: str, message: Message) -> bool:
        """Append a message to its session; false where the very same is there already."""
        draft = self.draft(session_id)
        if message.id is not None:
            earlier = self._seen.setdefault((session_id, message.id), [])
            digest = text_digest(f"{message.role}\0{message.at}\0{message.text}")[:16]
            if digest in earlier:
                self.repeated += 1
                return False
            earlier.append(digest)
            if len(earlier) > 1:
                message = replace(message, id=f"{message.id}~{len(earlier)}")
        draft.messages.append(message)
        self._waiting_messages += 1
        self._waiting_characters += len(message.text)
        return True

    def holds(self, session_id: str, message_id: str) -> bool:
        """Whether a message of this id is in the session."""
        return (session_id, message_id) in self._seen

    def full(self) -> bool:
        """Whether it is time to hand out what is waiting."""
        return self._waiting_messages >= MAX_MESSAGES or self._waiting_characters >= MAX_CHARACTERS

    def take(self) -> Iterator[Session]:
        """Hand out all waiting messages, in the order in which their sessions began."""
        for draft in self.drafts.values():
            if draft.messages:
                yield Session(
                    id=draft.id,
                    messages=tuple(draft.messages),
                    title=draft.title,
                    format=self._format,
                    origin=self._origin,
                    group=draft.group,
                    at=draft.at,
                    meta=dict(draft.meta),
                )
                draft.messages = []
        self._waiting_messages = self._waiting_characters = 0
