"""The figures of a run as Markdown. The tables are the same for every run with the same settings; times stand apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jam.evaluation.asking import DEPTH, SESSIONS_AT, WIDTH

Row = Sequence[str]


def render(data: dict[str, Any]) -> str:
    """Everything but times."""
    parts = [
        _head(data),
        _budgets(data, "All gold messages inside the context, share of questions", "all"),
        _budgets(data, "Gold messages inside the context, mean share", "mean"),
        _budgets(data, "Tokens of a context, mean", "context_tokens", _whole),
        *(_categories(data, name) for name in data["strategies"]),
        _baselines(data),
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
                f"- {name}, a context: p50 {row['seconds_p50'] * 1000:.1f} ms, p95 {row['seconds_p95'] * 1000:.1f} ms, "
                f"{row['rounds_mean']:.1f} rounds"
            )
    return "\n".join(lines) + "\n"


def _head(data: dict[str, Any]) -> str:
    settings, build, questions = data["settings"], data["build"], data["questions"]
    lines = [
        f"# {settings['benchmark']}: {settings['data']}",
        "",
        f"jam {settings['jam']}, engine {settings['engine']}, embedder {settings['embedder']}; "
        f"data sha256 {settings['data_sha256'][:16]}; {build['sessions']} sessions, {build['messages']} messages; "
        f"{questions['asked']} questions, {questions['answerable']} answerable, {questions['with_gold']} of them with "
        f"gold messages, {questions['with_gold_sessions']} with gold sessions",
    ]
    if questions["with_broken_gold"]:
        lines[-1] += f" ({questions['with_broken_gold']} name gold that isn't there)"
    return "\n".join(lines)


def _budgets(data: dict[str, Any], title: str, measure: str, shown: Callable[[float | None], str] | None = None) -> str:
    rows = {name: row["recall"]["all"] for name, row in (data["strategies"] | data["ablations"]).items()}
    return _section(title, _across(data, rows, measure, shown or _share))


def _categories(data: dict[str, Any], name: str) -> str:
    groups = {group: row for group, row in data["strategies"][name]["recall"].items() if group != "all"}
    if len(groups) < 2:
        return ""
    return _section(f"All gold messages inside the context, by category: {name}", _across(data, groups, "all", _share))


def _across(data: dict[str, Any], rows: dict[str, Any], measure: str, shown: Callable[[float | None], str]) -> str:
    """A row for each name, a column for each budget."""
    budgets = data["settings"]["budgets"]
    lines = [
        [name, str(row[str(budgets[0])]["questions"]), *(shown(row[str(tokens)][measure]) for tokens in budgets)]
        for name, row in rows.items()
    ]
    return _table(["", "n", *(f"@{tokens:,}" for tokens in budgets)], lines)


def _baselines(data: dict[str, Any]) -> str:
    lines = [
        [name, str(row["questions"]), _share(row["all"]), _share(row["mean"]), _whole(row["context_tokens"])]
        for name, row in data["baselines"].items()
    ]
    return _section("Baselines, whatever the budget", _table(["", "n", "all", "mean", "tokens"], lines))


def _ranking(data: dict[str, Any]) -> str:
    measures = [f"{kind}@{k}" for k in SESSIONS_AT for kind in ("any", "all")]
    pool = f"@{DEPTH} ±{WIDTH}"
    pools = [f"{kind}{pool}{how}" for how in ("", ", apart") for kind in ("All", "mean")]
    head = ["", "n", *pools, "n, sessions", *(f"sessions {name}" for name in measures)]
    lines = []
    for name, own in data["rankings"].items():
        pools = [_share(own[f"{how}_{kind}"]) for how in ("near", "apart") for kind in ("all", "mean")]
        lines.append(
            [
                name,
                str(own["questions"]),
                *pools,
                str(own["session_questions"]),
                *(_share(own[measure]) for measure in measures),
            ]
        )
    for name, sessions in data["published"].items():
        lines.append([name, *[""] * 6, *(_share(sessions.get(measure)) for measure in measures)])
    return _section("The ranking alone, whatever the budget", _table(head, lines))


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
                lines.append([name, wrongly, true, _share(found["precision"]), _share(found["recall"])])
        if not own["unanswerable"]["true"] and not own["elsewhere"]["true"]:
            lines.append([name, f"{own['answerable']}, {own['wrongly']}", "0", "-", "-"])
    return _section("The verdict absent", _table(head, lines))


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}"


def _table(head: Row, rows: Iterable[Row]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"
