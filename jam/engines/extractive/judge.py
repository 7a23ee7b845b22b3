"""Reflect without a model: is there anything, is it enough, does it agree?"""

from __future__ import annotations

from collections.abc import Sequence

from jam.context import Evidence
from jam.engines.extractive.conflict import find_conflict
from jam.index.coverage import coverage
from jam.index.search_index import SearchIndex, Within
from jam.jobs import Answer, Judgement

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
        missing, met = coverage(ranking.asked, rows)
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


def _said(evidence: Evidence, value: str) -> str:
    when = f"on {evidence.at[:10]}" if evidence.at else "undated,"
    return f"{when} {evidence.path}, message {evidence.message}, says {value}"
