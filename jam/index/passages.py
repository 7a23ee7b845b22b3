"""The messages of a scope, ready to be asked: themselves, their neighbours, their whole sessions.

A level is how wide a passage is: a message alone (0), with one or three neighbours on each side (1, 3), or its whole
session. No window crosses from one session into another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import words as spoken_words
from jam.index.collection import Collection, ranges

Array = NDArray[Any]
Level = int | str
SESSION = "session"
WIDTHS = (0, 1, 3)
LEVELS: tuple[Level, ...] = (*WIDTHS, SESSION)
_WIDEST = max(WIDTHS)
_ROWS = 16_384
_SUMMED = 4_096
_POSTINGS = 1_048_576
"""Messages or words, messages that are summed, and terms of messages that are in memory at a time."""


class Norms:
    """The lengths of the summed token vectors of messages and their neighbours, worked out when a scope first has them.

    There are none of whole sessions: no weight of the ranking asks for the direction of one.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._known = np.zeros(len(collection.start) - 1, bool)
        self._norms: dict[Level, Array] = {width: np.zeros(len(collection)) for width in WIDTHS}

    def of(self, files: Array, messages: Array) -> dict[Level, Array]:
        """Those of some files and their messages, by level."""
        new = files[~self._known[files]]
        start = self._collection.start
        done = np.concatenate([[0], np.cumsum(start[new + 1] - start[new])])
        first = 0
        while first < len(new):  # some files at a time, or a part of a long one
            last = max(first + 1, int(np.searchsorted(done, done[first] + _SUMMED, side="right")) - 1)
            self._work_out(new[first:last])
            first = last
        self._known[new] = True
        return {level: norms[messages] for level, norms in self._norms.items()}

    def _work_out(self, files: Array) -> None:
        start, end = self._collection.start[files], self._collection.start[files + 1]
        messages = ranges(start, end)
        before = np.cumsum(np.concatenate([[0], end - start]))
        low, high = np.repeat(before[:-1], end - start), np.repeat(before[1:], end - start)
        for begin in range(0, len(messages), _SUMMED):  # what stands beside the block is looked at as well
            first, last = max(0, begin - _WIDEST), min(len(messages), begin + _SUMMED + _WIDEST)
            own = np.arange(begin, min(len(messages), begin + _SUMMED))
            sums = self._collection.sums(messages[first:last])
            total = np.zeros((len(sums) + 1, sums.shape[1]))
            np.cumsum(sums, axis=0, out=total[1:], dtype=np.float64)
            for width in WIDTHS:
                left, right = np.maximum(own - width, low[own]), np.minimum(own + width + 1, high[own])
                self._norms[width][messages[own]] = _length(total[right - first] - total[left - first])


def _length(vectors: Array) -> Array:
    lengths: Array = np.maximum(np.linalg.norm(vectors, axis=-1), 1e-6)
    return lengths


class Passages:
    """A part of the index: the messages of some files. `files` is a mask over the index's files.

    Where these are the likeliest ones of a scope, `scope` is the mask of all its files: how rare a term is counts
    there. Such a part, which the next question hardly has again, keeps less in memory.
    """

    def __init__(
        self, collection: Collection, files: Array, norms: Norms | None = None, scope: Array | None = None
    ) -> None:
        self.collection, self.embedder = collection, collection.embedder
        self._scope = scope
        self._norms = norms
        start = collection.start
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
        """A column of messages, cut to the scope; not copied where the scope is everything."""
        column = self.collection.columns[name]
        return column if self._whole else column[self.messages]

    @cached_property
    def length(self) -> Array:
        """Terms of each message."""
        return self._pick("length")

    @cached_property
    def recalled(self) -> Array:
        """Which messages are nothing but an echo of what JAM gave out."""
        return self._pick("recalled")

    @cached_property
    def traits(self) -> Array:
        """The signs of each message, see `jam/index/traits.py`."""
        return self._pick("traits")

    @cached_property
    def alone(self) -> Array:
        """Which messages are all of their session."""
        alone: Array = (np.diff(self.start) == 1)[self.session]
        return alone

    @cached_property
    def speaker(self) -> Array:
        """Who speaks each message, as a number."""
        return self._pick("speaker")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the index's terms were stemmed in."""
        return self.collection.languages

    @cached_property
    def local(self) -> Array:
        """Message of the index → its position in the scope, -1 outside."""
        local = np.full(len(self.collection), -1, np.int64)
        local[self.messages] = np.arange(len(self.messages))
        return local

    def dot(self, vector: Array) -> Array:
        """The dot product of each message's token sum with a vector."""
        return self._in_blocks(lambda rows: self.collection.dots(rows, vector))

    def code_dot(self, vector: Array) -> Array:
        """The same of its vector by an encoder of the user's own."""
        return self._in_blocks(lambda rows: self.collection.code_dots(rows, vector))

    def _in_blocks(self, values: Callable[[Array | slice], Array]) -> Array:
        """A value a message, some messages at a time."""
        out = np.empty(len(self), np.float32)
        for begin in range(0, len(self), _ROWS):
            block = slice(begin, begin + _ROWS)
            out[block] = values(self._rows_of(block))
        return out

    @cached_property
    def names(self) -> dict[int, frozenset[str]]:
        """The words of each speaker's name."""
        return {int(number): spoken_words(self.collection.speakers[number]) for number in np.unique(self.speaker)}

    @cached_property
    def norms(self) -> dict[Level, Array]:
        """The length of the summed token vectors of each passage, by width."""
        return (self._norms or Norms(self.collection)).of(self.files, self.messages)

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

    def frequency(self, keys: NDArray[np.uint64]) -> tuple[Array, int]:
        """How often terms, all together, stand in each message; and how many messages of the scope have any of them."""
        out = np.zeros(len(self.messages), np.float32)
        present = np.zeros(0, np.int64)
        for key in keys:
            messages, counts = self.collection.postings(key)
            local = self.local[messages]
            inside = local >= 0
            out[local[inside]] += counts[inside]
            if self._scope is not None:
                present = np.union1d(present, messages[self._scope[self.collection.file[messages]]])
        return out, int(np.count_nonzero(out)) if self._scope is None else len(present)

    @cached_property
    def population(self) -> int:
        """The number of messages of the scope."""
        if self._scope is None:
            return len(self)
        return int(np.diff(self.collection.start)[self._scope].sum())

    def likest(self, vectors: Array) -> Array:
        """The cosine, 0 to 1, of each vector to the likest word of each message; vectors x messages."""
        like = np.clip(self._likeness(vectors), 0.0, 1.0)
        out = np.zeros((len(vectors), len(self)), np.float32)
        for block, places, sizes in self.word_blocks():
            filled = np.flatnonzero(sizes)
            first = np.cumsum([0, *sizes[filled].tolist()])[:-1]
            for line, values in enumerate(like):
                if len(filled):
                    out[line, block.start + filled] = np.maximum.reduceat(values[places], first)
        return out

    def _likeness(self, vectors: Array) -> Array:
        """The cosine of each vector to each word of the scope."""
        total = len(self.words[0])
        out = np.empty((len(vectors), total), np.float32)
        for begin in range(0, total, _ROWS):
            block = slice(begin, begin + _ROWS)
            out[:, block] = self.collection.word_cosines(vectors, self.words[0][block])
        return out

    @cached_property
    def words(self) -> tuple[Array, Array]:
        """The words of the scope by key, each by one of its numbers in the collection; and the place of each number of
        the collection among them, -1 for words that the scope doesn't have.
        """
        used = np.zeros(self.collection.vocabulary, bool)
        for block in self._blocks:
            used[self.collection.words(self._rows_of(block))[0]] = True
        numbers = np.flatnonzero(used)
        _, first, place = np.unique(self.collection.word_keys(numbers), return_index=True, return_inverse=True)
        places = np.full(self.collection.vocabulary, -1, np.int32)
        places[numbers] = place
        return numbers[first], places

    def word_blocks(self) -> Iterator[tuple[slice, Array, Array]]:
        """The words of the scope's messages, some messages at a time: (messages, places of words, words of each)."""
        if len(self._blocks) == 1:
            yield self._blocks[0], *self._few_words
            return
        for block in self._blocks:
            yield block, *self._words_of(block)

    @cached_property
    def _few_words(self) -> tuple[Array, Array]:
        return self._words_of(self._blocks[0])

    def _words_of(self, block: slice) -> tuple[Array, Array]:
        numbers, sizes = self.collection.words(self._rows_of(block))
        return self.words[1][numbers], sizes

    def _rows_of(self, block: slice) -> Array | slice:
        return block if self._whole else self.messages[block]

    @cached_property
    def _blocks(self) -> list[slice]:
        """The scope's messages, so many at a time as have about so many terms; always at least one block."""
        ends = np.cumsum(self.length, dtype=np.int64)
        blocks, begin = [], 0
        while begin < len(self):
            before = int(ends[begin - 1]) if begin else 0
            last = max(begin + 1, int(np.searchsorted(ends, before + _POSTINGS, side="right")))
            blocks.append(slice(begin, last))
            begin = last
        return blocks or [slice(0, 0)]

    def inverse_frequency(self, present: Array) -> Array:
        """BM25's weight of terms, within the scope, by how many of its messages have them."""
        weight: Array = np.log1p((self.population - present + 0.5) / (present + 0.5))
        return weight
