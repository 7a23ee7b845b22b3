"""What is kept of every question that a benchmark asks: all that the figures are made of."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jam.evaluation.question import Benchmark, BenchQuestion
from jam.memorizer.build import BuildReport


@dataclass(frozen=True, slots=True)
class Answer:
    """One context for one question."""

    budget: int | None
    """In tokens; `None` for a baseline, whose context is as long as it is."""
    found: tuple[str, ...]
    """Names of the messages in it. Empty for the full history, which is everything."""
    share: float | None
    """Of the gold messages inside; `None` where there is no gold."""
    context_tokens: int
    verdict: str | None = None
    rounds: int = 0
    verified: bool | None = None
    """Whether every quote holds word for word."""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the ranking alone gives, whatever the budget."""

    sessions: tuple[str, ...]
    """Ids of the sessions that rank first, each by its best message."""
    near: float | None
    """The share of gold among the messages that rank first and their neighbours; `None` without gold."""
    apart: float | None
    """The same where none of those is a neighbour of a better one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one method gives for one question."""

    answers: tuple[Answer, ...]
    ranked: Ranked | None = None
    elsewhere: str | None = None
    """The verdict when it is asked of the next conversation, which can't know."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One question by one method."""

    method: str
    question: BenchQuestion
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """One flat object."""
        return {"method": self.method, **asdict(self.question), **asdict(self.outcome)}


@dataclass(frozen=True, slots=True)
class BenchRun:
    """All that a run measured, and what it takes to repeat it."""

    benchmark: Benchmark
    settings: dict[str, Any]
    build: BuildReport
    predictions: list[Prediction] = field(default_factory=list)

    def of(self, method: str) -> list[Prediction]:
        """The predictions of one method."""
        return [prediction for prediction in self.predictions if prediction.method == method]


def save_run(run: BenchRun, table: str, out: Path) -> None:
    """`settings.json`, `predictions.jsonl` and `table.md` in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    settings = {**run.settings, "build": run.build.to_dict()}
    (out / "settings.json").write_text(json.dumps(settings, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")
    with (out / "predictions.jsonl").open("w", encoding="utf-8") as file:
        for prediction in run.predictions:
            file.write(json.dumps(prediction.to_dict(), ensure_ascii=True) + "\n")
    (out / "table.md").write_text(table, encoding="utf-8")
