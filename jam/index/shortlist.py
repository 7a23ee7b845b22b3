"""A large scope is first cut down to its likeliest sessions, so that a question stays fast however much there is.

Two rough looks at every message, BM25 (bm25s) and static vectors, each name sessions; what either names is kept. Only
then does the fine ranking compare the messages of those sessions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import query_terms
from jam.index.embedder import StaticEmbedder
from jam.index.growing import Growing, blocks
from jam.index.indexing import load_arrays
from jam.index.lexicon import term_rows

_KEPT = 150
"""Sessions that each of the two looks keeps."""
_K1, _B = 1.2, 0.75
_BLOCK = 1_048_576
"""Postings that are scored at a time."""
_ROWS = 16_384
"""Messages that are compared at a time."""


def save_bm25(postings: Path, folder: Path) -> None:
    """Makes the bm25s index of the messages and saves it in `folder`; `postings` is the folder of the index's arrays.

    The postings are what bm25s calls its matrix; only the scores are worked out. Its terms are numbers.
    """
    import bm25s

    arrays = load_arrays(postings)
    empty = {"data": np.zeros(0, np.float32), "indices": np.zeros(0, np.int32), "indptr": np.zeros(1, np.int64)}
    index = bm25s.BM25(k1=_K1, b=_B)
    index.scores = {**empty, "num_docs": len(arrays["length"])}
    index.vocab_dict, index.nonoccurrence_array = {}, None
    index.save(str(folder), show_progress=False)  # all but the matrix, which may be larger than memory
    start = np.asarray(arrays["posting_start"])
    length = np.asarray(arrays["length"], np.float64)
    present = np.diff(start)
    rarity = np.log1p((len(length) - present + 0.5) / (present + 0.5)).astype(np.float32)
    mean = max(float(length.mean()) if len(length) else 0.0, 1e-9)
    discount = (_K1 * (1 - _B + _B * length / mean)).astype(np.float32)
    np.save(folder / "indptr.csc.index.npy", start)
    scores = Growing(folder / "data.csc.index.npy", np.float32)
    messages = Growing(folder / "indices.csc.index.npy", np.int32)
    together = zip(*(blocks(postings / f"posting_{name}.npy", _BLOCK) for name in ("message", "count")), strict=True)
    for message, count in together:
        term = np.searchsorted(start, np.arange(messages.rows, messages.rows + len(message)), side="right") - 1
        scores.append(rarity[term] * (count / (count + discount[message])))
        messages.append(message)
    scores.close()
    messages.close()


class Shortlist:
    """The rough look."""

    def __init__(self, arrays: Any, folder: Path, embedder: StaticEmbedder) -> None:
        import bm25s

        self.arrays = arrays
        self.embedder = embedder
        self.bm25 = bm25s.BM25.load(str(folder), mmap=True, load_vocab=False, show_progress=False)

    def likely(self, query: str, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A mask of the sessions in scope that the question may be about."""
        lexical = self._lexical(query)
        ids = self.embedder.token_ids([query])[0]
        vector = self.embedder.token_vectors[ids].sum(axis=0) - len(ids) * self.arrays["token_mean"]
        dense = self._cosines(vector.astype(np.float32))
        return self._best(lexical, inside) | self._best(dense, inside)

    def _cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """How near each message is to a vector, but for the vector's own length."""
        sums = self.arrays["token_sum"]
        out = np.empty(len(sums), np.float32)
        for begin in range(0, len(sums), _ROWS):
            block = sums[begin : begin + _ROWS]
            out[begin : begin + _ROWS] = block @ vector / np.maximum(np.linalg.norm(block, axis=1), 1e-6)
        return out

    def _lexical(self, query: str) -> NDArray[np.float32]:
        languages = tuple(map(str, self.arrays["languages"]))
        stems = [stem for term in query_terms(query, languages) for stem in term.stems]
        rows = term_rows(self.arrays["term_key"], stems)
        return np.asarray(self.bm25.get_scores_from_ids(rows[rows >= 0]), np.float32)

    def _best(self, scores: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        start = self.arrays["start"]
        filled = np.flatnonzero(inside & (np.diff(start) > 0))
        best = np.full(len(inside), -np.inf, np.float32)
        every = np.flatnonzero(np.diff(start) > 0)
        best[every] = np.maximum.reduceat(scores, start[every])
        chosen = filled[np.argsort(-best[filled], kind="stable")[:_KEPT]]
        mask = np.zeros(len(inside), bool)
        mask[chosen] = True
        return mask
