"""Reflect without a model: is there anything, is it enough, does it agree?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jam.context import Evidence
from jam.engines.extractive.conflict import find_conflict
from jam.index.asked import Asked
from jam.index.search_index import SearchIndex, Within
from jam.jobs import Answer, Judgement

_LIKE = 0.6
"""A term of the question is met by a word this much like it."""
_ENOUGH = 0.6
"""The evidence suffices if it speaks to this share of the question's content words, by their idf."""


class ExtractiveJudge:
    """Judges by the index: what of the question the evidence speaks to, and where it contradicts itself."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index

    def judge(
        self,
        query: str,
        evidence: Sequence[Evidence],
        scope: str,
        answer: Answer | None = None,
        asked_at: str | None = None,
    ) -> Judgement:
        ranking = self.index.rank(query, Within(scope, asked_at=asked_at))
        rows = [self.index.row(item.path, item.message, ranking.scores) for item in evidence]
        missing, met = _met(ranking.asked, rows)
        if not ranking.found:
            return Judgement("absent", "Nothing in what was searched bears on the question.", missing)
        if not evidence:
            return Judgement("partial", "No message found fits into the context; allow it more tokens.", missing)
        best = sorted(zip(rows, evidence, strict=True), key=lambda pair: -float(ranking.scores[pair[0]]))
        conflict = find_conflict(query, [item for _, item in best])
        if conflict:
            first, second = _said(conflict.first, conflict.values[0]), _said(conflict.second, conflict.values[1])
            return Judgement("conflicting", f"The evidence differs: {first}; {second}.")
        if met < _ENOUGH:
            return Judgement("partial", f"Nothing found speaks of: {', '.join(missing)}.", missing)
        return Judgement("sufficient")


def _met(asked: Asked, rows: Sequence[int]) -> tuple[tuple[str, ...], float]:
    """The content words of the question that no evidence has, nor a word much like them; the share of the others."""
    total = float(asked.weight.sum())
    if not len(asked.passages) or not total:
        return (), 1.0
    local = asked.passages.local[np.array(rows, dtype=np.int64)]
    local = local[local >= 0]
    likeness = asked.similarity[:, local].max(axis=1) if len(local) else np.zeros(len(asked.terms))
    lost = (likeness < _LIKE) & (asked.weight > 0)
    missing = tuple(surface for surface, gone in zip(asked.surfaces, lost, strict=True) if gone)
    return missing, 1.0 - float(asked.weight[lost].sum()) / total


def _said(evidence: Evidence, value: str) -> str:
    when = f"on {evidence.at[:10]}" if evidence.at else "undated,"
    return f"{when} {evidence.path}, message {evidence.message}, says {value}"
