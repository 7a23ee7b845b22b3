"""What a build would read, and what it would cost, without writing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.engines import Engine, load_engine
from jam.history.reading import HistoryReading, read_history
from jam.history.report import ReadReport
from jam.index.embedder import static_embedder
from jam.jobs import Cost
from jam.memorizer.build import check_history
from jam.memorizer.memos import as_told, memo_stamps
from jam.memorizer.parts import divided, sized
from jam.memorizer.progress import BYTES, Progress, Silent
from jam.memorizer.spool import Assembly, Reading
from jam.memorizer.upgrades import Stamp, is_due
from jam.models.unheard import unheard_model
from jam.secrets import Redactor
from jam.session import Attachment, bytes_digest
from jam.workspace.raw_file import Kept, RawFile
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace, is_workspace

_COUNTS = ("sessions", "messages", "text_tokens", "model_calls", "model_tokens", "llm_calls", "llm_tokens")


@dataclass(frozen=True, slots=True)
class Preview:
    """A history, read but not kept."""

    history: ReadReport
    sessions: int
    messages: int
    text_tokens: int
    """All text, in tokens of the shipped tokenizer; very long texts are estimated."""
    model_calls: int
    """Calls of a language model that the build would make, estimated; the extractive engine makes none."""
    model_tokens: int
    llm_calls: int
    """The same of an engine whose memos a model writes, also where the build asks none."""
    llm_tokens: int

    def to_dict(self) -> dict[str, Any]:
        """The preview as JSON values."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        return {"dry_run": True, **counts, "history": self.history.to_dict()}


def preview(
    history: str | Path,
    engine: Engine | None = None,
    workspace: Path | None = None,
    refresh: bool = False,
    redact: bool | None = None,
    progress: Progress | None = None,
) -> Preview:
    """Reads a whole history and keeps nothing. Raises `HistoryError` where there is nothing to read.

    `redact` is as for a build, but is not kept.

    The cost is that of the memos, which is nearly all: filing and summaries come to a call for every few dozen
    sessions. Sessions whose memo is in the workspace already cost nothing.
    """
    source = check_history(history)
    engine = engine or load_engine("extractive")
    progress = progress or Silent()
    place = Workspace.open(workspace) if workspace is not None and is_workspace(workspace) else None
    settings = place.settings if place else Settings()
    redactor = Redactor() if (settings.redact if redact is None else redact) else None
    reading = read_history(source, _measured, redact=redactor, watch=progress.advance)
    progress.stage("reading", reading.bytes, BYTES)
    known = _known_stamps(place) if place else {}
    ids: set[str] = set()
    messages = tokens = 0
    cost = would_cost = Cost()
    llm = engine if engine.model else load_engine("llm", unheard_model())
    for session in _sessions(reading):
        ids.add(session.session.id)
        messages += len(session)
        sizes = [size for _, size in sized(session.all(), static_embedder().count_tokens)]
        tokens += sum(sizes)
        would_cost += _cost(session, sizes, llm, settings.part_tokens, known, refresh)
        cost += _cost(session, sizes, engine, settings.part_tokens, known, refresh) if engine is not llm else Cost()
    cost = cost if engine is not llm else would_cost
    spent = {"model_calls": cost.calls, "model_tokens": cost.tokens}
    would = {"llm_calls": would_cost.calls, "llm_tokens": would_cost.tokens}
    return Preview(reading.report, len(ids), messages, tokens, **spent, **would)


Known = dict[tuple[str, int], tuple[Stamp, str]]
"""Session id and part → what its memo was made from, and by which engine."""


def _known_stamps(place: Workspace) -> Known:
    """The memos that are there already."""
    memos = ((entry, place.read_memo(entry.path)) for entry in place.entries())
    return {
        (entry.session_id, entry.front.part): (Stamp.parse(file.memo.inputs), file.memo.engine)
        for entry, file in memos
        if file
    }


def _sessions(reading: HistoryReading) -> Iterator[Reading]:
    """The sessions of a history, those that come in parts put together."""
    assembly = Assembly()
    last = None
    for row, session in reading:
        if row is not last:
            yield from assembly.rest()
        last = row
        whole = assembly.take(session, Kept.of)
        if whole:
            yield whole
    yield from assembly.rest()


def _cost(
    session: Reading, sizes: Sequence[int], engine: Engine, part_tokens: int, known: Known, refresh: bool
) -> Cost:
    """What the session's memos would cost, those of its parts together; `sizes` are the messages' lengths in tokens."""
    writer = engine.memo_writer
    stamps = memo_stamps((part.session for part in _parts(session, sizes, part_tokens)), writer.fingerprint)
    total = Cost()
    for part, stamp in zip(_parts(session, sizes, part_tokens), stamps, strict=True):
        there = known.get((session.session.id, part.part))
        if there is None or is_due(stamp, writer.name, *there, refresh):
            total += writer.cost(as_told(part.session))
    return total


def _parts(session: Reading, sizes: Sequence[int], part_tokens: int) -> Iterator[RawFile]:
    return divided(session.session, zip(session.all(), sizes, strict=True), part_tokens)


def _measured(payload: bytes, media_type: str, name: str | None) -> Attachment:
    return Attachment(bytes_digest(payload), media_type, len(payload), name)
