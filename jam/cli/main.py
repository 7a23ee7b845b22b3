"""The `jam` command: finds the verb, and turns errors into messages and exit codes.

0 done · 1 failed · 2 used wrongly · 3 done, but records were skipped or sessions are still raw only
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from importlib import import_module

import click

from jam.errors import JamError, ToolError, UsageError

VERBS = {
    "build": "jam.cli.build",
    "formats": "jam.cli.formats",
    "ask": "jam.cli.ask",
    "tree": "jam.cli.tree",
    "open": "jam.cli.open",
    "search": "jam.cli.search",
    "browse": "jam.cli.browse",
    "verify": "jam.cli.verify",
    "doctor": "jam.cli.doctor",
    "runs": "jam.cli.runs",
    "replay": "jam.cli.replay",
    "diff": "jam.cli.diff",
    "agents": "jam.cli.agents",
    "bench": "jam.cli.bench",
    "model": "jam.cli.model",
}
"""Verb → the module that has it as `command`; imported only when it is called."""

_HELP = {
    "build": "Make a workspace from a history, or bring it up to date.",
    "formats": "List the formats that can be read; recognise files.",
    "ask": "Ask a question of a workspace, or of a history (built first).",
    "tree": "Show the folders and sessions of a workspace.",
    "open": "Show a folder's README and listing, or a session.",
    "search": "Search the messages of a workspace.",
    "browse": "Read one session for one question.",
    "verify": "Check every quote of a context against the raw files.",
    "doctor": "Check a workspace; prove or rebuild its index.",
    "runs": "List the saved runs of a workspace.",
    "replay": "Run a saved run again without its model.",
    "diff": "Show two saved runs side by side.",
    "agents": "Show engines, roles and prompts.",
    "bench": "Measure on a benchmark, or the speed on this machine.",
    "model": "Serve a chat model with vLLM, or check what one can do.",
}


class Verbs(click.Group):
    """A group whose commands are imported one at a time, so that `jam --help` is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(VERBS[cmd_name]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, _HELP[verb]) for verb in VERBS])


def _version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"jam {version('jam-memory')}")
        ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def cli() -> None:
    """JAM: a memory for LLM agents, made of plain files.

    \b
    jam build HISTORY                make a workspace of a folder of history
    jam ask HISTORY "QUESTION"       get a context with sources
    """


def main() -> None:
    """Entry point of the `jam` script."""
    _tolerant_streams()
    signal.signal(signal.SIGINT, _interrupted)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="jam: %(message)s")
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        _leave("stopped", 130)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except UsageError as error:
        _leave(str(error), 2)
    except ToolError as error:
        _leave(str(error), 2 if error.code == "bad_arguments" else 1)
    except JamError as error:
        _leave(str(error), 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; so do we, quietly
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _leave(f"{where}{error.strerror or error}", 1)
    sys.exit(code if isinstance(code, int) else 0)


def _interrupted(*_: object) -> None:
    """Ctrl-C: calls of a model are given up first, else the threads that wait for them would hold up the end."""
    loop = sys.modules.get("jam.models.loop")
    if loop is not None:
        loop.interrupt()
    raise KeyboardInterrupt


def _leave(message: str, code: int) -> None:
    click.echo(f"jam: {message}", err=True)
    sys.exit(code)


def _tolerant_streams() -> None:
    """Output is UTF-8 everywhere, and a character that can't be written is shown escaped."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
