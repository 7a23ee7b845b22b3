"""Which term stands in which message, how often, and what that counts for; made in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jam.index.buckets import Buckets
from jam.index.growing import Growing

K1, B, MEAN = 1.2, 0.75, 16.0
"""BM25 as the rough look at a large scope has it: the mean length is set, so that no message hangs on others."""
_ENTRY = np.dtype([("key", "<u8"), ("message", "<i4"), ("count", "<f4")])

Counts = dict[int, int]
Terms = NDArray[np.uint64]


class Postings:
    """Takes the counted terms of messages; `mixed` says that these don't come in their order."""

    def __init__(self, folder: Path, mixed: bool = False) -> None:
        self._entries = Buckets(folder, _ENTRY, ("key", "message") if mixed else ("key",))

    def add(self, message: int, counted: Iterable[Counts]) -> int:
        """The terms of a message, in one or several counts. Returns how many terms that is."""
        keys, numbers = _merged([(_keys(counts), _numbers(counts)) for counts in counted])
        self.put(keys, np.full(len(keys), message, np.int32), numbers)
        return int(numbers.sum())

    def put(self, keys: Terms, messages: NDArray[np.int32], counts: NDArray[np.int32]) -> None:
        """Terms of messages, with their counts."""
        entries = np.empty(len(keys), _ENTRY)
        entries["key"], entries["message"], entries["count"] = keys, messages, counts
        self._entries.add(entries)

    def write(self, folder: Path, lengths: NDArray[np.int32]) -> None:
        """Makes the arrays of it all, in `folder`; `lengths` are the terms of each message."""
        discount = (K1 * (1 - B + B * lengths / MEAN)).astype(np.float32)
        names = Growing(folder / "term_key.npy", np.uint64)
        starts = Growing(folder / "posting_start.npy", np.int64)
        messages = Growing(folder / "posting_message.npy", np.int32)
        counts = Growing(folder / "posting_count.npy", np.float32)
        weights = Growing(folder / "posting_weight.npy", np.float32)
        for entries in self._entries.sorted():
            first = first_of_each(entries["key"])
            names.append(entries["key"][first])
            starts.append(messages.rows + first)
            messages.append(entries["message"])
            counts.append(entries["count"])
            weights.append(entries["count"] / (entries["count"] + discount[entries["message"]]))
        starts.append(np.array([messages.rows]))
        for made in (names, starts, messages, counts, weights):
            made.close()


def first_of_each(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where each of the sorted keys stands first."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)


def _keys(counts: Counts) -> Terms:
    return np.fromiter(counts, np.uint64, len(counts))


def _numbers(counts: Counts) -> NDArray[np.int32]:
    return np.fromiter(counts.values(), np.int32, len(counts))


def _merged(parts: list[tuple[Terms, NDArray[np.int32]]]) -> tuple[Terms, NDArray[np.int32]]:
    """The terms of a message, each once, sorted by key. Takes the list away: that of a huge message takes much room."""
    if not parts:
        return np.zeros(0, np.uint64), np.zeros(0, np.int32)
    several = len(parts) > 1
    keys = np.concatenate([keys for keys, _ in parts])
    numbers = np.concatenate([numbers for _, numbers in parts])
    parts.clear()
    order = np.argsort(keys, kind="stable")
    keys, numbers = keys[order], numbers[order]
    if not several or not len(keys):
        return keys, numbers
    del order
    first = first_of_each(keys)
    return keys[first], np.add.reduceat(numbers, first)
