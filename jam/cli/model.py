"""`jam model`: serving a model of one's own, and finding out what one can do."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jam.cli.options import emit, hush, output_options, remark

if TYPE_CHECKING:
    from jam.models.checking.check import Checkup, Finding

_MARKS = {True: "yes", False: "no", None: "–"}


@click.group()
def command() -> None:
    """Chat models: serve one with vLLM, or check what one can do."""


@command.command()
@click.argument("model")
@click.argument("flags", nargs=-1, type=click.UNPROCESSED, metavar="[-- VLLM_FLAGS...]")
@click.option("--python", metavar="PATH", help="The interpreter of another environment, which has vLLM.")
@click.option("--max-model-len", type=click.IntRange(256), default=32_768, show_default=True, help="Context tokens.")
@click.option("--data-parallel-size", type=click.IntRange(1), help="Copies of the model, a GPU each.")
@click.option("--gpu-memory-utilization", type=click.FloatRange(0.05, 1), help="Part of the GPU's memory to use.")
@click.option("--served-model-name", "name", help="What callers call it (default: MODEL).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--wait", type=click.FloatRange(1), default=1800, show_default=True, help="Seconds until it must be ready."
)
@click.option("--log", type=click.Path(path_type=Path), help="File for what vLLM says (default: a temporary one).")
@click.option("--dry-run", is_flag=True, help="Only show the command that would start vLLM.")
@click.option("--detach", is_flag=True, help="Return when it is ready, and leave it running.")
@output_options
def serve(
    model: str,
    flags: tuple[str, ...],
    python: str | None,
    wait: float,
    log: Path | None,
    dry_run: bool,
    detach: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Serve MODEL, a name on the model hub or a folder, with vLLM and the flags that JAM needs.

    Prints the --model to use once it is ready, and runs until Ctrl-C. Flags of vLLM's own follow after --, and take the
    place of ours.
    """
    from jam.models.serving.vllm import ModelServer, Serving

    hush(quiet)
    serving = Serving(model, python=python or sys.executable, flags=flags, **given)
    server = ModelServer(serving, log)
    data = {"model": serving.spec, "url": f"{serving.root}/v1", "command": server.command}
    told = serving.remark()
    if told:
        remark(told, quiet)
    if dry_run:
        emit(data, shlex.join(server.command), as_json)
        return
    ready = False
    with _ended_by_signals():
        try:
            server.start()
            remark(f"vLLM is starting (process {server.pid}); its log is {server.log}", quiet)
            seconds = server.wait_until_ready(wait, lambda passed, line: remark(_passed(passed, line), quiet))
            ready = True
            remark(f"ready after {seconds:.0f} s" + ("" if detach else "; Ctrl-C ends it"), quiet)
            emit({**data, "pid": server.pid, "log": str(server.log)}, serving.spec, as_json)
            if not detach:
                server.wait()
        except KeyboardInterrupt:
            if not ready:
                raise click.Abort from None
            remark("stopped", quiet)
        finally:
            if not (detach and ready):
                server.stop()


def _passed(seconds: float, line: str) -> str:
    return f"{seconds:.0f} s: {line if len(line) <= 110 else line[:109] + '…'}" if line else f"{seconds:.0f} s"


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and a closed terminal end the command as Ctrl-C does, so that no server is left behind."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] != signal.SIG_IGN:  # under nohup
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@command.command()
@click.argument("spec")
@click.option("-w", "--workspace", type=click.Path(path_type=Path), help="SPEC may be a name from its jam.yaml.")
@click.option("--seconds", type=click.FloatRange(1), default=120, show_default=True, help="For all probes together.")
@output_options
@click.pass_context
def check(ctx: click.Context, spec: str, workspace: Path | None, seconds: float, as_json: bool, quiet: bool) -> None:
    """Find out what the model SPEC can do, and which settings suit it.

    SPEC is openai:NAME@BASE_URL, PROVIDER:NAME, or a name from a workspace's jam.yaml. Exits 1 where it can't chat.
    """
    from jam.models.checking.check import check as check_model
    from jam.models.spec import read_model
    from jam.workspace.store import Workspace

    hush(quiet)
    named = Workspace.open(workspace).settings.models if workspace else {}
    settings = read_model(spec, named)
    checkup = check_model(settings, seconds, told=lambda finding: remark(_line(finding), quiet or not as_json))
    name = spec if spec in named else None
    emit(checkup.to_dict(name), _table(checkup, name), as_json)
    if checkup.recommended is None:
        ctx.exit(1)


def _line(finding: Finding) -> str:
    return f"{_MARKS[finding.ok]:>3}  {finding.name:<13} {finding.seconds:6.1f} s  {finding.detail}"


def _table(checkup: Checkup, name: str | None) -> str:
    import yaml

    lines = [f"{checkup.settings.spec} ({checkup.server})", "", *(_line(finding) for finding in checkup.findings), ""]
    block = checkup.block(name)
    if block is None:
        slow = any(finding.name == "chat" and finding.detail.startswith("not known") for finding in checkup.findings)
        return "\n".join([*lines, "It is too slow: give it --seconds." if slow else "It can't be used as it is."])
    spent = checkup.spent
    lines.append(f"{spent['calls']} calls, {spent['input_tokens']} tokens read, {spent['output_tokens']} written")
    lines += ["For jam.yaml:", "", yaml.safe_dump(block, sort_keys=False, allow_unicode=True).rstrip("\n")]
    return "\n".join(lines)
