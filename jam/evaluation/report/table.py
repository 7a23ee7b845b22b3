"""The figures of a run as Markdown. The tables are the same for every run with the same settings; times stand apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jam.evaluation.report.answer_table import render_answers
from jam.evaluation.report.markdown import milliseconds, section, share, table, tenth, whole
from jam.evaluation.report.tradeoff import SECONDS, TOKENS, plot
from jam.evaluation.running.asking import DEPTH, SESSIONS_AT, WIDTH


def render(data: dict[str, Any]) -> str:
    """Everything but times."""
    parts = [
        _head(data),
        _budgets(data, "All gold messages inside the context, share of questions", "all"),
        _budgets(data, "Gold messages inside the context, mean share", "mean"),
        _budgets(data, "Tokens of a context, mean", "context_tokens", whole),
        *(_categories(data, name) for name in data["strategies"]),
        _baselines(data),
        _costs(data),
        plot(data["points"], TOKENS),
        *render_answers(data),
        _ranking(data),
        _absent(data),
        "\n".join(
            f"- contexts of {name} whose every quote verifies: {row['verified']}/{row['contexts']}"
            for name, row in data["strategies"].items()
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def render_times(data: dict[str, Any]) -> str:
    """How long it took on this machine."""
    lines = [f"- build: {data['build']['seconds']:.1f} s"]
    for name, row in data["strategies"].items():
        if row["seconds_p50"] is not None:
            lines.append(
                f"- {name}, a context: p50 {milliseconds(row['seconds_p50'])}, p95 {milliseconds(row['seconds_p95'])}, "
                f"{row['rounds_mean']:.1f} rounds"
            )
    timed = [point for point in data["points"] if point["seconds"] is not None]
    rows = [[_point(point), milliseconds(point["seconds"])] for point in timed]
    parts = ["\n".join(lines), section("Time of a context, mean", table(["", "time"], rows)), plot(timed, SECONDS)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(data: dict[str, Any]) -> str:
    settings, build, questions = data["settings"], data["build"], data["questions"]
    lines = [
        f"# {settings['benchmark']}: {settings['data']}",
        "",
        f"jam {settings['jam']}, {_engines(settings)}, embedder {settings['embedder']}; "
        f"data sha256 {settings['data_sha256'][:16]}; {build['sessions']} sessions, {build['messages']} messages; "
        f"{questions['asked']} questions, {questions['answerable']} answerable, {questions['with_gold']} of them with "
        f"gold messages, {questions['with_gold_sessions']} with gold sessions",
    ]
    if questions["with_broken_gold"]:
        lines[-1] += f" ({questions['with_broken_gold']} name gold that isn't there)"
    return "\n".join(lines)


def _engines(settings: dict[str, Any]) -> str:
    engines = settings["engines"]
    named = f"{'engine' if len(engines) == 1 else 'engines'} {', '.join(engines)}"
    return named if settings["model"] is None else f"{named}, model {settings['model']['spec']}"


def _budgets(data: dict[str, Any], title: str, measure: str, shown: Callable[[float | None], str] | None = None) -> str:
    rows = {name: row["recall"]["all"] for name, row in (data["strategies"] | data["ablations"]).items()}
    return section(title, _across(data, rows, measure, shown or share))


def _categories(data: dict[str, Any], name: str) -> str:
    groups = {group: row for group, row in data["strategies"][name]["recall"].items() if group != "all"}
    if len(groups) < 2:
        return ""
    return section(f"All gold messages inside the context, by category: {name}", _across(data, groups, "all", share))


def _across(data: dict[str, Any], rows: dict[str, Any], measure: str, shown: Callable[[float | None], str]) -> str:
    """A row for each name, a column for each budget."""
    budgets = data["settings"]["budgets"]
    lines = [
        [name, str(row[str(budgets[0])]["questions"]), *(shown(row[str(tokens)][measure]) for tokens in budgets)]
        for name, row in rows.items()
    ]
    return table(["", "n", *(f"@{tokens:,}" for tokens in budgets)], lines)


def _baselines(data: dict[str, Any]) -> str:
    lines = [
        [name, str(row["questions"]), share(row["all"]), share(row["mean"]), whole(row["context_tokens"])]
        for name, row in data["baselines"].items()
    ]
    return section("Baselines, whatever the budget", table(["", "n", "all", "mean", "tokens"], lines))


def _costs(data: dict[str, Any]) -> str:
    """Of every method, and of the baselines that ask a model."""
    keys = ("calls", "input_tokens", "output_tokens")
    costly = [point for point in data["points"] if point["budget"] or point["calls"]]
    lines = [[_point(point), whole(point["context_tokens"]), *(tenth(point[key]) for key in keys)] for point in costly]
    head = ["", "tokens of the context", "model calls", "tokens read", "tokens written"]
    return section("What a context costs, mean", table(head, lines))


def _point(point: dict[str, Any]) -> str:
    return f"{point['method']} @{point['budget']:,}" if point["budget"] else str(point["method"])


def _ranking(data: dict[str, Any]) -> str:
    measures = [f"{kind}@{k}" for k in SESSIONS_AT for kind in ("any", "all")]
    pool = f"@{DEPTH} ±{WIDTH}"
    pools = [f"{kind}{pool}{how}" for how in ("", ", apart") for kind in ("All", "mean")]
    head = ["", "n", *pools, "n, sessions", *(f"sessions {name}" for name in measures)]
    lines = []
    for name, own in data["rankings"].items():
        pools = [share(own[f"{how}_{kind}"]) for how in ("near", "apart") for kind in ("all", "mean")]
        lines.append(
            [
                name,
                str(own["questions"]),
                *pools,
                str(own["session_questions"]),
                *(share(own[measure]) for measure in measures),
            ]
        )
    for name, sessions in data["published"].items():
        lines.append([name, *[""] * 6, *(share(sessions.get(measure)) for measure in measures)])
    return section("The ranking alone, whatever the budget", table(head, lines))


def _absent(data: dict[str, Any]) -> str:
    head = ["", "answerable, of which called absent", "unanswerable", "precision", "recall"]
    lines = []
    for name, row in data["strategies"].items():
        own = row["absent"]
        for kind, label in (
            ("unanswerable", "the benchmark's own"),
            ("elsewhere", "synthetic: asked of another conversation"),
        ):
            found = own[kind]
            if found["true"]:
                wrongly = f"{own['answerable']}, {own['wrongly']}"
                true = f"{found['true']} ({label})"
                lines.append([name, wrongly, true, share(found["precision"]), share(found["recall"])])
        if not own["unanswerable"]["true"] and not own["elsewhere"]["true"]:
            lines.append([name, f"{own['answerable']}, {own['wrongly']}", "0", "-", "-"])
    return section("The verdict absent", table(head, lines))
