"""Build: the whole way from a history to a workspace that can be asked. Bringing one up to date is the same way.

Each stage begins from what is in the tree, so that a build that was broken off is completed by the next one.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jam.engines import load_engine
from jam.errors import HistoryError, WorkspaceError
from jam.history.report import ReadReport
from jam.history.scan import scan
from jam.index.store import refresh
from jam.jobs import Engine
from jam.memorizer.desk import Desk
from jam.memorizer.ingest import Ingest, Ingested
from jam.memorizer.ledger import Ledger
from jam.memorizer.memos import write_memos
from jam.memorizer.placing import Placing
from jam.memorizer.progress import Progress, Silent
from jam.memorizer.readmes import Filed, write_readmes
from jam.memorizer.reconcile import reconcile
from jam.workspace.lease import Lease
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    workspace: str
    history: ReadReport
    sessions: int
    """Sessions now in the workspace."""
    messages: int
    new: int
    grown: int
    removed: int
    memos_written: int
    moved: int
    readmes_written: int
    raw_only: tuple[str, ...]
    """Raw files without a memo: kept, searchable, to be described by a later build."""
    damaged: tuple[str, ...]
    """Raw files that couldn't be read and were renamed (`….damaged`); the next build reads their sources again."""
    seconds: float

    @property
    def complete(self) -> bool:
        """Nothing was skipped, nothing is damaged, and every session is described."""
        return not (self.history.skipped or self.history.records_skipped or self.raw_only or self.damaged)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        own = {key: value for key, value in asdict(self).items() if key not in ("history", "raw_only", "damaged")}
        own |= {"raw_only": list(self.raw_only), "damaged": list(self.damaged)}
        return {**own, "complete": self.complete, "history": self.history.to_dict()}


WAIT_SECONDS = 10.0
"""How long a build waits for another writer."""


def build(
    history: str | Path,
    workspace: str | Path,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> tuple[Workspace, BuildReport]:
    """Builds a workspace from a history, or brings it up to date.

    Raises `HistoryError` where there is nothing to read, `WorkspaceError` where the workspace can't be written.
    """
    began = time.monotonic()
    if not str(history).strip():
        raise HistoryError("the history has an empty path; give a file or a folder ('.' is this one)")
    source = Path(history).expanduser()
    if not source.exists():
        raise HistoryError(f"there is no file or folder {source}; give the path of a history")
    source = source.resolve()
    scan(source)  # an error where there is nothing to read, before anything is made
    _apart(source, Path(workspace).expanduser().resolve())
    was_there = Path(workspace).expanduser().exists()
    place = Workspace.create(workspace)
    chosen = engine or load_engine("extractive")
    progress = progress or Silent()
    with Lease(place.root, WAIT_SECONDS, purpose="build") as lease:
        reconcile(place)
        desk = Desk.lay_out(place)
        ledger = Ledger.load(place.derived / "ledger.json")
        ingested = Ingest(desk, ledger, source, progress).run()
        if not desk.paths and not ingested.report.ingested:
            error = _nothing_read(ingested, source)
            if not was_there:
                shutil.rmtree(place.root)  # made for this history, which gave nothing
            raise error
        lease.check()
        ledger.save()
        written, moved, readmes = _describe(place, desk, chosen, progress)
        lease.check()
        progress.stage("index", 1)
        refresh(place)
        progress.advance(1, 1)
        if desk.damaged:
            ledger.forget(lambda session_id: not desk.count(session_id))
            ledger.save()
    raw_only = tuple(path for paths in desk.paths.values() for path in paths if place.read_memo(path) is None)
    return place, BuildReport(
        workspace=str(place.root),
        history=ingested.report,
        sessions=len(desk.paths),
        messages=sum(desk.count(session_id) for session_id in desk.paths),
        new=len(ingested.new),
        grown=len(ingested.grown),
        removed=len(ingested.removed),
        memos_written=written,
        moved=moved,
        readmes_written=readmes,
        raw_only=tuple(sorted(raw_only)),
        damaged=tuple(sorted(desk.damaged)),
        seconds=round(time.monotonic() - began, 3),
    )


def _describe(place: Workspace, desk: Desk, engine: Engine, progress: Progress) -> tuple[int, int, int]:
    """Memos, folders, READMEs, each from what the tree holds now."""
    written = write_memos(desk, engine.memo_writer, progress)
    firsts = {i: place.read_memo(desk.paths[i][0]) for i in desk.paths}
    memos = {session_id: file.memo for session_id, file in firsts.items() if file is not None}
    moved = Placing(desk, engine.organizer).run(memos)
    filed = [_filed(place, desk.paths[i], memo) for i, file in firsts.items() if file for memo in [file.memo]]
    return written, moved, write_readmes(place, filed, engine.summarizer, progress)


def _filed(place: Workspace, paths: list[str], memo: Any) -> Filed:
    first, last = place.read_raw(paths[0]).session, place.read_raw(paths[-1]).session
    return Filed(paths[0], len(paths), first.started, last.ended, memo)


def _nothing_read(ingested: Ingested, source: Path) -> HistoryError:
    """Why there is nothing to make a workspace of."""
    reasons = "\n".join(f"  {row.name}: {row.reason}" for row in ingested.report.rows[:10])
    return HistoryError(f"nothing in {source} could be read:\n{reasons}")


def _apart(source: Path, place: Path) -> None:
    if place == source or place in source.parents:
        raise WorkspaceError(f"the workspace {place} can't hold the history {source}; choose another place with -w")
