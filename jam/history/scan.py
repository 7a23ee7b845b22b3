"""Finding the files of a history, in an order that is the same everywhere.

Nothing is opened here but folders and the directories of archives. Every entry ends up in exactly one place: a file to
read, a refusal with its reason (a link, a pipe, a folder without permission), or the list of what is never history
(version control, caches, a JAM workspace). Links are never followed, so there are no cycles.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from jam.errors import HistoryError
from jam.history.archive import Archive, BadArchive
from jam.history.source import SourceFile

NEVER_HISTORY = {
    **dict.fromkeys((".git", ".hg", ".svn"), "version control"),
    **dict.fromkeys(("node_modules", ".venv", "venv"), "installed packages"),
    "__pycache__": "compiled code",
    ".obsidian": "settings of Obsidian",
    ".trash": "deleted notes",
}
LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_SPECIAL = (
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


@dataclass(frozen=True, slots=True)
class Left:
    """An entry that is not read, and why."""

    name: str
    reason: str


@dataclass(slots=True)
class Found:
    """All that a history holds."""

    files: list[SourceFile] = field(default_factory=list)
    refused: list[Left] = field(default_factory=list)
    """Entries that might be history but can't be read."""
    excluded: list[Left] = field(default_factory=list)
    """Entries that are never history."""


def find_files(history: Path) -> list[SourceFile]:
    """The files of a history, sorted by name; see `scan` for what is left out."""
    return scan(history).files


def scan(history: Path) -> Found:
    """All entries of a history: one file, or a folder with all below it. Raises `HistoryError` if there is none."""
    root = history.expanduser()
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a path that no system can have
        reason = getattr(error, "strerror", None) or str(error)
        raise HistoryError(f"no history at {str(history)!r} ({reason}): give a file or folder") from None
    if stat.S_ISREG(mode):
        return _single(SourceFile(root, root.name, root.stat().st_size), history)
    if not stat.S_ISDIR(mode):
        raise HistoryError(f"{str(history)!r} is neither a file nor a folder: give one of these as the history")
    if is_workspace(root):
        raise HistoryError(f"{str(history)!r} is a JAM workspace: give the history it was built from")
    return _scan_folder(root, history)


def _single(file: SourceFile, history: Path) -> Found:
    """A history that is one file, perhaps an archive."""
    found = Found()
    _take(file, found)
    _sort(found)
    if not found.files and not found.refused:
        raise HistoryError(f"no files in the archive {str(history)!r}: give one that holds a history")
    return found


def _scan_folder(root: Path, history: Path) -> Found:
    found = Found()
    try:
        os.scandir(root).close()
    except OSError as error:
        raise HistoryError(f"the folder {str(history)!r} can't be read ({error.strerror}): check who may") from None
    pending = [(root, "")]
    while pending:
        folder, prefix = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    _place(entry, prefix + entry.name, root, found, pending)
        except OSError as error:
            found.refused.append(Left(prefix, f"the folder can't be read: {error.strerror or error}"))
    _sort(found)
    if not found.files and not found.refused:
        aside = f" apart from {found.excluded[0].name!r} and the like" if found.excluded else ""
        raise HistoryError(f"no files in {str(history)!r}{aside}: give a folder that holds a history")
    return found


def _sort(found: Found) -> None:
    found.files.sort(key=lambda file: file.name)
    found.refused.sort(key=lambda left: left.name)
    found.excluded.sort(key=lambda left: left.name)


def _place(entry: os.DirEntry[str], name: str, root: Path, found: Found, pending: list[tuple[Path, str]]) -> None:
    """Put one entry where it belongs."""
    path = Path(entry.path)
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        found.refused.append(Left(name, f"can't be examined: {error.strerror or error}"))
        return
    if stat.S_ISLNK(status.st_mode):
        found.refused.append(Left(name, _link_reason(path, root)))
    elif stat.S_ISDIR(status.st_mode):
        reason = _never_history(path)
        if reason:
            found.excluded.append(Left(name + "/", reason))
        else:
            pending.append((path, name + "/"))
    elif not stat.S_ISREG(status.st_mode):
        kind = next((word for test, word in _SPECIAL if test(status.st_mode)), "special file")
        found.refused.append(Left(name, f"a {kind}, not a file"))
    elif entry.name.casefold() in LITTER:
        found.excluded.append(Left(name, "litter of the operating system"))
    else:
        _take(SourceFile(path, name, status.st_size), found)


def _take(file: SourceFile, found: Found) -> None:
    """One file; an archive gives the files in it."""
    if file.suffix != ".zip":
        found.files.append(file)
        return
    try:
        archive = Archive(file.path)
    except BadArchive as error:
        found.refused.append(Left(file.name, str(error)))
        return
    found.refused += [Left(f"{file.name}/{name}", reason) for name, reason in archive.refused]
    for member in archive.names():
        name = f"{file.name}/{member}"
        reason = _never_in_archive(member)
        if reason:
            found.excluded.append(Left(name, reason))
        else:
            size = archive.size(member) or 0
            found.files.append(SourceFile(file.path, name, size, archive=archive, member=member))
    if not archive.names() and not archive.refused:
        found.refused.append(Left(file.name, "an empty archive"))


def _never_in_archive(member: str) -> str | None:
    *folders, own = member.split("/")
    if own.casefold() in LITTER or "__MACOSX" in folders:
        return "litter of the operating system"
    return next((NEVER_HISTORY[folder] for folder in folders if folder in NEVER_HISTORY), None)


def _never_history(folder: Path) -> str | None:
    reason = NEVER_HISTORY.get(folder.name)
    if reason is None and (folder.name.endswith(".jam") or is_workspace(folder)):
        return "a JAM workspace"
    return reason


def is_workspace(folder: Path) -> bool:
    """Whether a folder is a workspace that JAM wrote."""
    try:
        return (folder / "jam.yaml").is_file() and (folder / ".jam").is_dir()
    except OSError:
        return False  # a folder that can't be looked into is refused when it is scanned


def _link_reason(path: Path, root: Path) -> str:
    """Why a link is not followed: what it leads to is found by itself, or is not part of the history."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop, before Python 3.13
        return "a broken link"
    if target.is_dir():
        return "link to a folder: not followed"
    try:
        return f"link to {target.relative_to(root.resolve()).as_posix()}"
    except ValueError:
        return "link to a file outside the history: not followed"
