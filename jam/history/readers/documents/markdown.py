"""Markdown notes (an Obsidian vault, a folder of documents) and chats that were exported as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode, looks_binary
from jam.history.parsing.documents import Source, conversation, document
from jam.history.parsing.front_matter import FrontMatter, front_matter
from jam.history.parsing.jsontext import read_whole
from jam.history.parsing.times import iso_time
from jam.history.parsing.turns import headed_turns, is_specstory, spoken_turns
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

SUFFIXES = frozenset({".md", ".markdown", ".mdx"})
_HEADING = re.compile(r"^# +(\S.*)$", re.MULTILINE)
_SOURCE_SESSION = re.compile(r"<!-- (.{1,60}?) Session ([\w.-]+) \(")


class Markdown:
    """See the module."""

    name = "markdown"
    description = "Markdown notes and documents, Obsidian vaults, SpecStory chats (*.md, *.markdown, *.mdx)"

    def recognises(self, file: SourceFile) -> float:
        """By the file ending, or by SpecStory's mark."""
        if looks_binary(file.sample):
            return 0.0
        if file.suffix in SUFFIXES:
            return 0.6
        return 0.6 if is_specstory(decode(file.sample[:2048])) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One conversation, or the parts of one document."""
        text = read_whole(file)
        if not text.strip("\ufeff \t\r\n"):
            raise UnreadableFile("empty")
        head = front_matter(text)
        body = text[head.end :].removeprefix("\ufeff")
        source = Source(file, self.name, body, "markdown", head, _meta(head, body))
        found = headed_turns(body) or spoken_turns(body)
        if found is None:
            yield from document(source)
        else:
            yield conversation(source, *found, title=_chat_title(found[0]))


def _chat_title(preamble: str) -> str | None:
    """The heading above a chat, unless it is merely a time."""
    found = _HEADING.search(preamble)
    return found[1].strip() if found and iso_time(found[1]) is None else None


def _meta(head: FrontMatter, body: str) -> dict[str, Any]:
    lists = {
        "tags": head.texts("tags", "tag"),
        "aliases": head.texts("aliases", "alias"),
        "speakers": head.texts("speakers", "speaker"),
    }
    meta: dict[str, Any] = {"front_matter": head.raw} if head.raw else {}
    meta.update({key: values for key, values in lists.items() if values})
    if is_specstory(body) and (found := _SOURCE_SESSION.search(body[:4096])):
        meta.update(agent=found[1], source_session=found[2])
    return meta
