"""Which file of a workspace is what. Paths here are relative to the workspace, with `/`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DERIVED = ".jam"
ATTACHMENTS = "attachments"
INBOX = "inbox"
README = "README.md"
RAW_SUFFIX = ".md"
MEMO_SUFFIX = ".memo.md"
DAMAGED_SUFFIX = ".damaged"
"""Added to the name of a raw file that a build could not read."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A raw file and its memo as the file system shows them: enough to notice that one changed."""

    path: str
    size: int
    mtime_ns: int
    memo_size: int
    """-1 where there is no memo."""
    memo_mtime_ns: int


def memo_path(raw_path: str) -> str:
    """The memo that stands beside a raw file."""
    return raw_path.removesuffix(RAW_SUFFIX) + MEMO_SUFFIX


def is_raw_name(name: str) -> bool:
    """Whether a file of this name is a raw file."""
    return name.endswith(RAW_SUFFIX) and not name.endswith(MEMO_SUFFIX) and name != README and not name.startswith(".")


def parent(path: str) -> str:
    """The folder a path lies in; the workspace itself is the empty string."""
    return path.rpartition("/")[0]


def within(path: str, folder: str) -> bool:
    """Whether `path` lies in `folder` or below; everything lies in the empty string."""
    return not folder or path == folder or path.startswith(folder + "/")


def raw_stamps(root: Path, folder: str = "") -> list[Stamp]:
    """All raw files at and below `folder`, sorted by path. Symbolic links and hidden folders are not followed."""
    return sorted(_scan(str(root), folder), key=lambda stamp: stamp.path)


def _scan(root: str, folder: str) -> Iterator[Stamp]:
    try:
        entries = {entry.name: entry for entry in os.scandir(os.path.join(root, folder))}
    except (FileNotFoundError, NotADirectoryError):
        return  # removed or moved while we looked; the next look sees where it went
    for name, entry in entries.items():
        path = f"{folder}/{name}" if folder else name
        if name.startswith(".") or path == ATTACHMENTS:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _scan(root, path)
        elif is_raw_name(name) and entry.is_file(follow_symlinks=False):
            own, memo = _stat(entry), _stat(entries.get(memo_path(name)))
            if own[0] >= 0:
                yield Stamp(path, *own, *memo)


def _stat(entry: os.DirEntry[str] | None) -> tuple[int, int]:
    """Size and time of change; (-1, 0) where there is nothing."""
    try:
        status = entry.stat(follow_symlinks=False) if entry else None
    except FileNotFoundError:
        status = None
    return (status.st_size, status.st_mtime_ns) if status else (-1, 0)


def folders(root: Path, folder: str = "") -> list[str]:
    """All folders below `folder`, deepest first, then by name; `folder` itself is not among them."""
    found: list[str] = []
    base = os.path.join(root, folder)
    for current, names, _files in os.walk(base):
        names[:] = sorted(name for name in names if not name.startswith("."))
        relative = os.path.relpath(current, root).replace(os.sep, "/")
        if relative == ".":
            names[:] = [name for name in names if name != ATTACHMENTS]
        elif relative != folder:
            found.append(relative)
    return sorted(found, key=lambda path: (-path.count("/"), path))
