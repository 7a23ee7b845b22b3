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
from jam.index.lexicon import term_rows

Array = NDArray[Any]
Level = int | str
SESSION = "session"
WIDTHS = (0, 1, 3)
LEVELS: tuple[Level, ...] = (*WIDTHS, SESSION)
_WIDEST = max(WIDTHS)
_FEW_TERMS = 131_072
"""So many term vectors are kept in memory; of more, some at a time are read."""
_ROWS = 16_384
_SUMMED = 4_096
_POSTINGS = 1_048_576
"""Messages or terms, messages that are summed, and postings that are in memory at a time."""


class Norms:
    """The lengths of the summed token vectors of all passages of the index, worked out when a scope first has them."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._known = np.zeros(len(arrays["start"]) - 1, bool)
        sizes = {level: len(arrays["token_sum"]) for level in LEVELS} | {SESSION: len(self._known)}
        self._norms: dict[Level, Array] = {level: np.zeros(size) for level, size in sizes.items()}

    def of(self, files: Array, messages: Array) -> dict[Level, Array]:
        """Those of some files and their messages, by level."""
        for file in files[~self._known[files]].tolist():
            self._work_out(file)
        return {level: norms[files if level == SESSION else messages] for level, norms in self._norms.items()}

    def _work_out(self, file: int) -> None:
        start, end = int(self._arrays["start"][file]), int(self._arrays["start"][file + 1])
        for begin in range(start, end, _SUMMED):  # what stands beside the block is looked at as well
            first, last = max(start, begin - _WIDEST), min(end, begin + _SUMMED + _WIDEST)
            sums = self._arrays["token_sum"][first:last]
            own = np.arange(begin - first, min(end, begin + _SUMMED) - first)
            total = np.zeros((len(sums) + 1, sums.shape[1]))
            np.cumsum(sums, axis=0, out=total[1:], dtype=np.float64)
            for width in WIDTHS:
                low, high = np.maximum(own - width, 0), np.minimum(own + width + 1, len(sums))
                self._norms[width][begin : begin + len(own)] = _length(total[high] - total[low])
        whole = self._arrays["token_sum"][start:end].sum(axis=0, dtype=np.float64)
        self._norms[SESSION][file] = _length(whole)
        self._known[file] = True


def _length(vectors: Array) -> Array:
    lengths: Array = np.maximum(np.linalg.norm(vectors, axis=-1), 1e-6)
    return lengths


class Passages:
    """A part of the index: the messages of some files. `files` is a mask over the index's files."""

    def __init__(
        self, arrays: Mapping[str, Array], embedder: StaticEmbedder, files: Array, norms: Norms | None = None
    ) -> None:
        self.arrays, self.embedder = arrays, embedder
        self._norms = norms
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
    def recalled(self) -> Array:
        """Which messages are nothing but an echo of what JAM gave out."""
        return self._pick("recalled")

    @cached_property
    def speaker(self) -> Array:
        """Who speaks each message, as a number."""
        return self._pick("speaker")

    @cached_property
    def _term_vector(self) -> Array:
        """A unit vector for each term, as float32: products of half floats are slow."""
        return np.asarray(self.arrays["term_vector"], np.float32)

    def likeness(self, vectors: Array) -> Array:
        """The cosine of each of the vectors to each of the index's terms that has one."""
        terms = len(self.arrays["term_vector"])
        if terms <= _FEW_TERMS:
            few: Array = vectors @ self._term_vector.T
            return few
        out = np.empty((len(vectors), terms), np.float32)
        for begin in range(0, terms, _ROWS):
            block = slice(begin, begin + _ROWS)
            out[:, block] = vectors @ np.asarray(self.arrays["term_vector"][block], np.float32).T
        return out

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

    def dot(self, vector: Array) -> Array:
        """The dot product of each message's token sum with a vector."""
        out = np.empty(len(self), np.float32)
        for begin in range(0, len(self), _ROWS):
            block = slice(begin, begin + _ROWS)
            out[block] = self._token_sums(block) @ vector
        return out

    def _token_sums(self, block: slice) -> Array:
        """Sums of token vectors, some messages x dimensions."""
        rows: Array = self.arrays["token_sum"][block if self._whole else self.messages[block]]
        return rows

    @cached_property
    def names(self) -> dict[int, frozenset[str]]:
        """The words of each speaker's name."""
        return {int(number): words(str(self.arrays["speakers"][number])) for number in np.unique(self.speaker)}

    @cached_property
    def norms(self) -> dict[Level, Array]:
        """The length of the summed token vectors of each passage, by level."""
        return (self._norms or Norms(self.arrays)).of(self.files, self.messages)

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

    def best(self, like: Array) -> Array:
        """The largest value within each message of values that each term with a vector has; the last axis is terms."""
        out = np.zeros((len(like), len(self)), np.float32)
        begin, end = (self.arrays["forward_start"][self.messages + shift] for shift in (0, 1))
        filled = np.flatnonzero(end > begin)
        before = np.cumsum([0, *(end - begin)[filled]])
        first = 0
        while first < len(filled):  # some postings at a time, or all of one message
            last = max(first + 1, int(np.searchsorted(before, before[first] + _POSTINGS, side="right")) - 1)
            own = filled[first:last]
            picked = self.arrays["forward_term"][ranges(begin[own], end[own])]
            for line, values in enumerate(like):
                out[line, own] = np.maximum.reduceat(values[picked], before[first:last] - before[first])
            first = last
        return out

    def rows(self, terms: Sequence[str]) -> Array:
        """The number of each term, -1 where the index doesn't have it."""
        return term_rows(self.arrays["term_key"], terms)

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
