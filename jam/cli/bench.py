"""`jam bench`: a verb a benchmark."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from jam.cli.comparing import compare, comparing_options
from jam.cli.options import Bar, emit, hush, output_options


@click.group()
def command() -> None:
    """Measure: evidence found on a benchmark and answers from it, speed, growth, redaction, a very large transcript."""


@command.command()
@comparing_options
def locomo(file: Path, **options: Any) -> None:
    """LoCoMo: how much of the gold evidence is in the context, at each budget, by category."""
    from jam.evaluation.benchmarks.locomo import load_locomo

    compare(load_locomo(file), **options)


@command.command()
@comparing_options
def longmemeval(file: Path, **options: Any) -> None:
    """LongMemEval: the same, and whether the gold sessions rank first; each question over its own haystack."""
    from jam.evaluation.benchmarks.longmemeval import load_longmemeval

    compare(load_longmemeval(file), **options)


@command.command()
@click.option("--pool", type=click.Path(path_type=Path), help="A file of further paragraphs, with title and text.")
@click.option("--paragraphs", type=click.IntRange(1), help="How many there are in all; needs --pool.")
@comparing_options
def hotpotqa(file: Path, pool: Path | None, paragraphs: int | None, **options: Any) -> None:
    """HotpotQA, 2WikiMultihopQA, MuSiQue: the paragraphs of all questions in one pool, the supporting ones are gold."""
    from jam.evaluation.benchmarks.hotpotqa import load_hotpotqa

    if paragraphs is not None and pool is None:
        raise click.UsageError("--paragraphs needs --pool: a file to take further paragraphs from")
    compare(load_hotpotqa(file, pool, paragraphs), **options)


@command.command()
@click.argument("workspace", type=click.Path(path_type=Path), required=False)
@click.option("-n", "--runs", type=click.IntRange(1, 100), default=5, show_default=True, help="Runs of each command.")
@output_options
def speed(workspace: Path | None, runs: int, as_json: bool, quiet: bool) -> None:
    """How fast JAM is on this machine: whole commands, and questions within one process.

    WORKSPACE is one that is there already; without it the shipped example is built.
    """
    from jam.evaluation.product.speed import measure, render

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
    from jam.evaluation.product.prefix import measure_prefixes, render_prefixes
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
    from jam.evaluation.product.transcript import measure_transcript, render_transcript

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


@command.command()
@click.option("--sessions", "sizes", multiple=True, type=click.IntRange(1), help="Repeat for several sizes.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for the workspaces.")
@click.option("--source", type=click.Path(path_type=Path), help="A history or workspace to take sentences from.")
@output_options
def scale(sizes: tuple[int, ...], keep: Path | None, source: Path | None, as_json: bool, quiet: bool) -> None:
    """Growth: workspaces of 100, 1,000 and 10,000 sessions, or as many as you say; time and memory of each."""
    from jam.evaluation.product.scale import SIZES, measure_scale, render_scale

    hush(quiet)
    bar = Bar(quiet)
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as temporary:
        data = measure_scale(keep or Path(temporary), source, sizes or SIZES, bar)
    bar.close()
    emit(data, render_scale(data), as_json)
