"""Running a benchmark: every question, at every budget, by every strategy; each prediction is kept."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jam.api import recall
from jam.context import Budget, MemoryContext
from jam.evaluation.locomo import BenchQuestion
from jam.evaluation.measures import share
from jam.index.embedder import static_embedder
from jam.index.search_index import Within
from jam.index.store import open_index
from jam.memorizer.build import BuildReport
from jam.memorizer.progress import Progress
from jam.verification import verify_context
from jam.workspace.store import Workspace

BUDGETS = (500, 1000, 2000, 4000, 8000)
SESSIONS_AT = (5, 10)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question at one budget."""

    tokens: int
    """The budget."""
    share: float | None
    """Of the gold messages inside the context; `None` where there is no gold."""
    evidence: tuple[str, ...]
    context_tokens: int
    verdict: str
    rounds: int
    seconds: float
    verified: bool


@dataclass(frozen=True, slots=True)
class Prediction:
    """One question by one strategy."""

    strategy: str
    conversation: str
    number: int
    question: str
    category: int
    gold: tuple[str, ...]
    answers: tuple[Answer, ...]
    sessions: tuple[str, ...]
    """Ids of the sessions that the index ranks first."""


@dataclass(frozen=True, slots=True)
class BenchRun:
    """All that a run measured, and what it takes to repeat it."""

    settings: dict[str, Any]
    build: BuildReport
    predictions: list[Prediction] = field(default_factory=list)


def bench_settings(data: Path, strategies: Sequence[str], budgets: Sequence[int]) -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "data": data.name,
        "data_sha256": hashlib.sha256(data.read_bytes()).hexdigest(),
        "jam": version("jam-memory"),
        "engine": "extractive",
        "embedder": static_embedder().fingerprint,
        "strategies": list(strategies),
        "budgets": list(budgets),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def predict(
    workspace: Workspace,
    questions: Sequence[BenchQuestion],
    strategies: Sequence[str],
    budgets: Sequence[int],
    progress: Progress,
    contexts: Path | None = None,
) -> Iterator[Prediction]:
    """Asks every question; with `contexts`, every context is also written there, a line each."""
    sink = contexts.open("w", encoding="utf-8") if contexts else None
    total = len(questions) * len(strategies)
    progress.stage("questions", total)
    try:
        for done, (strategy, question) in enumerate(((s, q) for s in strategies for q in questions), 1):
            answers = []
            for tokens in budgets:
                context, seconds = _ask(workspace, question, strategy, tokens)
                answers.append(_answer(workspace, question, tokens, context, seconds))
                if sink:
                    sink.write(json.dumps(context.to_dict(), ensure_ascii=True) + "\n")
            yield _prediction(workspace, question, strategy, answers)
            progress.advance(done, total)
    finally:
        if sink:
            sink.close()


def _ask(workspace: Workspace, question: BenchQuestion, strategy: str, tokens: int) -> tuple[MemoryContext, float]:
    began = time.perf_counter()
    budget = Budget(context_tokens=tokens)
    context = recall(workspace, question.text, strategy=strategy, scope=scope_of(question), budget=budget, save=False)
    return context, time.perf_counter() - began


def scope_of(question: BenchQuestion) -> str:
    """The folder that a conversation is kept in."""
    return question.conversation.lower()


def _answer(
    workspace: Workspace, question: BenchQuestion, tokens: int, context: MemoryContext, seconds: float
) -> Answer:
    found = tuple(item.id or "" for item in context.evidence)
    return Answer(
        tokens=tokens,
        share=share(question.gold, set(found)) if question.gold else None,
        evidence=found,
        context_tokens=context.usage.context_tokens,
        verdict=context.verdict,
        rounds=context.usage.rounds,
        seconds=round(seconds, 6),
        verified=not verify_context(workspace, context),
    )


def _prediction(workspace: Workspace, question: BenchQuestion, strategy: str, answers: list[Answer]) -> Prediction:
    index = open_index(workspace)
    ranking = index.rank(question.text, Within(scope_of(question)))
    sessions = tuple(index.files[number].session_id for number, _ in ranking.files(max(SESSIONS_AT)))
    return Prediction(
        strategy,
        question.conversation,
        question.number,
        question.text,
        question.category,
        question.gold,
        tuple(answers),
        sessions,
    )


def write_predictions(run: BenchRun, out: Path) -> None:
    """`settings.json` and `predictions.jsonl` in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    settings = {**run.settings, "build": run.build.to_dict()}
    (out / "settings.json").write_text(json.dumps(settings, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")
    lines = (json.dumps(asdict(prediction), ensure_ascii=True) for prediction in run.predictions)
    (out / "predictions.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
