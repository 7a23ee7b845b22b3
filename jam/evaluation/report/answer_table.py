"""The tables of worded answers."""

from __future__ import annotations

from typing import Any

from jam.evaluation.report.markdown import section, share, table


def render_answers(data: dict[str, Any]) -> list[str]:
    """The sections on answers; none where none were asked for."""
    answers, settings = data["answers"], data["settings"]
    if answers is None:
        return []
    own, model = settings["answers"], settings["model"]["spec"]
    head = (
        f"Answers from contexts of {own['budget']:,} tokens at most, and from baselines: by {model} "
        f"(prompt {own['prompt']}), graded by {own['judge']['spec']} (prompt {own['judge_prompt']})"
    )
    parts = [section("Answers", f"{head}\n\n{_whole(answers)}")]
    categories = sorted({name for row in answers.values() for name in row["categories"]})
    if len(categories) > 1:
        parts.append(section("Answers by category: F1, right", _by_category(answers, categories)))
    return parts


def _whole(answers: dict[str, Any]) -> str:
    head = ["", "n", "F1", "exact", "right", "n, unanswerable", "says so", "right", "refused", "not graded"]
    lines = []
    for name, row in answers.items():
        whole, none = row["all"], row["unanswerable"]
        agreed = [str(whole["questions"]), *(share(whole[key]) for key in ("f1", "exact", "right"))]
        denied = [str(none["questions"]), share(none["refuses"]), share(none["right"])]
        lines.append([name, *agreed, *denied, str(row["refused"]), str(row["ungraded"])])
    return table(head, lines)


def _by_category(answers: dict[str, Any], categories: list[str]) -> str:
    lines = []
    for name, row in answers.items():
        own = [row["categories"].get(category) for category in categories]
        lines.append([name, *(f"{share(each['f1'])}, {share(each['right'])}" if each else "-" for each in own)])
    return table(["", *categories], lines)
