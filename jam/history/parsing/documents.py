"""Sessions of texts: a document in parts, or a conversation that was written down as a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.blocks import Style
from jam.history.parsing.chunks import Chunk, chunk, parts
from jam.history.parsing.front_matter import FrontMatter
from jam.history.parsing.named_dates import time_of_file, title_from_name
from jam.history.parsing.pictures import Pictures
from jam.history.parsing.turns import Turn
from jam.history.source import SourceFile
from jam.session import Message, Session

__all__ = ["Source", "conversation", "document", "document_of", "title_from_name"]


@dataclass(frozen=True, slots=True)
class Source:
    """A text and what is known of it."""

    file: SourceFile
    format: str
    text: str = ""
    """Without the front matter."""
    style: Style = "plain"
    head: FrontMatter = field(default_factory=FrontMatter)
    meta: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    """What the file itself says, apart from a front matter."""
    stated: str | None = None
    """The date that the file itself states, apart from a front matter."""
    pictures: Pictures | None = None
    """Of the payloads whose marks stand in the text."""

    @property
    def at(self) -> str | None:
        """The date that the file or its name states; never the file system's."""
        return self.head.at or self.stated or time_of_file(self.file)

    def session(self, number: int, title: str | None, messages: Sequence[Message], document: bool = True) -> Session:
        """One session of this file; the first bears the file's name as its id."""
        return Session(
            id=self.file.name if number == 1 else f"{self.file.name}#{number}",
            messages=tuple(self.pictures.attach(messages) if self.pictures else messages),
            title=title,
            format=self.format,
            origin=self.file.name,
            group=self.file.folders,
            kind="document" if document else "conversation",
            at=self.at,
            meta=dict(self.meta),
        )


def document(source: Source) -> Iterator[Session]:
    """A document as one session, or as several where it is long."""
    chunks = chunk(source.text, source.style)
    if source.head.raw:
        raw = source.head.raw.rstrip()
        chunks.insert(0, Chunk(raw, len(raw.split())))
    return document_of(source, chunks)


def document_of(source: Source, chunks: list[Chunk]) -> Iterator[Session]:
    """The same, of a document that is in pieces already."""
    title = source.head.title or source.title or _top_heading(source, chunks) or title_from_name(source.file.stem)
    heading = ""
    for number, part in enumerate(parts(chunks), 1):
        heading = part[0].heading or heading
        shown = title if number == 1 or heading in ("", title) else f"{title}: {heading}"
        if number > 1 and shown == title:
            shown = f"{title} ({number})"
        yield source.session(number, shown, [_message(piece) for piece in part])
        heading = next((piece.heading for piece in reversed(part) if piece.heading), heading)


def _message(piece: Chunk) -> Message:
    return Message(role="user", text=piece.text, at=piece.at, speaker=piece.speaker, meta=piece.meta)


def _top_heading(source: Source, chunks: list[Chunk]) -> str | None:
    """The heading of the whole document: at its very top, or the only one of the highest level in Markdown."""
    own = chunks[1:] if source.head.raw else chunks
    if not own:
        return None
    if own[0].level == 1:
        return own[0].heading or None
    top = [piece.heading for piece in own if piece.level == 1] if source.style == "markdown" else []
    return top[0] or None if len(top) == 1 else None


def conversation(source: Source, preamble: str, turns: list[Turn], title: str | None) -> Session:
    """A conversation; what stands before its first turn is kept."""
    opening = [Message(role="user", text=text) for text in (source.head.raw.rstrip(), preamble) if text]
    title = source.head.title or source.title or title or title_from_name(source.file.stem)
    return source.session(1, title, opening + messages_of(turns), document=False)


def messages_of(turns: list[Turn]) -> list[Message]:
    """The turns as messages."""
    return [
        Message(role=turn.role, text=turn.text, at=turn.at, speaker=turn.speaker, kind=turn.kind, meta=dict(turn.meta))
        for turn in turns
    ]
