"""The segments of a workspace on disk: `.jam/index/`, a folder a segment, with `manifest.json` naming those in use.

What is new in the tree goes to a segment of its own; now and then small segments are merged. A segment is written
whole, in a folder of its own, and then named; readers of others are not disturbed. Where one is damaged or missing, its
files are read from the tree again, and no others.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jam.encoding import DenseEncoder, same_encoder
from jam.errors import DamagedFile, IndexUnavailable
from jam.index.attempts import FAILURES
from jam.index.codes import Encoding
from jam.index.collection import Collection, Place
from jam.index.embedder import static_embedder
from jam.index.indexing import write_arrays
from jam.index.look import Look, encoder_of
from jam.index.merging import merge
from jam.index.search_index import FileRecord, SearchIndex
from jam.index.segments import DAMAGE, VERSION, Filed, Made, Segment, arrays_digest, load_segment, loaded, seal
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import Stamp
from jam.workspace.store import Workspace, is_foreign

_log = logging.getLogger(__name__)
_MANIFEST = "manifest.json"

Watch = Callable[[int, int], None]
"""Told while raw files are indexed: (done, in all)."""

_SEGMENTS = 8
"""So many segments are left when it is tidied; of more, the smallest are merged."""
_FACTOR = 3
"""A segment is merged with smaller ones unless it is so many times as large as these together."""
_DEAD = 3
"""A segment of which a part of this many holds what is no longer in the tree is written anew without it."""
_ABANDONED = 86_400.0
"""Seconds after which nobody is still writing a segment."""
_UNNAMED = 60.0
"""Seconds for which a segment that isn't named may be one that another program is about to name."""

_UNENCODED = "the embedder can't be used, and the index is made without its vectors; the next build adds them: %s"


class Shelf:
    """The segments of a workspace, on the way to hold its tree."""

    def __init__(
        self, workspace: Workspace, stamps: tuple[Stamp, ...], empty: bool = False, known: Sequence[Segment] = ()
    ) -> None:
        self.workspace = workspace
        self.stamps = stamps
        self.encoder = encoder_of(workspace)
        self.stored = True
        """Whether what is in the segments is on disk."""
        self.segments: list[Segment] = [] if empty else _load(workspace, known)
        self._changed = empty

    def missing(self) -> list[Stamp]:
        """What is in the tree and in no segment."""
        known = {each.stamp for segment in self.segments for each in segment.filed}
        return [stamp for stamp in self.stamps if stamp not in known]

    def renew(self) -> None:
        """Leaves out the segments that have not the vectors of the encoder that is set, so that they are made anew."""
        try:
            wanted = self.encoder.fingerprint if self.encoder else ""
        except FAILURES as error:
            if self.missing() or not all(segment.encoder for segment in self.segments):
                _log.warning(_UNENCODED, error)
            self.encoder = None
            return
        self.segments = [segment for segment in self.segments if same_encoder(segment.encoder, wanted)]

    def fill(self, watch: Watch | None = None) -> None:
        """Adds a segment of what is missing; the manifest then names the segments that are of use."""
        new = self.missing()
        if new or not self.segments:
            self._write(
                lambda folder: make_arrays(self.workspace, new, folder, watch, self.encoder), keep=self.segments
            )
        live = {place.segment for place, _ in self._placed()}
        if len(live) < len(self.segments) and live:
            self.segments = [segment for number, segment in enumerate(self.segments) if number in live]
            self._changed = True
        self._publish()

    def tidy(self) -> None:
        """Merges small segments, and those that hold much that is of no use any more."""
        sizes = self._live_sizes()
        wasted = [
            len(segment.arrays["file_day"]) and size * _DEAD < int(segment.arrays["start"][-1]) * (_DEAD - 1)
            for segment, size in zip(self.segments, sizes, strict=True)
        ]
        order = sorted(range(len(sizes)), key=lambda number: -sizes[number])
        chosen = {number for number, bad in enumerate(wasted) if bad}
        if len(order) > _SEGMENTS:
            cut = len(order) - _SEGMENTS // 2
            while cut > 0 and sizes[order[cut - 1]] < _FACTOR * sum(sizes[number] for number in order[cut:]):
                cut -= 1
            chosen |= set(order[cut:])
        encoders = [self.segments[number].encoder for number in sorted(chosen)]
        if chosen and all(same_encoder(encoders[0], other) for other in encoders):
            self._merge(chosen)
            self._publish()

    def _live_sizes(self) -> list[int]:
        """Messages of each segment that are in the tree."""
        sizes = [0] * len(self.segments)
        for place, _ in self._placed():
            start = self.segments[place.segment].arrays["start"]
            sizes[place.segment] += int(start[place.number + 1] - start[place.number])
        return sizes

    def _merge(self, chosen: set[int]) -> None:
        """Puts the segments of these numbers together."""
        part = Shelf(self.workspace, self.stamps, empty=True)
        part.segments = [self.segments[number] for number in sorted(chosen)]
        part.stamps = tuple(each.stamp for each in part.filed())
        rest = [segment for number, segment in enumerate(self.segments) if number not in chosen]

        def make(folder: Path) -> Made:
            merge(part.collection(), folder)
            return Made(part.filed(), part.segments[0].encoder)

        self._write(make, keep=rest)

    def filed(self) -> list[Filed]:
        """The files of the tree that the segments hold, in the order of the tree."""
        known = {each.stamp: each for segment in self.segments for each in segment.filed}
        return [known[stamp] for stamp in self.stamps if stamp in known]

    def _placed(self) -> list[tuple[Place, FileRecord]]:
        """Where each file of the tree is; what couldn't be read is nowhere."""
        known: dict[Stamp, tuple[Place, FileRecord] | None] = {}
        for number, segment in enumerate(self.segments):
            local = 0
            for each in segment.filed:
                known[each.stamp] = (Place(number, local), each.record) if each.record else None
                local += each.record is not None
        found = (known.get(stamp) for stamp in self.stamps)
        return [each for each in found if each is not None]

    def collection(self) -> Collection:
        """What the segments hold of the tree."""
        places = [place for place, _ in self._placed()]
        return Collection([segment.arrays for segment in self.segments], places, static_embedder())

    def index(self) -> SearchIndex:
        """The same, ready to be asked."""
        encoder = encoder_of(self.workspace)
        look = Look(encoder, [segment.encoder for segment in self.segments]) if encoder else None
        return SearchIndex(self.collection(), [record for _, record in self._placed()], look)

    def _write(self, make: Callable[[Path], Made], keep: Sequence[Segment]) -> None:
        """A new segment beside those that are kept; in memory where it can't be stored."""
        home = home_of(self.workspace)
        temporary = home / f".new-{os.getpid()}-{threading.get_ident()}"
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
            name = seal(temporary, make(temporary))
            made = _named(temporary, home / name)
        except OSError as error:
            shutil.rmtree(temporary, ignore_errors=True)
            self.stored = False
            _log.warning("the index can't be kept in %s (%s); it is made in memory", self.workspace.derived, error)
            with tempfile.TemporaryDirectory(prefix="jam-index-") as elsewhere:
                made = loaded(Path(elsewhere), make(Path(elsewhere)))
        self.segments = [*keep, made]
        self._changed = True

    def _publish(self) -> None:
        """Names the segments, and removes those that are no longer named."""
        if not self._changed or not self.stored:
            return
        home = home_of(self.workspace)
        names = [segment.name for segment in self.segments]
        before = read_manifest(self.workspace)
        manifest = {"version": VERSION, "embedder": fingerprint(), "files": len(self.stamps), "segments": names}
        try:
            files.write_atomic(home / _MANIFEST, json.dumps(manifest, indent=1).encode())
            _sweep(home, set(names), set(before.segments) if before else set())
        except OSError as error:
            self.stored = False
            _log.warning("the index can't be kept in %s: %s", self.workspace.derived, error)
        self._changed = False


def _named(made: Path, target: Path) -> Segment:
    """Gives a finished segment its name. One of this name may be there already: damaged, or just the same."""
    try:
        there = load_segment(target) if arrays_digest(target) == arrays_digest(made) else None
    except DAMAGE:
        there = None
    if there is None:
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
        return load_segment(target)
    shutil.rmtree(made, ignore_errors=True)
    return there


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which segments are in use, for how many files of the tree, and by which embedder."""

    embedder: str
    files: int
    segments: tuple[str, ...]


def read_manifest(workspace: Workspace) -> Manifest | None:
    """The manifest; `None` where there is none, or none of this version."""
    try:
        data = json.loads((home_of(workspace) / _MANIFEST).read_text(encoding="utf-8"))
        names = tuple(data["segments"])
        if data["version"] != VERSION or not all(isinstance(name, str) and name.isalnum() for name in names):
            return None
        return Manifest(str(data["embedder"]), int(data["files"]), names)
    except DAMAGE:
        return None


def _load(workspace: Workspace, known: Sequence[Segment]) -> list[Segment]:
    """The segments that the manifest names, but for damaged ones; those that are open already as they are."""
    manifest = read_manifest(workspace)
    if manifest is None or manifest.embedder != fingerprint():
        return []
    found, there = [], {segment.name: segment for segment in known if (home_of(workspace) / segment.name).is_dir()}
    for name in manifest.segments:
        try:
            found.append(there.get(name) or load_segment(home_of(workspace) / name))
        except DAMAGE as error:
            _log.warning("the index in %s is damaged and is made anew: %s", home_of(workspace) / name, error)
    return found


def home_of(workspace: Workspace) -> Path:
    """Where the segments of a workspace are."""
    return workspace.derived / "index"


def fingerprint() -> str:
    """That of the shipped embedder. Raises `IndexUnavailable` where it can't be loaded."""
    try:
        return static_embedder().fingerprint
    except OSError as error:
        raise IndexUnavailable(f"the embedder can't be loaded: {error}") from error


def make_arrays(
    workspace: Workspace,
    stamps: Sequence[Stamp],
    folder: Path,
    watch: Watch | None = None,
    encoder: DenseEncoder | None = None,
) -> Made:
    """Writes the arrays of some raw files into a folder."""
    filed: list[Filed] = []
    encoding = Encoding(encoder, folder) if encoder else None
    write_arrays(_read_files(workspace, stamps, filed, watch), static_embedder(), folder, encoding)
    if encoding and encoding.failure:
        _log.warning(_UNENCODED, encoding.failure)
    return Made(filed, encoding.fingerprint if encoding else "")


def _read_files(
    workspace: Workspace, stamps: Sequence[Stamp], filed: list[Filed], watch: Watch | None
) -> Iterator[Session]:
    """The sessions of the raw files, one at a time; a record of each is added to `filed`."""
    for done, stamp in enumerate(stamps, 1):
        try:
            raw = workspace.read_raw(stamp.path)
        except (DamagedFile, OSError) as error:
            if not is_foreign(workspace.root, stamp.path):
                _log.warning("not searchable: %s", error)
            filed.append(Filed(stamp, None))
            continue
        file = workspace.read_memo(stamp.path)
        title = file.memo.title if file else raw.session.title or ""
        gist = file.memo.gist if file else ""
        started, ended = raw.session.started, raw.session.ended
        filed.append(Filed(stamp, FileRecord(stamp.path, raw.session.id, raw.part, title, gist, started, ended)))
        yield raw.session
        if watch:
            watch(done, len(stamps))


def _sweep(home: Path, named: set[str], before: set[str]) -> None:
    """Removes what is no longer named; what a reader on another system holds open stays until the next time."""
    for entry in home.iterdir():
        if entry.name in named or entry.name == _MANIFEST or _in_use(entry, before):
            continue
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def _in_use(entry: Path, before: set[str]) -> bool:
    """Whether another process may be writing this, or about to name it; one that was killed leaves it behind."""
    if entry.name in before or entry.name.startswith(f".new-{os.getpid()}-"):
        return False
    try:
        age = time.time() - entry.stat().st_mtime
    except OSError:
        return False
    return age < (_ABANDONED if entry.name.startswith(".new-") else _UNNAMED)
