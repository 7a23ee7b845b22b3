"""The words of each message, and a vector for each word; made in bounded memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.buckets import BUCKETS, bucket_of
from jam.index.embedder import StaticEmbedder
from jam.index.growing import Growing, SetAside
from jam.index.quantised import quantise

_KEY = np.dtype("<u8")
_BLOCK = 262_144
"""Keys that are looked up at a time."""
_ENCODED = 4_096
"""Words whose vectors are in memory at a time."""
_NAMED = 8_192
"""Spellings that are sorted into buckets at a time."""


class Words:
    """Takes the words of message after message, and how each is spelt."""

    def __init__(self, folder: Path) -> None:
        self._forward = Forward(folder)
        self._spellings = [SetAside(folder) for _ in range(BUCKETS)]
        self._waiting: list[tuple[int, str]] = []

    def name(self, key: int, surface: str) -> None:
        """How a word is spelt; it may be told again."""
        self._waiting.append((key, surface))
        if len(self._waiting) >= _NAMED:
            self._sort_in()

    def add(self, words: Iterable[set[int]]) -> None:
        """The words of the next message, by their keys."""
        found = set[int]().union(*words)
        self._forward.add(np.sort(np.fromiter(found, np.uint64, len(found))), [len(found)])

    def write(self, folder: Path, embedder: StaticEmbedder) -> None:
        """Makes the arrays of it all, in `folder`."""
        self._sort_in()
        names = Growing(folder / "word_key.npy", np.uint64)
        vectors = Growing(folder / "word_vector.npy", np.int8, embedder.dimensions)
        known = []
        for bucket in self._spellings:
            spelt = dict(pair for pairs in bucket.values() for pair in pairs)
            bucket.close()
            keys = np.sort(np.fromiter(spelt, np.uint64, len(spelt)))
            names.append(keys)
            known.append(keys)
            for start in range(0, len(keys), _ENCODED):
                texts = [spelt[key] for key in keys[start : start + _ENCODED].tolist()]
                vectors.append(quantise(embedder.encode(texts))[0])
        names.close()
        vectors.close()
        self._forward.write(folder, np.concatenate(known))

    def _sort_in(self) -> None:
        found: list[list[tuple[int, str]]] = [[] for _ in self._spellings]
        for key, surface in self._waiting:
            found[bucket_of(key)].append((key, surface))
        for bucket, own in zip(self._spellings, found, strict=True):
            if own:
                bucket.put(own)
        self._waiting.clear()


class Forward:
    """Message → its words."""

    def __init__(self, folder: Path) -> None:
        self._keys = SetAside(folder)
        self._sizes = array("i")

    def add(self, keys: NDArray[Any], sizes: Iterable[int]) -> None:
        """The words of the next messages, by their keys; `sizes` says how many each has."""
        self._keys.append(keys)
        self._sizes.extend(sizes)

    def write(self, folder: Path, known: NDArray[np.uint64]) -> None:
        """Makes the arrays, in which a word is its place among the sorted keys `known`."""
        forward = Growing(folder / "forward_word.npy", np.int32)
        for keys in self._keys.blocks(_KEY, _BLOCK):
            forward.append(np.searchsorted(known, keys))
        forward.close()
        self._keys.close()
        starts = np.concatenate([[0], np.cumsum(np.array(self._sizes, np.int64))])
        np.save(folder / "forward_start.npy", starts, allow_pickle=False)
