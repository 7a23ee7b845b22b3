"""`jam replay`."""

from __future__ import annotations

from pathlib import Path

import click

from jam.cli.options import emit, hush, output_options
from jam.cli.runs import open_workspace, saved_run


@click.command()
@click.argument("run")
@click.option("-w", "--workspace", type=click.Path(path_type=Path), help="Where the run is from.")
@output_options
@click.pass_context
def command(ctx: click.Context, run: str, workspace: Path | None, as_json: bool, quiet: bool) -> None:
    """Run a saved RUN again (its id, `last`, or its file) without its model, which answers from the record.

    Exits 1 and names the differences where observations or context are not what they were.
    """
    from jam.replay import replay
    from jam.runs.compare import call_text

    hush(quiet)
    place = open_workspace(workspace, run)
    saved = saved_run(place, run)
    again = replay(place, saved)
    lines = [f"{saved.run_id}: {again.compared} observations"]
    for item in again.observations:
        lines.append(f"  round {item['round']}, call {item['number']}, {call_text(item['call'])}: {item['what']}")
    lines += [f"  the context differs in: {', '.join(again.fields)}"] if again.fields else []
    lines += ["observations and context are the same"] if again.same else []
    emit(again.to_dict(), "\n".join(lines), as_json)
    if not again.same:
        ctx.exit(1)
