"""Segments that speak of the same are linked, in the order in which they were said (DeferMem, segment links).

Numbers only. A link's direction is the sum of its segments' vectors. Where it departs from the paper: a segment is
compared with the links that began last, so that the work for each is bounded however long a history grows.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Numbers = NDArray[np.int32]
RECENT = 4_096
"""Links that a segment is compared with at most: those that began last."""
_DIGITS = 5
"""Of a cosine. Closer ones count as equal, so that no rounding decides."""
_BLOCK = 1_024
"""Links compared in one product. numpy hands larger ones to threads, which is far slower where no processor is idle."""


class Linker:
    """Takes segments one by one, in order. Links are numbered from 0 as they begin."""

    def __init__(self, dimensions: int, above: float, recent: int = RECENT) -> None:
        self.begun = 0
        """Links so far."""
        self._above, self._recent = above, recent
        self._first = 0
        """The link that is held in the first place."""
        self._sums = np.zeros((2 * recent, dimensions), np.float32)
        self._directions = np.zeros((2 * recent, dimensions), np.float32)
        """The sums, brought to length 1."""

    def link(self, vector: Vectors) -> int:
        """The link that the next segment joins: the most similar one, the earlier of equals; else a new one."""
        number = self._like(vector)
        if number is None:
            number = self.begun
            self._begin()
        self._add(number, vector)
        return number

    def resume(self, links: Numbers, vectors: Iterable[Vectors]) -> None:
        """Goes on from segments that were linked before, to these links; `vectors` are of those that `counts` names."""
        self.begun = int(links.max(initial=-1)) + 1
        self._first = max(0, self.begun - self._recent)
        for number, vector in zip(links[self.counts(links)], vectors, strict=True):
            self._add(int(number), vector)

    def counts(self, links: Numbers) -> NDArray[np.bool_]:
        """Which segments, linked so, are of links that the next one is compared with."""
        mask: NDArray[np.bool_] = links > int(links.max(initial=-1)) - self._recent
        return mask

    def _like(self, vector: Vectors) -> int | None:
        oldest = max(0, self.begun - self._recent)
        first, end = oldest - self._first, self.begun - self._first
        direction = _direction(vector)
        if first == end or not direction.any():
            return None
        blocks = [self._directions[at : min(at + _BLOCK, end)] @ direction for at in range(first, end, _BLOCK)]
        cosines = np.round(np.concatenate(blocks).astype(np.float64), _DIGITS)
        best = int(np.argmax(cosines))
        return oldest + best if cosines[best] > self._above else None

    def _begin(self) -> None:
        if self.begun - self._first == len(self._sums):  # the older half is compared with no more
            for held in (self._sums, self._directions):
                held[: self._recent] = held[self._recent :]
                held[self._recent :] = 0
            self._first += self._recent
        self.begun += 1

    def _add(self, number: int, vector: Vectors) -> None:
        place = number - self._first
        self._sums[place] += vector
        self._directions[place] = _direction(self._sums[place])


def _direction(vector: Vectors) -> Vectors:
    """The vector brought to length 1; zeros stay zeros."""
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector
