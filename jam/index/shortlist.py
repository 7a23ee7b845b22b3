"""A large scope is first cut down to its likeliest sessions, so that a question stays fast however much there is.

Two rough looks at every message, BM25 (bm25s) and the signs of static vectors, each name sessions; what either names is
kept. Only then does the fine ranking compare the messages of those sessions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import query_terms
from jam.index.collection import Array, Arrays, Collection
from jam.index.columns import signatures
from jam.index.lexicon import key_rows, term_keys

_KEPT, _KEPT_MESSAGES = 150, 3_000
"""Sessions that each of the two looks keeps at least, and messages that they have together at least."""
_COMPARED = 3_000
"""Messages at least whose vectors are compared: those whose signs are likest."""


class Shortlist:
    """The rough look."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._bm25 = [_bm25(arrays) for arrays in collection.segments]

    def likely(self, query: str, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A mask of the sessions in scope that the question may be about."""
        return self._best(self._lexical(query), inside) | self._best(self._dense(query), inside)

    def _dense(self, query: str) -> NDArray[np.float32]:
        """The cosine of messages to the question; -inf where not even the signs are like its own."""
        embedder = self.collection.embedder
        ids = embedder.token_ids([query])[0]
        total = embedder.token_vectors[ids].sum(axis=0)
        signs = signatures((total - len(ids) * embedder.common)[None, :])
        bits = self.collection.bits
        other = np.zeros(len(bits), np.uint16)
        for column, own in enumerate(signs[0]):
            other += np.bitwise_count(bits[:, column] ^ own)
        other[self.collection.columns["size"] == 0] = np.iinfo(np.uint16).max
        out = np.full(len(other), -np.inf, np.float32)
        if not len(other):
            return out
        limit = np.partition(other, min(_COMPARED, len(other)) - 1)[min(_COMPARED, len(other)) - 1]
        near = np.flatnonzero(other <= limit)
        sums = self.collection.sums(near)
        vector = (total - len(ids) * self.collection.token_mean).astype(np.float32)
        out[near] = sums @ vector / np.maximum(np.linalg.norm(sums, axis=1), 1e-6)
        return out

    def _lexical(self, query: str) -> NDArray[np.float32]:
        """BM25 of each message."""
        out = np.zeros(len(self.collection), np.float32)
        for term in query_terms(query, self.collection.languages):
            for key in term_keys(term.stems):
                weights = self._weights(key)
                present = int(np.count_nonzero(weights))
                out += np.float32(np.log1p((len(out) - present + 0.5) / (present + 0.5))) * weights
        return out

    def _weights(self, key: np.uint64) -> Array:
        """What a term counts for in each message, but for how rare it is."""
        parts = []
        for bm25, arrays in zip(self._bm25, self.collection.segments, strict=True):
            row = key_rows(arrays["term_key"], np.array([key], np.uint64))
            known = bool(row[0] >= 0)
            parts.append(bm25.get_scores_from_ids(row) if known else np.zeros(int(arrays["start"][-1]), np.float32))
        return self.collection.ordered(parts)

    def _best(self, scores: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        start = self.collection.start
        every = np.flatnonzero(np.diff(start) > 0)
        filled = np.flatnonzero(inside & (np.diff(start) > 0))
        best = np.full(len(inside), -np.inf, np.float32)
        best[every] = np.maximum.reduceat(scores, start[every])
        order = filled[np.argsort(-best[filled], kind="stable")]
        enough = int(np.searchsorted(np.cumsum(np.diff(start)[order]), _KEPT_MESSAGES)) + 1
        chosen = order[: max(_KEPT, enough)]
        mask = np.zeros(len(inside), bool)
        mask[chosen] = True
        return mask


def _bm25(arrays: Arrays) -> Any:
    """bm25s over a segment's postings, which are what it calls its matrix."""
    import bm25s

    index = bm25s.BM25()
    index.scores = {
        "data": arrays["posting_weight"],
        "indices": arrays["posting_message"],
        "indptr": arrays["posting_start"],
        "num_docs": int(arrays["start"][-1]),
    }
    index.nonoccurrence_array = None
    return index
