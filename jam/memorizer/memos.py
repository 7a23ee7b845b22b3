"""Raw files → memos beside them. A memo whose inputs are the same, or that a person edited, is left as it is.

The work is done session by session, side by side where a model does it, and without the lease then: what is done is
written in between. A session in parts gets a memo for each, and beside the first part one for the whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from jam.echo import own_words
from jam.errors import DamagedFile, ModelError, ToolError
from jam.jobs import MemoWriter
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.memorizer.progress import Progress
from jam.memorizer.upgrades import Content, Stamp, is_due
from jam.models.parallel import Done, side_by_side
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import memo_path, parent
from jam.workspace.memo_file import MemoFile, encode_memo
from jam.workspace.raw_file import RawFile
from jam.workspace.store import Workspace

_GONE = (ToolError, DamagedFile, FileNotFoundError)
_FLUSH_SECONDS = 5.0
_FLUSH_SESSIONS = 16


class Pausable(Protocol):
    """A lease that can be given back for a while."""

    def paused(self) -> AbstractContextManager[None]: ...

    def held(self) -> AbstractContextManager[None]: ...


class _Count:
    """How many raw files are done, of all; told to the progress."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._lock = threading.Lock()
        progress.stage("memos", total)

    def add(self, number: int) -> None:
        """So many more are done."""
        with self._lock:
            self._done += number
            self._progress.advance(self._done, self._total)


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
    count = _Count(progress, sum(map(len, desk.paths.values())))
    count.add(sum(len(desk.paths[session_id]) for session_id in set(desk.paths) - set(due)))
    done = MemosDone()
    if workers:
        with lease.paused():
            _write_side_by_side(desk, due, writer, count, lease, done, workers, refresh)
        desk.renew()
        for session_id in set(due) & set(desk.paths) - set(done.failed):
            if _due(desk, session_id, writer, refresh):
                done.failed[session_id] = "another build changed its files meanwhile"
    else:
        for session_id in due:
            made = _session_memos(desk, session_id, writer, refresh, count)
            _write(desk.workspace, made, session_id, writer, done)
    for folder in sorted({parent(path) for i in due for path in desk.paths.get(i, ())}) if done.written else ():
        files.sync_folder(desk.workspace.root / folder)
    return done


def _write_side_by_side(
    desk: Desk,
    due: Sequence[str],
    writer: MemoWriter,
    count: _Count,
    lease: Pausable,
    done: MemosDone,
    workers: int,
    refresh: bool,
) -> None:
    """Makes memos without the lease, and takes it for the moment of writing some of them."""
    held: list[Done[str, _Made]] = []
    since = time.monotonic()
    for result in side_by_side(due, lambda i: _session_memos(desk, i, writer, refresh, count), workers):
        if result.error is not None:
            raise result.error
        held.append(result)
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A raw file, and what its memo is made from."""

    path: str
    number: int
    stamp: Stamp


def _session_memos(desk: Desk, session_id: str, writer: MemoWriter, refresh: bool, count: _Count) -> _Made:
    """The memos of a session that are due, as far as they can be made; one raw file is in memory at a time."""
    parts = _parts_as_they_are(desk, session_id, writer)
    made: list[_Written] = []
    whole: list[Memo] = []
    failed: ModelError | None = None
    for place, part in reversed(list(enumerate(parts))):
        existing = desk.workspace.read_memo(part.path)
        due = _memo_due(desk.workspace, part.path, part.stamp, writer, refresh)
        if not due and existing:
            whole.insert(0, existing.memo)
        try:
            memo = _memo_of(desk, part.path, writer) if due else None
            if memo:
                whole.insert(0, memo)
                if place == 0 and len(parts) > 1 and len(whole) == len(parts):
                    memo = writer.reduce(whole)
        except ModelError as error:
            failed, memo = error, None
        except _GONE:
            memo = None  # the next build sees to it
        count.add(1)
        if memo and (place or len(whole) == len(parts)):  # the memo of the whole waits for those of all parts
            made.append(_Written(part.path, replace(memo, inputs=str(part.stamp)), part.number))
    return _Made(made, failed)


def _memo_of(desk: Desk, path: str, writer: MemoWriter) -> Memo:
    return writer.write_memo(as_told(desk.workspace.skim_raw(path).session))


def _due(desk: Desk, session_id: str, writer: MemoWriter, refresh: bool) -> bool:
    raws = ((path, raw) for path in list(desk.paths.get(session_id, ())) for raw in [desk.read(path)] if raw)
    parts = _stamped(raws, writer)
    return any(_memo_due(desk.workspace, part.path, part.stamp, writer, refresh) for part in parts)


def _memo_due(workspace: Workspace, path: str, stamp: Stamp, writer: MemoWriter, refresh: bool) -> bool:
    existing = workspace.read_memo(path)
    if existing is None:
        # One that can't be read may hold what a person wrote: it is theirs to correct.
        return not (workspace.root / memo_path(path)).exists()
    if existing.edited:
        return False
    return is_due(stamp, writer.name, Stamp.parse(existing.memo.inputs), existing.memo.engine, refresh)


def _parts_as_they_are(desk: Desk, session_id: str, writer: MemoWriter) -> list[_Part]:
    """A session's raw files, read without the lease; where one is gone or damaged by now, none: the next build sees to
    it.
    """
    skim = desk.workspace.skim_raw
    try:
        return _stamped(((path, skim(path)) for path in desk.paths.get(session_id, ())), writer)
    except _GONE:
        pass  # filed elsewhere by another build, perhaps
    try:
        entries = desk.workspace.by_session().get(session_id, [])
        return _stamped(((entry.path, skim(entry.path)) for entry in entries), writer)
    except _GONE:
        return []


def _stamped(raws: Iterable[tuple[str, RawFile]], writer: MemoWriter) -> list[_Part]:
    """The raw files of a session with what their memos are made from."""
    found: list[tuple[str, int]] = []

    def sessions() -> Iterator[Session]:
        for path, raw in raws:
            found.append((path, raw.part))
            yield raw.session

    stamps = memo_stamps(sessions(), writer.fingerprint)
    return [_Part(path, number, stamp) for (path, number), stamp in zip(found, stamps, strict=True)]


def memo_stamps(parts: Iterable[Session], fingerprint: str) -> list[Stamp]:
    """What the memo of each part of a session is made from; the first one's, of a session in parts, from all."""
    every = Content()
    stamps = []
    for part in parts:
        own = _content(part)
        every.add(own)
        stamps.append(Stamp.of(own, fingerprint))
    return [every.stamp(fingerprint), *stamps[1:]] if stamps else []


def as_told(session: Session) -> Session:
    """The session as its memo is made from it: without what JAM itself gave out in it."""
    return replace(session, messages=own_words(session.messages))


def _content(session: Session) -> list[str]:
    said = [f"{message.speaker} {message.kind} {message.sha256}" for message in own_words(session.messages)]
    return [session.title or "", session.started or "", *said]
