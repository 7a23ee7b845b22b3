"""Rows sorted by key in bounded memory: set aside in buckets by the first bits of the key, sorted bucket by bucket.

The buckets one after the other are the whole in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.growing import SetAside

_BITS = 5
BUCKETS = 1 << _BITS
_WAITING = 65_536
"""Rows that are sorted into buckets at a time."""


def bucket_of(key: int) -> int:
    """The number of a key's bucket."""
    return key >> (64 - _BITS)


class Buckets:
    """Takes structured rows with a field `key`. Rows come sorted by the fields `by`, equal ones as they came."""

    def __init__(self, folder: Path, dtype: np.dtype[Any], by: tuple[str, ...] = ("key",)) -> None:
        self._dtype = dtype
        self._by = by
        self._kept = [SetAside(folder) for _ in range(BUCKETS)]
        self._waiting: list[NDArray[np.void]] = []
        self._size = 0

    def add(self, rows: NDArray[np.void]) -> None:
        """Some more rows."""
        for start in range(0, len(rows), _WAITING):
            self._waiting.append(rows[start : start + _WAITING])
            self._size += len(self._waiting[-1])
            if self._size >= _WAITING:
                self._sort_in()

    def sorted(self) -> Iterator[NDArray[np.void]]:
        """The rows of each bucket, sorted. The end of it: nothing is kept."""
        self._sort_in()
        for bucket in self._kept:
            rows = bucket.all(self._dtype)
            yield rows[np.lexsort([rows[name] for name in reversed(self._by)])]
            bucket.close()

    def _sort_in(self) -> None:
        if not self._waiting:
            return
        rows = np.concatenate(self._waiting)
        self._waiting, self._size = [], 0
        owner = (rows["key"] >> np.uint64(64 - _BITS)).astype(np.uint8)
        rows = rows[np.argsort(owner, kind="stable")]
        bounds = np.cumsum(np.bincount(owner, minlength=BUCKETS))
        for number, bucket in enumerate(self._kept):
            bucket.append(rows[bounds[number - 1] if number else 0 : bounds[number]])
