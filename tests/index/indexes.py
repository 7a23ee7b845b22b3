"""Indexes of a few sessions, in memory: of one segment, or of several."""

from __future__ import annotations

from collections.abc import Sequence

import jam
from jam.index.collection import Collection, Place
from jam.index.embedder import static_embedder
from jam.index.indexing import build_arrays
from jam.index.search_index import FileRecord, SearchIndex


def records(sessions: Sequence[jam.Session]) -> list[FileRecord]:
    return [FileRecord(f"{s.id}.md", s.id, 1, s.title or "", "", s.started, s.ended) for s in sessions]


def index_of(*sessions: jam.Session) -> SearchIndex:
    return SearchIndex(Collection.of(build_arrays(sessions, static_embedder()), static_embedder()), records(sessions))


def collection_of(sessions: Sequence[jam.Session], owners: Sequence[int]) -> Collection:
    """The sessions, each in the segment that `owners` says, in their order nevertheless."""
    segments = [
        build_arrays([s for s, own in zip(sessions, owners, strict=True) if own == number], static_embedder())
        for number in range(max(owners, default=0) + 1)
    ]
    places = [Place(own, list(owners[:at]).count(own)) for at, own in enumerate(owners)]
    return Collection(segments, places, static_embedder())
