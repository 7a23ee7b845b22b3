"""History → raw files. When this is done every session is durably on disk; no engine has been asked anything yet.

However long a session is, only some of its messages are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from jam.history.reader import SourceFile
from jam.history.reading import HistoryReading, read_history
from jam.history.report import FileRow, ReadReport
from jam.index.embedder import static_embedder
from jam.memorizer.desk import Desk
from jam.memorizer.ledger import Entry, Ledger, stamp
from jam.memorizer.lineage import Lineage
from jam.memorizer.merge import merged_front, merged_order, put_together, standing
from jam.memorizer.parts import in_parts
from jam.memorizer.progress import BYTES, Progress
from jam.memorizer.redaction import as_stored
from jam.memorizer.rereading import Rereading
from jam.memorizer.sources import HISTORY, Sources, adopt
from jam.memorizer.spool import Assembly, Reading
from jam.secrets import Redactor, redact_id
from jam.session import Message, Session
from jam.workspace.raw_file import Kept


@dataclass
class Ingested:
    """What reading a history did to the raw files."""

    report: ReadReport
    new: set[str] = field(default_factory=set)
    grown: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    """Source files that are no longer there; what was read of them stays."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Sessions whose file has another name now: old id → new id."""


class Ingest:
    """One reading of one history into one workspace."""

    def __init__(self, desk: Desk, ledger: Ledger, history: Path, progress: Progress, redact: bool = True) -> None:
        self.desk = desk
        self.ledger = ledger
        self.history = history
        self.progress = progress
        self.redact = redact
        self._assembly = Assembly(desk.workspace.derived)
        self._lineage = Lineage(desk)
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._sessions: dict[str, list[str]] = {}
        self._attachments: dict[str, set[str]] = {}
        self.name = history.name if history.is_dir() else history.parent.name

    def run(self) -> Ingested:
        reading = read_history(
            self.history,
            self.desk.workspace.attachments.spill,
            unchanged=self._unchanged,
            redact=Redactor() if self.redact else None,
            progress=self._file_done,
            watch=self.progress.advance,
        )
        self._done = Ingested(reading.report)
        self._sources = Sources(self.desk, reading.files, reading.report)
        self._rereading = Rereading(self.desk, self._sources.is_gone)
        adopt(self.desk, self.ledger, self.history, self.name, reading.files, self._write)
        try:
            for row, session in self._read(reading):
                self._take(row, session)
        finally:
            self._assembly.close()
        self._settle()
        self._drop_vanished(self._done)
        self._done.renamed = self._sources.renamed
        self._done.gone = self._sources.gone(self.ledger, self.history)
        return self._done

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

    def _take(self, row: FileRow, read: Session) -> None:
        """One session read: merged with what is known of it, unless more of it may follow."""
        session = self._under_its_id(self._apart(row, read))
        double = self._sources.double_of(row.name) if HISTORY in session.meta else None
        if double:
            row.note = row.note or f"the same file as {double}"
            return
        self._sessions.setdefault(row.name, []).append(session.id)
        wait = self._rereading.concerns(session)
        reading = self._assembly.take(session, lambda message: self._keep(row, message), wait)
        if reading:
            self._merge(reading)

    def _under_its_id(self, session: Session) -> Session:
        """With redaction off, a session that was kept under an id without its secret is still that session."""
        clean = session.id if self.redact or session.id in self.desk.paths else redact_id(session.id)
        return session if clean == session.id or clean not in self.desk.paths else replace(session, id=clean)

    def _keep(self, row: FileRow, message: Message) -> Kept:
        """The message as it will stand in a raw file, what lies outside it on disk already."""
        kept = Kept.of(message)
        if kept.spilled:
            self.desk.workspace.attachments.keep_text(message.text)
        outside = {file.sha256 for file in message.attachments} | ({kept.sha256} if kept.spilled else set())
        self._attachments.setdefault(row.name, set()).update(outside)
        return kept

    def _merge(self, reading: Reading) -> None:
        """A session that was read whole: written, if that changes anything."""
        reading = self._lineage.own(reading)
        session, known = reading.session, self.desk.known(reading.session.id)
        if known is None or known.session is None:
            if len(reading) and not self._sources.take_over(reading, self._write):
                self._write(session, reading.all())
                self._done.new.add(session.id)
            return
        if not self.redact:
            as_stored(reading, known, self.desk.workspace)
            session = reading.session
        replaced = session.kind == "document"
        there = self._as_found(known.session, session)
        how = standing(there, session, known.reach, reading.reach)
        merged = merged_order(known.signs, reading.signs(), known.traits, reading.traits, how, replaced)
        front = merged_front(there, session, how)
        same = replace(known.session, messages=()) == front
        if same and not merged.changes(len(known.signs)):
            return
        keep, messages = known.settled(merged.settled) if same else (0, 0)
        self._write(front, put_together(merged, messages, known.get, reading.get), keep, messages)
        (self._done.grown if session.id not in self._done.new else self._done.new).add(session.id)

    def _as_found(self, known: Session, read: Session) -> Session:
        """The session in the tree; where the file that it is from is gone, it is from the one that was read."""
        rows = self.ledger.histories.get(str(self.history), {})
        moved = known.origin in rows and self._sources.is_gone(known.origin)
        return replace(known, origin=read.origin) if moved else known

    def _write(self, session: Session, messages: Iterable[Kept], keep: int = 0, first: int = 0) -> None:
        limit = self.desk.workspace.settings.part_tokens
        parts = in_parts(session, messages, limit, static_embedder().count_tokens, keep + 1, first)
        self.desk.write(session, parts, keep, first)
        self._rereading.note(session)

    def _apart(self, row: FileRow, session: Session) -> Session:
        """A session that only its file's name identifies is kept apart from one of that name in another history.

        The tree itself says which history it is from: by the name of its folder.
        """
        if session.id != row.name and not session.id.startswith(f"{row.name}#"):
            return session
        session = replace(session, meta={**session.meta, HISTORY: self.name})
        known = self.desk.fronts.get(session.id)
        if known is None or known.meta.get(HISTORY, self.name) == self.name:
            return session
        return replace(session, id=f"{self.name}/{session.id}")

    def _file_done(self, done: int, total: int, row: FileRow) -> None:
        """The file is read: what came in parts is written, and the file is remembered."""
        for reading in self._rereading.settle(self._assembly.waiting(), self._write):
            self._merge(reading)
        self._assembly.close()
        if row.status == "ingested" and row.name in self._stamps:
            size, mtime_ns, read_ns = self._stamps[row.name]
            sessions = {i: self.desk.count(i) for i in self._sessions.get(row.name, ())}
            spilled = tuple(sorted(self._attachments.get(row.name, ())))
            entry = Entry(size, mtime_ns, read_ns, sessions, spilled, not row.skipped_count)
            self.ledger.note(self.history, row.name, entry)

    def _settle(self) -> None:
        """Sessions that go on from others keep only what is new; the ledger has the counts as they are then."""
        reread = self._rereading
        changed = self._lineage.settle(self._write) | reread.changed | reread.removed
        self._done.grown |= reread.changed - self._done.new
        self._done.removed |= reread.removed
        self._done.new &= set(self.desk.paths)
        for name in self.ledger.holding(self.history, changed):
            self.ledger.recount(self.history, name, self.desk.count)

    def _drop_vanished(self, done: Ingested) -> None:
        """A document read anew that has fewer parts than before: the parts that are no longer in it go."""
        read = {row.name for row in done.report.rows if row.status == "ingested" and not row.skipped_count}
        current = {session_id for name in read for session_id in self._sessions.get(name, ())}
        for session_id, front in list(self.desk.fronts.items()):
            own = front.kind == "document" and front.origin in read and front.meta.get(HISTORY) == self.name
            if own and session_id not in current:
                self.desk.remove(session_id)
                done.removed.add(session_id)
