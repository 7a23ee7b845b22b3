"""`jam build`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jam.cli.options import (
    PARTIAL,
    Bar,
    casting,
    emit,
    engine_options,
    hush,
    output_options,
    remark,
    workspace_for,
)

if TYPE_CHECKING:
    from jam.history.report import ReadReport
    from jam.memorizer.build import BuildReport
    from jam.memorizer.preview import Preview
    from jam.models.meter import Spent
    from jam.strategies.question import Casting

_LISTED = 50
_LISTED_RECORDS = 10
_LISTED_GONE = 5


@click.command()
@click.argument("history", type=click.Path(path_type=Path))
@click.option("-w", "--workspace", metavar="WORKSPACE", help="Where to write (default: ./NAME-OF-THE-HISTORY.jam).")
@engine_options
@click.option("--tokens", type=click.IntRange(1), help="Model tokens at most; what they don't reach waits.")
@click.option("--refresh", is_flag=True, help="Also make anew what another model or prompt has written.")
@click.option(
    "--redact/--no-redact",
    default=None,
    help="Leave passwords, keys and tokens out; kept in jam.yaml (default: as it says there, else --redact).",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be read, and what it would cost.")
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    history: Path,
    workspace: str | None,
    engine: str | None,
    model: str | None,
    tokens: int | None,
    refresh: bool,
    redact: bool | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a workspace of HISTORY (a file or a folder), or bring it up to date.

    Every file found is ingested, unchanged, or listed with the reason why it was skipped.
    """
    from jam.memorizer.build import build

    hush(quiet)
    bar = Bar(quiet)
    place = workspace_for(history, workspace)
    who = casting(place, engine, model)
    if dry_run:
        _preview(history, place, who, refresh, redact, bar, as_json)
        return
    options: dict[str, Any] = {"tokens": tokens, "refresh": refresh, "redact": redact}
    _, report = build(history, place, engine=who.engine, model=who.model, **options, progress=bar)
    bar.close()
    emit(report.to_dict(), summary(report), as_json)
    for line in [*problems(report.history), *failures(report)]:
        remark(line, quiet)
    if not report.complete:
        ctx.exit(PARTIAL)


def _preview(
    history: Path, place: Path, who: Casting, refresh: bool, redact: bool | None, bar: Bar, as_json: bool
) -> None:
    from jam.engines import load_engine
    from jam.memorizer.preview import preview

    seen = preview(history, load_engine(who.engine, who.model), place, refresh, redact, bar)
    bar.close()
    text = (
        f"{seen.sessions} sessions, {seen.messages} messages, {seen.text_tokens} tokens of text; nothing was written\n"
        f"{_cost_line(seen)}\n"
        f"{seen.history.render()}"
    )
    emit(seen.to_dict(), text, as_json)


def _cost_line(seen: Preview) -> str:
    """What the memos would cost; of a build without a model also what they would with one."""
    if seen.model_calls == seen.llm_calls:
        return f"memos: about {seen.llm_calls} model calls, {seen.llm_tokens} tokens; filing and summaries add some"
    return (
        f"no model calls; with --engine llm about {seen.llm_calls} for memos, {seen.llm_tokens} tokens, and some more"
    )


def failures(report: BuildReport) -> list[str]:
    """What the model left undone, with the reasons."""
    lines = [f"  {name}: {reason}" for name, reason in sorted(report.failed.items())[:_LISTED_RECORDS]]
    if len(report.failed) > _LISTED_RECORDS:
        lines.append(f"  and {len(report.failed) - _LISTED_RECORDS} more; --json lists them")
    return lines


def problems(history: ReadReport) -> list[str]:
    """What was left out, and what else is to be said: a line for each file, and for its first records."""
    left = [row for row in history.rows if row.left_out]
    rows = left + [row for row in history.rows if row.note and not row.left_out and (row.sessions or row.unfinished)]
    lines = []
    for row in rows[:_LISTED]:
        lines.append(f"  {row.render()}")
        lines += [f"    {skipped.where}: {skipped.reason}" for skipped in row.records_skipped[:_LISTED_RECORDS]]
        if row.skipped_count > _LISTED_RECORDS:
            lines.append(f"    and {row.skipped_count - _LISTED_RECORDS} more; --json lists them")
    if len(rows) > _LISTED:
        lines.append(f"  and {len(rows) - _LISTED} more files; --json lists them")
    return lines


def summary(report: BuildReport) -> str:
    """A build in a few lines."""
    from jam.history.parsing.decoding import printable
    from jam.history.report import redacted_text

    files = report.history
    changes = [f"{report.new} new", f"{report.grown} grown"] + ([f"{report.removed} removed"] if report.removed else [])
    lines = [
        f"{report.workspace}: {report.sessions} sessions, {report.messages} messages ({', '.join(changes)})",
        f"{files.found} files = {files.ingested} ingested + {files.unchanged} unchanged + {files.skipped} skipped",
    ]
    if files.records_skipped:
        lines.append(f"{files.records_skipped} records skipped")
    if files.redacted:
        lines.append(f"{redacted_text(files.redacted)} redacted")
    if report.cleaned:
        lines.append(f"{report.cleaned} sessions that had been kept with secrets were redacted")
    if report.renamed:
        lines.append(f"{len(report.renamed)} sessions are from files that have another name now")
    if report.gone:
        named = ", ".join(
            [*map(printable, report.gone[:_LISTED_GONE]), *(["…"] if len(report.gone) > _LISTED_GONE else [])]
        )
        lines.append(f"{len(report.gone)} source files are gone; what was read of them stays: {named}")
    if report.raw_only:
        lines.append(f"{len(report.raw_only)} sessions are kept but have no memo that can be read")
    if report.damaged:
        lines.append(f"{len(report.damaged)} damaged files set aside; build again to read their sources: jam doctor")
    if report.fallbacks:
        lines.append(f"{len(report.fallbacks)} memos were computed, since the model's replies could not be used")
    if report.failed:
        lines.append(f"{len(report.failed)} things are left undone, since the model failed; the same command goes on")
    if report.model:
        lines.append(spending(report.model, report.spent))
    return "\n".join([*lines, f"{report.seconds:.1f} s"])


def spending(model: str, spent: Spent) -> str:
    """What was paid, in a line."""
    parts = [f"{spent.calls} calls", f"{spent.input_tokens} + {spent.output_tokens} tokens"]
    parts += [f"{spent.stored} answered from memory"] if spent.stored else []
    parts += [f"{spent.retries} tried again"] if spent.retries else []
    parts += [f"{spent.failed} failed"] if spent.failed else []
    parts += [f"{spent.doubtful} counted here, since the server's counts can't be right"] if spent.doubtful else []
    return f"{model}: {', '.join(parts)}"
