"""Texts to counted terms and their words. What a run of letters gives is worked out once and remembered for a while.

A term (a stem) and a word (as it is spelt) go by keys, 64-bit numbers, so that a vocabulary is a sorted array. Terms
are counted; words have a vector each, and only their spellings are kept as text until they have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import chunk_terms, chunks
from jam.text import slices

_REMEMBERED = 60_000
"""Runs of letters, and words, that are remembered."""
_LONGEST_REMEMBERED = 64
_SLICE = 262_144
"""Characters of a text that are counted in one go."""
_WORD = re.compile(r"[^\d_.:/\\@#+-]{1,40}")
"""What is like other words: no number, no name made of several. Those are found by themselves alone."""


def term_key(term: str) -> int:
    """A 64-bit name of a term or a word, the same on every machine."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def term_keys(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The keys of some terms."""
    return np.array([term_key(term) for term in terms], np.uint64)


def key_rows(known: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The place of each key among the sorted ones of an index, -1 where it is not among them."""
    if not len(known):
        return np.full(len(keys), -1)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    rows: NDArray[np.int64] = np.where(known[at] == keys, at, -1)
    return rows


@dataclass(frozen=True, slots=True)
class Counted:
    """What a piece of text has."""

    terms: dict[int, int]
    """How often each term stands there, by its key."""
    words: set[int]
    """The keys of its words."""


class Lexicon:
    """Counts terms; `name` is told how each word is spelt, some of them more than once."""

    def __init__(self, name: Callable[[int, str], None]) -> None:
        self._name = name
        self._chunks: dict[tuple[str, str], tuple[tuple[int, int], ...]] = {}
        self._words: dict[str, int] = {}

    def count(self, text: str, spoken: str) -> Iterator[Counted]:
        """The terms and words of a text of that language; of a very long one slice by slice."""
        for piece in slices(text, _SLICE):
            terms: dict[int, int] = {}
            found: set[int] = set()
            for chunk, number in Counter(chunks(piece)).items():
                for term, word in self._known(chunk, spoken):
                    terms[term] = terms.get(term, 0) + number
                    found.add(word)
            found.discard(0)
            yield Counted(terms, found)
            if len(self._words) > _REMEMBERED or len(self._chunks) > _REMEMBERED:
                self._words.clear()
                self._chunks.clear()

    def _known(self, chunk: str, spoken: str) -> tuple[tuple[int, int], ...]:
        """The keys of a chunk's terms, each with that of the word it stands for, 0 where that is none."""
        place = (spoken, chunk)
        found = self._chunks.get(place)
        if found is None:
            found = tuple((term_key(term), self._word(surface)) for term, surface in chunk_terms(chunk, spoken))
            if len(chunk) <= _LONGEST_REMEMBERED:
                self._chunks[place] = found
        return found

    def _word(self, surface: str) -> int:
        key = self._words.get(surface)
        if key is None:
            key = term_key(surface) if _WORD.fullmatch(surface) else 0
            self._words[surface] = key
            if key:
                self._name(key, surface)
        return key
