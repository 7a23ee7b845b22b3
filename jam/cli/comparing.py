"""`jam bench locomo`, `longmemeval`, `hotpotqa`: what all of them take, and how they are run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jam.cli.options import Bar, Command, emit, hush, output_options, remark

if TYPE_CHECKING:
    from jam.evaluation.benchmarks.question import Benchmark
    from jam.evaluation.running.plan import Plan

ANSWERED = 2000
"""Tokens of the contexts that are answered from, unless others are asked for."""


def comparing_options(command: Command) -> Command:
    """What every benchmark of retrieval takes: its file, what is measured, where it goes."""
    path = click.Path(path_type=Path)
    options = (
        click.argument("file", type=path),
        click.option("--strategy", "strategies", multiple=True, help="Repeat for several (default: all)."),
        click.option(
            "--engine",
            "engines",
            multiple=True,
            help="Behind each strategy; repeat for several (default: extractive, and llm where a model is given).",
        ),
        click.option("--model", metavar="SPEC", help="The model of the llm engine and of --answers."),
        click.option(
            "--budget", "budgets", multiple=True, type=click.IntRange(1), help="Context tokens; repeat for several."
        ),
        click.option("--answers", is_flag=True, help="Also answer from the contexts, with --model, and grade that."),
        click.option(
            "--answer-budget",
            type=click.IntRange(1),
            default=ANSWERED,
            show_default=True,
            help="Tokens of the contexts that are answered from.",
        ),
        click.option("--judge", metavar="SPEC", help="The model that grades answers (default: --model)."),
        click.option("--ablations", is_flag=True, help="Also search with parts of the ranking left out."),
        click.option(
            "--limit",
            type=click.IntRange(1),
            help="Only so many questions, evenly spread (LoCoMo: of each conversation).",
        ),
        click.option("--out", type=path, help="Folder for settings, predictions, table and curve."),
        click.option("--contexts", is_flag=True, help="Also save every context (contexts.jsonl), for jam verify."),
        click.option("-w", "--workspace", type=path, help="Where to build (default: a temporary folder)."),
        output_options,
    )
    for option in reversed(options):
        command = option(command)
    return command


def compare(
    benchmark: Benchmark,
    out: Path | None,
    contexts: bool,
    workspace: Path | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Runs a benchmark, prints its figures and saves them where that is asked for."""
    from jam.evaluation.report.figures import figures
    from jam.evaluation.report.svg import draw
    from jam.evaluation.report.table import render, render_times
    from jam.evaluation.running.run import run_benchmark
    from jam.evaluation.running.saving import save_run

    hush(quiet)
    if contexts and out is None:
        raise click.UsageError("--contexts needs --out: where should they be saved?")
    plan = _plan(**options)
    bar = Bar(quiet)
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as temporary:
        run = run_benchmark(benchmark, plan, Path(temporary), workspace, bar, out, contexts)
    bar.close()
    data = figures(run)
    table = render(data)
    if out:
        save_run(run, table, draw(f"{benchmark.name}: {benchmark.file.name}", data["points"]), out)
        remark(f"saved in {out}", quiet)
    emit(data, f"{table}\n{render_times(data)}".rstrip("\n"), as_json)


def _plan(
    strategies: tuple[str, ...],
    engines: tuple[str, ...],
    model: str | None,
    budgets: tuple[int, ...],
    answers: bool,
    answer_budget: int,
    judge: str | None,
    ablations: bool,
    limit: int | None,
) -> Plan:
    """What the options ask for. Raises `click.UsageError` where one is missing that another needs."""
    from jam.evaluation.running.plan import BUDGETS, Plan
    from jam.strategies import STRATEGIES

    if answers and model is None:
        raise click.UsageError("--answers needs --model: who should answer?")
    if judge is not None and not answers:
        raise click.UsageError("--judge needs --answers: there is nothing else to grade")
    return Plan(
        strategies=tuple(dict.fromkeys(strategies or STRATEGIES)),
        budgets=tuple(sorted({*(budgets or BUDGETS), *([answer_budget] if answers else [])})),
        ablations=ablations,
        limit=limit,
        engines=tuple(dict.fromkeys(engines)) or (("extractive", "llm") if model else ("extractive",)),
        model=model,
        answers=answer_budget if answers else None,
        judge=judge,
    )
