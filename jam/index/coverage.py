"""How much of a question some messages speak to: which of its content words they have, or words much like them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jam.index.asked import Asked
from jam.index.search_index import Ranking

_LIKE = 0.6
"""A word of the question is met by a word this much like it."""


def coverage(asked: Asked, rows: Sequence[int]) -> tuple[tuple[str, ...], float]:
    """The content words of a question that none of the messages (rows of the index) meets; and the share, 0 to 1, of
    all content words that is met, by how rare they are.
    """
    total = float(asked.weight.sum())
    if not len(asked.passages) or not total:
        return (), 1.0
    local = asked.passages.local[np.array(rows, dtype=np.int64)]
    local = local[local >= 0]
    likeness = asked.similarity[:, local].max(axis=1) if len(local) else np.zeros(len(asked.terms))
    lost = (likeness < _LIKE) & (asked.weight > 0)
    missing = tuple(surface for surface, gone in zip(asked.surfaces, lost, strict=True) if gone)
    return missing, 1.0 - float(asked.weight[lost].sum()) / total


def covered_by_best_file(ranking: Ranking) -> float:
    """The share of the question that the best file alone speaks to; 1 where there is none."""
    best = ranking.files(1)
    if not best:
        return 1.0
    start = ranking.index.collection.start
    file = best[0][0]
    return coverage(ranking.asked, range(int(start[file]), int(start[file + 1])))[1]
