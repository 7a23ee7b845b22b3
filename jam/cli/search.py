"""`jam search`."""

from __future__ import annotations

from pathlib import Path

import click

from jam.cli.options import asked_option, give_out, hush, output_options, remark, scope_options


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("query")
@scope_options
@asked_option
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Sessions at most.")
@click.option("--linked", is_flag=True, help="Also name the sessions that go on with the same matter.")
@output_options
def command(
    workspace: Path,
    query: str,
    scope: str,
    since: str | None,
    until: str | None,
    asked_at: str | None,
    limit: int,
    linked: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Search the messages of WORKSPACE: sessions, best first, each with its best messages."""
    from jam.cli.tools import toolbox

    hush(quiet)
    tools = toolbox(workspace, scope, asked_at)
    tools.show_links = tools.show_links or linked
    view = tools.search(query, since=since, until=until, limit=limit)
    for note in view.notes:
        remark(note, quiet)
    give_out(view.to_dict(), view.render(), "search", as_json)
