"""A file of a history, on disk or inside a zip archive: what it is called, and how its bytes are read.

Nothing is unpacked. Reading counts the bytes it passes on, so that one huge file shows progress too.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from jam.history.archive import DAMAGE, Archive

SAMPLE_BYTES = 65_536
"""How much of a file's beginning a reader sees when it is asked whether the file is its own."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file found in a history."""

    path: Path
    """On disk; of a file in an archive, the archive's."""
    name: str
    """Its path relative to the history, with `/`; the bare file name where the history is that one file. A file in an
    archive is named `export.zip/conversations.json`."""
    size: int
    """Bytes."""
    sample: bytes = b""
    """The first `SAMPLE_BYTES` bytes."""
    archive: Archive | None = field(default=None, compare=False)
    member: str | None = None
    """The name within the archive."""
    watch: Callable[[int], None] | None = field(default=None, compare=False, repr=False)
    """Told how many bytes were read, each time some are."""
    opened_beside: Callable[[str], None] | None = field(default=None, compare=False, repr=False)
    """Told the name of each file beside this one that is read for it."""

    @property
    def suffix(self) -> str:
        """The lower-case file ending, with its dot."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        """The file's own name without its ending."""
        return PurePosixPath(self.name).stem

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that the file is in, from the history down; an archive counts as one, without its ending."""
        parts = self.name.split("/")[:-1]
        if self.archive is not None:
            depth = self.name.removesuffix(self.member or "").rstrip("/").count("/")
            parts[depth] = parts[depth][: -len(".zip")] or parts[depth]
        return tuple(parts)

    @property
    def place(self) -> PurePosixPath:
        """The file's whole path, for what the names of the folders above it tell."""
        return PurePosixPath(self.path.as_posix()) / (self.member or "")

    def open(self) -> BinaryIO:
        """The file's bytes from the beginning. Raises `OSError` where they can't be read, a damaged archive too."""
        if self.archive is None:
            stream: BinaryIO = self.path.open("rb")
        else:
            stream = cast(BinaryIO, io.BufferedReader(_Member(self.archive.open(self.member or ""))))
        return cast(BinaryIO, io.BufferedReader(_Watched(stream, self.watch))) if self.watch else stream

    def read_bytes(self, limit: int = -1) -> bytes:
        """The whole file, or its first `limit` bytes."""
        with self.open() as stream:
            return stream.read(limit)

    def beside(self, relative: str) -> SourceFile | None:
        """Another file of the same export, by its path from this file's folder (`../users.json`); `None` where there is
        none, or it is a link."""
        found = self._beside(relative)
        if found is None or self.opened_beside is None:
            return found
        tell = self.opened_beside
        told = found.name
        return replace(found, watch=lambda _: tell(told), opened_beside=tell)

    def _beside(self, relative: str) -> SourceFile | None:
        if self.archive is not None:
            wanted = _normal(PurePosixPath(self.member or "").parent / relative)
            size = self.archive.size(wanted) if wanted else None
            if wanted is None or size is None:
                return None
            name = f"{self.name.removesuffix(self.member or '')}{wanted}"
            return replace(self, name=name, size=size, member=wanted, sample=b"", watch=None)
        path = self.path.parent / relative
        name = _normal(PurePosixPath(self.name).parent / relative) or path.name
        try:
            if path.is_symlink() or not path.is_file():
                return None
            return SourceFile(path, name, path.stat().st_size)
        except (OSError, ValueError):
            return None

    def neighbours(self, relative: str = ".") -> list[str]:
        """The names of the files in this folder, or in another by its path from here, sorted."""
        if self.archive is not None:
            folder = _normal(PurePosixPath(self.member or "").parent / relative)
            return [] if folder is None else self.archive.names_in(folder or ".")
        try:
            return sorted(entry.name for entry in (self.path.parent / relative).iterdir() if entry.is_file())
        except OSError:
            return []


def read_sample(file: SourceFile) -> SourceFile:
    """The same file with its beginning, which readers recognise it by."""
    sample = file.read_bytes(SAMPLE_BYTES)
    return replace(file, size=max(file.size, len(sample)), sample=sample)


def _normal(path: PurePosixPath) -> str | None:
    """A relative path without `..`; `None` where it leads out of the history or the archive."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


class _Watched(io.RawIOBase):
    """A stream that tells how many bytes pass."""

    def __init__(self, stream: BinaryIO, watch: Callable[[int], None]) -> None:
        self._stream = stream
        self._watch = watch

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._watch(len(data))
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Member(io.RawIOBase):
    """A file in an archive, whose damage is an `OSError` like that of a disk."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except DAMAGE as error:
            raise OSError(f"the archive is damaged ({error})") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
