"""The `auto` strategy: the cheapest that suffices. It begins with a search and goes on while the verdict asks for more.

Each step is a run of its own, saved like any other, within what the budget has left; the last one counts, unless an
earlier one was judged better. When to go on was set by measurement, see docs/lab.md. Where something is missing, `lazy`
condenses more with a model, then leads are followed by `research`; so too where all seems absent, but a model can ask
in other words. Where no single file speaks to most of the question its parts lie apart: that takes `research` at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from jam.context import Budget, MemoryContext, Usage
from jam.index.coverage import covered_by_best_file
from jam.runs.log import RunLog, new_run_id
from jam.strategies import load_strategy
from jam.strategies.question import Question
from jam.strategies.running import run_head

_IN_ONE_PLACE = 0.5
"""The share of a question that the best file speaks to, from which it is taken to be answered in one place."""
_BEST_FIRST = ("sufficient", "conflicting", "partial", "absent")


def auto(question: Question) -> MemoryContext:
    """Answers a question by the first step that suffices."""
    began = time.perf_counter()
    apart = _lies_apart(question)
    done = [load_strategy("search")(question)]
    ended = ""
    while step := _next(done[-1], apart, question.casting.model is not None):
        left = _left(question.budget, done, time.perf_counter() - began)
        if left is None:
            ended = f"The budget allowed no {step} after that."
            break
        done.append(load_strategy(step)(replace(question, budget=left)))
    chosen = min(reversed(done), key=lambda context: _BEST_FIRST.index(context.verdict))
    seconds = round(time.perf_counter() - began, 6)
    context = replace(
        chosen,
        strategy="auto",
        notes=" ".join(part for part in (_told(done, chosen, apart), ended, chosen.notes) if part),
        searched=tuple(dict.fromkeys(query for context in done for query in context.searched)),
        usage=replace(_summed(done), context_tokens=chosen.usage.context_tokens, seconds=seconds),
        run_id=new_run_id(),
    )
    if question.save:
        _write_down(question, done, context)
    return context


def _write_down(question: Question, done: Sequence[MemoryContext], context: MemoryContext) -> None:
    """Saves the run; what was said to a model stands in those of its steps."""
    log = RunLog(question.workspace, context.run_id)
    log.begin(run_head(question, "auto", time.time() - context.usage.seconds))
    for step in done:
        log.write({"event": "step", "run_id": step.run_id, "strategy": step.strategy, "verdict": step.verdict})
    log.write({"event": "context", **context.to_dict()})


def _next(last: MemoryContext, apart: bool, with_model: bool) -> str | None:
    """What comes after a step; `None` where that suffices, or nothing more would be found.

    Without a model `lazy` chooses among what the search has found, and judges no better.
    """
    wanting = last.verdict == "partial" or (last.verdict == "absent" and with_model)
    if last.strategy == "search":
        if wanting:
            return "lazy" if with_model else "research"
        return "research" if apart and last.verdict == "sufficient" else None
    return "research" if last.strategy == "lazy" and wanting else None


def _lies_apart(question: Question) -> bool:
    """Whether no file alone speaks to most of the question."""
    # The index's own ranking, which the search asks for too; a reranker would be asked twice.
    return covered_by_best_file(question.index.rank(question.query, question.within())) < _IN_ONE_PLACE


def _left(budget: Budget, done: Sequence[MemoryContext], seconds: float) -> Budget | None:
    """What the steps so far have left of a budget; `None` where that is nothing."""
    spent = _summed(done)
    if budget.seconds is not None and budget.seconds <= seconds:
        return None
    if budget.tokens is not None and budget.tokens <= spent.input_tokens + spent.output_tokens:
        return None
    return replace(
        budget,
        seconds=None if budget.seconds is None else budget.seconds - seconds,
        tokens=None if budget.tokens is None else budget.tokens - spent.input_tokens - spent.output_tokens,
    )


def _summed(done: Sequence[MemoryContext]) -> Usage:
    """What several steps spent together."""
    names = ("rounds", "tool_calls", "model_calls", "input_tokens", "output_tokens")
    return Usage(**{name: sum(getattr(context.usage, name) for context in done) for name in names})


def _told(done: Sequence[MemoryContext], chosen: MemoryContext, apart: bool) -> str:
    """The way it went: `search: partial (nothing on tariff); research: sufficient.`"""
    steps = [f"{context.strategy}: {context.verdict}{_lacking(context)}" for context in done]
    if apart and done[0].verdict == "sufficient" and len(done) > 1:
        steps[0] += ", but in no one place"
    counted = "" if chosen is done[-1] else f" This is what {chosen.strategy} found."
    return f"{'; '.join(steps)}.{counted}"


def _lacking(context: MemoryContext) -> str:
    return f" (nothing on {', '.join(context.missing)})" if context.verdict == "partial" and context.missing else ""
