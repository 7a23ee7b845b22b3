"""Segments and links of a workspace: from memory, from `.jam/links/`, what is new worked out now.

Sessions are linked in the order of their times. What is stored holds up to the first session that is new or was
changed; from there on all is worked out again, so that it equals what is made from nothing.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from jam.index.search_index import SearchIndex
from jam.links.linking import RECENT, Linker, Vectors
from jam.links.links import Links
from jam.links.segmenting import Places, cosines_across, segment_starts, segment_sums
from jam.links.structure import DIGEST, Structure, decode, encode
from jam.links.transitions import StaticTransitions, Talk, Transitions
from jam.links.vectors import message_vectors
from jam.workspace import files
from jam.workspace.store import Workspace

_log = logging.getLogger(__name__)
_LINKS = "links"
_FILE = "links.npz"
_opening = threading.RLock()

SEGMENT_BELOW = 0.4
"""tau_1: two neighbouring messages whose cosine is not less than this stay in one segment."""
LINK_ABOVE = 0.75
"""tau_2: a segment whose cosine with no link is more than this begins one."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How segments and links are made."""

    segment_below: float = SEGMENT_BELOW
    link_above: float = LINK_ABOVE
    recent: int = RECENT
    """Links that a segment is compared with at most."""
    transitions: Transitions = field(default_factory=StaticTransitions)

    @property
    def fingerprint(self) -> str:
        return f"{self.transitions.fingerprint} {self.segment_below!r} {self.link_above!r} {self.recent}"


def open_links(workspace: Workspace, index: SearchIndex, rules: Rules | None = None) -> Links:
    """Segments and links of a workspace's open index.

    Where they can't be stored they are made in memory; a damaged file is made anew.
    """
    rules = rules or Rules()
    made_by = f"{index.collection.embedder.fingerprint} {rules.fingerprint}"
    with _opening:
        kept: tuple[ref[SearchIndex], str, Links] | None = workspace.kept.get(_LINKS)
        if kept and kept[0]() is index and kept[1] == made_by:
            return kept[2]
        desk = _Desk(workspace, index, rules)
        path = workspace.derived / _LINKS / _FILE
        stored = _read(path, made_by)
        structure = desk.completed(stored or Structure.empty())
        if stored is None or structure is not stored:
            _write(path, encode(structure, made_by))
        links = Links(index.collection, desk.order, structure)
        workspace.kept[_LINKS] = ref(index), made_by, links
        return links


def links_hold(workspace: Workspace, index: SearchIndex) -> bool:
    """Whether what is stored, as far as it reaches, is what the index gives; true where nothing usable is stored."""
    rules = Rules()
    stored = _read(workspace.derived / _LINKS / _FILE, f"{index.collection.embedder.fingerprint} {rules.fingerprint}")
    if stored is None:
        return True
    fresh = _Desk(workspace, index, rules).completed(Structure.empty())
    reaches = stored.shared(fresh.sessions, np.diff(fresh.message_ends(), prepend=0))
    mine, theirs = stored.first(reaches), fresh.first(reaches)
    return all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in ("counts", "sizes", "links"))


def discard_links(workspace: Workspace) -> None:
    """Removes what is stored; it is made again when it is needed."""
    (workspace.derived / _LINKS / _FILE).unlink(missing_ok=True)
    workspace.kept.pop(_LINKS, None)


def _read(path: Path, made_by: str) -> Structure | None:
    try:
        return decode(files.read_bytes(path), made_by)
    except OSError:
        return None


def _write(path: Path, data: bytes) -> None:
    try:
        files.write_atomic(path, data)
    except OSError as error:
        _log.warning("the links between messages can't be kept in %s (%s); they are made in memory", path.parent, error)


class _Desk:
    """Where segments and links are made."""

    def __init__(self, workspace: Workspace, index: SearchIndex, rules: Rules) -> None:
        self.workspace, self.index, self.rules = workspace, index, rules
        self.collection = index.collection
        records = index.files
        order = sorted(range(len(records)), key=lambda file: (records[file].started or "", records[file].path))
        self.order: NDArray[np.int64] = np.array(order, np.int64)
        """Files, in the order in which they are linked."""

    def completed(self, known: Structure) -> Structure:
        """The structure of all sessions; `known` itself where it is that."""
        sessions = self._digests()
        messages = np.diff(self.collection.start)[self.order]
        done = known.shared(sessions, messages)
        if done == len(sessions) == len(known.sessions):
            return known
        known = known.first(done)
        linker = Linker(self.collection.embedder.dimensions, self.rules.link_above, self.rules.recent)
        linker.resume(known.links, self._sums(known, linker.counts(known.links)))
        counts, sizes, links = [known.counts], [known.sizes], [known.links]
        for file in self.order[done:]:
            own_sizes, own_links = self._linked(int(file), linker)
            counts.append(np.array([len(own_sizes)], np.int32))
            sizes.append(own_sizes)
            links.append(own_links)
        return Structure(sessions, np.concatenate(counts), np.concatenate(sizes), np.concatenate(links))

    def _linked(self, file: int, linker: Linker) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The sizes of a session's segments, and their links."""
        vectors = message_vectors(self.collection, self._rows(file))
        if not len(vectors):
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        starts = self._starts(file, vectors)
        links = [linker.link(vector) for vector in segment_sums(vectors, starts)]
        return np.diff(starts, append=len(vectors)).astype(np.int32), np.array(links, np.int32)

    def _starts(self, file: int, vectors: Vectors) -> Places:
        scores = self.rules.transitions.scores(Talk(vectors, partial(self._texts, file)))
        return segment_starts(scores, cosines_across(vectors), self.rules.segment_below)

    def _sums(self, known: Structure, wanted: NDArray[np.bool_]) -> Iterator[Vectors]:
        """The vectors of some of the known segments."""
        first = 0
        for file, count in zip(self.order[: len(known.counts)], known.counts, strict=True):
            own = slice(first, first + int(count))
            first = own.stop
            if not wanted[own].any():
                continue
            starts = np.cumsum(known.sizes[own]) - known.sizes[own]
            vectors = message_vectors(self.collection, self._rows(int(file)))
            yield from segment_sums(vectors, starts.astype(np.int64))[wanted[own]]

    def _rows(self, file: int) -> slice:
        return slice(int(self.collection.start[file]), int(self.collection.start[file + 1]))

    def _texts(self, file: int) -> Sequence[str]:
        """The texts of a session's messages, of very long ones the passages."""
        messages = self.workspace.read_raw(self.index.files[file].path).session.messages
        rows = self._rows(file)
        return [
            messages[self.index.message_number(row) - 1].text[self.index.part(row) or slice(None)]
            for row in range(rows.start, rows.stop)
        ]

    def _digests(self) -> NDArray[np.uint8]:
        """What each session is known by: its path, and all that tells its messages' vectors apart."""
        columns = [
            np.ascontiguousarray(self.collection.columns["size"]),
            np.ascontiguousarray(self.collection.rows("scale", slice(None))),
            np.ascontiguousarray(self.collection.bits),
        ]
        out = np.zeros((len(self.order), DIGEST), np.uint8)
        for place, file in enumerate(self.order):
            digest = hashlib.blake2b(self.index.files[file].path.encode("utf-8", "surrogatepass"), digest_size=DIGEST)
            rows = self._rows(int(file))
            for column in columns:
                digest.update(column[rows].tobytes())
            out[place] = np.frombuffer(digest.digest(), np.uint8)
        return out
