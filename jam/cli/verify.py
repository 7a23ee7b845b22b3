"""`jam verify`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jam.cli.options import emit, hush, output_options

if TYPE_CHECKING:
    from jam.context import MemoryContext


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path))
@click.argument("context", type=click.Path(path_type=Path))
@output_options
@click.pass_context
def command(ctx: click.Context, workspace: Path, context: Path, as_json: bool, quiet: bool) -> None:
    """Check every quote of CONTEXT word for word against the raw files of WORKSPACE.

    CONTEXT is what `jam ask --json` printed, or a file with one such object a line (a saved run too), or - for
    standard input. Exits 1 and names each message that doesn't hold.
    """
    from jam.verification import verify_context
    from jam.workspace.store import Workspace

    hush(quiet)
    place = Workspace.open(workspace)
    contexts = list(_contexts(context))
    checked = [(item, verify_context(place, item)) for item in contexts]
    faults = [fault for _, found in checked for fault in found]
    quotes = sum(len(item.evidence) for item in contexts)
    data = {"contexts": len(contexts), "quotes": quotes, "faults": [fault.to_dict() for fault in faults]}
    head = f"{len(contexts)} contexts, {quotes} quotes: " + ("all hold" if not faults else f"{len(faults)} faults")
    emit(data, "\n".join([head, *(fault.render() for fault in faults)]), as_json)
    if faults:
        ctx.exit(1)


def _contexts(path: Path) -> Iterator[MemoryContext]:
    from jam.context import MemoryContext
    from jam.errors import UsageError

    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; save a context with: jam ask … --json > {path}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}") from None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield from _lines(path, text, error)
    else:
        yield MemoryContext.from_dict(whole)


def _lines(path: Path, text: str, whole: Exception) -> Iterator[MemoryContext]:
    """The contexts of a file with one JSON object a line; `whole` is why it isn't one JSON object."""
    from jam.context import MemoryContext
    from jam.errors import UsageError

    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON: {whole}") from None
    if not rows:
        raise UsageError(f"{path} is empty")
    yield from (MemoryContext.from_dict(row) for row in rows if not _other_event(row))


def _other_event(row: object) -> bool:
    """A line of a saved run that is no context."""
    return isinstance(row, dict) and row.get("event", "context") != "context"
