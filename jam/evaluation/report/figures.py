"""A run in numbers: recall within budgets, what the ranking gives, baselines, the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jam.evaluation.benchmarks.prediction import BenchRun, Prediction, Ranked
from jam.evaluation.benchmarks.question import share
from jam.evaluation.report.answer_figures import answer_figures
from jam.evaluation.report.measures import detection, mean, percentile, recall
from jam.evaluation.running.asking import SESSIONS_AT

Rows = Sequence[Prediction]
COMPLETE = "the whole ranking"


def figures(run: BenchRun) -> dict[str, Any]:
    """All figures as JSON values; what can't be said (of no questions) is null."""
    settings = run.settings
    data = {
        "settings": settings,
        "build": {key: getattr(run.build, key) for key in ("sessions", "messages", "seconds")},
        "questions": _questions(run.of(settings["baselines"][0])),
        "strategies": {name: _strategy(run, name) for name in settings["methods"]},
        "ablations": {name: {"recall": _recalls(run, name)} for name in settings["ablations"]},
        "rankings": _rankings(run),
        "baselines": {name: _recall(_with_gold(run.of(name)), 0) for name in settings["baselines"]},
        "points": _points(run),
        "answers": answer_figures(run) if settings["answers"] else None,
        "published": {other.name: other.sessions for other in run.benchmark.published},
    }
    said: dict[str, Any] = _sayable(data)
    return said


def _questions(rows: Rows) -> dict[str, int]:
    answerable = _answerable(rows)
    return {
        "asked": len(rows),
        "answerable": len(answerable),
        "with_gold": len(_with_gold(rows)),
        "with_gold_sessions": sum(bool(row.question.gold_sessions) for row in answerable),
        "with_broken_gold": sum(bool(row.question.broken) for row in answerable),
    }


def _strategy(run: BenchRun, name: str) -> dict[str, Any]:
    rows = run.of(name)
    answers = [answer for row in rows for answer in row.outcome.answers]
    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    return {
        "recall": _recalls(run, name),
        "absent": _absent(rows),
        "verified": sum(answer.verified is True for answer in answers),
        "contexts": len(answers),
        "rounds_mean": mean([answer.rounds for answer in answers]),
        "seconds_p50": percentile(seconds, 50),
        "seconds_p95": percentile(seconds, 95),
    }


def _recalls(run: BenchRun, name: str) -> dict[str, Any]:
    """Of all questions and of each category, at each budget."""
    rows = _with_gold(run.of(name))
    categories = sorted({row.question.category for row in rows})
    groups = {"all": rows} | {name: [row for row in rows if row.question.category == name] for name in categories}
    budgets = list(enumerate(run.settings["budgets"]))
    return {
        group: {str(tokens): _recall(own, position) for position, tokens in budgets} for group, own in groups.items()
    }


def _recall(rows: Rows, position: int) -> dict[str, float]:
    answers = [row.outcome.answers[position] for row in rows]
    found = recall([answer.share or 0.0 for answer in answers])
    return {**asdict(found), "context_tokens": mean([answer.context_tokens for answer in answers])}


def _points(run: BenchRun) -> list[dict[str, Any]]:
    """What each method finds and what that costs, at each budget; of a baseline without one. Means over the questions
    that recall is over.
    """
    budgets = list(enumerate(run.settings["budgets"]))
    places = [(name, *place) for name in run.settings["methods"] for place in budgets]
    places += [(name, 0, None) for name in run.settings["baselines"]]
    return [{"method": name, "budget": budget, **_cost(run, name, position)} for name, position, budget in places]


def _cost(run: BenchRun, name: str, position: int) -> dict[str, float | None]:
    answers = [row.outcome.answers[position] for row in _with_gold(run.of(name))]
    timed = [answer.seconds for answer in answers if answer.seconds is not None]
    found = recall([answer.share or 0.0 for answer in answers])
    return {
        "all": found.all,
        "context_tokens": mean([answer.context_tokens for answer in answers]),
        "calls": mean([answer.calls for answer in answers]),
        "input_tokens": mean([answer.input_tokens for answer in answers]),
        "output_tokens": mean([answer.output_tokens for answer in answers]),
        "seconds": mean(timed) if timed else None,
    }


def _rankings(run: BenchRun) -> dict[str, Any]:
    """The one that all strategies begin with, and those with something left out."""
    whole = run.settings["methods"][0]
    return {COMPLETE: _ranking(run.of(whole))} | {name: _ranking(run.of(name)) for name in run.settings["ablations"]}


def _ranking(rows: Rows) -> dict[str, float]:
    """Of messages over the questions with gold messages, of sessions over those with gold sessions."""
    near = recall([_ranked(row).near or 0.0 for row in _with_gold(rows)])
    apart = recall([_ranked(row).apart or 0.0 for row in _with_gold(rows)])
    data = {"questions": near.questions, "near_all": near.all, "near_mean": near.mean}
    data |= {"apart_all": apart.all, "apart_mean": apart.mean}
    asked = [row for row in _answerable(rows) if row.question.gold_sessions]
    data["session_questions"] = len(asked)
    for k in SESSIONS_AT:
        shares = [share(row.question.gold_sessions, _ranked(row).sessions[:k]) or 0.0 for row in asked]
        data |= {
            f"any@{k}": mean([value > 0 for value in shares]),
            f"all@{k}": mean([value == 1 for value in shares]),
            f"mean@{k}": mean(shares),
        }
    return data


def _ranked(row: Prediction) -> Ranked:
    if row.outcome.ranked is None:
        raise ValueError(f"{row.method} ranks nothing")
    return row.outcome.ranked


def _absent(rows: Rows) -> dict[str, Any]:
    """The verdict at the smallest budget, for the benchmark's own unanswerable questions and for made-up ones."""
    wrongly = [_says_absent(row) for row in _answerable(rows)]
    own = [_says_absent(row) for row in rows if not row.question.answerable]
    elsewhere = [row.outcome.elsewhere == "absent" for row in rows if row.outcome.elsewhere is not None]
    return {
        "answerable": len(wrongly),
        "wrongly": sum(wrongly),
        "unanswerable": asdict(detection(own, wrongly)),
        "elsewhere": asdict(detection(elsewhere, wrongly)),
    }


def _says_absent(row: Prediction) -> bool:
    return min(row.outcome.answers, key=lambda answer: answer.budget or 0).verdict == "absent"


def _answerable(rows: Rows) -> list[Prediction]:
    return [row for row in rows if row.question.answerable]


def _with_gold(rows: Rows) -> list[Prediction]:
    """The questions that recall is over: there is something to find."""
    return [row for row in _answerable(rows) if row.question.gold]


def _sayable(value: Any) -> Any:
    """The same without NaN, which JSON doesn't have."""
    if isinstance(value, dict):
        return {key: _sayable(item) for key, item in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value
