"""`jam tree`."""

from __future__ import annotations

from pathlib import Path

import click

from jam.cli.options import give_out, hush, output_options


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("folder", default="")
@click.option("-d", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Levels shown.")
@output_options
def command(workspace: Path, folder: str, depth: int, as_json: bool, quiet: bool) -> None:
    """Show the folders and sessions of WORKSPACE, or of one FOLDER of it."""
    from jam.errors import ToolError
    from jam.workspace.store import Workspace
    from jam.workspace.tree import tree

    hush(quiet)
    place = Workspace.open(workspace)
    full = place.resolve(folder or "/")
    if not full.is_dir():
        raise ToolError("not_found", f"there is no folder {folder!r} in this workspace; see: jam tree {workspace}")
    relative = full.relative_to(place.root).as_posix()
    node = tree(place, "" if relative == "." else relative)
    head = f"{full.name}/  ({node.sessions} session{'s' if node.sessions != 1 else ''})"
    give_out(node.to_dict(depth), "\n".join([head, *node.render(depth)]), "tree", as_json)
