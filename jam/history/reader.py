"""The interface between JAM and a history format.

A reader is asked two things: does this file look like yours, and what sessions are in it. It streams: one session
is in memory at a time where the format allows it. A record that can't be read is yielded as a `Skipped`, with its
place, and the reading goes on; only a file of which nothing can be read raises `UnreadableFile`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from jam.history.source import SAMPLE_BYTES, SourceFile
from jam.session import Attachment, Session

__all__ = ["GUESS", "READ_AS", "SAMPLE_BYTES", "Note", "Part", "Reader", "Skipped", "SourceFile", "Spill"]


READ_AS = "read_as"
"""In the meta of a session that the same messages would not be in, were its file read by another assumption (`month
first`): by which. When a file is read by another one than before, what it gave before is replaced. Such a session is
yielded once, or in parts."""
GUESS = "likely "
"""How an assumption begins that the file leaves open: it gives way to what another file of the same chat tells."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not taken in, and why."""

    where: str
    """`line 17`, `record 3` or `session session_4`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """What else the report should say of a file: neither a session nor a loss."""

    text: str = ""
    """One sentence for people, or nothing."""
    ignored: int = 0
    """Records that are never messages (snapshots, progress, a record that stands there twice)."""
    unfinished: int = 0
    """Records at the file's end that are not complete: it is still being written, perhaps. They are read the next time,
    which is no loss."""
    companion: bool = False
    """The file belongs to an export whose messages are elsewhere (names of people, settings, the same chats as a web
    page): it is taken in without sessions of its own, which is no loss."""


@dataclass(frozen=True, slots=True)
class Part(Session):
    """Some messages of a session: more of it came before in the file, or follows.

    The session is what all its parts of one file hold together; what else is said of it, the last one says. A part may
    be empty then. Sessions of one id that are no parts are copies of one another, of different times perhaps.
    """

    threads: Mapping[str, str] = field(default_factory=dict)
    """Message id → the thread that the message turned out to be in, of messages of earlier parts too."""


Spill = Callable[[bytes, str, str | None], Attachment]
"""Keeps a payload outside the raw file: (payload, media type, name) → where it went."""


class Reader(Protocol):
    """One history format."""

    name: str
    """Short and stable: it is written into every session as its `format`."""
    description: str
    """One line for people: what these files are and how they are recognised."""

    def recognises(self, file: SourceFile) -> float:
        """How sure the reader is, from the sample and the name alone, that the file is its own: 0 no, 1 certain."""
        ...

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The file's sessions in their order, with what was left out in between.

        One session id may be yielded more than once: copies are merged by message, a `Part` is joined to those before
        it. Raises `UnreadableFile` where nothing in the file can be read, `OSError` where the disk fails.
        """
        ...
