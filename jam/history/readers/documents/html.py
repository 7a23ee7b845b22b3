"""Web pages and saved articles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode, looks_binary
from jam.history.parsing.documents import Source, document
from jam.history.parsing.html.page import Page, read_page
from jam.history.parsing.html.tokens import decode_markup
from jam.history.parsing.jsontext import MAX_WHOLE_FILE
from jam.history.parsing.pictures import Pictures
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".xht"})
_BEGINNING = re.compile(r"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_PARTS = re.compile(r"(.+)(?:_files|-Dateien|_fichiers|_archivos|-bestanden|_file)")
"""The folder that a browser puts beside a page which it saves."""
_PART_SUFFIXES = frozenset(
    " .js .css .html .htm .php .aspx .download .json .map .png .jpg .jpeg .gif .svg .webp .avif .ico .woff .woff2 .ttf"
    " .mp4 .webm".split(" ")
)


class Html:
    """See the module."""

    name = "html"
    description = "web pages and saved articles (*.html, *.htm, *.xhtml), recognised by the name or a doctype"

    def recognises(self, file: SourceFile) -> float:
        """By its beginning and the file ending; a part of a saved page by its folder."""
        if _page_of(file):
            return 0.7
        if looks_binary(file.sample):
            return 0.0
        begins = _begins_as_page(decode(file.sample[:8192]))
        if file.suffix in SUFFIXES:
            return 0.6 if begins else 0.5
        return 0.45 if begins and file.suffix != ".svg" else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One document."""
        if page := _page_of(file):
            yield Note(f"a part of the saved page {page}", companion=True)
            return
        data = file.read_bytes(MAX_WHOLE_FILE + 1)
        if len(data) > MAX_WHOLE_FILE:
            raise UnreadableFile(f"too large to be read whole ({file.size:,} bytes)")
        pictures = Pictures(spill)
        read = read_page(decode_markup(data), pictures.picture)
        if not read.text.strip():
            raise UnreadableFile("a page without text (made by scripts as it is shown?)")
        source = Source(file, self.name, read.text, "markdown", meta=_meta(read), title=read.title, stated=read.at)
        yield from document(replace(source, pictures=pictures))


def _begins_as_page(text: str) -> bool:
    """Whether a page begins here, perhaps behind comments and the declaration of XML."""
    text = text.lstrip("\ufeff \t\r\n")
    while mark := next((mark for mark in (("<!--", "-->"), ("<?xml", ">")) if text.startswith(mark[0])), None):
        _, found, text = text.partition(mark[1])
        if not found:
            return False
        text = text.lstrip()
    return _BEGINNING.match(text) is not None


def _meta(page: Page) -> dict[str, Any]:
    facts = {"author": page.author, "address": page.address, "language": page.language}
    return {key: value for key, value in facts.items() if value}


def _page_of(file: SourceFile) -> str | None:
    """The page that this file is a part of: a script, a style, a picture or a frame, in the folder beside it."""
    found = _PARTS.fullmatch(file.folders[-1]) if file.folders and file.suffix in _PART_SUFFIXES else None
    if found is None:
        return None
    names = (f"{found[1]}{suffix}" for suffix in (".html", ".htm"))
    return next((name for name in names if file.beside(f"../{name}")), None)
