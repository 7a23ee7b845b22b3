"""Which term stands in which message: two compressed tables, and the vocabulary, made in bounded memory.

What is counted is set aside in buckets by the first bits of the terms' keys. Bucket by bucket it is then sorted: the
buckets one after the other are the whole in order.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jam.index.embedder import StaticEmbedder
from jam.index.growing import Growing, SetAside
from jam.index.lexicon import Spelling

_BITS = 5
"""First bits of a key that choose its bucket."""
_ENTRY = np.dtype([("key", "<u8"), ("message", "<i4"), ("count", "<f4")])
_KEY = np.dtype("<u8")
_WAITING = 65_536
"""Entries that are sorted into buckets at a time."""
_BLOCK = 262_144
"""Keys that are looked up at a time."""
MOST_VECTORS = 262_144
"""Terms that have a vector at most; of a larger vocabulary (a log has more numbers than words) the commonest."""
_LARGE = 1_048_575
_ENCODED = 4_096
"""Spellings whose vectors are in memory at a time."""

Counts = dict[int, int]


class Postings:
    """Takes the counted terms of message after message."""

    def __init__(self, folder: Path) -> None:
        self._entries = [SetAside(folder) for _ in range(1 << _BITS)]
        self._spellings = [SetAside(folder) for _ in range(1 << _BITS)]
        self._forward = SetAside(folder)
        self._waiting: list[NDArray[np.void]] = []
        self._size = 0
        self._distinct = array("i")
        self.lengths = array("q")
        """Terms of each message."""

    def add(self, counted: Iterable[Counts]) -> None:
        """The terms of the next message, in one or several counts."""
        keys, numbers = _merged([(_keys(counts), _numbers(counts)) for counts in counted])
        for start in range(0, len(keys), _WAITING):
            block = slice(start, start + _WAITING)
            entries = np.empty(len(keys[block]), _ENTRY)
            entries["key"], entries["message"], entries["count"] = keys[block], len(self.lengths), numbers[block]
            self._waiting.append(entries)
            self._size += len(entries)
            if self._size >= _WAITING:
                self._sort_in()
        self._forward.append(keys)
        self._distinct.append(len(keys))
        self.lengths.append(int(numbers.sum()))

    def spell(self, spellings: Iterable[Spelling]) -> None:
        """Notes how often terms were spelt how."""
        found: list[list[tuple[int, str, int]]] = [[] for _ in self._spellings]
        for spelling in spellings:
            found[spelling.key >> 64 - _BITS].append((spelling.key, spelling.surface, spelling.count))
        for bucket, own in zip(self._spellings, found, strict=True):
            if own:
                bucket.put(own)

    def write(self, folder: Path, embedder: StaticEmbedder) -> None:
        """Makes the arrays of it all, in `folder`."""
        self._sort_in()
        least = self._write_postings(folder)
        vectored = self._write_vectors(folder, embedder, least)
        self._write_forward(folder, vectored)
        for kept in (*self._entries, *self._spellings, self._forward):
            kept.close()

    def _write_postings(self, folder: Path) -> int:
        """The vocabulary and term → messages. Returns the least weight of a term that has a vector."""
        names = Growing(folder / "term_key.npy", np.uint64)
        starts = Growing(folder / "posting_start.npy", np.int64)
        messages = Growing(folder / "posting_message.npy", np.int32)
        counts = Growing(folder / "posting_count.npy", np.float32)
        weights: Counter[int] = Counter()
        for bucket in self._entries:
            entries, first = _by_term(bucket)
            names.append(entries["key"][first])
            starts.append(messages.rows + first)
            messages.append(entries["message"])
            counts.append(entries["count"])
            values, terms = np.unique(_weights(entries, first), return_counts=True)
            weights.update(dict(zip(values.tolist(), terms.tolist(), strict=True)))
        starts.append(np.array([messages.rows]))
        for made in (names, starts, messages, counts):
            made.close()
        return _least(weights)

    def _write_vectors(self, folder: Path, embedder: StaticEmbedder, least: int) -> NDArray[np.uint64]:
        """The vectors of the terms that have one. Returns those terms' keys."""
        vectors = Growing(folder / "term_vector.npy", np.float16, embedder.dimensions)
        vectored: list[NDArray[np.uint64]] = []
        for bucket, spellings in zip(self._entries, self._spellings, strict=True):
            entries, first = _by_term(bucket)
            keys = entries["key"][first[_weights(entries, first) >= least]]
            vectored.append(keys)
            spoken_as = _commonest(spellings, set(keys.tolist()))
            for start in range(0, len(keys), _ENCODED):
                vectors.append(embedder.encode([spoken_as[key] for key in keys[start : start + _ENCODED].tolist()]))
        vectors.close()
        return np.concatenate(vectored)

    def _write_forward(self, folder: Path, vectored: NDArray[np.uint64]) -> None:
        """Message → its terms that have a vector."""
        forward = Growing(folder / "forward_term.npy", np.int32)
        starts = Growing(folder / "forward_start.npy", np.int64)
        starts.append(np.zeros(1, np.int64))
        ends = np.cumsum(np.array(self._distinct, np.int64))
        before = done = 0
        for keys in self._forward.blocks(_KEY, _BLOCK):
            rows = np.searchsorted(vectored, keys)
            there = (
                vectored[np.minimum(rows, len(vectored) - 1)] == keys if len(vectored) else np.zeros(len(keys), bool)
            )
            last = int(np.searchsorted(ends, before + len(keys), side="right"))
            starts.append(forward.rows + np.concatenate([[0], np.cumsum(there)])[ends[done:last] - before])
            forward.append(rows[there])
            before, done = before + len(keys), last
        starts.append(np.full(len(ends) - done, forward.rows))
        for made in (forward, starts):
            made.close()

    def _sort_in(self) -> None:
        """Sets what is waiting aside, each entry in its bucket, in the order of the messages."""
        if not self._waiting:
            return
        entries = np.concatenate(self._waiting)
        self._waiting, self._size = [], 0
        owner = (entries["key"] >> np.uint64(64 - _BITS)).astype(np.uint8)
        entries = entries[np.argsort(owner, kind="stable")]
        bounds = np.cumsum(np.bincount(owner, minlength=1 << _BITS))
        for number, bucket in enumerate(self._entries):
            bucket.append(entries[bounds[number - 1] if number else 0 : bounds[number]])


def _keys(counts: Counts) -> NDArray[np.uint64]:
    return np.fromiter(counts, np.uint64, len(counts))


def _numbers(counts: Counts) -> NDArray[np.int32]:
    return np.fromiter(counts.values(), np.int32, len(counts))


def _merged(parts: list[tuple[NDArray[np.uint64], NDArray[np.int32]]]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
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
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], np.add.reduceat(numbers, first)


def _by_term(bucket: SetAside) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The entries of a bucket in the order of terms and messages, and the first of each term."""
    entries = bucket.all(_ENTRY)
    entries = entries[np.argsort(entries["key"], kind="stable")]
    return entries, np.unique(entries["key"], return_index=True)[1]


def _weights(entries: NDArray[np.void], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """How common each term is: in how many messages it is, then how often."""
    if not len(first):
        return np.zeros(0, np.int64)
    present = np.diff(np.append(first, len(entries)))
    often = np.add.reduceat(entries["count"].astype(np.int64), first)
    weights: NDArray[np.int64] = np.minimum(present, _LARGE) * (_LARGE + 1) + np.minimum(often, _LARGE)
    return weights


def _least(weights: Counter[int]) -> int:
    """The least weight at which no more terms than may be have a vector."""
    terms = 0
    for weight in sorted(weights, reverse=True):
        terms += weights[weight]
        if terms > MOST_VECTORS:
            return weight + 1
    return 0


def _commonest(spellings: SetAside, keys: set[int]) -> dict[int, str]:
    """The commonest spelling of some terms, which speaks for the stem: that itself is no word of the vector table."""
    counts: Counter[tuple[int, str]] = Counter()
    for found in spellings.values():
        for key, surface, count in found:
            if key in keys:
                counts[key, surface] += count
    best: dict[int, tuple[int, str]] = {}
    for (key, surface), count in counts.items():
        candidate = (-count, surface)
        if key not in best or candidate < best[key]:
            best[key] = candidate
    return {key: surface for key, (_, surface) in best.items()}
