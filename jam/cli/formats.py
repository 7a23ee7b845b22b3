"""`jam formats`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jam.cli.options import emit, hush, output_options

if TYPE_CHECKING:
    from jam.history.recognising import Recognised
    from jam.history.registry import Format


@click.command()
@click.argument("history", required=False, type=click.Path(path_type=Path))
@output_options
def command(history: Path | None, as_json: bool, quiet: bool) -> None:
    """List the formats that can be read, and how each is recognised.

    Of a HISTORY (a file or a folder): which format each of its files has. Nothing is written.
    """
    from jam.history.recognising import recognise
    from jam.history.registry import formats

    hush(quiet)
    if history is None:
        known = formats()
        emit([asdict(entry) for entry in known], "\n".join(map(_format_line, known)), as_json)
    else:
        files = recognise(history)
        emit([asdict(file) for file in files], "\n".join(map(_file_line, files)), as_json)


def _format_line(entry: Format) -> str:
    line = f"{entry.name:<16} {entry.description}"
    if entry.package:
        line += f" [from {entry.package}]"
    return line if entry.ready else f"{line} (needs: pip install 'jam-memory[{entry.extra}]')"


def _file_line(row: Recognised) -> str:
    from jam.history.parsing.decoding import printable

    because = f"  ({row.reason})" if row.reason else ""
    return printable(f"{row.format or '-':<16} {row.file}{because}")
