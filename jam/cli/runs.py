"""`jam runs`, and what `jam replay` and `jam diff` share with it: finding a workspace and its runs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jam.cli.options import emit, hush, output_options
from jam.errors import UsageError

if TYPE_CHECKING:
    from jam.runs.reading import SavedRun
    from jam.workspace.store import Workspace


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path), required=False)
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Runs at most, newest first."
)
@output_options
def command(workspace: Path | None, limit: int, as_json: bool, quiet: bool) -> None:
    """List the saved runs of WORKSPACE: what was asked, by which engine, what it came to and cost."""
    from itertools import islice

    from jam.runs.reading import list_runs

    hush(quiet)
    rows = [run.summary() for run in islice(list_runs(open_workspace(workspace)), limit)]
    emit(rows, "\n".join(map(_line, rows)) or "no runs are saved here", as_json)


def _line(row: dict[str, Any]) -> str:
    usage = row["usage"] or {}
    at = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["at"])) if isinstance(row["at"], int | float) else ""
    who = row["model"] or row["engine"]
    spent = f"{usage.get('rounds', 0)} rounds, {usage.get('input_tokens', 0)} + {usage.get('output_tokens', 0)} tokens"
    parts = [str(row["strategy"]), str(who), row["verdict"] or "broken off", spent]
    return f"{row['run_id']}  {at}  {' · '.join(parts)}\n    {row['query']}"


def open_workspace(given: Path | None, run: str = "") -> Workspace:
    """The workspace that is meant: as given, the one a run's file lies in, `JAM_WORKSPACE`, or the only one here."""
    from jam.workspace.store import Workspace, is_workspace

    if given is None and run.endswith(".jsonl"):
        inside = Path(run).expanduser().resolve().parent.parent.parent
        given = inside if is_workspace(inside) else None
    if given is None and os.environ.get("JAM_WORKSPACE"):
        given = Path(os.environ["JAM_WORKSPACE"])
    if given is None:
        here = [path for path in sorted(Path().iterdir()) if path.is_dir() and is_workspace(path)]
        if len(here) != 1:
            raise UsageError("which workspace is meant? name one with -w (jam runs WORKSPACE), or set JAM_WORKSPACE")
        given = here[0]
    return Workspace.open(given)


def saved_run(workspace: Workspace, given: str) -> SavedRun:
    from jam.runs.reading import find_run, read_run

    return read_run(find_run(given, workspace))
