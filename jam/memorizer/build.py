"""Build: the whole way from a history to a workspace that can be asked. Bringing one up to date is the same way.

Each stage begins from what is in the tree, so that a build that was broken off is completed by the next one.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from jam.engines import Engine, load_engine
from jam.errors import HistoryError, WorkspaceError
from jam.history.report import ReadReport
from jam.history.scan import scan
from jam.index.store import refresh as refresh_index
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.memorizer.ingest import Ingest, Ingested
from jam.memorizer.ledger import Ledger
from jam.memorizer.memos import MemosDone, write_memos
from jam.memorizer.placing import Placing
from jam.memorizer.progress import Progress, Silent
from jam.memorizer.readmes import Filed, Readmes
from jam.memorizer.reconcile import reconcile
from jam.memorizer.redaction import clean_up, set_unclean
from jam.models.cache import REPLIES, FileCache
from jam.models.chat import ChatModel
from jam.models.meter import Meter, Spent
from jam.models.patience import Patience
from jam.workspace.layout import README
from jam.workspace.lease import Lease
from jam.workspace.memo_file import MemoFile
from jam.workspace.settings import keep_setting
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
    gone: tuple[str, ...]
    """Source files that are no longer there. Their sessions stay."""
    renamed: dict[str, str]
    """Sessions whose source file has another name now: old id → new id."""
    cleaned: int
    """Sessions that had been kept with secrets, and have none now."""
    memos_written: int
    moved: int
    readmes_written: int
    raw_only: tuple[str, ...]
    """Raw files without a memo: kept, searchable, to be described by a later build."""
    damaged: tuple[str, ...]
    """Raw files that couldn't be read and were renamed (`….damaged`); the next build reads their sources again."""
    seconds: float
    engine: str = "extractive"
    model: str | None = None
    spent: Spent = field(default_factory=Spent)
    fallbacks: tuple[str, ...] = ()
    """Sessions with a memo that was computed, since the model's replies could not be used."""
    failed: dict[str, str] = field(default_factory=dict)
    """Sessions that the model gave no memo or no folder, and folders that it gave no summary, each with the reason: the
    next build tries again."""

    @property
    def complete(self) -> bool:
        """Nothing was skipped, nothing is damaged, nothing failed, and every session is described."""
        left_out = self.history.skipped or self.history.records_skipped
        return not (left_out or self.raw_only or self.damaged or self.failed)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        own = {key: value for key, value in asdict(self).items() if key != "history"}
        own |= {key: list(own[key]) for key in ("raw_only", "damaged", "fallbacks", "gone")}
        return {**own, "complete": self.complete, "history": self.history.to_dict()}


WAIT_SECONDS = 10.0
"""How long a build waits for another writer."""


def build(
    history: str | Path,
    workspace: str | Path,
    *,
    engine: str | Engine = "extractive",
    model: ChatModel | None = None,
    tokens: int | None = None,
    refresh: bool = False,
    redact: bool | None = None,
    progress: Progress | None = None,
) -> tuple[Workspace, BuildReport]:
    """Builds a workspace from a history, or brings it up to date.

    `tokens` is what model calls may cost at most; what they don't reach stays as it is, for the next build. With
    `refresh` memos and summaries by another model or prompt are made anew. `redact` says whether secrets are left out,
    and is kept in `jam.yaml`; `None` is as it says there. Raises `HistoryError` where there is nothing to read,
    `WorkspaceError` where the workspace can't be written, `UsageError` for want of a model.
    """
    began = time.monotonic()
    source = check_history(history)
    _apart(source, Path(workspace).expanduser().resolve())
    if isinstance(engine, str):
        load_engine(engine, model)  # an error for what can't be, before anything is made
    was_there = Path(workspace).expanduser().exists()
    place = Workspace.create(workspace)
    chosen = _engine(place, engine, model, tokens)
    progress = progress or Silent()
    with Lease(place.root, WAIT_SECONDS, purpose="build") as lease:
        reconcile(place)
        _keep_redact(place, redact)
        desk = Desk.lay_out(place)
        cleaned = clean_up(desk, progress) if place.settings.redact else set_unclean(place)
        placing = Placing.prepare(desk, chosen.organizer, lambda: _memos(_firsts(place, desk)))
        ledger = Ledger.load(place.derived / "ledger.json")
        ingested = Ingest(desk, ledger, source, progress, place.settings.redact).run()
        if not desk.paths and not ingested.report.sessions:
            error = _nothing_read(ingested, source)
            if not was_there:
                shutil.rmtree(place.root)  # made for this history, which gave nothing
            raise error
        lease.check()
        ledger.save()
        described = _describe(place, desk, chosen, placing, lease, progress, refresh)
        lease.check()
        progress.stage("index", sum(map(len, desk.paths.values())))
        refresh_index(place, progress.advance)
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
        gone=tuple(ingested.gone),
        renamed=dict(ingested.renamed),
        cleaned=len(cleaned),
        memos_written=described.memos.written,
        moved=described.moved,
        readmes_written=described.readmes,
        raw_only=tuple(sorted(raw_only)),
        damaged=tuple(sorted(desk.damaged)),
        seconds=round(time.monotonic() - began, 3),
        engine=chosen.name,
        model=chosen.model.settings.spec if chosen.model else None,
        spent=chosen.model.meter.spent if chosen.model else Spent(),
        fallbacks=tuple(sorted(set(described.memos.fallbacks))),
        failed=described.failed,
    )


def check_history(history: str | Path) -> Path:
    """The history's path, made absolute. Raises `HistoryError` where there is nothing to read."""
    if not str(history).strip():
        raise HistoryError("the history has an empty path; give a file or a folder ('.' is this one)")
    source = Path(history).expanduser()
    if not source.exists():
        raise HistoryError(f"there is no file or folder {source}; give the path of a history")
    source = source.resolve()
    scan(source)
    return source


def _keep_redact(place: Workspace, redact: bool | None) -> None:
    """Keeps what was said about secrets, so that the next build does the same."""
    if redact is not None and redact != place.settings.redact:
        keep_setting(place.root, "redact", redact)
        place.settings = replace(place.settings, redact=redact)


def _engine(place: Workspace, engine: str | Engine, model: ChatModel | None, tokens: int | None) -> Engine:
    """The engine, its model bound to what this build may spend and to the workspace's stored replies."""
    if not isinstance(engine, str):
        return engine
    if model is not None:
        cache = FileCache(place.derived / REPLIES)
        model = model.bound(meter=Meter(tokens), cache=cache, patience=Patience())
    return load_engine(engine, model)


@dataclass(frozen=True, slots=True)
class _Described:
    """What became of memos, folders and READMEs."""

    memos: MemosDone
    moved: int
    readmes: int
    failed: dict[str, str]


def _describe(
    place: Workspace,
    desk: Desk,
    engine: Engine,
    placing: Placing,
    lease: Lease,
    progress: Progress,
    refresh: bool,
) -> _Described:
    """Memos, folders, READMEs, each from what the tree holds now. The lease is not held while a model is asked."""
    workers = engine.model.settings.concurrency if engine.model else 0

    def unleased() -> AbstractContextManager[None] | None:
        return lease.paused() if workers else None

    memos = write_memos(desk, engine.memo_writer, progress, lease, workers, refresh)
    moved = placing.run(_memos(_firsts(place, desk)), unleased())
    readmes = _summed_up(place, desk, engine, unleased, progress, refresh)
    written = readmes.write()
    failed = {**memos.failed, **placing.failed}
    failed |= {f"{path}/{README}".lstrip("/"): why for path, why in readmes.failed.items()}
    return _Described(memos, moved, written, failed)


def _summed_up(
    place: Workspace,
    desk: Desk,
    engine: Engine,
    unleased: Callable[[], AbstractContextManager[None] | None],
    progress: Progress,
    refresh: bool,
) -> Readmes:
    """The READMEs of the tree as it is, with their summaries. Where another build changed it while a model was asked,
    they are made again: what has not changed is answered from memory.
    """
    while True:
        filed = [_filed(place, desk.paths[i], file.memo) for i, file in _firsts(place, desk).items()]
        readmes = Readmes(place, filed, engine.summarizer)
        pause = unleased()
        readmes.sum_up(progress, pause, engine.model.settings.concurrency if engine.model else 1, refresh)
        before = desk.paths
        if pause:
            desk.renew()
        if desk.paths == before:
            return readmes


def _firsts(place: Workspace, desk: Desk) -> dict[str, MemoFile]:
    """The memo of each session that has one: the one beside its first part."""
    found = {session_id: place.read_memo(paths[0]) for session_id, paths in desk.paths.items()}
    return {session_id: file for session_id, file in found.items() if file is not None}


def _memos(files: dict[str, MemoFile]) -> dict[str, Memo]:
    return {session_id: file.memo for session_id, file in files.items()}


def _filed(place: Workspace, paths: list[str], memo: Any) -> Filed:
    first, last = place.skim_raw(paths[0]).session, place.skim_raw(paths[-1]).session
    return Filed(paths[0], len(paths), first.started, last.ended, memo)


def _nothing_read(ingested: Ingested, source: Path) -> HistoryError:
    """Why there is nothing to make a workspace of."""
    rows = ingested.report.rows
    reasons = "\n".join(f"  {row.name}: {row.reason or row.note}" for row in rows[:10])
    if all(row.status == "ingested" for row in rows):
        return HistoryError(f"there are no messages in {source}:\n{reasons}\nGive a history that has some.")
    return HistoryError(f"nothing in {source} could be read:\n{reasons}")


def _apart(source: Path, place: Path) -> None:
    if place == source or place in source.parents:
        raise WorkspaceError(f"the workspace {place} can't hold the history {source}; choose another place with -w")
