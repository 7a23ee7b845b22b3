"""Running a benchmark: every question by every strategy, ablation and baseline; each prediction is kept."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jam.evaluation.ablations import ABLATIONS, without
from jam.evaluation.asking import ENGINE, Asking, Keep
from jam.evaluation.baselines import Baselines, baseline_names
from jam.evaluation.places import Places
from jam.evaluation.prediction import BenchRun, Prediction
from jam.evaluation.question import Benchmark, BenchQuestion, sample
from jam.evaluation.unchanging import Unchanging
from jam.index.store import open_index
from jam.memorizer.build import build
from jam.memorizer.progress import Progress
from jam.strategies import load_strategy
from jam.workspace.store import Workspace

BUDGETS = (500, 1000, 2000, 4000, 6590, 8000, 14410)
"""Tokens of a context; 6,590 and 14,410 are what others spend."""
STRATEGIES = ("search", "research")
ABLATED = "search"
"""The strategy that ablations are measured with: nothing but the ranking decides there."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run measures."""

    strategies: tuple[str, ...] = STRATEGIES
    budgets: tuple[int, ...] = BUDGETS
    ablations: bool = False
    limit: int | None = None
    """So many questions of each conversation, or of the file where they are numbered through; see `sample`."""

    def check(self) -> None:
        """Raises `UsageError` for a strategy that there is none of."""
        for name in self.strategies:
            load_strategy(name)


def run_benchmark(
    benchmark: Benchmark, plan: Plan, folder: Path, workspace: Path | None, progress: Progress, contexts: Path | None
) -> BenchRun:
    """Builds the history and asks every question.

    `folder` is for what only the run needs; there the workspace is made too, unless another place is named. With
    `contexts`, every context is written there, a line each. Raises what `build` raises.
    """
    plan.check()
    place, report = build(_history(benchmark, folder), workspace or folder / f"{benchmark.name}.jam", progress=progress)
    run = BenchRun(benchmark, _settings(benchmark, plan, place), report)
    with _sink(contexts) as keep:
        run.predictions.extend(_predict(benchmark, plan, place, keep, progress))
    return run


def _history(benchmark: Benchmark, folder: Path) -> Path:
    """The file of the benchmark, or one that is made of its paragraphs."""
    if not benchmark.paragraphs:
        return benchmark.file
    path = folder / "paragraphs.json"
    path.write_text(json.dumps([asdict(paragraph) for paragraph in benchmark.paragraphs]), encoding="utf-8")
    return path


def _settings(benchmark: Benchmark, plan: Plan, place: Workspace) -> dict[str, Any]:
    """What the figures depend on."""
    index = open_index(place)
    return {
        "benchmark": benchmark.name,
        "data": benchmark.file.name,
        "data_sha256": hashlib.sha256(benchmark.file.read_bytes()).hexdigest(),
        **benchmark.settings,
        "limit": plan.limit,
        "jam": version("jam-memory"),
        "engine": ENGINE,
        "embedder": index.collection.embedder.fingerprint,
        "encoder": place.settings.embedder.get("spec"),
        "reranker": place.settings.reranker.get("spec"),
        "weights": {f"{name} {level}": weight for (name, level), weight in index.weights.items()},
        "strategies": list(plan.strategies),
        "ablations": [ablated(name) for name in ABLATIONS] if plan.ablations else [],
        "baselines": baseline_names(),
        "budgets": list(plan.budgets),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def ablated(name: str) -> str:
    """What an ablation is called among the methods: it is always `search` that has less to go by."""
    return f"{ABLATED} {name}"


@contextmanager
def _sink(path: Path | None) -> Iterator[Keep]:
    """Where contexts go: a line each into a file, or nowhere."""
    if path is None:
        yield lambda context: None
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        yield lambda context: print(json.dumps(context.to_dict(), ensure_ascii=True), file=file)


def _predict(
    benchmark: Benchmark, plan: Plan, place: Workspace, keep: Keep, progress: Progress
) -> Iterator[Prediction]:
    """Question by question: all that is asked of one conversation follows one another."""
    places, unchanging = Places(place), Unchanging.open(place.root)
    full = {name: Asking(place, places, name, plan.budgets, unchanging) for name in plan.strategies}
    less = _ablations(place, places, plan.budgets) if plan.ablations else {}
    baselines = Baselines(unchanging, places)
    questions = sample(benchmark.questions, plan.limit)
    others = _others(questions)
    progress.stage("questions", len(questions))
    for done, question in enumerate(questions, 1):
        outcomes = {
            name: asking.ask(question, others.get(question.conversation), keep) for name, asking in full.items()
        }
        outcomes |= {name: asking.ask(question, None, keep) for name, asking in less.items()}
        outcomes |= baselines.ask(question)
        yield from (Prediction(name, question, outcome) for name, outcome in outcomes.items())
        progress.advance(done, len(questions))


def _ablations(place: Workspace, places: Places, budgets: tuple[int, ...]) -> dict[str, Asking]:
    """The search with less to go by, each with an index of its own."""
    found = {}
    for name in ABLATIONS:
        own = Unchanging.open(place.root)
        open_index(own).weights = without(name, open_index(place).weights)
        found[ablated(name)] = Asking(own, places, ABLATED, budgets)
    return found


def _others(questions: Sequence[BenchQuestion]) -> dict[str, str]:
    """The next conversation of each; empty where there is only one."""
    names = list(dict.fromkeys(question.conversation for question in questions))
    return dict(zip(names, [*names[1:], names[0]], strict=True)) if len(names) > 1 else {}
