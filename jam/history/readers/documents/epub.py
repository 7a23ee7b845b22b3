"""E-books: the chapters in their reading order, without cover, contents and other navigation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from jam.errors import UnreadableFile
from jam.history.parsing.chunks import Chunk, chunk
from jam.history.parsing.documents import Source, document_of, title_from_name
from jam.history.parsing.html.page import html_to_text
from jam.history.parsing.html.tokens import Token, decode_markup, tokens
from jam.history.parsing.packages import ZIP_MAGIC, BadPart, Package, normal
from jam.history.parsing.written_dates import written_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

_CHAPTER_BYTES = 16 * 1024 * 1024
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/html+xml", "application/x-dtbook+xml"})
_LOCKED = "META-INF/encryption.xml"


class Epub:
    """See the module."""

    name = "epub"
    description = "e-books (*.epub), recognised by their magic number and the name or media type"

    def recognises(self, file: SourceFile) -> float:
        """By the magic number, and the file ending or the media type at the top."""
        if not file.sample.startswith(ZIP_MAGIC):
            return 0.0
        return 0.95 if file.suffix == ".epub" or b"application/epub+zip" in file.sample[:100] else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One document."""
        package = Package(file)
        book = _book(package)
        chunks: list[Chunk] = []
        locked = _locked(package)
        for number, path in enumerate(book.chapters, 1):
            try:
                if path in locked:
                    raise BadPart(f"{path} is encrypted (copy protection)")
                markup = decode_markup(package.read(path, _CHAPTER_BYTES))
            except BadPart as error:
                yield Skipped(f"chapter {number}", str(error))
            else:
                chunks += chunk(html_to_text(markup), "markdown")
        if not chunks:
            raise UnreadableFile("encrypted (copy protection)" if locked else "no text in it")
        if book.left_out:
            yield Note(ignored=book.left_out)
        meta = {key: value for key, value in (("author", book.author), ("language", book.language)) if value}
        title = book.title or title_from_name(file.stem)  # the first heading is that of a chapter
        yield from document_of(Source(file, self.name, meta=meta, title=title, stated=book.at), chunks)


def _locked(package: Package) -> set[str]:
    """The chapters that only the seller's own program can read."""
    if package.name(_LOCKED) is None:
        return set()
    try:
        markup = decode_markup(package.read(_LOCKED))
    except BadPart:
        return set()
    addresses = (token.attributes.get("uri", "") for token in tokens(markup) if token.value.endswith("cipherreference"))
    paths = {normal(unquote(address)) for address in addresses}
    return {path for path in paths if path.lower().endswith((".xhtml", ".html", ".htm", ".xml"))}


@dataclass(slots=True)
class _Book:
    """What the package document says."""

    title: str | None = None
    author: str | None = None
    language: str | None = None
    at: str | None = None
    chapters: list[str] = field(default_factory=list)
    left_out: int = 0
    """Pages of navigation."""


def _book(package: Package) -> _Book:
    """The package document. Raises `UnreadableFile` where there is none."""
    try:
        container = decode_markup(package.read("META-INF/container.xml"))
        roots = (token.attributes.get("full-path") for token in tokens(container) if token.value == "rootfile")
        root = next(filter(None, roots), None)
        if root is None:
            raise BadPart("META-INF/container.xml names no package document")
        reading = _Reading(root.rpartition("/")[0])
        for token in tokens(decode_markup(package.read(root))):
            reading.take(token)
    except BadPart as error:
        raise UnreadableFile(f"not an e-book that can be read: {error}") from None
    return reading.book()


class _Reading:
    """Takes the tokens of a package document one by one."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._said: dict[str, list[str]] = {}
        self._key = ""
        self._dates: dict[str, str] = {}
        self._date_event = ""
        self._items: dict[str, dict[str, str]] = {}
        self._spine: list[str] = []
        self._covers: set[str] = set()

    def take(self, token: Token) -> None:
        """The next token."""
        name = token.value.rpartition(":")[2]
        if token.kind == "start":
            self._start(name, dict(token.attributes))
        elif token.kind == "end":
            self._key = ""
        elif self._key and token.value.strip():
            self._said.setdefault(self._key, []).append(" ".join(token.value.split()))
            if self._key == "date":
                self._dates.setdefault(self._date_event, token.value.strip())

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("title", "creator", "language", "date"):
            self._key = name
            self._date_event = attributes.get("opf:event", attributes.get("event", "")).lower()
        elif name == "item" and attributes.get("id") and attributes.get("href"):
            self._items.setdefault(attributes["id"], attributes)
        elif name == "itemref" and attributes.get("idref"):
            self._spine.append(attributes["idref"])
        elif name == "reference" and attributes.get("type", "").lower() in ("toc", "cover", "cover-page"):
            self._covers.add(attributes.get("href", "").partition("#")[0])

    def book(self) -> _Book:
        """What was said."""
        first: dict[str, Any] = {key: values[0][:500] for key, values in self._said.items()}
        book = _Book(first.get("title"), ", ".join(self._said.get("creator", []))[:500] or None, first.get("language"))
        dates = (self._dates.get(event) for event in ("publication", "original-publication", "", "creation"))
        book.at = next(filter(None, map(written_time, dates)), None)
        spine = [self._items[reference] for reference in self._spine if reference in self._items]
        for item in spine or self._items.values():
            if item.get("media-type", "application/xhtml+xml") not in _PAGES:
                continue
            if "nav" in item.get("properties", "").split() or item["href"] in self._covers:
                book.left_out += 1
                continue
            path = unquote(item["href"].partition("#")[0])
            book.chapters.append(normal(f"{self._folder}/{path}"))
        return book
