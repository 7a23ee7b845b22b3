"""History → raw files. When this is done every session is durably on disk; no engine has been asked anything yet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from jam.history.reader import SourceFile
from jam.history.reading import HistoryReading, read_history
from jam.history.report import FileRow, ReadReport
from jam.index.embedder import static_embedder
from jam.memorizer.desk import Desk
from jam.memorizer.ledger import Entry, Ledger, stamp
from jam.memorizer.merge import merge
from jam.memorizer.parts import split
from jam.memorizer.progress import BYTES, Progress
from jam.session import Session

_HISTORY = "history"
"""Where a session's meta says which history it is from."""


@dataclass
class Ingested:
    """What reading a history did to the raw files."""

    report: ReadReport
    new: set[str] = field(default_factory=set)
    grown: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)


class Ingest:
    """One reading of one history into one workspace."""

    def __init__(self, desk: Desk, ledger: Ledger, history: Path, progress: Progress) -> None:
        self.desk = desk
        self.ledger = ledger
        self.history = history
        self.progress = progress
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._sessions: dict[str, list[str]] = {}
        self._attachments: dict[str, set[str]] = {}
        self.name = history.name if history.is_dir() else history.parent.name

    def run(self) -> Ingested:
        reading = read_history(
            self.history,
            self.desk.workspace.attachments.spill,
            unchanged=self._unchanged,
            progress=self._file_done,
            watch=self.progress.advance,
        )
        done = Ingested(reading.report)
        for row, session in self._read(reading):
            self._take(row, session, done)
        self._drop_vanished(done)
        return done

    def _read(self, reading: HistoryReading):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the reading's own items
        self.progress.stage("reading", reading.bytes, BYTES)
        yield from reading

    def _unchanged(self, file: SourceFile) -> bool:
        entry = self.ledger.unchanged(self.history, file)
        if entry and self._all_there(entry):
            return True
        self._stamps[file.name] = stamp(file)
        return False

    def _all_there(self, entry: Entry) -> bool:
        """Whether the tree still holds every message and payload of a file that was read before."""
        attachments = self.desk.workspace.attachments
        return all(self.desk.count(i) >= count for i, count in entry.sessions.items()) and all(
            attachments.path(digest).is_file() for digest in entry.attachments
        )

    def _take(self, row: FileRow, read: Session, done: Ingested) -> None:
        """One session read: merged with what is known of it and written, if that changes anything."""
        session = self._apart(row, read)
        self._sessions.setdefault(row.name, []).append(session.id)
        self._attachments.setdefault(row.name, set()).update(a.sha256 for m in read.messages for a in m.attachments)
        known = self.desk.known(session.id)
        whole = merge(known, session) if known else session
        if whole == known:
            return
        self.desk.write(split(whole, self.desk.workspace.settings.part_tokens, static_embedder().count_tokens))
        (done.grown if known and session.id not in done.new else done.new).add(session.id)

    def _apart(self, row: FileRow, session: Session) -> Session:
        """A session that only its file's name identifies is kept apart from one of that name in another history.

        The tree itself says which history it is from: by the name of its folder.
        """
        if session.id != row.name and not session.id.startswith(f"{row.name}#"):
            return session
        session = replace(session, meta={**session.meta, _HISTORY: self.name})
        known = self.desk.fronts.get(session.id)
        if known is None or known.meta.get(_HISTORY, self.name) == self.name:
            return session
        return replace(session, id=f"{self.name}/{session.id}")

    def _file_done(self, done: int, total: int, row: FileRow) -> None:
        """The file's sessions are on disk: remember the file."""
        if row.status == "ingested" and row.name in self._stamps:
            size, mtime_ns, read_ns = self._stamps[row.name]
            sessions = {i: self.desk.count(i) for i in self._sessions.get(row.name, ())}
            spilled = tuple(sorted(self._attachments.get(row.name, ())))
            entry = Entry(size, mtime_ns, read_ns, sessions, spilled, not row.skipped_count)
            self.ledger.note(self.history, row.name, entry)

    def _drop_vanished(self, done: Ingested) -> None:
        """A document read anew that has fewer parts than before: the parts that are no longer in it go."""
        read = {row.name for row in done.report.rows if row.status == "ingested" and not row.skipped_count}
        current = {session_id for name in read for session_id in self._sessions.get(name, ())}
        for session_id, front in list(self.desk.fronts.items()):
            own = front.kind == "document" and front.origin in read and front.meta.get(_HISTORY) == self.name
            if own and session_id not in current:
                self.desk.remove(session_id)
                done.removed.add(session_id)
