"""Sessions of texts: a document in parts, or a conversation that was written down as a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.blocks import Style
from jam.history.parsing.chunks import Chunk, chunk, parts
from jam.history.parsing.front_matter import FrontMatter
from jam.history.parsing.times import time_in_name
from jam.history.parsing.turns import Turn, is_specstory
from jam.history.reader import SourceFile
from jam.session import Kind, Message, Session

_DATE_IN_NAME = re.compile(r"^\d{4}-?\d{2}-?\d{2}(?:[T_ ]\d{2}[-.:]\d{2}(?:[-.:]\d{2})?Z?)?[\s_-]*")
_TOOL_USE = re.compile(r"<tool-use\b.*?</tool-use>", re.DOTALL)
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """A text and what is known of it."""

    file: SourceFile
    format: str
    text: str
    """Without the front matter."""
    style: Style = "plain"
    head: FrontMatter = field(default_factory=FrontMatter)
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, ...]:
        """The folders that the file is in."""
        return self.file.folders

    @property
    def at(self) -> str | None:
        """The date that the front matter or the file's name states; never the file system's."""
        return self.head.at or time_in_name(self.file.stem)

    def session(self, number: int, title: str | None, messages: list[Message], document: bool = True) -> Session:
        """One session of this file; the first bears the file's name as its id."""
        return Session(
            id=self.file.name if number == 1 else f"{self.file.name}#{number}",
            messages=tuple(messages),
            title=title,
            format=self.format,
            origin=self.file.name,
            group=self.group,
            kind="document" if document else "conversation",
            at=self.at,
            meta=dict(self.meta),
        )


def title_from_name(stem: str) -> str:
    """A title from a file name: without its date, and without dashes where they stand for blanks."""
    rest = _DATE_IN_NAME.sub("", stem)
    if not rest:
        return stem
    return rest if " " in rest else rest.replace("_", " ").replace("-", " ").strip() or stem


def document(source: Source) -> Iterator[Session]:
    """A document as one session, or as several where it is long."""
    chunks = chunk(source.text, source.style)
    title = source.head.title or _top_heading(chunks, source.style) or title_from_name(source.file.stem)
    if source.head.raw:
        raw = source.head.raw.rstrip()
        chunks.insert(0, Chunk(raw, len(raw.split())))
    heading = ""
    for number, part in enumerate(parts(chunks), 1):
        heading = part[0].heading or heading
        shown = title if number == 1 or heading in ("", title) else f"{title}: {heading}"
        if number > 1 and shown == title:
            shown = f"{title} ({number})"
        yield source.session(number, shown, [Message(role="user", text=piece.text) for piece in part])
        heading = next((piece.heading for piece in reversed(part) if piece.heading), heading)


def _top_heading(chunks: list[Chunk], style: Style) -> str | None:
    """The heading of the whole document: at its very top, or the only one of the highest level in Markdown."""
    if not chunks:
        return None
    if chunks[0].level == 1:
        return chunks[0].heading or None
    top = [piece.heading for piece in chunks if piece.level == 1] if style == "markdown" else []
    return top[0] or None if len(top) == 1 else None


def conversation(source: Source, preamble: str, turns: list[Turn], title: str | None) -> Session:
    """A conversation; what stands before its first turn is kept: a tool's own header as a notice."""
    opening: Kind = "notice" if is_specstory(preamble) else "message"
    messages = [Message(role="user", text=text, kind=opening) for text in (source.head.raw.rstrip(), preamble) if text]
    messages += [
        Message(
            role=turn.role,
            text=turn.text,
            at=turn.at,
            speaker=turn.speaker,
            kind=_kind(turn.text),
            meta=dict(turn.meta),
        )
        for turn in turns
    ]
    title = source.head.title or title or title_from_name(source.file.stem)
    return source.session(1, title, messages, document=False)


def _kind(text: str) -> Kind:
    """What a turn of a coding agent is: SpecStory folds calls and reasoning into tags."""
    if text.startswith("<tool-use") and not _TOOL_USE.sub("", text).strip():
        return "tool_call"
    if text.startswith("<think>") and not _THINKING.sub("", text).strip():
        return "thinking"
    return "message"
