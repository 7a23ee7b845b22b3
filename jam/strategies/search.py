"""The `search` strategy: the best messages, cut to the budget. Milliseconds, no rounds, no model."""

from __future__ import annotations

from dataclasses import replace

from jam.context import MemoryContext, Usage
from jam.strategies.conclude import conclude
from jam.strategies.one_round import run_once
from jam.strategies.question import EXTRACTIVE, Question, extractive_roles

_READ_AHEAD = 3
"""Messages of this many times the budget are looked at, so that small ones can fill what large ones leave."""


def search(question: Question) -> MemoryContext:
    """Answers a question by one search, whatever the engine: no model is asked."""
    question = replace(question, roles=extractive_roles(question.index), casting=EXTRACTIVE)
    return run_once(question, "search", _answered)


def _answered(question: Question, run_id: str) -> MemoryContext:
    ranking = question.toolbox.rank(question.query, question.within())
    return conclude(
        question,
        ranking.best(tokens=question.budget.context_tokens * _READ_AHEAD),
        strategy="search",
        searched=[question.query],
        usage=Usage(tool_calls=1),
        run_id=run_id,
        remarks=ranking.notes,
    )
