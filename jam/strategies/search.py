"""The `search` strategy: the best messages, cut to the budget. Milliseconds, no rounds, no model."""

from __future__ import annotations

import time
from dataclasses import replace

from jam.context import MemoryContext, Usage
from jam.runs.log import RunLog, new_run_id
from jam.strategies.conclude import conclude
from jam.strategies.question import EXTRACTIVE, Question, extractive_roles
from jam.strategies.running import run_head

_READ_AHEAD = 3
"""Messages of this many times the budget are looked at, so that small ones can fill what large ones leave."""


def search(question: Question) -> MemoryContext:
    """Answers a question by one search, whatever the engine: no model is asked."""
    began, at = time.perf_counter(), time.time()
    question = replace(question, roles=extractive_roles(question.index), casting=EXTRACTIVE)
    ranking = question.toolbox.rank(question.query, question.within())
    best = ranking.best(tokens=question.budget.context_tokens * _READ_AHEAD)
    context = conclude(
        question,
        best,
        strategy="search",
        searched=[question.query],
        usage=Usage(tool_calls=1),
        run_id=new_run_id(),
        remarks=ranking.notes,
    )
    seconds = round(time.perf_counter() - began, 6)
    context = replace(context, usage=replace(context.usage, seconds=seconds))
    if question.save:
        log = RunLog(question.workspace, context.run_id)
        log.begin(run_head(question, "search", at))
        log.write({"event": "context", **context.to_dict()})
    return context
