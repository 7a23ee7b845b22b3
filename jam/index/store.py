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
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from jam.errors import DamagedFile, IndexUnavailable
from jam.index.embedder import static_embedder
from jam.index.indexing import Arrays, load_array, load_arrays, write_arrays
from jam.index.search_index import SHORTLIST, FileRecord, SearchIndex
from jam.index.shortlist import Shortlist, save_bm25
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import Stamp
from jam.workspace.store import Workspace, is_foreign

_log = logging.getLogger(__name__)
_VERSION = 2
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


Watch = Callable[[int, int], None]
"""Told while an index is made: (raw files done, raw files in all)."""

_ABANDONED = 86_400.0
"""Seconds after which nobody is still writing a generation."""
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


def refresh(workspace: Workspace, watch: Watch | None = None) -> None:
    """Brings the stored index up to date; whoever has the workspace open in this process looks again."""
    with _opening:
        for other in [other for other in _open if other.root == workspace.root]:
            del _open[other]
        stamps = tuple(workspace.stamps())
        index = _load(workspace, stamps) or _made(workspace, stamps, watch)
        _open[workspace] = _Held(stamps, index, time.monotonic())


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
    with tempfile.TemporaryDirectory(prefix="jam-index-") as temporary:
        records = _make(workspace, stamps, Path(temporary))
        fresh = _digest(Path(temporary))
    try:
        _load_arrays(folder, meta["arrays"])
        stored = _digest(folder)
    except _DAMAGE:
        return IndexState.differs
    same = meta["files"] == [asdict(record) for record in records] and fresh == meta["digest"] == stored
    return IndexState.equal if same else IndexState.differs


def _made(workspace: Workspace, stamps: tuple[Stamp, ...], watch: Watch | None = None) -> SearchIndex:
    """Makes the index from the tree and stores it, where it can be stored."""
    home = workspace.derived / "index"
    temporary = home / f".new-{os.getpid()}-{threading.get_ident()}"
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        records = _make(workspace, stamps, temporary, watch)
        folder = _name(home, temporary, stamps, records)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        _log.warning("the index can't be kept in %s (%s); it is made in memory each time", workspace.derived, error)
        return _in_memory(workspace, stamps, watch)
    return _opened(folder, records, load_arrays(folder))


def _in_memory(workspace: Workspace, stamps: tuple[Stamp, ...], watch: Watch | None) -> SearchIndex:
    with tempfile.TemporaryDirectory(prefix="jam-index-") as temporary:
        folder = Path(temporary)
        records = _make(workspace, stamps, folder, watch)
        return SearchIndex(load_arrays(folder, mapped=False), records)


def _make(
    workspace: Workspace, stamps: tuple[Stamp, ...], folder: Path, watch: Watch | None = None
) -> list[FileRecord]:
    """Writes the arrays of the tree as it is into a folder."""
    records: list[FileRecord] = []
    write_arrays(_read_tree(workspace, stamps, records, watch), static_embedder(), folder)
    return records


def _read_tree(
    workspace: Workspace, stamps: tuple[Stamp, ...], records: list[FileRecord], watch: Watch | None
) -> Iterator[Session]:
    """The sessions of the raw files, one at a time; a record of each is added to `records`."""
    for done, stamp in enumerate(stamps, 1):
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
        yield raw.session
        if watch:
            watch(done, len(stamps))


def _name(home: Path, made: Path, stamps: tuple[Stamp, ...], records: list[FileRecord]) -> Path:
    """Makes the arrays in a folder a generation, in the place of one of the same name, and the current one."""
    arrays = load_arrays(made)
    meta = {
        "version": _VERSION,
        "embedder": static_embedder().fingerprint,
        "digest": _digest(made),
        "arrays": _shapes(arrays),
        "stamps": [astuple(stamp) for stamp in stamps],
        "files": [asdict(record) for record in records],
    }
    text = json.dumps(meta, ensure_ascii=True).encode()
    name = hashlib.sha256(text).hexdigest()[:20]
    if len(records) > SHORTLIST:
        save_bm25(made, made / _BM25)
    del arrays  # no system renames a folder of files that are open
    files.write_atomic(made / "meta.json", text)
    shutil.rmtree(home / name, ignore_errors=True)
    made.rename(home / name)
    files.write_atomic(home / "current", name.encode())
    _sweep(home, keep=name)
    return home / name


def _sweep(home: Path, keep: str) -> None:
    """Removes older generations; one that a reader on another system holds open stays until the next time."""
    for entry in home.iterdir():
        if entry.is_dir() and entry.name != keep and not _recent(entry):
            shutil.rmtree(entry, ignore_errors=True)


def _recent(entry: Path) -> bool:
    """A folder that another process may be writing at this moment; one that was killed leaves it behind."""
    if not entry.name.startswith(".new-") or entry.name.startswith(f".new-{os.getpid()}-"):
        return False
    try:
        return time.time() - entry.stat().st_mtime < _ABANDONED
    except OSError:
        return False


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
    arrays = {name: load_array(folder / f"{name}.npy") for name in shapes}
    if _shapes(arrays) != shapes:
        raise ValueError("an array is not of the shape it was written in")
    return arrays


def _shapes(arrays: Arrays) -> dict[str, Any]:
    return {name: [array.dtype.str, list(array.shape)] for name, array in sorted(arrays.items())}


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


def _digest(folder: Path) -> str:
    """Digest of all arrays in a folder, by name and by all that their files hold."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.npy")):
        with path.open("rb") as file:
            digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
