"""Raw files → memos beside them. A memo whose inputs are the same, or that a person edited, is left as it is.

The work is done session by session, side by side where a model does it, and without the lease then: what is done is
written in between. A session in parts gets a memo for each, and beside the first part one for the whole.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from jam.errors import DamagedFile, ModelError, ToolError
from jam.jobs import MemoWriter
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.memorizer.progress import Progress
from jam.memorizer.upgrades import Stamp, is_due
from jam.models.parallel import Done, side_by_side
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import memo_path, parent
from jam.workspace.memo_file import MemoFile, encode_memo
from jam.workspace.raw_file import RawFile
from jam.workspace.store import Workspace

_FLUSH_SECONDS = 5.0
_FLUSH_SESSIONS = 16


class Pausable(Protocol):
    """A lease that can be given back for a while."""

    def paused(self) -> AbstractContextManager[None]: ...

    def held(self) -> AbstractContextManager[None]: ...


@dataclass
class MemosDone:
    """What became of the memos."""

    written: int = 0
    fallbacks: list[str] = field(default_factory=list)
    """Sessions with a memo that was computed, since the model's replies could not be used."""
    failed: dict[str, str] = field(default_factory=dict)
    """Session id → why it has no memo yet."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A memo, made for a raw file."""

    path: str
    memo: Memo
    part: int


def write_memos(
    desk: Desk, writer: MemoWriter, progress: Progress, lease: Pausable, workers: int = 0, refresh: bool = False
) -> MemosDone:
    """Makes the memos that are missing or out of date. With `workers` a model makes them: as many at a time."""
    due = [session_id for session_id in sorted(desk.paths) if _due(desk, session_id, writer, refresh)]
    progress.stage("memos", len(desk.paths))
    begin = len(desk.paths) - len(due)
    progress.advance(begin, len(desk.paths))
    done = MemosDone()
    if workers:
        with lease.paused():
            _write_side_by_side(desk, due, writer, progress, lease, done, workers, refresh)
        desk.renew()
        for session_id in set(due) & set(desk.paths) - set(done.failed):
            if _due(desk, session_id, writer, refresh):
                done.failed[session_id] = "another build changed its files meanwhile"
    else:
        for number, session_id in enumerate(due, begin + 1):
            made = _session_memos(desk, session_id, writer, refresh)
            _write(desk.workspace, made, session_id, writer, done)
            progress.advance(number, len(desk.paths))
    for folder in sorted({parent(path) for i in due for path in desk.paths.get(i, ())}) if done.written else ():
        files.sync_folder(desk.workspace.root / folder)
    return done


def _write_side_by_side(
    desk: Desk,
    due: Sequence[str],
    writer: MemoWriter,
    progress: Progress,
    lease: Pausable,
    done: MemosDone,
    workers: int,
    refresh: bool,
) -> None:
    """Makes memos without the lease, and takes it for the moment of writing some of them."""
    held: list[Done[str, _Made]] = []
    since = time.monotonic()
    begin = len(desk.paths) - len(due)
    for number, result in enumerate(
        side_by_side(due, lambda i: _session_memos(desk, i, writer, refresh), workers), begin + 1
    ):
        if result.error is not None:
            raise result.error
        held.append(result)
        progress.advance(number, len(desk.paths))
        if len(held) >= _FLUSH_SESSIONS or time.monotonic() - since > _FLUSH_SECONDS:
            _flush(desk, held, writer, lease, done)
            since = time.monotonic()
    _flush(desk, held, writer, lease, done)


def _flush(desk: Desk, held: list[Done[str, _Made]], writer: MemoWriter, lease: Pausable, done: MemosDone) -> None:
    if held:
        with lease.held():
            for result in held:
                assert result.result is not None
                _write(desk.workspace, result.result, result.item, writer, done)
        held.clear()


def _write(workspace: Workspace, made: _Made, session_id: str, writer: MemoWriter, done: MemosDone) -> None:
    """Writes a session's memos beside its raw files, wherever they lie by now."""
    if made.failed is not None:
        done.failed[session_id] = str(made.failed)
    for item in _as_filed_now(workspace, session_id, made.memos):
        target = workspace.root / memo_path(item.path)
        existing = workspace.read_memo(item.path)
        if (existing is None and target.exists()) or (existing and existing.edited):
            continue  # a person's: perhaps written while the model was at work
        file = MemoFile(item.memo, session_id, item.path.rpartition("/")[2], item.part)
        done.written += files.write_atomic(target, encode_memo(file), sync=False)
        if item.memo.engine != writer.name:
            done.fallbacks.append(session_id)


def _as_filed_now(workspace: Workspace, session_id: str, memos: Sequence[_Written]) -> list[_Written]:
    """The memos with the paths that their raw files have now; another build may have moved or removed some."""
    if all((workspace.root / item.path).is_file() for item in memos):
        return list(memos)
    now = {entry.front.part: entry.path for entry in workspace.by_session().get(session_id, [])}
    return [replace(item, path=now[item.part]) for item in memos if item.part in now]


@dataclass(frozen=True, slots=True)
class _Made:
    """The memos of a session, and why one of them could not be made, if so."""

    memos: list[_Written]
    failed: ModelError | None = None


def _session_memos(desk: Desk, session_id: str, writer: MemoWriter, refresh: bool) -> _Made:
    """The memos of a session that are due, as far as they can be made."""
    raws = _raws_as_they_are(desk, session_id)
    stamps = memo_stamps([raw.session for _, raw in raws], writer.fingerprint)
    made: list[_Written] = []
    whole: list[Memo] = []
    failed: ModelError | None = None
    for number, ((path, raw), stamp) in reversed(list(enumerate(zip(raws, stamps, strict=True)))):
        existing = desk.workspace.read_memo(path)
        if not _memo_due(desk.workspace, path, stamp, writer, refresh):
            if existing:
                whole.insert(0, existing.memo)
            continue
        try:
            memo = writer.write_memo(raw.session)
            whole.insert(0, memo)
            if number == 0 and len(raws) > 1 and len(whole) == len(raws):
                memo = writer.reduce(whole)
        except ModelError as error:
            failed = error
            continue
        if number == 0 and len(whole) < len(raws):
            continue  # the memo of the whole waits for those of all parts
        made.append(_Written(path, replace(memo, inputs=str(stamp)), raw.part))
    return _Made(made, failed)


def _due(desk: Desk, session_id: str, writer: MemoWriter, refresh: bool) -> bool:
    raws = _raws(desk, session_id)
    stamps = memo_stamps([raw.session for _, raw in raws], writer.fingerprint)
    return any(
        _memo_due(desk.workspace, path, stamp, writer, refresh) for (path, _), stamp in zip(raws, stamps, strict=True)
    )


def _memo_due(workspace: Workspace, path: str, stamp: Stamp, writer: MemoWriter, refresh: bool) -> bool:
    existing = workspace.read_memo(path)
    if existing is None:
        # One that can't be read may hold what a person wrote: it is theirs to correct.
        return not (workspace.root / memo_path(path)).exists()
    if existing.edited:
        return False
    return is_due(stamp, writer.name, Stamp.parse(existing.memo.inputs), existing.memo.engine, refresh)


def _raws(desk: Desk, session_id: str) -> list[tuple[str, RawFile]]:
    return [(path, raw) for path in list(desk.paths.get(session_id, ())) for raw in [desk.read(path)] if raw]


def _raws_as_they_are(desk: Desk, session_id: str) -> list[tuple[str, RawFile]]:
    """The same, to be read without the lease; where one is gone or damaged by now, none: the next build sees to it."""
    try:
        return [(path, desk.workspace.read_raw(path)) for path in desk.paths.get(session_id, ())]
    except (ToolError, DamagedFile, FileNotFoundError):
        pass  # filed elsewhere by another build, perhaps
    try:
        entries = desk.workspace.by_session().get(session_id, [])
        return [(entry.path, desk.workspace.read_raw(entry.path)) for entry in entries]
    except (ToolError, DamagedFile, FileNotFoundError):
        return []


def memo_stamps(parts: Sequence[Session], fingerprint: str) -> list[Stamp]:
    """What the memo of each part of a session is made from; the first one's, of a session in parts, from all."""
    own = [_content(part) for part in parts]
    first = [*own[0], *(text for part in own[1:] for text in part)] if own else []
    return [Stamp.of(first if number == 0 else content, fingerprint) for number, content in enumerate(own)]


def _content(session: Session) -> list[str]:
    said = [f"{message.speaker} {message.kind} {message.sha256}" for message in session.messages]
    return [session.title or "", session.started or "", *said]
