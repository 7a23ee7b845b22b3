"""Worded answers in numbers: by the benchmark's own rules, and by the grader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jam.evaluation.benchmarks.prediction import BenchRun, Prediction, Worded
from jam.evaluation.report.measures import mean

Pair = tuple[Prediction, Worded]


def answer_figures(run: BenchRun) -> dict[str, Any]:
    """By method: of the questions that can be answered, by category, and of those that can't."""
    return {name: _figures(_worded(run.of(name))) for name in [*run.settings["methods"], *run.settings["baselines"]]}


def _worded(rows: Sequence[Prediction]) -> list[Pair]:
    """Each question with its answer, those that the model refused among them."""
    return [(row, answer.worded) for row in rows for answer in row.outcome.answers if answer.worded is not None]


def _figures(pairs: Sequence[Pair]) -> dict[str, Any]:
    said = [pair for pair in pairs if pair[1].text is not None]
    answerable = [pair for pair in said if pair[0].question.answerable and pair[0].question.answer]
    categories = sorted({row.question.category for row, _ in answerable})
    groups = {name: [pair for pair in answerable if pair[0].question.category == name] for name in categories}
    unanswerable = [worded for row, worded in said if not row.question.answerable]
    return {
        "all": _agreement([worded for _, worded in answerable]),
        "categories": {name: _agreement([worded for _, worded in group]) for name, group in groups.items()},
        "unanswerable": {
            "questions": len(unanswerable),
            "refuses": mean([worded.refuses for worded in unanswerable]),
            "right": _right(unanswerable),
        },
        "refused": len(pairs) - len(said),
        "ungraded": sum(worded.right is None for _, worded in answerable) + _ungraded(unanswerable),
    }


def _agreement(answers: Sequence[Worded]) -> dict[str, Any]:
    return {
        "questions": len(answers),
        "f1": mean([answer.f1 for answer in answers if answer.f1 is not None]),
        "exact": mean([answer.exact for answer in answers if answer.exact is not None]),
        "right": _right(answers),
    }


def _right(answers: Sequence[Worded]) -> float:
    return mean([answer.right for answer in answers if answer.right is not None])


def _ungraded(answers: Sequence[Worded]) -> int:
    return sum(answer.right is None for answer in answers)
