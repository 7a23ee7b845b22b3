"""PDF files: the text of each page. What is only a picture of a text (a scan) can't be read."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from jam.errors import UnreadableFile
from jam.history.parsing.chunks import Chunk, chunk
from jam.history.parsing.deadline import within
from jam.history.parsing.documents import Source, document_of
from jam.history.parsing.jsontext import MAX_WHOLE_FILE
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

if TYPE_CHECKING:
    from pypdf import PdfReader

T = TypeVar("T")
_OPEN_SECONDS = 60.0
_PAGE_SECONDS = 20.0
_SLOW_PAGES = 3
"""After so many pages that took too long, the rest of the file is left."""
_MOST_PAGES = 20_000
_MAGIC_WITHIN = 1024
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:(Z)|([+-]\d{2})'?(\d{2})?)?)?")
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft word|microsoft powerpoint|powerpoint presentation|slide 1|document\d*|.*\.(?:docx?|pptx?"
    r"|xlsx?|tex|dvi|indd|rtf|odt|pdf|pub|ps|qxd|cdr|html?))",
    re.IGNORECASE,
)
_BY_PROGRAM = re.compile(r"^microsoft (?:word|powerpoint|excel) - ", re.IGNORECASE)


class Pdf:
    """See the module."""

    name = "pdf"
    description = "PDF files with text (*.pdf), recognised by their magic number"
    extra = "documents"

    def recognises(self, file: SourceFile) -> float:
        """By the magic number, or the file ending."""
        if b"%PDF-" in file.sample[:_MAGIC_WITHIN]:
            return 0.95
        return 0.6 if file.suffix == ".pdf" else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One document."""
        with _quiet():
            reader = _open(file)
            pages = _pages(reader)
            chunks: list[Chunk] = []
            blank = slow = 0
            for number in range(1, min(pages, _MOST_PAGES) + 1):
                try:
                    text = within(_PAGE_SECONDS, lambda number=number: _page(reader, number))  # type: ignore[misc]
                except TimeoutError as error:
                    slow += 1
                    yield Skipped(f"page {number}", str(error))
                    if slow == _SLOW_PAGES:
                        yield Skipped("the rest of the file", f"{slow} pages took too long")
                        break
                except Exception as error:  # noqa: BLE001 - a damaged page may raise anything in the library
                    yield Skipped(f"page {number}", f"damaged ({type(error).__name__}: {error})")
                else:
                    own = _chunks(text, number)
                    blank += not own
                    chunks += own
            facts = _facts(reader)
        if not chunks:
            raise UnreadableFile("no text in it (scanned?)" if blank else "no page that can be read")
        if blank:
            yield Note(f"{blank} of {pages} pages without text (scanned?)")
        if pages > _MOST_PAGES:
            yield Skipped("the rest of the file", f"more than {_MOST_PAGES:,} pages")
        meta = {"author": facts.get("author"), "pages": pages}
        source = Source(file, self.name, meta={key: value for key, value in meta.items() if value})
        yield from document_of(replace(source, title=_title(facts), stated=_time(facts)), chunks)


@contextmanager
def _quiet() -> Iterator[None]:
    """The library writes every oddity of a file to its log; what matters is in the report."""
    log = logging.getLogger("pypdf")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


def _open(file: SourceFile) -> PdfReader:
    """The file as the library sees it. Raises `UnreadableFile`."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise UnreadableFile("PDF files need the extra: pip install 'jam-memory[documents]'") from None
    data = file.read_bytes(MAX_WHOLE_FILE + 1)
    if len(data) > MAX_WHOLE_FILE:
        raise UnreadableFile(f"too large to be read whole ({file.size:,} bytes)")

    def opened() -> PdfReader:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableFile("encrypted: save it without its password")
        return reader

    return _tried(opened)


def _pages(reader: PdfReader) -> int:
    return _tried(lambda: len(reader.pages))


def _tried(call: Callable[[], T]) -> T:
    """Something without which nothing of the file can be read."""
    try:
        return within(_OPEN_SECONDS, call)
    except UnreadableFile:
        raise
    except TimeoutError as error:
        raise UnreadableFile(f"given up: {error}") from None
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything in the library
        raise UnreadableFile(f"damaged, or not a PDF file ({type(error).__name__}: {error})") from None


def _page(reader: PdfReader, number: int) -> str:
    return reader.pages[number - 1].extract_text()


def _chunks(text: str, number: int) -> list[Chunk]:
    """The messages of a page. Each knows its page, and the first says it."""
    clean = "\n".join(line.rstrip() for line in text.replace("\0", "").splitlines())
    pieces = [replace(piece, level=0, heading="", meta={"page": number}) for piece in chunk(clean, "plain")]
    if pieces:
        first = f"[page {number}]\n{pieces[0].text}"
        pieces[0] = replace(pieces[0], text=first, level=2, heading=f"page {number}")
    return pieces


def _facts(reader: PdfReader) -> dict[str, str]:
    """Title, author and date, as they stand in the file."""
    try:
        stated: Mapping[str, Any] = reader.metadata or {}
        names = {"title": "/Title", "author": "/Author", "created": "/CreationDate"}
        values = {key: stated.get(name) for key, name in names.items()}
        return {key: " ".join(str(value).split())[:500] for key, value in values.items() if value is not None}
    except Exception:  # noqa: BLE001 - damaged properties may raise anything in the library, and cost no text
        return {}


def _title(facts: dict[str, str]) -> str | None:
    title = _BY_PROGRAM.sub("", facts.get("title", "")).strip()
    return None if not title or _NO_TITLE.fullmatch(title) else title


def _time(facts: dict[str, str]) -> str | None:
    """`D:20240506070809+02'00'`."""
    found = _DATE.match(facts.get("created", ""))
    if found is None:
        return None
    year, month, day, hour, minute, second, utc, hours, minutes = found.groups()
    text = f"{year}-{month}-{day}"
    if hour is not None:
        zone = "Z" if utc else f"{hours}:{minutes or '00'}" if hours else ""
        text = f"{text}T{hour}:{minute}{f':{second}' if second else ''}{zone}"
    return iso_time(text) or iso_time(f"{year}-{month}-{day}")
