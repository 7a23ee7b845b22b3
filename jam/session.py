"""Sessions and messages: what a history is made of once it has been read.

Plain data. Nothing here knows about files, formats or models.

A time (`at`) is the ISO 8601 text of a date or of a date and time, exactly as precise as the source is:
"2023-05-08", "2023-05-08T13:56:00" (no zone known) or "2026-02-03T09:14:00+00:00". `None` means unknown, and an
unknown time is never filled in from somewhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["message", "thinking", "tool_call", "tool_result", "summary", "notice"]
"""What a message is: something said, or one of the things that surround it in a transcript."""

SessionKind = Literal["conversation", "document"]
"""A conversation grows by messages; a document is replaced by its newer version."""


def bytes_digest(payload: bytes) -> str:
    """SHA-256 (64 hex digits) of a payload: its name in `attachments/`."""
    return hashlib.sha256(payload).hexdigest()


def text_digest(text: str) -> str:
    """SHA-256 (64 hex digits) of the text in UTF-8; lone surrogates are encoded as they stand."""
    return bytes_digest(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A payload kept outside the raw file, in `attachments/<sha256>` of the workspace."""

    sha256: str
    media_type: str
    size: int
    """Bytes."""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a session, verbatim."""

    role: str
    """`user`, `assistant`, `system` or `tool`."""
    text: str
    id: str | None = None
    """The message's own id in its source, unique within the session, where it has one."""
    at: str | None = None
    speaker: str | None = None
    """A display name, where the source has one."""
    kind: Kind = "message"
    thread: str | None = None
    """`None` on the main line; otherwise the side chain, sub-agent or branch that the message belongs to."""
    attachments: tuple[Attachment, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    """What else the source says and is worth keeping; JSON values only."""

    @property
    def sha256(self) -> str:
        """Digest of the text: the proof that a quote was taken from this very message."""
        return text_digest(self.text)

    @property
    def name(self) -> str:
        """Who speaks, for people: the speaker, else the role."""
        return self.speaker or self.role


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation, run or document part: ordered messages."""

    id: str
    """Unique within the workspace and stable from one reading to the next."""
    messages: tuple[Message, ...]
    title: str | None = None
    format: str = "unknown"
    """The name of the reader that made it."""
    origin: str = ""
    """The source file, relative to the history, with `/`."""
    group: tuple[str, ...] = ()
    """Where the source itself files the session (project, vault folder, benchmark conversation); groups are never
    mixed in one folder."""
    kind: SessionKind = "conversation"
    at: str | None = None
    """The session's own time where the source states one; see `started`."""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def started(self) -> str | None:
        """The session's own time, else that of its first dated message."""
        return self.at or next((message.at for message in self.messages if message.at), None)

    @property
    def ended(self) -> str | None:
        """The time of the last dated message, else the session's own."""
        return next((message.at for message in reversed(self.messages) if message.at), None) or self.at
