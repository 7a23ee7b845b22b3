"""`jam ask`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jam.cli.options import (
    PARTIAL,
    Bar,
    asked_option,
    casting,
    emit,
    engine_options,
    hush,
    output_options,
    remark,
    scope_options,
    workspace_for,
)

if TYPE_CHECKING:
    from jam.context import MemoryContext
    from jam.workspace.store import Workspace


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("question")
@click.option(
    "--strategy",
    default="research",
    show_default=True,
    help="How the context is made: search, lazy, defer, research, auto.",
)
@scope_options
@asked_option
@click.option("--rounds", type=int, default=20, show_default=True, help="Rounds of research at most.")
@click.option("--seconds", type=float, help="Start no further round after this many seconds.")
@click.option("--tokens", type=int, help="Model tokens at most, for the question (a build has its own).")
@click.option("--context-tokens", type=int, default=2000, show_default=True, help="Length of the context at most.")
@engine_options
@click.option("-w", "--workspace", metavar="WORKSPACE", help="Where a history's workspace is (see jam build).")
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    question: str,
    strategy: str,
    scope: str,
    since: str | None,
    until: str | None,
    asked_at: str | None,
    rounds: int,
    seconds: float | None,
    tokens: int | None,
    context_tokens: int,
    engine: str | None,
    model: str | None,
    workspace: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Ask QUESTION of PATH: a workspace, or a history, which is built or brought up to date first.

    Prints the context: quotes with their dates, under the numbers of their sources. A history is built without a model,
    unless --engine llm is given or its workspace was built with one.
    """
    from jam.api import check_question, recall
    from jam.context import Budget

    hush(quiet)
    budget = Budget(rounds=rounds, seconds=seconds, tokens=tokens, context_tokens=context_tokens)
    check_question(question, strategy, since, until, asked_at)
    place, complete = _workspace(path, workspace, engine, model, quiet)
    context = recall(
        place,
        question,
        strategy=strategy,
        scope=scope or None,
        since=since,
        until=until,
        asked_at=asked_at,
        budget=budget,
        engine=engine,
        model=model,
    )
    emit(context.to_dict(), show(context), as_json)
    if not complete:
        ctx.exit(PARTIAL)


def _workspace(
    path: Path, given: str | None, engine: str | None, model: str | None, quiet: bool
) -> tuple[Workspace, bool]:
    """The workspace at a path, or the one of the history at that path, brought up to date; whether it is complete."""
    from jam.workspace.store import Workspace, is_workspace

    if is_workspace(path.expanduser()):
        casting(path, engine, model)  # an error for what can't be, before anything is read
        return Workspace.open(path), True
    from jam.cli.build import failures, problems, spending
    from jam.memorizer.build import build

    bar = Bar(quiet)
    target = workspace_for(path, given)
    who = casting(target, engine, model)
    if engine is None and not written_by_model(target):
        who = casting(target, "extractive", None)  # a question must not cost the memos of a whole history unasked
    place, report = build(path, target, engine=who.engine, model=who.model, progress=bar)
    bar.close()
    if report.model and report.spent.calls:
        remark(f"for the build: {spending(report.model, report.spent)}", quiet)
    if report.new or report.grown or report.removed:
        remark(f"{report.workspace}: {report.new} new sessions, {report.grown} grown, {report.sessions} in all", quiet)
    for line in [*problems(report.history), *failures(report)]:
        remark(line, quiet)
    return place, report.complete


def written_by_model(path: Path) -> bool:
    """Whether the workspace at a path, if there is one, was built with a model: its own README says so."""
    from jam.workspace.layout import README
    from jam.workspace.readme import summary_of

    readme = path.expanduser() / README
    summary = summary_of(readme.read_text(encoding="utf-8", errors="replace")) if readme.is_file() else None
    return summary is not None and summary.engine == "llm"


def show(context: MemoryContext) -> str:
    """A context for people, with its answer and its sources, all in one frame."""
    from jam.echo import framed, unframed

    nothing = "Nothing about this was found." if context.verdict == "absent" else "(an empty context)"
    lines = [*([f"{context.answer}\n"] if context.answer else []), unframed(context.context) or nothing]
    if context.sources:
        lines += ["", *(f"[{number}] {path}" for number, path in enumerate(context.sources, 1))]
    usage = context.usage
    spent = f"{usage.rounds} rounds, {usage.tool_calls} calls, " if usage.rounds else ""
    if usage.model_calls:
        spent += f"{usage.model_calls} model calls, {usage.input_tokens} + {usage.output_tokens} model tokens, "
    lines += [
        "",
        f"{context.verdict} · {usage.context_tokens} tokens · {spent}{usage.seconds:.2f} s · {context.strategy}",
    ]
    if context.notes:
        lines.append(context.notes)
    if context.missing:
        lines.append(f"missing: {', '.join(context.missing)}")
    if context.verdict == "absent":
        lines.append(f"searched: {'; '.join(context.searched)}")
    return framed("\n".join(lines), "ask")
