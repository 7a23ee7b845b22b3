"""History → raw files. When this is done every session is durably on disk; no engine has been asked anything yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from jam.history.reader import Skipped, SourceFile
from jam.history.reading import HistoryReading, read_history
from jam.history.report import FileRow, ReadReport
from jam.index.embedder import static_embedder
from jam.memorizer.desk import Desk
from jam.memorizer.ledger import Entry, Ledger, stamp
from jam.memorizer.merge import merge
from jam.memorizer.parts import split
from jam.memorizer.progress import Progress
from jam.session import Session


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

    def run(self) -> Ingested:
        reading = read_history(
            self.history,
            self.desk.workspace.attachments.spill,
            unchanged=self._unchanged,
            progress=self._file_done,
        )
        done = Ingested(reading.report)
        for row, session in self._read(reading):
            self._take(row, session, done)
        self._drop_vanished(done)
        return done

    def _read(self, reading: HistoryReading):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the reading's own items
        self.progress.stage("reading", len(reading.files))
        yield from reading

    def _unchanged(self, file: SourceFile) -> bool:
        entry = self.ledger.unchanged(self.history, file)
        if entry and all(session_id in self.desk.paths for session_id in entry.sessions):
            return True
        self._stamps[file.name] = stamp(file)
        return False

    def _take(self, row: FileRow, session: Session, done: Ingested) -> None:
        """One session read: merged with what is known of it and written, if that changes anything."""
        owner = self.ledger.owner(session.id, self.history) if session.kind == "document" else None
        if owner is not None:
            reason = (
                f"a document of this name is already kept from {owner}; build this history into a workspace of its own"
            )
            row.skip_record(Skipped(f"session {session.id}", reason))
            return
        self._sessions.setdefault(row.name, []).append(session.id)
        known = self.desk.known(session.id)
        whole = merge(known, session) if known else session
        if whole == known:
            return
        self.desk.write(split(whole, self.desk.workspace.settings.part_tokens, static_embedder().count_tokens))
        (done.grown if known and session.id not in done.new else done.new).add(session.id)

    def _file_done(self, done: int, total: int, row: FileRow) -> None:
        """The file's sessions are on disk: remember the file."""
        self.progress.advance(done, total)
        if row.status == "ingested" and row.name in self._stamps:
            size, mtime_ns, read_ns = self._stamps[row.name]
            sessions = tuple(dict.fromkeys(self._sessions.get(row.name, ())))
            self.ledger.note(self.history, row.name, Entry(size, mtime_ns, read_ns, sessions, not row.skipped_count))

    def _drop_vanished(self, done: Ingested) -> None:
        """A document read anew that has fewer parts than before: the parts that are no longer in it go."""
        read = {row.name for row in done.report.rows if row.status == "ingested" and not row.skipped_count}
        current = {session_id for name in read for session_id in self._sessions.get(name, ())}
        for session_id, front in list(self.desk.fronts.items()):
            vanished = front.kind == "document" and front.origin in read and session_id not in current
            if vanished and self.ledger.owner(session_id, self.history) is None:
                self.desk.remove(session_id)
                done.removed.add(session_id)
