"""What an Obsidian vault holds beside its notes: canvases, whose cards are texts, and views, which are settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.chunks import Chunk, chunk
from jam.history.parsing.decoding import looks_binary
from jam.history.parsing.documents import Source, document_of
from jam.history.parsing.jsontext import kind_name, read_json
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session


class Obsidian:
    """See the module."""

    name = "obsidian"
    description = "canvases (*.canvas) of an Obsidian vault, recognised by the name; its views (*.base) are settings"

    def recognises(self, file: SourceFile) -> float:
        """By the file ending."""
        if looks_binary(file.sample):
            return 0.0
        if file.suffix == ".canvas":
            return 0.8 if file.sample.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else 0.0
        return 0.6 if file.suffix == ".base" else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The cards of a canvas, in the order in which they were laid down."""
        if file.suffix == ".base":
            yield Note("settings of Obsidian (a database view)", companion=True)
            return
        value = read_json(file)
        nodes = value.get("nodes") if isinstance(value, dict) else None
        if not isinstance(nodes, list):
            if isinstance(value, dict) and not value:
                yield Note("an empty canvas", companion=True)
                return
            raise UnreadableFile("not a canvas: it has no list of cards")
        chunks: list[Chunk] = []
        links: list[str] = []
        for number, node in enumerate(nodes, 1):
            if not isinstance(node, dict):
                yield Skipped(f"card {number}", f"{kind_name(node)}, not an object")
                continue
            chunks += chunk(_text(node), "markdown")
            if isinstance(node.get("file"), str):
                links.append(node["file"])
        if chunks:
            yield from document_of(Source(file, self.name, meta={"links": links} if links else {}), chunks)
        else:
            yield Note("a canvas without texts", companion=True)


def _text(node: dict[str, Any]) -> str:
    """What a card says: its text, the address of its page, or the name of a group."""
    return next((node[key] for key in ("text", "label", "url") if isinstance(node.get(key), str)), "")
