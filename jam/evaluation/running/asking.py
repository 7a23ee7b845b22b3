"""Asking a workspace a benchmark's questions by one method, at every budget, with one ranking."""

from __future__ import annotations

import time
from collections.abc import Callable

from jam.api import recall
from jam.context import Budget, MemoryContext
from jam.evaluation.benchmarks.places import Places, asked_within
from jam.evaluation.benchmarks.prediction import Answer, Outcome, Ranked
from jam.evaluation.benchmarks.question import BenchQuestion, share
from jam.evaluation.costs.counted import Cost, CountedModel
from jam.evaluation.running.methods import Method
from jam.index.search_index import Ranking, Within
from jam.index.store import open_index
from jam.verification import verify_context
from jam.workspace.store import Workspace

SESSIONS_AT = (5, 10)
"""How many of the first sessions are looked at."""
DEPTH, WIDTH = 50, 2
"""How many of the first messages are looked at, with how many neighbours on either side (LazyMem's All@50, w = 2)."""

KeepContext = Callable[[MemoryContext], None]
"""Takes a context that was made, to keep it."""


class Asking:
    """One method over a workspace of its own handle, so that its ranking can have weights of its own."""

    def __init__(
        self,
        workspace: Workspace,
        places: Places,
        method: Method,
        budgets: tuple[int, ...],
        checked_in: Workspace | None = None,
        model: CountedModel | None = None,
    ) -> None:
        """Contexts are verified, word for word, where a workspace to do it in is named. `model` is for an engine that
        needs one.
        """
        self.workspace, self.places, self.method, self.budgets = workspace, places, method, budgets
        self.checked_in, self.model = checked_in, model

    def ask(self, question: BenchQuestion, other: str | None, keep: KeepContext, before: float = 0.0) -> Outcome:
        """Every context for a question, each handed to `keep`; the question is then asked of the conversation `other`
        as well, where one is named. `before` is how many seconds went into what is shared with other methods.

        Raises `ModelError` where the model can't be reached.
        """
        answers = []
        for budget in self.budgets:
            context, cost = self._context(question, question.conversation, budget, before)
            answers.append(self._answer(question, context, budget, cost))
            keep(context)
        elsewhere = None if other is None else self._context(question, other, min(self.budgets))[0].verdict
        return Outcome(tuple(answers), self._ranked(question), elsewhere)

    def _context(
        self, question: BenchQuestion, conversation: str, budget: int, before: float = 0.0
    ) -> tuple[MemoryContext, Cost]:
        where = self._where(question, conversation)
        began = time.perf_counter()
        context = recall(
            self.workspace,
            question.text,
            strategy=self.method.strategy,
            scope=where.scope,
            asked_at=where.asked_at,
            budget=Budget(context_tokens=budget),
            engine=self.method.engine,
            model=self.model,
            save=False,
        )
        seconds = time.perf_counter() - began + before
        return context, self.model.take(seconds) if self.model else Cost(seconds=round(seconds, 6))

    def _where(self, question: BenchQuestion, conversation: str) -> Within:
        return asked_within(self.workspace, self.places, question, conversation)

    def _answer(self, question: BenchQuestion, context: MemoryContext, budget: int, cost: Cost) -> Answer:
        found = tuple(dict.fromkeys(self.places.name(item.path, item.message) for item in context.evidence))
        return Answer(
            budget=budget,
            found=found,
            share=share(question.gold, found),
            context_tokens=context.usage.context_tokens,
            verdict=context.verdict,
            rounds=context.usage.rounds,
            verified=not verify_context(self.checked_in, context) if self.checked_in else None,
            seconds=cost.seconds,
            calls=cost.calls,
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
            text=context.context,
        )

    def _ranked(self, question: BenchQuestion) -> Ranked:
        """Of the strategy's first search; the same call as the strategy's, answered from memory."""
        ranking = open_index(self.workspace).rank(question.text, self._where(question, question.conversation))
        near, apart = (share(question.gold, self._around(ranking, width)) for width in (0, WIDTH))
        return Ranked(self._sessions(ranking), near, apart)

    def _around(self, ranking: Ranking, width: int) -> set[str]:
        """The first messages, so far apart from one another, with their neighbours."""
        names = [self.places.name(*ranking.index.place(row)) for row, _ in ranking.apart(DEPTH, width)]
        return {name for best in names for name in self.places.around(best, WIDTH)}

    def _sessions(self, ranking: Ranking) -> tuple[str, ...]:
        """The first sessions; one in several parts stands in the ranking several times."""
        files = ranking.files(len(ranking.index.files))
        ids = dict.fromkeys(self.places.session(ranking.index.files[number].path) for number, _ in files)
        return tuple(ids)[: max(SESSIONS_AT)]
