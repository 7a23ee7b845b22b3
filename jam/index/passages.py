"""The messages of a scope, ready to be asked: themselves, their neighbours, their whole sessions.

A level is how wide a passage is: a message alone (0), with one or three neighbours on each side (1, 3), or its whole
session. No window crosses from one session into another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import words
from jam.index.embedder import StaticEmbedder
from jam.index.indexing import term_key

Array = NDArray[Any]
Level = int | str
SESSION = "session"
LEVELS: tuple[Level, ...] = (0, 1, 3, SESSION)


class Passages:
    """A part of the index: the messages of some files. `files` is a mask over the index's files."""

    def __init__(self, arrays: Mapping[str, Array], embedder: StaticEmbedder, files: Array) -> None:
        self.arrays, self.embedder = arrays, embedder
        start = arrays["start"]
        # An empty session can hold no answer, and would break the sums over sessions.
        self.files = np.flatnonzero(files & (np.diff(start) > 0))
        self.messages = ranges(start[self.files], start[self.files + 1])
        self.start = np.cumsum([0, *np.diff(start)[self.files]])
        self.session = np.repeat(np.arange(len(self.files)), np.diff(self.start))
        self._whole = len(self.messages) == int(start[-1])

    def __len__(self) -> int:
        """The number of messages."""
        return len(self.messages)

    def _pick(self, name: str) -> Array:
        """An array over messages, cut to the scope; not copied where the scope is everything."""
        return self.arrays[name] if self._whole else self.arrays[name][self.messages]

    @cached_property
    def length(self) -> Array:
        """Terms of each message."""
        return self._pick("length")

    @cached_property
    def token_sum(self) -> Array:
        """Messages x dimensions."""
        return self._pick("token_sum")

    @cached_property
    def speaker(self) -> Array:
        """Who speaks each message, as a number."""
        return self._pick("speaker")

    @cached_property
    def term_vector(self) -> Array:
        """A unit vector for each term, as float32: products of half floats are slow."""
        return np.asarray(self.arrays["term_vector"], np.float32)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that the index's terms were stemmed in."""
        return tuple(map(str, self.arrays["languages"]))

    @cached_property
    def local(self) -> Array:
        """Message of the index → its position in the scope, -1 outside."""
        local = np.full(int(self.arrays["start"][-1]), -1, np.int64)
        local[self.messages] = np.arange(len(self.messages))
        return local

    @cached_property
    def forward(self) -> tuple[Array, Array]:
        """The distinct terms of each message: where each message's begin, and the terms."""
        start = self.arrays["forward_start"]
        begin, end = start[self.messages], start[self.messages + 1]
        return np.cumsum([0, *(end - begin)]), self.arrays["forward_term"][ranges(begin, end)]

    @cached_property
    def names(self) -> dict[int, frozenset[str]]:
        """The words of each speaker's name."""
        return {int(number): words(str(self.arrays["speakers"][number])) for number in np.unique(self.speaker)}

    @cached_property
    def norms(self) -> dict[Level, Array]:
        """The length of the summed token vectors of each passage, by level."""
        return {level: np.maximum(np.linalg.norm(self.sum(self.token_sum.T, level), axis=0), 1e-6) for level in LEVELS}

    @cached_property
    def lengths(self) -> dict[Level, Array]:
        """Terms of each passage, by level."""
        return {level: self.sum(self.length, level) for level in LEVELS}

    @cached_property
    def _bounds(self) -> dict[Level, tuple[Array, Array]]:
        own = np.arange(len(self.messages))
        first, last = self.start[self.session], self.start[self.session + 1]
        bounds: dict[Level, tuple[Array, Array]] = {SESSION: (self.start[:-1], self.start[1:])}
        for width in (1, 3):
            bounds[width] = np.maximum(own - width, first), np.minimum(own + width + 1, last)
        return bounds

    def sum(self, values: Array, level: Level) -> Array:
        """The sum over each passage of a level, of values whose last axis is messages."""
        if level == 0:
            return values
        total = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
        np.cumsum(values, axis=-1, out=total[..., 1:], dtype=np.float64)
        low, high = self._bounds[level]
        summed: Array = total[..., high] - total[..., low]
        return summed

    def max(self, values: Array, level: Level) -> Array:
        """The largest value within each passage of a level; the last axis is messages."""
        if level == 0:
            return values
        if level == SESSION:
            return np.maximum.reduceat(values, self.start[:-1], axis=-1)
        best = values.copy()
        for shift in range(1, int(level) + 1):
            same = self.session[shift:] == self.session[:-shift]
            np.maximum(best[..., shift:], np.where(same, values[..., :-shift], -np.inf), out=best[..., shift:])
            np.maximum(best[..., :-shift], np.where(same, values[..., shift:], -np.inf), out=best[..., :-shift])
        return best

    def frequencies(self, rows: Array) -> Array:
        """How often each term stands in each message, terms x messages; row -1 is an unknown term."""
        out = np.zeros((len(rows), len(self.messages)), np.float32)
        start = self.arrays["posting_start"]
        for line, row in enumerate(rows):
            if row >= 0:
                part = slice(int(start[row]), int(start[row + 1]))
                local = self.local[self.arrays["posting_message"][part]]
                inside = local >= 0
                out[line, local[inside]] = self.arrays["posting_count"][part][inside]
        return out

    def rows(self, terms: Sequence[str]) -> Array:
        """The number of each term, -1 where the index doesn't have it."""
        keys = np.array([term_key(term) for term in terms], np.uint64)
        known = self.arrays["term_key"]
        if not len(known):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        rows: Array = np.where(known[at] == keys, at, -1)
        return rows

    def inverse_frequency(self, present: Array) -> Array:
        """BM25's weight of terms, within the scope, by how many of its messages have them."""
        weight: Array = np.log1p((len(self.messages) - present + 0.5) / (present + 0.5))
        return weight


def ranges(begin: Array, end: Array) -> Array:
    """All whole numbers of the half-open ranges, one range after the other."""
    size = np.asarray(end) - np.asarray(begin)
    offset = np.repeat(np.asarray(begin) - np.cumsum(size) + size, size)
    numbers: Array = np.arange(int(size.sum())) + offset
    return numbers
