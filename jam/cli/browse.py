"""`jam browse`."""

from __future__ import annotations

from pathlib import Path

import click

from jam.cli.options import give_out, hush, output_options


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("path")
@click.argument("query")
@output_options
def command(workspace: Path, path: str, query: str, as_json: bool, quiet: bool) -> None:
    """Read the session at PATH of WORKSPACE for one question: its messages that bear on QUERY."""
    from jam.cli.tools import toolbox

    hush(quiet)
    reading = toolbox(workspace).browse(path, query)
    give_out(reading.to_dict(), reading.render(), "browse", as_json)
