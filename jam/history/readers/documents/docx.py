"""Word files (since 2007): the text with its headings, lists, tables, notes and comments."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.blocks import weight
from jam.history.parsing.chunks import Chunk, chunk
from jam.history.parsing.documents import Source, document_of
from jam.history.parsing.packages import OLE_MAGIC, ZIP_MAGIC, BadPart, Package, parse_xml
from jam.history.parsing.pictures import Pictures
from jam.history.parsing.text_blocks import Block, join
from jam.history.parsing.word.body import Body, Remark
from jam.history.parsing.word.parts import read_numbering, read_properties, read_relations, read_styles
from jam.history.parsing.written_dates import written_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

SUFFIXES = frozenset({".docx", ".docm", ".dotx"})
_FILE_NAME = (".doc", ".docx", ".dot", ".dotx", ".rtf", ".odt")
_LARGEST_PICTURE = 64 * 1024 * 1024


class Docx:
    """See the module."""

    name = "docx"
    description = "Word files (*.docx), recognised by their magic number and the name or the parts inside"

    def recognises(self, file: SourceFile) -> float:
        """By the magic number, and the file ending or the parts inside."""
        if file.sample.startswith(ZIP_MAGIC):
            return 0.95 if file.suffix in SUFFIXES else 0.5 if b"word/document.xml" in file.sample else 0.0
        return 0.9 if file.suffix in SUFFIXES and file.sample.startswith(OLE_MAGIC) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One document."""
        if file.sample.startswith(OLE_MAGIC):
            raise UnreadableFile("encrypted, or a Word file from before 2007: save it as .docx without a password")
        word = _Word(Package(file), Pictures(spill))
        blocks, damage = word.text()
        notes = [note for kind in ("footnotes", "endnotes") for note in word.remarks(kind)]
        blocks += [Block(f"[^{note.id}]: {join(note.blocks)}") for note in notes if note.blocks]
        chunks = [*chunk(join(blocks), "markdown"), *map(_comment, word.remarks("comments"))]
        chunks = [each for each in chunks if each.text.strip()]
        if not chunks:
            raise UnreadableFile(damage or "no text in it")
        if damage:
            yield Skipped("the rest of the file", damage)
        if word.contents:
            yield Note(ignored=word.contents)
        yield from document_of(replace(word.source(file, self.name), pictures=word.pictures), chunks)


def _comment(remark: Remark) -> Chunk:
    text = join(remark.blocks)
    text = f"[comment] {text}" if text.strip() else ""
    return Chunk(text, weight(text), at=written_time(remark.at), speaker=remark.author.strip() or None)


class _Word:
    """The parts of one file."""

    def __init__(self, package: Package, pictures: Pictures) -> None:
        self._package = package
        self.pictures = pictures
        main = next((path for kind, path in read_relations(package, "").values() if kind == "officeDocument"), "")
        self._main = main if package.name(main) else "word/document.xml"
        if package.name(self._main) is None:
            raise UnreadableFile("not a Word file: it has no document in it")
        self._relations = read_relations(package, self._main)
        self._styles = read_styles(package, self._part("styles"))
        self._numbering = read_numbering(package, self._part("numbering"))
        self.contents = 0
        self.changed = False

    def _part(self, kind: str) -> str:
        return next((path for found, path in self._relations.values() if found == kind), f"word/{kind}.xml")

    def _read(self, path: str) -> tuple[Body, list[Block], str | None]:
        """The text of a part, as far as it can be read, and what is wrong with the rest."""
        body = Body(self._styles, self._numbering, read_relations(self._package, path), self._picture)
        damage = None
        try:
            parse_xml(self._package.read(path), body.start, body.end, body.text)
        except BadPart as error:
            damage = str(error)
        return body, body.finish(), damage

    def text(self) -> tuple[list[Block], str | None]:
        """The text of the document."""
        body, blocks, damage = self._read(self._main)
        self.contents, self.changed = body.contents, body.changed
        return blocks, damage

    def remarks(self, kind: str) -> list[Remark]:
        """The footnotes, the endnotes or the comments."""
        path = self._part(kind)
        return self._read(path)[0].remarks if self._package.name(path) else []

    def _picture(self, target: str, alternative: str) -> str:
        """The mark of a picture, whose payload is kept."""
        said = f"[image: {alternative}]" if alternative else ""
        if "://" in target[:12]:
            return said or f"[image: {target}]"
        try:
            payload = self._package.read(target, _LARGEST_PICTURE)
        except BadPart:
            return said or "[image]"
        media = mimetypes.guess_type(target)[0] or "application/octet-stream"
        mark = self.pictures.keep(payload, media, target.rpartition("/")[2])
        return f"{said} {mark}" if said else mark

    def source(self, file: SourceFile, format: str) -> Source:
        """What the file says of itself."""
        properties = read_properties(self._package)
        facts = {"author": properties.author, "modified": properties.modified, "tracked_changes": self.changed}
        meta: dict[str, Any] = {key: value for key, value in facts.items() if value}
        title = properties.title
        if title and title.lower().endswith(_FILE_NAME):
            title = None
        return Source(file, format, meta=meta, title=title, stated=properties.created)
