"""Files, safely: every write whole or not at all, every path inside its folder.

Bytes and paths only; nothing here knows what a workspace holds.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from jam.errors import ToolError

TEMPORARY = ".jam-*.tmp"
"""What a write that was killed may leave behind; nobody else's files have such names, and all may be removed."""

_DRIVE = re.compile(r"[A-Za-z]:")


def write_atomic(path: Path, data: bytes, *, sync: bool = True) -> bool:
    """Writes the file so that a reader sees the old or the new content, never a part, whatever happens meanwhile.

    Makes the folders above it. A file that has this content already is left alone, with its time: then the result is
    false. Without `sync` the caller syncs the folder (`sync_folder`), once for many files.
    """
    if holds(path, data):
        return False
    make_folder(path.parent)
    # Not made from the file's name, which may be as long as names can be.
    temporary = path.parent / f".jam-{secrets.token_hex(8)}.tmp"
    try:
        _write_durably(temporary, data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if sync:
        sync_folder(path.parent)
    return True


def holds(path: Path, data: bytes) -> bool:
    """Whether the file is there and has this content."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except (FileNotFoundError, NotADirectoryError):
        return False


def read_bytes(path: Path) -> bytes:
    """The file's content."""
    return path.read_bytes()


def remove(path: Path) -> bool:
    """Removes the file for good; false where there was none."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    sync_folder(path.parent)
    return True


def move(source: Path, target: Path, *, sync: bool = True) -> None:
    """Gives the file another place or name, in one step. `FileExistsError` where something else is there.

    Without `sync` the caller syncs both folders (`sync_folder`), once for many files.
    """
    make_folder(target.parent)
    # The same file under a name that differs in case only is no obstacle.
    if os.path.lexists(target) and not (source.exists() and target.exists() and source.samefile(target)):
        raise FileExistsError(errno.EEXIST, "something else is there already", str(target))
    source.rename(target)
    if not sync:
        return
    sync_folder(target.parent)
    if source.parent != target.parent:
        sync_folder(source.parent)


def make_folder(folder: Path) -> None:
    """Makes the folder and those above it, durably."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Makes what was created, renamed or removed in the folder durable, where the system can do that."""
    if os.name == "nt":
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return  # A folder that may be written but not read.
    try:
        # Some network file systems refuse to sync a folder; they have nothing better to offer.
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def inside(root: Path, relative: str) -> Path:
    """The path, inside `root`, that a person or a model means by `relative`; it need not exist.

    A leading `/` or `./` is how models write paths from the root. `ToolError` with the code `outside_workspace` for
    what leads out, by `..` or by a link, and `not_found` for what no file system could hold.
    """
    parts = [part for part in _allowed(relative).split("/") if part not in ("", ".")]
    path = root.joinpath(*parts)
    if _without_links(root, parts):
        return path
    try:
        real_root, real = os.path.realpath(root), os.path.realpath(path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # The caller says so, with the nearest path.
            os.stat(real)
    except (OSError, ValueError) as error:
        # A name too long, a loop of links, characters that the file system can't have.
        raise ToolError("not_found", f"there is no {_short(relative)} in the workspace") from error
    if real != real_root and not real.startswith(real_root.rstrip(os.sep) + os.sep):
        raise ToolError("outside_workspace", f"{_short(relative)} is a link that leads out of the workspace")
    return path


def _without_links(root: Path, parts: Sequence[str]) -> bool:
    """Whether each step from the root to a path that exists is a plain file or folder, so that it stays inside."""
    step = str(root)
    try:
        for part in parts:
            step = f"{step}{os.sep}{part}"
            if stat.S_ISLNK(os.lstat(step).st_mode):
                return False
    except (OSError, ValueError):
        return False
    return os.name != "nt"  # where there are junctions, which lstat calls folders


def _allowed(relative: str) -> str:
    if not relative.strip():
        reason = "is empty; '/' is the workspace itself"
    elif "\0" in relative:
        reason = "holds a NUL character"
    elif "\\" in relative:
        reason = "holds a backslash; write paths with '/'"
    elif _DRIVE.match(relative.lstrip("/.")):
        reason = "begins with a drive letter; write paths from the root of the workspace"
    elif ".." in relative.split("/"):
        reason = "leads upwards with '..'; write paths from the root of the workspace"
    else:
        return relative
    raise ToolError("outside_workspace", f"the path {_short(relative)} {reason}")


def _short(relative: str) -> str:
    return repr(relative if len(relative) <= 200 else f"{relative[:200]}…")


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
