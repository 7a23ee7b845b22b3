"""A large scope is first cut down to its likeliest sessions, so that a question stays fast however much there is.

Two rough looks at every message, BM25 (bm25s) and static vectors, each name sessions; what either names is kept. Only
then does the fine ranking compare the messages of those sessions.
"""

from __future__ import annotations

import logging
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import query_terms
from jam.index.embedder import StaticEmbedder
from jam.index.indexing import Arrays, term_key

_KEPT = 150
"""Sessions that each of the two looks keeps."""


def save_bm25(arrays: Arrays, folder: Path) -> None:
    """Makes the bm25s index of the messages from the arrays and saves it in `folder`."""
    import bm25s

    # Message after message, each term as often as it stands there; bm25s takes numbers for terms.
    start, term = arrays["forward_start"], arrays["forward_term"]
    counts = _counts_by_message(arrays)
    documents = [np.repeat(term[a:b], counts[a:b]).tolist() for a, b in pairwise(start)]
    vocabulary = {str(key): number for number, key in enumerate(arrays["term_key"])}
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    index = bm25s.BM25(k1=1.2, b=0.75)
    index.index((documents, vocabulary), show_progress=False, create_empty_token=False)
    index.save(str(folder), show_progress=False)


class Shortlist:
    """The rough look."""

    def __init__(self, arrays: Any, folder: Path, embedder: StaticEmbedder) -> None:
        import bm25s

        self.arrays = arrays
        self.embedder = embedder
        self.bm25 = bm25s.BM25.load(str(folder), mmap=True, show_progress=False)

    def likely(self, query: str, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A mask of the sessions in scope that the question may be about."""
        lexical = self._lexical(query)
        ids = self.embedder.token_ids([query])[0]
        vector = self.embedder.token_vectors[ids].sum(axis=0) - len(ids) * self.arrays["token_mean"]
        norms = np.maximum(np.linalg.norm(self.arrays["token_sum"], axis=1), 1e-6)
        dense = (self.arrays["token_sum"] @ vector.astype(np.float32)) / norms
        return self._best(lexical, inside) | self._best(dense, inside)

    def _lexical(self, query: str) -> NDArray[np.float32]:
        languages = tuple(map(str, self.arrays["languages"]))
        known = self.bm25.vocab_dict
        keys = [str(term_key(stem)) for term in query_terms(query, languages) for stem in term.stems]
        tokens = [key for key in keys if key in known]
        if not tokens:
            return np.zeros(int(self.arrays["start"][-1]), np.float32)
        return np.asarray(self.bm25.get_scores(tokens), np.float32)

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


def _counts_by_message(arrays: Arrays) -> NDArray[np.int64]:
    """The postings' counts, brought back into the order of messages."""
    order = np.argsort(arrays["forward_term"], kind="stable")
    counts = np.empty(len(order), np.int64)
    counts[order] = arrays["posting_count"]
    return counts
