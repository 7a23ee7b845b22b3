"""Segments and links of a history as they are kept: session by session in the order of linking, whatever the rows."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

VERSION = 1
DIGEST = 16
"""Bytes that a session is known by."""
_DAMAGE = (OSError, ValueError, TypeError, KeyError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged or foreign file may raise."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Sessions, each with its segments, each with its link."""

    sessions: NDArray[np.uint8]
    """Digests, sessions x `DIGEST`."""
    counts: NDArray[np.int32]
    """Segments of each session."""
    sizes: NDArray[np.int32]
    """Messages of each segment."""
    links: NDArray[np.int32]
    """The link of each segment; links are numbered as they begin."""

    @classmethod
    def empty(cls) -> Structure:
        """No sessions."""
        nothing = np.zeros(0, np.int32)
        return cls(np.zeros((0, DIGEST), np.uint8), nothing, nothing, nothing)

    def first(self, sessions: int) -> Structure:
        """Only so many sessions."""
        end = int(self.counts[:sessions].sum())
        return Structure(self.sessions[:sessions], self.counts[:sessions], self.sizes[:end], self.links[:end])

    def message_ends(self) -> NDArray[np.int64]:
        """How many messages there are up to the end of each session."""
        ends: NDArray[np.int64] = np.concatenate([[0], np.cumsum(self.sizes, dtype=np.int64)])[np.cumsum(self.counts)]
        return ends

    def shared(self, sessions: NDArray[np.uint8], messages: NDArray[np.int64]) -> int:
        """How many sessions it begins with that these begin with as well; `messages` are how many each of these has."""
        count = min(len(self.sessions), len(sessions))
        same = (self.sessions[:count] == sessions[:count]).all(axis=1)
        same &= np.diff(self.message_ends()[:count], prepend=0) == messages[:count]
        return count if same.all() else int(np.argmin(same))


def encode(structure: Structure, made_by: str) -> bytes:
    """As a file; `made_by` says by which embedder, transitions and limits."""
    buffer = io.BytesIO()
    arrays = {name: getattr(structure, name) for name in ("sessions", "counts", "sizes", "links")}
    np.savez(buffer, made_by=np.array(_header(made_by)), **arrays)
    return buffer.getvalue()


def decode(data: bytes, made_by: str) -> Structure | None:
    """What a file holds; `None` for one that is damaged, of another version, or made by something else."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            if str(file["made_by"]) != _header(made_by):
                return None
            structure = Structure(file["sessions"], file["counts"], file["sizes"], file["links"])
        return structure if _sound(structure) else None
    except _DAMAGE:
        return None


def _header(made_by: str) -> str:
    return json.dumps({"version": VERSION, "made by": made_by})


def _sound(structure: Structure) -> bool:
    """Whether the arrays can be what they are said to be."""
    sessions, counts, sizes, links = structure.sessions, structure.counts, structure.sizes, structure.links
    return (
        [array.dtype.name for array in (sessions, counts, sizes, links)] == ["uint8", "int32", "int32", "int32"]
        and sessions.shape == (len(counts), DIGEST)
        and counts.ndim == sizes.ndim == links.ndim == 1
        and len(sizes) == len(links) == int(counts.sum())
        and bool((counts >= 0).all() and (sizes > 0).all() and (links >= 0).all())
        and bool((links <= np.concatenate([[-1], np.maximum.accumulate(links)])[: len(links)] + 1).all())
    )
