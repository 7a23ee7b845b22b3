"""Whole sessions, then a distiller (after NanoMemory): the sessions that rank first are handed to it in one call."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from jam.errors import ModelRefused
from jam.evaluation.baselines.lines import Lines
from jam.evaluation.benchmarks.places import Places, asked_within
from jam.evaluation.benchmarks.prediction import Answer, Outcome
from jam.evaluation.benchmarks.question import BenchQuestion, share
from jam.evaluation.costs.counted import Cost, CountedModel
from jam.index.embedder import static_embedder
from jam.index.search_index import Ranking
from jam.index.store import open_index
from jam.jobs import Candidate, Distiller, Edit
from jam.strategies.question import Casting
from jam.workspace.store import Workspace


def distilled_name(sessions: int) -> str:
    """What the baseline is called, but for its engine."""
    return f"top-{sessions} sessions, distilled"


@dataclass(frozen=True)
class Distilled:
    """The baseline, with one engine's distiller."""

    name: str
    workspace: Workspace
    places: Places
    sessions: int
    """How many are handed over."""
    engine: str
    model: CountedModel | None = None

    def ask(self, question: BenchQuestion, lines: Lines, before: float = 0.0) -> Outcome:
        """What is kept for a question; nothing where the model refuses so long a request. `before` is as for `Asking`.

        Raises `ModelError` where the model can't be reached.
        """
        began = time.perf_counter()
        where = asked_within(self.workspace, self.places, question, question.conversation)
        ranking = open_index(self.workspace).rank(question.text, where)
        candidates = self._candidates(ranking, lines)
        try:
            edits = self._distiller().distill(question.text, list(candidates.values()), where.asked_at).edits
        except ModelRefused:
            edits = ()
        kept = {name: edit for name, edit in zip(candidates, edits, strict=False) if edit.keep}
        seconds = time.perf_counter() - began + before
        cost = self.model.take(seconds) if self.model else Cost(seconds=round(seconds, 6))
        return Outcome((self._answer(question, lines, kept, cost),))

    def _distiller(self) -> Distiller:
        return Casting(self.engine, self.model)(open_index(self.workspace), self.model).distiller

    def _candidates(self, ranking: Ranking, lines: Lines) -> dict[str, Candidate]:
        """The messages of the first sessions by name, in the order of time; none that the ranking leaves out."""
        files = [ranking.index.files[number].path for number, _ in ranking.files(len(ranking.index.files))]
        sessions = list(dict.fromkeys(map(self.places.session, files)))[: self.sessions]
        best = float(ranking.scores[ranking.order[0]]) if len(ranking.order) else 0.0
        found = {}
        for name in lines.of_sessions(sessions):
            line = lines.by_name[name]
            row = ranking.index.row(line.path, line.number, ranking.scores)
            score = float(ranking.scores[row])
            if np.isfinite(score) and ranking.index.arrays["cost"][row] > 0:
                found[name] = Candidate(line.path, line.number, line.message, line.at, score - best)
        return found

    def _answer(self, question: BenchQuestion, lines: Lines, kept: dict[str, Edit], cost: Cost) -> Answer:
        said = {name: edit.text for name, edit in kept.items() if edit.text is not None}
        texts = [lines.by_name[name].said(said.get(name)) for name in kept]
        return Answer(
            None,
            tuple(kept),
            share(question.gold, kept),
            sum(static_embedder().count_tokens(texts)),
            seconds=cost.seconds,
            calls=cost.calls,
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
            text=lines.page(kept, said),
        )
