"""Retrieve broadly (LazyMem, section 3.1): the messages that windows are built around."""

from __future__ import annotations

import numpy as np

from jam.index.search_index import Ranking
from jam.strategies.constructing import usable
from jam.strategies.lazy.settings import LazySettings

RANK_CONSTANT = 60
"""k of Reciprocal Rank Fusion: a message counts 1 / (k + its rank) in each list."""


def pool(ranking: Ranking, settings: LazySettings) -> list[int]:
    """At most `settings.messages` rows, best first, each of another message."""
    if settings.retrieval == "rrf":
        return fused(ranking, settings.messages)
    return [row for row, _ in ranking.apart(settings.messages, settings.width)]


def fused(ranking: Ranking, limit: int) -> list[int]:
    """The best rows by Reciprocal Rank Fusion of BM25 and the dense vectors, each message alone."""
    asked = ranking.asked
    rows = asked.passages.messages
    if not len(rows):
        return []
    total = np.zeros(len(rows))
    for scores in (asked.bm25, asked.cosine):
        order = np.argsort(-scores, kind="stable")
        ranks = np.empty(len(rows), np.int64)
        ranks[order] = np.arange(1, len(rows) + 1)
        total += 1.0 / (RANK_CONSTANT + ranks)
    found: dict[tuple[str, int], int] = {}
    for position in np.argsort(-total, kind="stable").tolist():
        row = int(rows[position])
        if usable(ranking, row):
            found.setdefault(ranking.index.place(row), row)
        if len(found) == limit:
            break
    return list(found.values())
