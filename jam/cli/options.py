"""What several verbs share: options, printing, progress, and finding the workspace."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jam.errors import UsageError

if TYPE_CHECKING:
    from jam.strategies.question import Casting

Command = Callable[..., Any]
PARTIAL = 3
"""Exit code of a build that left something out."""


def output_options(command: Command) -> Command:
    """`--json` and `-q`, which every verb takes."""
    command = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks on stderr.")(command)


def scope_options(command: Command) -> Command:
    """`--scope`, `--since`, `--until`."""
    command = click.option("--scope", metavar="FOLDER", default="", help="Only this folder of the workspace.")(command)
    command = click.option("--since", metavar="DATE", help="Only messages of this day or later (2026-02-03).")(command)
    return click.option("--until", metavar="DATE", help="Only messages of this day or earlier.")(command)


def asked_option(command: Command) -> Command:
    """`--asked-at`."""
    return click.option(
        "--asked-at", metavar="DATE", help='The day that "last week" is counted from (default: today).'
    )(command)


def engine_options(command: Command) -> Command:
    """`--engine` and `--model`."""
    command = click.option(
        "--engine", metavar="ENGINE", help="extractive or llm (default: llm if a model is given, else extractive)."
    )(command)
    return click.option(
        "--model", metavar="SPEC", help="openai:NAME@BASE_URL, a LangChain spec, or a name from jam.yaml."
    )(command)


def casting(workspace: Path | None, engine: str | None, model: str | None) -> Casting:
    """Who works, for the workspace at a path, which need not be there yet."""
    from jam.api import cast
    from jam.workspace.store import Workspace, is_workspace

    there = workspace is not None and is_workspace(workspace.expanduser())
    return cast(Workspace.open(workspace) if workspace is not None and there else None, engine, model)


def emit(data: Any, text: str, as_json: bool) -> None:
    """Prints a result on stdout: the data as JSON, or the text."""
    click.echo(to_json(data) if as_json else text)


def give_out(data: dict[str, Any], text: str, kind: str, as_json: bool) -> None:
    """Prints what is quoted from the memory, so that JAM knows it again when the transcript of an agent comes back."""
    from jam.echo import framed
    from jam.echo.objects import KEY

    emit({KEY: kind, **data}, framed(text, kind), as_json)


def to_json(data: Any) -> str:
    """JSON that keeps letters readable, and escapes what UTF-8 can't hold."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, ensure_ascii=True, indent=2)
    return text


def remark(text: str, quiet: bool) -> None:
    """Says something to the person on stderr."""
    if not quiet:
        click.echo(text, err=True)


def hush(quiet: bool) -> None:
    """With `-q`, warnings are not shown either."""
    if quiet:
        logging.getLogger("jam").setLevel(logging.ERROR)


def workspace_for(history: Path, given: str | None) -> Path:
    """Where a history's workspace is: as given, as `JAM_WORKSPACE` says, else ./NAME-OF-THE-HISTORY.jam."""
    if given:
        return Path(given).expanduser()
    named = os.environ.get("JAM_WORKSPACE")
    if named:
        return Path(named).expanduser()
    name = history.expanduser().resolve().name
    if not name:
        raise UsageError(f"{history} has no name to call a workspace after; name one with -w")
    return Path(f"{name}.jam")


class Bar:
    """Progress on stderr: a line that is rewritten on a terminal, a line a stage elsewhere, nothing when quiet."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.name = ""
        self.unit = ""
        self.last = 0.0
        self.ended = False
        self.began = 0.0

    def stage(self, name: str, total: int, unit: str = "") -> None:
        self._end()
        self.name, self.unit, self.last, self.began, self.ended = name, unit, 0.0, time.monotonic(), False

    def advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        soon = now - self.last < (0.1 if self.live else 5.0)
        if self.quiet or not self.name or self.ended or (soon and done < total):
            return
        self.last, self.ended = now, done >= total
        if self.live:
            click.echo(f"\r\x1b[K{self._shown(done, total)}", nl=False, err=True)
        elif now - self.began >= 1.0:
            click.echo(self._shown(done, total), err=True)

    def _shown(self, done: int, total: int) -> str:
        if self.unit == "bytes":
            return f"{self.name} {done / 1e6:.1f}/{total / 1e6:.1f} MB"
        return f"{self.name} {done}/{total}"

    def close(self) -> None:
        """Ends the line that is being rewritten."""
        self._end()
        self.name = ""

    def _end(self) -> None:
        if self.live and self.name and self.last and not self.quiet:
            click.echo("\r\x1b[K", nl=False, err=True)
