"""What is kept of every question that a benchmark asks: all that the figures are made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from jam.evaluation.benchmarks.question import Benchmark, BenchQuestion
from jam.memorizer.build import BuildReport


@dataclass(frozen=True, slots=True)
class Worded:
    """What an answer model said from one context alone, and what it is worth."""

    text: str | None
    """`None` where the model refuses the request: most often it is too long for it."""
    refuses: bool = False
    """Whether it says that nothing is known."""
    f1: float | None = None
    """By the benchmark's own rules; `None` where it has no answer to compare with."""
    exact: bool | None = None
    right: bool | None = None
    """By the grader; `None` where its replies couldn't be used, or there was nothing to grade."""
    reason: str = ""
    """The grader's."""
    input_tokens: int = 0
    output_tokens: int = 0
    """Of the answer, without its grade."""


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
    calls: int = 0
    """Of the model; like its tokens and the seconds, as many as when the replies were made."""
    input_tokens: int = 0
    output_tokens: int = 0
    text: str | None = None
    """The context itself; kept in the run's file alone."""
    worded: Worded | None = None


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

    def without_texts(self) -> Prediction:
        """The same without its contexts: those of a whole run don't fit into memory."""
        answers = tuple(replace(answer, text=None) for answer in self.outcome.answers)
        return replace(self, outcome=replace(self.outcome, answers=answers))


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
