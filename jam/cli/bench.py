"""`jam bench`: a verb a benchmark."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from jam.cli.options import Bar, emit, hush, output_options, remark


@click.group()
def command() -> None:
    """Measure: recall of evidence on a benchmark, speed on this machine, or a very large transcript."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--strategy", "strategies", multiple=True, help="Repeat for several (default: search, research).")
@click.option("--budget", "budgets", multiple=True, type=click.IntRange(1), help="Context tokens; repeat for several.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions of each conversation.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for settings, predictions and table.")
@click.option("--contexts", is_flag=True, help="Also save every context (contexts.jsonl), for jam verify.")
@click.option(
    "-w", "--workspace", type=click.Path(path_type=Path), help="Where to build (default: a temporary folder)."
)
@output_options
def locomo(
    file: Path,
    strategies: tuple[str, ...],
    budgets: tuple[int, ...],
    limit: int | None,
    out: Path | None,
    contexts: bool,
    workspace: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """LoCoMo: how much of the gold evidence is in the context, at each budget, by category."""
    from jam.evaluation.locomo import load_questions
    from jam.evaluation.run import BUDGETS, BenchRun, bench_settings, predict, write_predictions
    from jam.evaluation.table import figures, render
    from jam.memorizer.build import build
    from jam.strategies import load_strategy

    hush(quiet)
    bar = Bar(quiet)
    chosen = strategies or ("search", "research")
    for name in chosen:
        load_strategy(name)
    questions = [question for question in load_questions(file) if limit is None or question.number <= limit]
    sizes = budgets or BUDGETS
    if contexts and out is None:
        raise click.UsageError("--contexts needs --out: where should they be saved?")
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as temporary:
        place, report = build(file, workspace or Path(temporary) / "locomo.jam", progress=bar)
        run = BenchRun({**bench_settings(file, chosen, sizes), "limit": limit}, report)
        if out:
            out.mkdir(parents=True, exist_ok=True)
        kept = out / "contexts.jsonl" if out and contexts else None
        run.predictions.extend(predict(place, questions, chosen, sizes, bar, kept))
    bar.close()
    data = figures(run)
    table = render(data)
    if out:
        write_predictions(run, out)
        (out / "table.md").write_text(table, encoding="utf-8")
        remark(f"saved in {out}", quiet)
    emit(data, table.rstrip("\n"), as_json)


@command.command()
@click.argument("workspace", type=click.Path(path_type=Path), required=False)
@click.option("-n", "--runs", type=click.IntRange(1, 100), default=5, show_default=True, help="Runs of each command.")
@output_options
def speed(workspace: Path | None, runs: int, as_json: bool, quiet: bool) -> None:
    """How fast JAM is on this machine: whole commands, and questions within one process.

    WORKSPACE is one that is there already; without it the shipped example is built.
    """
    from jam.evaluation.speed import measure, render

    hush(quiet)
    bar = Bar(quiet)
    data = measure(workspace, runs, bar)
    bar.close()
    emit(data, render(data), as_json)


@command.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--engine", default="llm", show_default=True, help="Whose prompts.")
@output_options
def prefix(workspace: Path, engine: str, as_json: bool, quiet: bool) -> None:
    """What share of the prompts' tokens a server with a prefix cache could reuse: of a build's, and of saved runs'."""
    from jam.evaluation.prefix import measure_prefixes, render_prefixes
    from jam.workspace.store import Workspace

    hush(quiet)
    data = measure_prefixes(Workspace.open(workspace), engine)
    emit(data, render_prefixes(data), as_json)


@command.command()
@click.option("--megabytes", type=click.FloatRange(1), default=300, show_default=True, help="Size of the transcript.")
@click.option("--line", type=click.FloatRange(0.1), default=20, show_default=True, help="Its longest line, megabytes.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for transcript and workspace.")
@output_options
def transcript(megabytes: float, line: float, keep: Path | None, as_json: bool, quiet: bool) -> None:
    """A very large transcript: memory and time of its build, and whether what is hidden in it is found."""
    from jam.evaluation.transcript import measure_transcript, render_transcript

    hush(quiet)
    data = measure_transcript(megabytes, line, keep, quiet)
    emit(data, render_transcript(data), as_json)


@command.command()
@click.option("-n", "--count", type=click.IntRange(1), default=2000, show_default=True, help="Secrets to plant.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, other secrets.")
@output_options
def secrets(count: int, seed: int, as_json: bool, quiet: bool) -> None:
    """Redaction: invented secrets planted in invented text, how many are found, and what else is touched."""
    from jam.evaluation.secrets.bench import measure, render

    hush(quiet)
    data = measure(count, seed)
    emit(data, render(data), as_json)
