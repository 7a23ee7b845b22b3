"""Reflect without a model: is there anything, is it enough, does it agree?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jam.context import Evidence
from jam.engines.extractive.conflict import find_conflict
from jam.index.search_index import SearchIndex, Within
from jam.jobs import Judgement

_LIKE = 0.6
"""A term of the question is met by a word this much like it."""


class ExtractiveJudge:
    """Judges by the index: what of the question the evidence speaks to, and where it contradicts itself."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index

    def judge(self, query: str, evidence: Sequence[Evidence], scope: str) -> Judgement:
        ranking = self.index.rank(query, Within(scope))
        if not evidence or not ranking.found:
            return Judgement(
                "absent", "Nothing in what was searched bears on the question.", self._missing(query, (), scope)
            )
        conflict = find_conflict(query, self._best(query, evidence, scope))
        if conflict:
            first, second = conflict.first, conflict.second
            told = f"{_when(first)} {first.path} message {first.message} says {conflict.values[0]}"
            other = f"{_when(second)} {second.path} message {second.message} says {conflict.values[1]}"
            return Judgement("conflicting", f"The evidence differs: {told}; {other}.")
        missing = self._missing(query, evidence, scope)
        if missing:
            return Judgement("partial", f"Nothing found speaks of: {', '.join(missing)}.", missing)
        return Judgement("sufficient")

    def _best(self, query: str, evidence: Sequence[Evidence], scope: str) -> list[Evidence]:
        """The evidence, best first."""
        scores = self.index.rank(query, Within(scope)).scores
        return sorted(evidence, key=lambda item: -float(scores[self.index.row(item.path, item.message)]))

    def _missing(self, query: str, evidence: Sequence[Evidence], scope: str) -> tuple[str, ...]:
        """Content words of the question that no evidence has, nor a word much like them."""
        asked = self.index.rank(query, Within(scope)).asked
        weighty = asked.weight > 0
        if not len(asked.passages):
            return ()
        rows = [self.index.row(item.path, item.message) for item in evidence]
        local = asked.passages.local[np.array(rows, dtype=np.int64)] if rows else np.zeros(0, np.int64)
        local = local[local >= 0]
        met = asked.similarity[:, local].max(axis=1) if len(local) else np.zeros(len(asked.terms))
        absent = (met < _LIKE) & weighty
        return tuple(surface for surface, gone in zip(asked.surfaces, absent, strict=True) if gone)


def _when(evidence: Evidence) -> str:
    return f"on {evidence.at[:10]}" if evidence.at else "undated,"
