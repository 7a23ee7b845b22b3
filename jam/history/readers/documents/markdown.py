"""Markdown notes (an Obsidian vault, a folder of documents) and chats that were exported as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import looks_binary
from jam.history.parsing.documents import Source, conversation, document
from jam.history.parsing.front_matter import FrontMatter, front_matter
from jam.history.parsing.headed_turns import headed_turns
from jam.history.parsing.jsontext import read_whole
from jam.history.parsing.pictures import Pictures
from jam.history.parsing.spoken_turns import spoken_turns
from jam.history.parsing.vault_links import links_of, tags_of, without_code
from jam.history.parsing.written_dates import written_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mdown", ".mkd", ".qmd", ".rmd"})
_HEADING = re.compile(r"^# +(\S.*)$", re.MULTILINE)
_DRAWING = re.compile(r"^```(?:compressed-json|json)\r?\n[^`]{2000,}?^```[ \t]*$", re.MULTILINE)
"""The data of an Excalidraw drawing, which are no text of its note."""
_DRAWN = ("text/markdown", "drawing")


class Markdown:
    """See the module."""

    name = "markdown"
    description = "Markdown notes and documents, Obsidian vaults, chats saved as Markdown (*.md, *.markdown, *.mdx)"

    def recognises(self, file: SourceFile) -> float:
        """By the file ending."""
        return 0.6 if file.suffix in SUFFIXES and not looks_binary(file.sample) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One conversation, or the parts of one document."""
        text = read_whole(file)
        if not text.strip("\ufeff \t\r\n"):
            raise UnreadableFile("empty")
        head = front_matter(text)
        pictures = Pictures(spill)
        body = pictures.inline(text[head.end :].removeprefix("\ufeff"))
        if "excalidraw-plugin" in head.values:
            body = _DRAWING.sub(lambda found: pictures.keep(found[0].encode("utf-8", "replace"), *_DRAWN), body)
        source = Source(file, self.name, body, "markdown", head, _meta(head, body), pictures=pictures)
        found = headed_turns(body) or spoken_turns(body)
        if found is None:
            yield from document(source)
        else:
            yield conversation(source, *found, title=_chat_title(found[0]))


def _chat_title(preamble: str) -> str | None:
    """The heading above a chat, unless it is merely a time."""
    found = _HEADING.search(preamble)
    return found[1].strip() if found and written_time(found[1].strip()) is None else None


def _meta(head: FrontMatter, body: str) -> dict[str, Any]:
    text = without_code(body)
    links, embeds = links_of(head.raw + text)
    lists = {
        "tags": list(dict.fromkeys([*head.texts("tags", "tag"), *tags_of(text)])),
        "aliases": head.texts("aliases", "alias"),
        "speakers": head.texts("speakers", "speaker"),
        "links": links,
        "embeds": embeds,
    }
    meta: dict[str, Any] = {"front_matter": head.raw} if head.raw else {}
    meta.update({key: values for key, values in lists.items() if values})
    return meta
