"""`jam diff`."""

from __future__ import annotations

from pathlib import Path

import click

from jam.cli.options import emit, hush, output_options
from jam.cli.runs import open_workspace, saved_run


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("-w", "--workspace", type=click.Path(path_type=Path), help="Where the runs are from.")
@output_options
def command(first: str, second: str, workspace: Path | None, as_json: bool, quiet: bool) -> None:
    """Show two saved runs (ids, `last`, or files) side by side: calls, verdict, sources, evidence, usage."""
    from jam.runs.compare import compare, render_comparison

    hush(quiet)
    runs = [saved_run(open_workspace(workspace, given), given) for given in (first, second)]
    data = compare(*runs)
    emit(data, render_comparison(data), as_json)
