"""The `search` strategy: the best messages, cut to the budget. Milliseconds, no rounds, no model."""

from __future__ import annotations

import time
from dataclasses import asdict

from jam.context import MemoryContext, Usage
from jam.index.search_index import Within
from jam.strategies.assemble import assemble, nothing
from jam.strategies.question import Question
from jam.strategies.runs import new_run_id, save_run

_READ_AHEAD = 3
"""Messages of this many times the budget are looked at, so that small ones can fill what large ones leave."""


def search(question: Question) -> MemoryContext:
    """Answers a question by one search."""
    began = time.perf_counter()
    ranking = question.index.rank(question.query, Within(question.scope, question.since, question.until))
    best = ranking.best(tokens=question.budget.context_tokens * _READ_AHEAD)
    gathered = assemble(question, best)
    judgement = question.roles.judge.judge(question.query, gathered.evidence, question.scope)
    if judgement.verdict == "absent":
        gathered = nothing()
    context = MemoryContext(
        query=question.query,
        verdict=judgement.verdict,
        answer=judgement.answer,
        context=gathered.context,
        evidence=gathered.evidence,
        sources=gathered.sources,
        notes=judgement.notes,
        searched=(question.query,),
        missing=judgement.missing,
        strategy="search",
        usage=Usage(tool_calls=1, context_tokens=gathered.tokens, seconds=round(time.perf_counter() - began, 6)),
        run_id=new_run_id(),
    )
    if question.save:
        head = {"query": question.query, "scope": question.scope, "budget": asdict(question.budget), "at": time.time()}
        save_run(question.workspace.derived, head, [], context)
    return context
