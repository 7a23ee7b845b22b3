"""Collecting messages into sessions while a file streams by, in bounded memory.

A file may interleave sessions, and may hold a record twice (a resumed conversation copies its past). Messages are
known by their id: the same one again is dropped and counted, another text under the same id is kept under `id~2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from jam.history.reader import Part
from jam.session import Message, Session

MAX_CHARACTERS = 8_000_000
MAX_MESSAGES = 10_000
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
    told: dict[str, Any] | None = None
    """What was said of the session when a part of it was handed out; `None` before the first."""

    def facts(self) -> dict[str, Any]:
        """All that is said of the session, but for its messages."""
        return {"title": self.title, "group": self.group, "at": self.at, "meta": dict(self.meta)}

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
        self._seen: dict[int, tuple[int, ...]] = {}
        """Message → what was said under its id. Numbers: a file may hold very many messages."""
        self._summaries: set[tuple[str, int]] = set()
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
            place = _number(session_id, message.id)
            earlier = self._seen.get(place, ())
            said = _number(message.role, str(message.at), message.text)
            if said in earlier:
                self.repeated += 1
                return False
            self._seen[place] = (*earlier, said)
            if earlier:
                message = replace(message, id=f"{message.id}~{len(earlier) + 1}")
        draft.messages.append(message)
        self._waiting_messages += 1
        self._waiting_characters += len(message.text)
        return True

    def holds(self, session_id: str, message_id: str) -> bool:
        """Whether a message of this id is in the session."""
        return _number(session_id, message_id) in self._seen

    def holds_summary(self, session_id: str, text: str) -> bool:
        """Whether a summary of this text is in the session."""
        waiting = self.drafts[session_id].messages if session_id in self.drafts else []
        return (session_id, _number(text)) in self._summaries or any(
            message.kind == "summary" and message.text == text for message in waiting
        )

    def full(self) -> bool:
        """Whether it is time to hand out what is waiting."""
        return self._waiting_messages >= MAX_MESSAGES or self._waiting_characters >= MAX_CHARACTERS

    def take(self, threads: Mapping[str, str] | None = None) -> Iterator[Session]:
        """Hand out all waiting messages, in the order in which their sessions began; parts where more may follow.

        `threads` says which messages (by their ids), of those handed out before too, are on no main line.
        """
        full = self.full()
        for draft in self.drafts.values():
            news = draft.told is not None and bool(threads or draft.facts() != draft.told)
            if draft.messages or news:
                yield self._handed_out(draft, full, threads or {})
        self._waiting_messages = self._waiting_characters = 0

    def _handed_out(self, draft: Draft, full: bool, threads: Mapping[str, str]) -> Session:
        messages = tuple(in_thread(message, threads) for message in draft.messages)
        draft.messages = []
        if not full and draft.told is None:
            return Session(draft.id, messages, format=self._format, origin=self._origin, **draft.facts())
        self._summaries.update((draft.id, _number(m.text)) for m in messages if m.kind == "summary")
        draft.told = draft.facts()
        return Part(draft.id, messages, format=self._format, origin=self._origin, threads=threads, **draft.facts())


def in_thread(message: Message, threads: Mapping[str, str]) -> Message:
    """The message in its thread; the second text under one id (`id~2`) is where the first is."""
    thread = threads.get((message.id or "").partition("~")[0])
    return replace(message, thread=thread) if thread and message.thread is None else message


def _number(*texts: str) -> int:
    """64 bits of a digest."""
    digest = blake2b(digest_size=8)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return int.from_bytes(digest.digest(), "little")
