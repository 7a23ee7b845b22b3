"""`jam doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jam.cli.options import emit, hush, output_options
from jam.history.parsing.decoding import printable

if TYPE_CHECKING:
    from jam.workspace.store import Workspace


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.option("--rebuild", is_flag=True, help="Make the index anew, and say whether the old one was the same.")
@click.option("--secrets", is_flag=True, help="Look for passwords, keys and tokens instead; none is printed.")
@output_options
@click.pass_context
def command(ctx: click.Context, workspace: Path, rebuild: bool, secrets: bool, as_json: bool, quiet: bool) -> None:
    """Check WORKSPACE: every raw file and memo, and the index against one made anew from the tree.

    Exits 1 where a fault (or a secret) is found. Nothing is changed but the index, and that only with --rebuild.
    """
    from jam.doctor import check
    from jam.workspace.store import Workspace

    hush(quiet)
    if secrets:
        if rebuild:
            raise click.UsageError("--secrets looks into files only; run --rebuild by itself")
        _secrets(ctx, Workspace.open(workspace), as_json)
        return
    checkup = check(Workspace.open(workspace), rebuild_index=rebuild)
    lines = [
        f"{checkup.workspace}: {checkup.sessions} sessions, {checkup.messages} messages",
        f"index: {_INDEX[checkup.index]}" + ("; made anew" if checkup.rebuilt else ""),
        *(finding.render() for finding in checkup.findings),
        "sound" if checkup.sound else "faults found",
    ]
    emit(checkup.to_dict(), "\n".join(lines), as_json)
    if not checkup.sound and not (rebuild and _only_index(checkup.findings)):
        ctx.exit(1)


def _secrets(ctx: click.Context, workspace: Workspace, as_json: bool) -> None:
    from jam.exposure import find_exposed

    exposure = find_exposed(workspace)
    count = len(exposure.secrets)
    lines = [
        f"{exposure.workspace}: {exposure.files} files",
        *(printable(secret.render()) for secret in exposure.secrets),
        f"{count} secrets found" if count else "no secrets found",
        *exposure.advice(),
    ]
    emit(exposure.to_dict(), "\n".join(lines), as_json)
    if count:
        ctx.exit(1)


def _only_index(findings: object) -> bool:
    return all(finding.code == "index_differs" for finding in findings if finding.level == "fault")  # type: ignore[attr-defined]


_INDEX = {
    "equal": "equal to one made anew",
    "missing": "none stored",
    "stale": "older than the tree",
    "differs": "not what the tree gives",
}
