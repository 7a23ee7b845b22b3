"""`jam open`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jam.cli.options import give_out, hush, output_options

if TYPE_CHECKING:
    from jam.workspace.store import Workspace


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("path", default="")
@output_options
def command(workspace: Path, path: str, as_json: bool, quiet: bool) -> None:
    """Show a folder of WORKSPACE (its README and listing), or the session file at PATH."""
    from jam.cli.tools import toolbox
    from jam.errors import ToolError

    hush(quiet)
    tools = toolbox(workspace)
    try:
        view = tools.open(path)
        give_out(view.to_dict(), view.render(), "open", as_json)
    except ToolError as error:
        if error.code != "is_file":
            raise
        _session(tools.workspace, path, as_json)


def _session(workspace: Workspace, path: str, as_json: bool) -> None:
    from dataclasses import asdict

    relative = workspace.resolve(path).relative_to(workspace.root).as_posix()
    raw = workspace.read_raw(relative)
    data = {"path": relative, "part": raw.part, "first": raw.first, "session": asdict(raw.session)}
    give_out(data, workspace.file(relative).read_text(encoding="utf-8").rstrip("\n"), "open", as_json)
