"""A run as figures, and the figures as a Markdown table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from jam.evaluation.locomo import CATEGORIES
from jam.evaluation.measures import percentile, recall, share
from jam.evaluation.run import SESSIONS_AT, BenchRun, Prediction

ANSWERABLE = (1, 2, 3, 4)


def figures(run: BenchRun) -> dict[str, Any]:
    """Everything in numbers: by strategy, then by category (`all` is 1 to 4 together)."""
    return {
        "settings": run.settings,
        "build": {
            "sessions": run.build.sessions,
            "messages": run.build.messages,
            "seconds": run.build.seconds,
        },
        "strategies": {name: _strategy(run, name) for name in run.settings["strategies"]},
    }


def _strategy(run: BenchRun, name: str) -> dict[str, Any]:
    own = [prediction for prediction in run.predictions if prediction.strategy == name]
    answerable = [prediction for prediction in own if prediction.category in ANSWERABLE and prediction.gold]
    groups = {"all": answerable}
    groups |= {CATEGORIES[c]: [p for p in answerable if p.category == c] for c in ANSWERABLE}
    answers = [answer for prediction in own for answer in prediction.answers]
    return {
        "questions": len(own),
        "without_gold": sum(p.category in ANSWERABLE and not p.gold for p in own),
        "recall": {group: _recall(run, rows) for group, rows in groups.items() if rows},
        "sessions": {f"@{k}": _sessions(answerable, k) for k in SESSIONS_AT},
        "absent": {
            "on_answerable": _absent([p for p in own if p.category in ANSWERABLE]),
            "on_unanswerable": _absent([p for p in own if p.category == 5]),
        },
        "verified": f"{sum(answer.verified for answer in answers)}/{len(answers)}",
        "seconds_p50": percentile([answer.seconds for answer in answers], 50),
        "seconds_p95": percentile([answer.seconds for answer in answers], 95),
        "rounds_mean": sum(answer.rounds for answer in answers) / max(1, len(answers)),
    }


def _recall(run: BenchRun, rows: Sequence[Prediction]) -> dict[str, Any]:
    out = {}
    for position, tokens in enumerate(run.settings["budgets"]):
        answers = [row.answers[position] for row in rows]
        result = recall([answer.share or 0.0 for answer in answers])
        used = sum(answer.context_tokens for answer in answers) / len(answers)
        out[str(tokens)] = {
            "mean": result.mean,
            "all": result.all,
            "questions": result.questions,
            "context_tokens": used,
        }
    return out


def _sessions(rows: Sequence[Prediction], k: int) -> dict[str, float]:
    shares = []
    for row in rows:
        gold = {f"{row.conversation}/session_{message.removeprefix('D').partition(':')[0]}" for message in row.gold}
        shares.append(share(gold, set(row.sessions[:k])))
    result = recall(shares)
    return {"mean": result.mean, "all": result.all}


def _absent(rows: Sequence[Prediction]) -> float | None:
    return sum(row.answers[-1].verdict == "absent" for row in rows) / len(rows) if rows else None


def render(data: dict[str, Any]) -> str:
    """The figures as Markdown."""
    settings, build = data["settings"], data["build"]
    lines = [
        f"# {settings['data']}",
        "",
        f"jam {settings['jam']}, engine {settings['engine']}, embedder {settings['embedder']}; "
        f"data sha256 {settings['data_sha256'][:16]}",
        f"Build: {build['sessions']} sessions, {build['messages']} messages in {build['seconds']:.1f} s",
    ]
    for name, strategy in data["strategies"].items():
        lines += ["", f"## {name}", "", *_recall_table(settings["budgets"], strategy), "", *_remarks(strategy)]
    return "\n".join(lines) + "\n"


def _recall_table(budgets: Sequence[int], strategy: dict[str, Any]) -> list[str]:
    head = ["questions", "n", *(f"all@{tokens}" for tokens in budgets), *(f"mean@{tokens}" for tokens in budgets)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for group, row in strategy["recall"].items():
        first = next(iter(row.values()))
        cells = [group, str(first["questions"])]
        cells += [f"{row[str(t)]['all']:.3f}" for t in budgets] + [f"{row[str(t)]['mean']:.3f}" for t in budgets]
        lines.append("| " + " | ".join(cells) + " |")
    used = [f"{strategy['recall']['all'][str(t)]['context_tokens']:.0f}" for t in budgets] if strategy["recall"] else []
    if used:
        lines.append("| context tokens | | " + " | ".join([*used, *("" for _ in budgets)]) + " |")
    return lines


def _remarks(strategy: dict[str, Any]) -> list[str]:
    sessions = ", ".join(f"all{k} {v['all']:.3f} (mean {v['mean']:.3f})" for k, v in strategy["sessions"].items())
    absent = strategy["absent"]
    parts = [
        f"- sessions: {sessions}",
        f"- a context: p50 {strategy['seconds_p50'] * 1000:.1f} ms, p95 {strategy['seconds_p95'] * 1000:.1f} ms, "
        f"{strategy['rounds_mean']:.1f} rounds",
        f"- contexts whose every quote verifies: {strategy['verified']}",
        f"- verdict absent: {_percent(absent['on_answerable'])} of answerable, "
        f"{_percent(absent['on_unanswerable'])} of unanswerable questions",
    ]
    if strategy["without_gold"]:
        parts.append(f"- {strategy['without_gold']} answerable questions have no usable gold and are left out")
    return parts


def _percent(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{100 * value:.1f} %"
