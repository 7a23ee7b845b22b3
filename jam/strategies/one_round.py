"""A run without rounds of research: one record, one budget, the roles cast with a model that is held to both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from jam.context import MemoryContext
from jam.engines import Roles
from jam.models.meter import Meter
from jam.runs.log import RunLog, new_run_id
from jam.strategies.question import Question
from jam.strategies.running import Running, Step, run_head

Answering = Callable[[Question, str], MemoryContext]
"""Makes the context of a question, for the run of that id; what model calls cost is entered by whoever runs it."""


def run_once(question: Question, strategy: str, answer: Answering) -> MemoryContext:
    """Answers a question within its budget, and writes the run down where it is to be saved."""
    began, at = time.perf_counter(), time.time()
    run_id = new_run_id()
    budget = question.budget
    running = Running(Meter(budget.tokens, budget.seconds), RunLog(question.workspace, run_id, question.save))
    running.log.begin(run_head(question, strategy, at))
    step = Step(running, question.casting.model, question.workspace, round=1)
    context = answer(replace(question, roles=_cast(question, step)), run_id)
    spent = step.spent
    usage = replace(
        context.usage,
        model_calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        seconds=round(time.perf_counter() - began, 6),
    )
    context = replace(context, usage=usage)
    running.log.write({"event": "context", **context.to_dict(), "spent": spent.to_dict()})
    return context


def _cast(question: Question, step: Step) -> Roles:
    return question.roles if step.model is None else question.casting(question.index, step.model)
