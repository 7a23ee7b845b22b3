"""The index on disk: `.jam/index/<generation>/`, with `current` naming the one in use.

A generation is written whole, in a folder of its own, and then named; readers of the old one are not disturbed. It
says which tree and which embedder it was made from; where either is another, or anything is missing, it is made anew
from the tree, never from itself.
"""

from __future__ import annotations

import enum
import hashlib
import json
import logging
import os
import shutil
import threading
import time
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from jam.errors import DamagedFile, IndexUnavailable
from jam.index.embedder import static_embedder
from jam.index.indexing import Arrays, build_arrays
from jam.index.search_index import SHORTLIST, FileRecord, SearchIndex
from jam.index.shortlist import Shortlist, save_bm25
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import Stamp
from jam.workspace.store import Workspace, is_foreign

_log = logging.getLogger(__name__)
_VERSION = 1
_BM25 = "bm25"
_META = {"version", "embedder", "digest", "arrays", "stamps", "files"}
_DAMAGE = (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError)
"""What reading a damaged generation may raise; each means: make it anew."""


class IndexState(enum.StrEnum):
    """The stored index against one made anew from the tree."""

    equal = "equal"
    missing = "missing"
    stale = "stale"
    """The tree or the embedder has changed since."""
    differs = "differs"
    """It claims to be of this tree, and isn't."""


_LOOK_AGAIN = 1.0
"""Seconds for which an open index is taken to be fresh, without a look at the tree."""


@dataclass(frozen=True, slots=True)
class _Held:
    stamps: tuple[Stamp, ...]
    index: SearchIndex
    looked: float


_open: WeakKeyDictionary[Workspace, _Held] = WeakKeyDictionary()
_opening = threading.RLock()


def open_index(workspace: Workspace) -> SearchIndex:
    """The workspace's index, as fresh as its tree: from memory, from disk, or made now.

    What another program changed is noticed within a second. Where the index can't be stored (a read-only workspace) it
    is made in memory. Raises `IndexUnavailable` where the embedder can't be loaded.
    """
    with _opening:
        held = _open.get(workspace)
        if held and time.monotonic() - held.looked < _LOOK_AGAIN:
            return held.index
        stamps = tuple(workspace.stamps())
        index = held.index if held and held.stamps == stamps else _load(workspace, stamps) or _made(workspace, stamps)
        _open[workspace] = _Held(stamps, index, time.monotonic())
        return index


def refresh(workspace: Workspace) -> None:
    """Brings the stored index up to date; whoever has the workspace open in this process looks again."""
    with _opening:
        for other in [other for other in _open if other.root == workspace.root]:
            del _open[other]
    open_index(workspace)


def rebuild(workspace: Workspace) -> bool:
    """Makes the index anew from the tree, whatever is stored. Returns whether it could be stored."""
    with _opening:
        stamps = tuple(workspace.stamps())
        _open[workspace] = _Held(stamps, _made(workspace, stamps), time.monotonic())
        return _load(workspace, stamps) is not None


def index_state(workspace: Workspace) -> IndexState:
    """Compares the stored index, byte for byte, with one made anew."""
    stamps = tuple(workspace.stamps())
    folder = _current(workspace)
    meta = _read_meta(folder) if folder else None
    if folder is None or meta is None:
        return IndexState.missing
    if not _fits(meta, stamps):
        return IndexState.stale
    records, sessions = _read_tree(workspace, stamps)
    fresh = _digest(build_arrays(sessions, static_embedder()))
    try:
        stored = _digest(_load_arrays(folder, meta["arrays"]))
    except _DAMAGE:
        return IndexState.differs
    same = meta["files"] == [asdict(record) for record in records] and fresh == meta["digest"] == stored
    return IndexState.equal if same else IndexState.differs


def _made(workspace: Workspace, stamps: tuple[Stamp, ...]) -> SearchIndex:
    """Makes the index from the tree and stores it, where it can be stored."""
    records, sessions = _read_tree(workspace, stamps)
    arrays = build_arrays(sessions, static_embedder())
    try:
        folder = _write(workspace, stamps, records, arrays)
    except OSError as error:
        _log.warning("the index can't be kept in %s (%s); it is made in memory each time", workspace.derived, error)
        return SearchIndex(arrays, records)
    return _opened(folder, records, arrays)


def _read_tree(workspace: Workspace, stamps: tuple[Stamp, ...]) -> tuple[list[FileRecord], list[Session]]:
    records, sessions = [], []
    for stamp in stamps:
        try:
            raw = workspace.read_raw(stamp.path)
        except (DamagedFile, OSError) as error:
            if not is_foreign(workspace.root, stamp.path):
                _log.warning("not searchable: %s", error)
            continue
        file = workspace.read_memo(stamp.path)
        title = file.memo.title if file else raw.session.title or ""
        gist = file.memo.gist if file else ""
        started, ended = raw.session.started, raw.session.ended
        records.append(FileRecord(stamp.path, raw.session.id, raw.part, title, gist, started, ended))
        sessions.append(raw.session)
    return records, sessions


def _write(workspace: Workspace, stamps: tuple[Stamp, ...], records: list[FileRecord], arrays: Arrays) -> Path:
    """Writes a generation, in the place of one of the same name, and names it the current one."""
    home = workspace.derived / "index"
    meta = {
        "version": _VERSION,
        "embedder": static_embedder().fingerprint,
        "digest": _digest(arrays),
        "arrays": _shapes(arrays),
        "stamps": [astuple(stamp) for stamp in stamps],
        "files": [asdict(record) for record in records],
    }
    text = json.dumps(meta, ensure_ascii=True).encode()
    name = hashlib.sha256(text).hexdigest()[:20]
    temporary = home / f".new-{os.getpid()}-{threading.get_ident()}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for key, array in arrays.items():
        np.save(temporary / f"{key}.npy", array, allow_pickle=False)
    if len(records) > SHORTLIST:
        save_bm25(arrays, temporary / _BM25)
    files.write_atomic(temporary / "meta.json", text)
    shutil.rmtree(home / name, ignore_errors=True)
    temporary.rename(home / name)
    files.write_atomic(home / "current", name.encode())
    _sweep(home, keep=name)
    return home / name


def _sweep(home: Path, keep: str) -> None:
    """Removes older generations; one that a reader on another system holds open stays until the next time."""
    for entry in home.iterdir():
        if entry.is_dir() and entry.name != keep and not _recent(entry):
            shutil.rmtree(entry, ignore_errors=True)


def _recent(entry: Path) -> bool:
    """A folder that another process may be writing at this moment."""
    return entry.name.startswith(".new-") and not entry.name.startswith(f".new-{os.getpid()}-")


def _load(workspace: Workspace, stamps: tuple[Stamp, ...]) -> SearchIndex | None:
    folder = _current(workspace)
    meta = _read_meta(folder) if folder else None
    if folder is None or meta is None or not _fits(meta, stamps):
        return None
    try:
        records = [FileRecord(**record) for record in meta["files"]]
        return _opened(folder, records, _load_arrays(folder, meta["arrays"]))
    except _DAMAGE as error:
        _log.warning("the index in %s is damaged and is made anew: %s", folder, error)
        return None


def _opened(folder: Path, records: list[FileRecord], arrays: Arrays) -> SearchIndex:
    shortlist = Shortlist(arrays, folder / _BM25, static_embedder()) if len(records) > SHORTLIST else None
    return SearchIndex(arrays, records, shortlist)


def _load_arrays(folder: Path, shapes: dict[str, Any]) -> Arrays:
    """The arrays that a generation's meta names, of the types and shapes that it gives. Raises one of `_DAMAGE`."""
    arrays = {name: _map(folder / f"{name}.npy") for name in shapes}
    if _shapes(arrays) != shapes:
        raise ValueError("an array is not of the shape it was written in")
    return arrays


def _shapes(arrays: Arrays) -> dict[str, Any]:
    return {name: [array.dtype.str, list(array.shape)] for name, array in sorted(arrays.items())}


def _map(path: Path) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        return np.load(path, allow_pickle=False)  # an empty array can't be mapped


def _current(workspace: Workspace) -> Path | None:
    home = workspace.derived / "index"
    try:
        name = (home / "current").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return home / name if name.isalnum() else None


def _read_meta(folder: Path) -> dict[str, Any] | None:
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(meta, dict) and meta.get("version") == _VERSION and set(meta) == _META
    return meta if whole else None


def _fits(meta: dict[str, Any], stamps: tuple[Stamp, ...]) -> bool:
    try:
        own_tree = bool(meta["stamps"] == [list(astuple(stamp)) for stamp in stamps])
        return own_tree and bool(meta["embedder"] == static_embedder().fingerprint)
    except OSError as error:
        raise IndexUnavailable(f"the embedder can't be loaded: {error}") from error


def _digest(arrays: Arrays) -> str:
    """Digest of all arrays, by name, type, shape and content."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
