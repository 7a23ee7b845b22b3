"""The index of a workspace, opened, brought up to date, made anew, or compared with one made anew.

An encoder of the user's own may have a part in it, or fail to. A build makes anew what has not the vectors of the one
that is set; a question takes what is there, and has no more encoded than what is new in the tree.
"""

from __future__ import annotations

import enum
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from jam.index.codes import CODE, SCALE
from jam.index.collection import Arrays
from jam.index.merging import merge
from jam.index.search_index import SearchIndex
from jam.index.segments import DAMAGE, Segment, arrays_digest, load_segment
from jam.index.shelf import Shelf, Watch, fingerprint, home_of, make_arrays, read_manifest
from jam.workspace.layout import Stamp, parent
from jam.workspace.store import Workspace


class IndexState(enum.StrEnum):
    """The stored index against one made anew from the tree."""

    equal = "equal"
    missing = "missing"
    stale = "stale"
    """The tree or the embedder has changed since."""
    differs = "differs"
    """It claims to be of this tree, and isn't."""


_MOST_SEGMENTS = 16
"""Of more segments, who only asks merges the smallest as well."""
_LOOK_AGAIN, _PATIENCE = 1.0, 20.0
"""Seconds for which an open index is taken to be fresh, without a look at the tree. Where looking at every file takes
long, so many times as long, as long as no folder has changed."""


@dataclass(slots=True)
class _Held:
    stamps: tuple[Stamp, ...]
    index: SearchIndex
    segments: list[Segment]
    folders: dict[str, int]
    """When each folder changed last."""
    looked: float
    """When every file was looked at."""
    cost: float
    """Seconds that this took."""
    glanced: float
    """When the folders were looked at."""

    def fresh(self, root: Path) -> bool:
        """Whether the tree is taken to be the same, without a look at its files."""
        now = time.monotonic()
        if now - self.glanced < _LOOK_AGAIN:
            return True
        patience = _LOOK_AGAIN * max(1.0, _PATIENCE * self.cost)
        if now - self.looked >= patience or _changes(root, self.stamps) != self.folders:
            return False
        self.glanced = now
        return True


_open: WeakKeyDictionary[Workspace, _Held] = WeakKeyDictionary()
_opening = threading.RLock()


def open_index(workspace: Workspace) -> SearchIndex:
    """The workspace's index, as fresh as its tree: from memory, from disk, what is new made now.

    What another program changed is noticed within a second. Where the index can't be stored (a read-only workspace) it
    is made in memory. Raises `IndexUnavailable` where the embedder can't be loaded.
    """
    with _opening:
        held = _open.get(workspace)
        if held and held.fresh(workspace.root):
            return held.index
        began = time.monotonic()
        stamps = tuple(workspace.stamps())
        cost = time.monotonic() - began
        if held and held.stamps == stamps:
            held.looked = held.glanced = time.monotonic()
            held.folders, held.cost = _changes(workspace.root, stamps), cost
            return held.index
        shelf = Shelf(workspace, stamps, known=held.segments if held else ())
        shelf.fill()
        if len(shelf.segments) > _MOST_SEGMENTS:
            shelf.tidy()
        return _hold(shelf, cost).index


def _hold(shelf: Shelf, cost: float) -> _Held:
    """Keeps an index that is up to date for the next question."""
    now = time.monotonic()
    changes = _changes(shelf.workspace.root, shelf.stamps)
    held = _Held(shelf.stamps, shelf.index(), shelf.segments, changes, looked=now, cost=cost, glanced=now)
    _open[shelf.workspace] = held
    return held


def _changes(root: Path, stamps: Sequence[Stamp]) -> dict[str, int]:
    """When each folder that holds raw files, and each above it, changed last: files that come and go are told by it."""
    folders = {""}
    for folder in {parent(stamp.path) for stamp in stamps}:
        while folder not in folders:
            folders.add(folder)
            folder = parent(folder)
    return {folder: _changed(root / folder) for folder in folders}


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def refresh(workspace: Workspace, watch: Watch | None = None) -> None:
    """Brings the stored index up to date, and tidies it up; whoever has the workspace open here looks again."""
    with _opening:
        for other in [other for other in _open if other.root == workspace.root]:
            del _open[other]
        shelf = Shelf(workspace, tuple(workspace.stamps()))
        shelf.renew()
        shelf.fill(watch)
        shelf.tidy()
        _hold(shelf, 0.0)


def rebuild(workspace: Workspace) -> bool:
    """Makes the index anew from the tree, whatever is stored. Returns whether it could be stored."""
    with _opening:
        shelf = Shelf(workspace, tuple(workspace.stamps()), empty=True)
        shelf.fill()
        _hold(shelf, 0.0)
        return shelf.stored


def index_state(workspace: Workspace) -> IndexState:
    """Compares what is stored, put together, byte for byte with an index made anew; but for an encoder's vectors, for
    which the whole history would be encoded again.
    """
    stamps = tuple(workspace.stamps())
    manifest = read_manifest(workspace)
    if manifest is None:
        return IndexState.missing
    if manifest.embedder != fingerprint():
        return IndexState.stale
    try:
        segments = [load_segment(home_of(workspace) / name) for name in manifest.segments]
    except DAMAGE:
        return IndexState.differs
    shelf = Shelf(workspace, stamps, empty=True)
    shelf.segments = [replace(segment, arrays=_without_codes(segment)) for segment in segments]
    if any(bool(segment.encoder) != bool(shelf.encoder) for segment in segments):
        return IndexState.stale
    if shelf.missing() or manifest.files != len(stamps):
        return IndexState.stale
    with tempfile.TemporaryDirectory(prefix="jam-index-") as temporary:
        stored, fresh = Path(temporary) / "stored", Path(temporary) / "fresh"
        stored.mkdir()
        fresh.mkdir()
        filed = make_arrays(workspace, stamps, fresh).filed
        same = shelf.filed() == filed
        try:
            merge(shelf.collection(), stored)
        except (*DAMAGE, IndexError):
            return IndexState.differs
        return IndexState.equal if same and arrays_digest(stored) == arrays_digest(fresh) else IndexState.differs


def _without_codes(segment: Segment) -> Arrays:
    return {name: array for name, array in segment.arrays.items() if name not in (CODE, SCALE)}
