"""Texts to counted terms for the index. What a run of letters gives is worked out once and remembered for a while.

A term goes by its key, a 64-bit number, so that the vocabulary is a sorted array; only its spellings are kept as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import chunk_terms, chunks
from jam.text import slices

_REMEMBERED = 60_000
"""Spellings, and runs of letters, that are remembered."""
_LONGEST_REMEMBERED = 64
_SLICE = 262_144
"""Characters of a text that are counted in one go."""


def term_key(term: str) -> int:
    """A 64-bit name of a term, the same on every machine."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def term_rows(known: NDArray[Any], terms: Sequence[str]) -> NDArray[np.int64]:
    """The place of each term's key among the sorted ones of an index, -1 where it is not among them."""
    keys = np.array([term_key(term) for term in terms], np.uint64)
    if not len(known):
        return np.full(len(keys), -1)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    rows: NDArray[np.int64] = np.where(known[at] == keys, at, -1)
    return rows


@dataclass(slots=True)
class Spelling:
    """A word as it was written, and how often."""

    key: int
    """Of its term."""
    surface: str
    count: int = 0


class Lexicon:
    """Counts terms; now and then it tells `keep` how often what was spelt how, and forgets that."""

    def __init__(self, keep: Callable[[Iterable[Spelling]], None]) -> None:
        self._keep = keep
        self._chunks: dict[tuple[str, str], tuple[Spelling, ...]] = {}
        self._spellings: dict[tuple[str, str], Spelling] = {}
        """By term and surface."""

    def count(self, text: str, spoken: str) -> Iterator[dict[int, int]]:
        """How often each term (its key) stands in a text of that language; of a very long one slice by slice."""
        for piece in slices(text, _SLICE):
            counts: dict[int, int] = {}
            for chunk, number in Counter(chunks(piece)).items():
                for spelling in self._known(chunk, spoken):
                    spelling.count += number
                    counts[spelling.key] = counts.get(spelling.key, 0) + number
            yield counts
            if len(self._spellings) > _REMEMBERED or len(self._chunks) > _REMEMBERED:
                self.flush()

    def flush(self) -> None:
        """Tells and forgets all spellings."""
        self._keep(spelling for spelling in self._spellings.values() if spelling.count)
        self._spellings.clear()
        self._chunks.clear()

    def _known(self, chunk: str, spoken: str) -> tuple[Spelling, ...]:
        place = (spoken, chunk)
        found = self._chunks.get(place)
        if found is None:
            found = tuple(self._spelling(*pair) for pair in chunk_terms(chunk, spoken))
            if len(chunk) <= _LONGEST_REMEMBERED:
                self._chunks[place] = found
        return found

    def _spelling(self, term: str, surface: str) -> Spelling:
        if (term, surface) not in self._spellings:
            self._spellings[term, surface] = Spelling(term_key(term), surface)
        return self._spellings[term, surface]
