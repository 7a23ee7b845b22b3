"""Documents that are zip archives of XML: EPUB books and Word files. What is in them is read with limits."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath
from xml.parsers import expat

from jam.errors import UnreadableFile
from jam.history.parsing.jsontext import MAX_WHOLE_FILE
from jam.history.source import SourceFile

MAX_PART = 256 * 1024 * 1024
"""A larger part is read no further than this."""
MAX_EXPANDED = 512 * 1024 * 1024
"""No more than this is read of one document."""
_CHUNK = 1 << 16
_ENCRYPTED = 0x1
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    RuntimeError,  # NotImplementedError, too
)
"""What reading a damaged archive may raise."""
ZIP_MAGIC = b"PK\x03\x04"
OLE_MAGIC = b"\xd0\xcf\x11\xe0"
"""Of Word files with a password, and of those from before 2007."""


class BadPart(ValueError):
    """A part that can't be read; the message says why."""


class Package:
    """A document's archive. Raises `UnreadableFile` where it is none."""

    def __init__(self, file: SourceFile) -> None:
        data = file.read_bytes(MAX_WHOLE_FILE + 1)
        if len(data) > MAX_WHOLE_FILE:
            raise UnreadableFile(f"too large to be read whole ({file.size:,} bytes)")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise UnreadableFile(f"damaged: not a zip archive that can be read ({error})") from None
        self._left = MAX_EXPANDED
        self._names = {name.casefold(): name for name in self._zip.namelist()}

    def name(self, path: str) -> str | None:
        """The archive's own spelling of a part's path; `None` where there is no such part."""
        return self._names.get(normal(path).casefold())

    def read(self, path: str, limit: int = MAX_PART) -> bytes:
        """A part, or as much of it as the limit allows. Raises `BadPart`."""
        name = self.name(path)
        if name is None:
            raise BadPart(f"{path} is missing")
        if self._zip.getinfo(name).flag_bits & _ENCRYPTED:
            raise BadPart(f"{path} is encrypted")
        if not self._left:
            raise BadPart(f"the archive expands to more than {MAX_EXPANDED // 1024 // 1024} MB")
        limit = min(limit, self._left)
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(name) as stream:
                while size < limit and (piece := stream.read(_CHUNK)):
                    pieces.append(piece)
                    size += len(piece)
        except _DAMAGE as error:
            if not pieces:
                raise BadPart(f"{path} is damaged ({error})") from None
        self._left = max(0, self._left - size)
        return b"".join(pieces)[:limit]


def normal(path: str) -> str:
    """A path without `.` and `..`, relative to the archive."""
    parts: list[str] = []
    for part in PurePosixPath(path.lstrip("/")).parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in ("..", "."):
            parts.append(part)
    return "/".join(parts)


def parse_xml(
    data: bytes,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None] | None = None,
) -> None:
    """Tell the elements of an XML part one by one: names without their namespaces' prefixes.

    Entities are refused, so that nothing expands. Raises `BadPart` where the XML is damaged; what came before was told.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(
        name.rpartition(":")[2], {key.rpartition(":")[2]: value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    if text is not None:
        parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BadPart(f"damaged XML ({error})") from None
    except (UnicodeError, LookupError) as error:
        raise BadPart(f"damaged text ({error})") from None


def _refuse(*_: object) -> None:
    raise BadPart("XML that declares entities")
