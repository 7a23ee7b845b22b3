"""The `search` strategy: the best messages, cut to the budget. Milliseconds, no rounds, no model."""

from __future__ import annotations

import time
from dataclasses import asdict, replace

from jam.context import MemoryContext, Usage
from jam.index.search_index import Within
from jam.strategies.conclude import conclude
from jam.strategies.question import Question
from jam.strategies.runs import save_run

_READ_AHEAD = 3
"""Messages of this many times the budget are looked at, so that small ones can fill what large ones leave."""


def search(question: Question) -> MemoryContext:
    """Answers a question by one search."""
    began = time.perf_counter()
    ranking = question.index.rank(question.query, Within(question.scope, question.since, question.until))
    best = ranking.best(tokens=question.budget.context_tokens * _READ_AHEAD)
    context = conclude(question, best, strategy="search", searched=[question.query], usage=Usage(tool_calls=1))
    seconds = round(time.perf_counter() - began, 6)
    context = replace(context, usage=replace(context.usage, seconds=seconds))
    if question.save:
        head = {"query": question.query, "scope": question.scope, "budget": asdict(question.budget), "at": time.time()}
        save_run(question.workspace, head, [], context)
    return context
