"""The segments of an index and the links between them, by the rows of the index."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.collection import Collection, ranges
from jam.links.structure import Structure

Array = NDArray[Any]


class Links:
    """Which segment and which link each message belongs to. Links reach across folders: a scope is the caller's."""

    def __init__(self, collection: Collection, order: Array, structure: Structure) -> None:
        """`order` are the files of the collection in the order of the structure's sessions."""
        own = np.repeat(order, structure.counts)
        sizes = structure.sizes.astype(np.int64)
        ends = np.cumsum(sizes)
        firsts = np.cumsum(structure.counts) - structure.counts
        before = np.concatenate([[0], ends])[firsts]  # messages of all earlier sessions, by session
        self.begin: Array = collection.start[own] + ends - sizes - np.repeat(before, structure.counts)
        """First message of each segment; segments are numbered in the order in which they were linked."""
        self.end: Array = self.begin + sizes
        self.links: Array = structure.links
        """Segment → link."""
        self.segments: Array = np.empty(len(collection), np.int32)
        """Message → segment."""
        self.segments[ranges(self.begin, self.end)] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    def __len__(self) -> int:
        """The number of links."""
        return int(self.links.max(initial=-1)) + 1

    def segment_of(self, row: int) -> range:
        """The messages of a message's segment."""
        return self._rows(int(self.segments[row]))

    def link_of(self, row: int) -> int:
        """The link of a message's segment."""
        return int(self.links[self.segments[row]])

    def rows_of_link(self, link: int) -> list[range]:
        """The segments of a link, in the order in which they were said."""
        bounds = np.searchsorted(self._sorted_links, [link, link + 1])
        return [self._rows(int(segment)) for segment in self._by_link[bounds[0] : bounds[1]]]

    def _rows(self, segment: int) -> range:
        return range(int(self.begin[segment]), int(self.end[segment]))

    @cached_property
    def _by_link(self) -> Array:
        return np.argsort(self.links, kind="stable")

    @cached_property
    def _sorted_links(self) -> Array:
        return self.links[self._by_link]
