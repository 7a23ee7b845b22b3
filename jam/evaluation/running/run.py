"""Running a benchmark: every question by every method, ablation and baseline; each prediction is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from jam.evaluation.answers.answering import Answering
from jam.evaluation.answers.grading import Grader
from jam.evaluation.baselines.distilled import Distilled
from jam.evaluation.baselines.plain import Baselines
from jam.evaluation.benchmarks.places import Places, asked_within
from jam.evaluation.benchmarks.prediction import BenchRun, Outcome, Prediction
from jam.evaluation.benchmarks.question import Benchmark, BenchQuestion, sample
from jam.evaluation.running.ablations import ABLATIONS, without
from jam.evaluation.running.asking import Asking, KeepContext
from jam.evaluation.running.methods import Method
from jam.evaluation.running.models import Models
from jam.evaluation.running.plan import ABLATED, Plan, ablated, settings_of
from jam.evaluation.running.saving import contexts_sink, predictions_sink
from jam.evaluation.running.unchanging import Unchanging
from jam.index.store import open_index
from jam.memorizer.build import build
from jam.memorizer.progress import Progress
from jam.workspace.store import Workspace


def run_benchmark(
    benchmark: Benchmark,
    plan: Plan,
    folder: Path,
    workspace: Path | None,
    progress: Progress,
    out: Path | None = None,
    contexts: bool = False,
) -> BenchRun:
    """Builds the history and asks every question.

    `folder` is for what only the run needs; there the workspace is made too, unless another place is named. With `out`,
    predictions are written there as they are made, and with `contexts` every context, a line each. Replies of models
    are stored in a workspace that is named, else in `out`, else in `folder`. Raises what `build` raises, and
    `ModelError` where a model can't be reached: what it has said by then is stored.
    """
    plan.check()
    models = Models(plan, workspace, out or folder)
    place, report = build(_history(benchmark, folder), workspace or folder / f"{benchmark.name}.jam", progress=progress)
    run = BenchRun(benchmark, settings_of(benchmark, plan, place, models.model, models.judge), report)
    with contexts_sink(out if contexts else None) as keep, predictions_sink(out) as kept:
        run.predictions.extend(map(kept, _Asked(benchmark, plan, place, models, keep).predict(progress)))
    return run


def _history(benchmark: Benchmark, folder: Path) -> Path:
    """The file of the benchmark, or one that is made of its paragraphs."""
    if not benchmark.paragraphs:
        return benchmark.file
    path = folder / "paragraphs.json"
    path.write_text(json.dumps([asdict(paragraph) for paragraph in benchmark.paragraphs]), encoding="utf-8")
    return path


class _Asked:
    """All that the questions of a run are asked of."""

    def __init__(self, benchmark: Benchmark, plan: Plan, place: Workspace, models: Models, keep: KeepContext) -> None:
        self._place, self._places, self._plan, self._keep = place, Places(place), plan, keep
        self._unchanging = Unchanging.open(place.root)
        self._questions = sample(benchmark.questions, plan.limit)
        self._full = {
            method.name: Asking(
                place, self._places, method, plan.budgets, self._unchanging, models.counted(method.engine)
            )
            for method in plan.methods
        }
        self._less = self._ablations() if plan.ablations else {}
        self._baselines = Baselines(self._unchanging, self._places, self._distilled(benchmark, models))
        self._answering = None
        if plan.answers is not None:
            answerer, grader = models.answerer(), Grader(models.grader())
            self._answering = Answering(benchmark.name, answerer, grader, plan.answers)

    def predict(self, progress: Progress) -> Iterator[Prediction]:
        """Question by question: all that is asked of one conversation follows one another."""
        others = _others(self._questions)
        progress.stage("questions", len(self._questions))
        for done, question in enumerate(self._questions, 1):
            outcomes = self._outcomes(question, others.get(question.conversation))
            yield from (Prediction(name, question, outcome) for name, outcome in outcomes.items())
            progress.advance(done, len(self._questions))

    def _outcomes(self, question: BenchQuestion, other: str | None) -> dict[str, Outcome]:
        where = asked_within(self._place, self._places, question, question.conversation)
        began = time.perf_counter()
        open_index(self._place).rank(question.text, where)
        ranked = time.perf_counter() - began  # remembered from here on; each context is told the time that it took
        full = {name: asking.ask(question, other, self._keep, ranked) for name, asking in self._full.items()}
        less = {name: asking.ask(question, None, self._keep) for name, asking in self._less.items()}
        baselines = self._baselines.ask(question, ranked)
        if self._answering is None:
            return full | less | baselines
        answered = self._answering.answer(question, where.asked_at, full | baselines)
        return {name: answered.get(name, outcome) for name, outcome in (full | less | baselines).items()}

    def _ablations(self) -> dict[str, Asking]:
        """The search with less to go by, each with an index of its own."""
        found = {}
        for name in ABLATIONS:
            own = Unchanging.open(self._place.root)
            open_index(own).weights = without(name, open_index(self._place).weights)
            method = Method(ablated(name), ABLATED, "extractive")
            found[method.name] = Asking(own, self._places, method, self._plan.budgets)
        return found

    def _distilled(self, benchmark: Benchmark, models: Models) -> list[Distilled]:
        sessions = benchmark.sessions
        return [
            Distilled(name, self._place, self._places, sessions, engine, models.counted(engine))
            for name, engine in self._plan.distillers(sessions).items()
        ]


def _others(questions: Sequence[BenchQuestion]) -> dict[str, str]:
    """The next conversation of each; empty where there is only one."""
    names = list(dict.fromkeys(question.conversation for question in questions))
    return dict(zip(names, [*names[1:], names[0]], strict=True)) if len(names) > 1 else {}
