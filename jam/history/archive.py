"""Zip archives, read where they are: exports come as one, and nobody should have to unpack them.

Member names are foreign: what leads out of the archive, is encrypted, or is an archive again is refused, by name and
with the reason. Nothing is ever written.
"""

from __future__ import annotations

import lzma
import struct
import threading
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

MAX_EXPANSION = 200
"""An archive that expands more than so many times, and to more than `MAX_EXPANDED` bytes, is not opened."""
MAX_EXPANDED = 4 * 1024**3
_ENCRYPTED = 0x1
_UNICODE_NAMES = 0x800
_READABLE = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA})


DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What reading a damaged archive may raise, apart from `OSError`."""


class BadArchive(ValueError):
    """A file that is no zip archive, or none that should be opened; the message says why."""


class Archive:
    """An open zip archive. Its members may be read side by side."""

    def __init__(self, path: Path) -> None:
        """Raises `BadArchive`."""
        self.path = path
        self.refused: list[tuple[str, str]] = []
        """Members that can't be read: (name, reason)."""
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._lock = threading.Lock()
        try:
            self._zip = zipfile.ZipFile(path)
        except (*DAMAGE, OSError) as error:
            raise BadArchive(f"not a zip archive that can be read: {error}") from error
        expanded = sum(info.file_size for info in self._zip.infolist())
        if expanded > MAX_EXPANDED and expanded > MAX_EXPANSION * max(1, path.stat().st_size):
            raise BadArchive(f"it would expand to {expanded / 1024**3:.0f} GB: unpack it if you trust it")
        for info in self._zip.infolist():
            self._sort(info)

    def _sort(self, info: zipfile.ZipInfo) -> None:
        """Put a member among those that can be read, or those that can't."""
        name = _name(info)
        if info.is_dir() or name.endswith("/"):
            return
        reason = _why_not(info, name)
        if reason is None and name in self._members:
            reason = "a second file of this name in the archive"
        if reason is None:
            self._members[name] = info
        else:
            self.refused.append((name, reason))

    def names(self) -> list[str]:
        """The members that can be read, sorted."""
        return sorted(self._members)

    def names_in(self, folder: str) -> list[str]:
        """The names of the files directly in a folder of the archive (`.` is its top)."""
        paths = map(PurePosixPath, self._members)
        return sorted(path.name for path in paths if str(path.parent) == folder)

    def size(self, name: str) -> int | None:
        """The bytes of a member; `None` where there is no such member."""
        info = self._members.get(name)
        return info.file_size if info else None

    def open(self, name: str) -> BinaryIO:
        """A member's bytes. Raises `OSError` where it is damaged."""
        try:
            with self._lock:
                return cast(BinaryIO, self._zip.open(self._members[name]))
        except DAMAGE as error:
            raise OSError(f"the archive is damaged ({error})") from error


def _name(info: zipfile.ZipInfo) -> str:
    """A member's name; old archives don't say in which code page it is, and most are UTF-8 all the same."""
    if info.flag_bits & _UNICODE_NAMES:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _why_not(info: zipfile.ZipInfo, name: str) -> str | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        return "its name leads out of the archive"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted: unpack the archive with its password"
    if info.compress_type not in _READABLE:
        return f"compressed by a method that can't be read here ({info.compress_type})"
    if path.suffix.lower() == ".zip":
        return "an archive inside an archive: unpack the outer one"
    return None
