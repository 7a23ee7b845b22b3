"""Several segments as one index, in the order of the tree.

Where a message is kept, and with which others, changes nothing here: rows, vocabularies and sums come in the order of
the files' paths, so that the same messages give the same scores however they were gathered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.codes import CODE, SCALE
from jam.index.columns import MESSAGE_COLUMNS
from jam.index.embedder import StaticEmbedder
from jam.index.lexicon import key_rows
from jam.index.quantised import dot, restore

Array = NDArray[Any]
Arrays = Mapping[str, Array]
_BLOCK = 16_384
"""Rows whose vectors are in memory at a time."""


@dataclass(frozen=True, slots=True)
class Place:
    """A raw file in a segment."""

    segment: int
    number: int
    """Of the file, among those of its segment."""


class Collection:
    """The files at some places, in that order. Numbers of files and messages count through all of them."""

    def __init__(self, segments: Sequence[Arrays], places: Sequence[Place], embedder: StaticEmbedder) -> None:
        self.segments = segments
        self.places = places
        self.embedder = embedder
        self._owner = np.array([place.segment for place in places], np.int64)
        self._number = np.array([place.number for place in places], np.int64)
        self._base = np.cumsum([0, *(int(arrays["start"][-1]) for arrays in segments)])
        first = self._per_file(lambda arrays, files: arrays["start"][files])
        last = self._per_file(lambda arrays, files: arrays["start"][files + 1])
        self.start: Array = np.concatenate([[0], np.cumsum(last - first)])
        """First message of each file."""
        self._address = ranges(first + self._base[self._owner], last + self._base[self._owner])
        """Message → where it is, counting through the segments."""
        total = int(self._base[-1])
        self._whole = len(self._address) == total and bool((self._address == np.arange(total)).all())
        self._segment = np.repeat(self._owner.astype(np.int16), last - first)
        """Message → the segment that has it."""

    @classmethod
    def of(cls, arrays: Arrays, embedder: StaticEmbedder) -> Collection:
        """One segment, all of it."""
        return cls([arrays], [Place(0, number) for number in range(len(arrays["start"]) - 1)], embedder)

    def __len__(self) -> int:
        """The number of messages."""
        return len(self._address)

    @cached_property
    def file(self) -> Array:
        """The file of each message."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))

    @cached_property
    def columns(self) -> dict[str, Array]:
        """What is known of each message by number, see `MESSAGE_COLUMNS`; speakers are numbers into `speakers`."""
        found = {name: self._column(name) for name in MESSAGE_COLUMNS if name != "speaker"}
        return {**found, "speaker": self._speaker}

    @cached_property
    def speakers(self) -> list[str]:
        """The names of all who speak, sorted."""
        return sorted({str(name) for arrays in self.segments for name in arrays["speakers"]})

    @cached_property
    def _speaker(self) -> Array:
        number = {name: place for place, name in enumerate(self.speakers)}
        parts = []
        for arrays in self.segments:
            own = np.array([number[str(name)] for name in arrays["speakers"]], np.int32)
            parts.append(own[arrays["speaker"]] if len(own) else np.zeros(0, np.int32))
        return self.ordered(parts)

    @cached_property
    def file_day(self) -> Array:
        """The ordinal of each file's day, 0 where it is unknown."""
        return self._per_file(lambda arrays, files: arrays["file_day"][files])

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that the terms were stemmed in."""
        named = np.unique(self.file_language)
        return tuple(sorted({language for names in named for language in str(names).split()}))

    @property
    def file_language(self) -> Array:
        """The languages of each file, set apart by spaces."""
        return self._per_file(lambda arrays, files: arrays["file_language"][files], np.dtype("U256"))

    @cached_property
    def token_mean(self) -> NDArray[np.float32]:
        """The mean token vector of all messages: what they share says nothing."""
        total = np.zeros(self.embedder.dimensions)
        for begin in range(0, len(self._owner), _BLOCK):
            total += self.file_sums(slice(begin, begin + _BLOCK)).sum(axis=0, dtype=np.float64)
        tokens = float(self.columns["size"].sum(dtype=np.float64))
        mean: NDArray[np.float32] = (total / max(1.0, tokens)).astype(np.float32)
        return mean

    def sums(self, messages: Array | slice) -> NDArray[np.float32]:
        """The sums of token vectors of some messages, each token's without the mean; messages x dimensions."""
        size = self.columns["size"][messages].astype(np.float32)
        restored = restore(self.rows("sum", messages), self.rows("scale", messages))
        restored -= size[:, None] * self.token_mean
        return restored

    def dots(self, messages: Array | slice, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The dot products of `sums` with a vector."""
        size = self.columns["size"][messages].astype(np.float32)
        products = dot(self.rows("sum", messages), self.rows("scale", messages), vector)
        return products - size * np.float32(self.token_mean @ vector)

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """The signatures of all messages."""
        return self._column("signature")

    @property
    def coded(self) -> bool:
        """Whether there are vectors of every message by an encoder of the user's own."""
        widths = {arrays[CODE].shape[1] if CODE in arrays else None for arrays in self.segments}
        return len(widths) == 1 and None not in widths

    def code_dots(self, messages: Array | slice, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The dot products of those vectors of some messages with a vector."""
        return dot(self.rows(CODE, messages), self.rows(SCALE, messages), vector)

    def postings(self, key: np.uint64) -> tuple[Array, Array]:
        """The messages that have a term, in no order, and how often."""
        found = [(number, self._posted(arrays, key)) for number, arrays in enumerate(self.segments)]
        messages = [self.here(number, arrays["posting_message"][part]) for number, (arrays, part) in found]
        counts = [arrays["posting_count"][part] for _, (arrays, part) in found]
        here, often = np.concatenate(messages), np.concatenate(counts)
        kept = here >= 0
        return here[kept], often[kept]

    def _posted(self, arrays: Arrays, key: np.uint64) -> tuple[Arrays, slice]:
        row = int(key_rows(arrays["term_key"], np.array([key], np.uint64))[0])
        start = arrays["posting_start"]
        return arrays, slice(int(start[row]), int(start[row + 1])) if row >= 0 else slice(0, 0)

    def here(self, segment: int, messages: Array) -> Array:
        """The messages of a segment as those of the collection, -1 for what is not in it."""
        address = messages + self._base[segment]
        here: Array = address if self._whole else self._local[address]
        return here

    @cached_property
    def _local(self) -> Array:
        local = np.full(int(self._base[-1]), -1, np.int64)
        local[self._address] = np.arange(len(self._address))
        return local

    def words(self, messages: Array | slice) -> tuple[Array, Array]:
        """The words of some messages, one message after the other, as numbers through all segments; and how many."""
        address, owner = self._address[messages], self._segment[messages]
        sizes = np.zeros(len(address), np.int64)
        begin = np.zeros(len(address), np.int64)
        for number, arrays in enumerate(self.segments):
            own = owner == number
            rows = address[own] - self._base[number]
            begin[own] = arrays["forward_start"][rows]
            sizes[own] = arrays["forward_start"][rows + 1] - begin[own]
        out = np.empty(int(sizes.sum()), np.int64)
        target = np.cumsum([0, *sizes.tolist()])[:-1] if len(sizes) else np.zeros(0, np.int64)
        for number, arrays in enumerate(self.segments):
            own = owner == number
            source = ranges(begin[own], begin[own] + sizes[own])
            out[ranges(target[own], target[own] + sizes[own])] = arrays["forward_word"][source] + self._words[number]
        return out, sizes

    @cached_property
    def _words(self) -> Array:
        """The first number of each segment's words."""
        return np.cumsum([0, *(len(arrays["word_key"]) for arrays in self.segments)])

    @property
    def vocabulary(self) -> int:
        """How many numbers there are for words; a word of several segments has several."""
        return int(self._words[-1])

    def word_keys(self, numbers: Array) -> NDArray[np.uint64]:
        """The keys of some words, ascending numbers."""
        return self.of_words("word_key", numbers)

    def word_cosines(self, vectors: NDArray[np.float32], numbers: Array) -> NDArray[np.float32]:
        """The cosine of each unit vector to each of some words; vectors x words."""
        codes = self.of_words("word_vector", numbers).astype(np.float32)
        cosines: NDArray[np.float32] = (vectors @ codes.T) / self._word_lengths[numbers]
        return cosines

    @cached_property
    def _word_lengths(self) -> NDArray[np.float32]:
        """The length of each word's vector; 1 for a word that has none."""
        lengths = np.ones(self.vocabulary, np.float32)
        for begin in range(0, self.vocabulary, _BLOCK):
            numbers = np.arange(begin, min(begin + _BLOCK, self.vocabulary))
            lengths[numbers] = np.linalg.norm(self.of_words("word_vector", numbers).astype(np.float32), axis=1)
        return np.where(lengths > 0, lengths, np.float32(1.0))

    def of_words(self, name: str, numbers: Array) -> Array:
        """Rows of an array over words."""
        if len(self.segments) == 1:
            return self.segments[0][name][numbers]
        owner = np.searchsorted(self._words, numbers, side="right") - 1
        first = self.segments[0][name]
        out = np.empty((len(numbers), *first.shape[1:]), first.dtype)
        for number, arrays in enumerate(self.segments):
            own = owner == number
            out[own] = arrays[name][numbers[own] - self._words[number]]
        return out

    def file_sums(self, files: slice) -> Array:
        """The sum of each file's token vectors, the mean still in it."""
        owner, number = self._owner[files], self._number[files]
        out = np.empty((len(owner), self.embedder.dimensions), np.float32)
        for segment, arrays in enumerate(self.segments):
            own = owner == segment
            out[own] = arrays["file_sum"][number[own]]
        return out

    def rows(self, name: str, messages: Array | slice) -> Array:
        """Rows of an array over messages."""
        if self._whole and len(self.segments) == 1:
            return self.segments[0][name][messages]
        address, owner = self._address[messages], self._segment[messages]
        first = self.segments[0][name]
        if len(owner) and (owner == owner[0]).all():
            number = int(owner[0])
            own_rows: Array = self.segments[number][name][address - self._base[number]]
            return own_rows
        out = np.empty((len(address), *first.shape[1:]), first.dtype)
        for number, arrays in enumerate(self.segments):
            own = owner == number
            out[own] = arrays[name][address[own] - self._base[number]]
        return out

    def _column(self, name: str) -> Array:
        return self.ordered([arrays[name] for arrays in self.segments])

    def ordered(self, parts: list[Array]) -> Array:
        """Arrays over the messages of each segment as one over those of the collection."""
        if not parts:
            return np.zeros(0, np.int32)
        together = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return together if self._whole else together[self._address]

    def _per_file(self, value: Any, dtype: np.dtype[Any] | None = None) -> Array:
        out = np.empty(len(self._owner), dtype or np.int64)
        for segment, arrays in enumerate(self.segments):
            own = self._owner == segment
            out[own] = value(arrays, self._number[own])
        return out


def ranges(begin: Array, end: Array) -> Array:
    """All whole numbers of the half-open ranges, one range after the other."""
    size = np.asarray(end) - np.asarray(begin)
    offset = np.repeat(np.asarray(begin) - np.cumsum(size) + size, size)
    numbers: Array = np.arange(int(size.sum())) + offset
    return numbers
