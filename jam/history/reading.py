"""Reading a whole history: find the files, ask who reads each, hand out its sessions, report on every file.

Nothing in one file stops the others. What is not read has its reason in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode, looks_binary
from jam.history.parsing.jsontext import BadJson, parse_json, read_whole
from jam.history.payloads import without_payloads
from jam.history.reader import Note, Part, Reader, Skipped, SourceFile, Spill
from jam.history.registry import detect, get_reader
from jam.history.report import FileRow, ReadReport
from jam.history.scan import scan
from jam.history.source import read_sample
from jam.secrets import Redactor
from jam.session import Attachment, Message, Session

Progress = Callable[[int, int, FileRow], None]
"""Told after every file: (files done, files in all, the file's row)."""
Watch = Callable[[int, int], None]
"""Told while files are read: (bytes done, bytes in all)."""


_BINARY = "binary (not a supported format)"
_UNSUPPORTED = "unsupported format"
_NO_FORMAT = (_BINARY, _UNSUPPORTED)


class _SpillFailed(Exception):
    """A payload could not be kept. That is no fault of the file, and must not pass for one."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def read_history(
    history: Path,
    spill: Spill,
    *,
    unchanged: Callable[[SourceFile], bool] | None = None,
    formats: Sequence[str] | None = None,
    redact: Redactor | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> HistoryReading:
    """Begin to read a history; iterate the result for its sessions. Raises `HistoryError` if there is nothing.

    With `redact`, sessions and payloads come without their secrets; the rows count them.
    """
    return HistoryReading(
        history, spill, unchanged=unchanged, formats=formats, redact=redact, progress=progress, watch=watch
    )


class HistoryReading:
    """A history being read. Iterate it for `(row, session)`; `report` is complete when the iteration is.

    A row is finished once the next file's first session comes, or the iteration ends. One session id may come more
    than once, from one file or from several: the parts are merged by message.
    """

    def __init__(
        self,
        history: Path,
        spill: Spill,
        *,
        unchanged: Callable[[SourceFile], bool] | None = None,
        formats: Sequence[str] | None = None,
        redact: Redactor | None = None,
        progress: Progress | None = None,
        watch: Watch | None = None,
    ) -> None:
        for name in formats or ():
            get_reader(name)  # an unknown format is the caller's mistake: say so before anything is read
        self._formats = formats
        self._unchanged = unchanged
        self._redact = redact
        self._spill = _guarded(redact.spill(spill) if redact else spill)
        self._progress = progress
        self._found = scan(history)
        self.files: tuple[SourceFile, ...] = tuple(self._found.files)
        """What will be read, in this order."""
        self.bytes = sum(file.size for file in self.files)
        """The size of all files together."""
        self._watch = watch
        self._bytes_done = 0
        self._opened_beside: set[str] = set()
        self.report = ReadReport(excluded=list(self._found.excluded))

    def __iter__(self) -> Iterator[tuple[FileRow, Session]]:
        self.report.rows = [FileRow(left.name, reason=left.reason) for left in self._found.refused]
        done = len(self.report.rows)
        total = done + len(self.files)
        for file in self.files:
            row = FileRow(file.name)
            self.report.rows.append(row)
            for session in self._sessions(self._watched(file), row):
                yield row, session
            self._bytes_done += file.size
            done += 1
            if self._progress:
                self._progress(done, total, row)
        self._settle_attachments(total)
        self.report.rows.sort(key=lambda row: row.name)

    def _settle_attachments(self, total: int) -> None:
        """A picture that was kept with the message that shows it is no loss, though no reader takes it by itself."""
        for row in self.report.rows:
            if row.reason in _NO_FORMAT and row.name in self._opened_beside:
                row.status, row.reason = "ingested", None
                row.add_note("kept with the message that names it")
                if self._progress:
                    self._progress(total, total, row)

    def _watched(self, file: SourceFile) -> SourceFile:
        """The file, telling how far its reading is; what is read twice doesn't count twice."""
        file = replace(file, opened_beside=self._opened_beside.add)
        watch = self._watch
        if watch is None:
            return file
        before, read = self._bytes_done, 0

        def passed(count: int) -> None:
            nonlocal read
            read += count
            watch(before + min(read, file.size), self.bytes)

        return replace(file, watch=passed)

    def _sessions(self, file: SourceFile, row: FileRow) -> Iterator[Session]:
        """The sessions of one file; whatever goes wrong with it ends up in its row."""
        if self._unchanged and self._unchanged(file):
            row.status = "unchanged"
            return
        try:
            yield from self._read(read_sample(file), row)
        except _SpillFailed as failure:
            raise failure.cause from None
        except UnreadableFile as error:
            _fail(row, str(error))
        except OSError as error:
            _fail(row, f"can't be read: {error.strerror or error}")
        # A file is foreign data and a reader may be a plugin: no fault in one may cost the rest of a history.
        except Exception as error:  # noqa: BLE001
            _fail(row, f"the reader failed ({type(error).__name__}: {error}); please report it")

    def _read(self, file: SourceFile, row: FileRow) -> Iterator[Session]:
        if _is_empty(file):
            row.reason = "empty"
            return
        reader = detect(file, self._formats)
        if reader is None:
            row.reason = self._why_not(file)
            return
        row.format = reader.name
        yield from self._take(reader, file, row)
        if row.status == "skipped" and row.reason is None:
            self._without_session(row)

    def _without_session(self, row: FileRow) -> None:
        """A file that was read and gave nothing. Where all its records are known never to be messages, or are still
        being written, that is no loss: a transcript that was opened and closed again."""
        if (row.ignored or row.unfinished) and not row.skipped_count:
            row.status = "ingested"
            row.add_note("no messages in it")
        else:
            row.reason = "no readable record in it" if row.skipped_count else "no messages in it"

    def _take(self, reader: Reader, file: SourceFile, row: FileRow) -> Iterator[Session]:
        """Count what a reader yields, and pass on the sessions."""
        seen: set[str] = set()
        for item in reader.read(file, self._spill):
            if isinstance(item, Skipped):
                row.skip_record(item)
            elif isinstance(item, Note):
                row.ignored += item.ignored
                row.unfinished += item.unfinished
                if item.text:
                    row.add_note(item.text)
                if item.companion:
                    row.status = "ingested"
            elif not item.messages and not isinstance(item, Part):
                row.skip_record(Skipped(f"session {item.id}", "no messages in it"))
            else:
                seen.add(item.id)
                row.status, row.sessions = "ingested", len(seen)
                row.messages += len(item.messages)
                # Under the same name: what was read is not to be held together with what is made of it.
                item = self._kept(replace(item, format=reader.name, origin=file.name))
                if self._redact:
                    item = self._redact.session(item)
                    row.count_redacted(self._redact.taken())
                yield item

    def _kept(self, session: Session) -> Session:
        """The session with its payloads spilled."""
        return replace(session, messages=tuple(map(self._kept_message, session.messages)))

    def _kept_message(self, message: Message) -> Message:
        """The message with its payloads spilled; an empty id or name is none."""
        if message.id == "" or message.speaker == "":
            message = replace(message, id=message.id or None, speaker=message.speaker or None)
        return without_payloads(message, self._spill)

    def _why_not(self, file: SourceFile) -> str:
        if looks_binary(file.sample):
            return _BINARY
        if file.suffix == ".json":
            try:
                parse_json(read_whole(file))
            except BadJson as error:
                return f"not valid JSON: {error}"
        if self._formats is not None and detect(file) is not None:
            return f"not one of the formats asked for ({', '.join(self._formats)})"
        return _UNSUPPORTED


def _is_empty(file: SourceFile) -> bool:
    if len(file.sample) < file.size:
        return False
    return not file.sample or (not looks_binary(file.sample) and not decode(file.sample).strip("\ufeff \t\r\n\f\v"))


def _fail(row: FileRow, reason: str) -> None:
    """Nothing more of this file: the file is skipped, or the rest of it where sessions came before."""
    if row.sessions:
        row.skip_record(Skipped("the rest of the file", reason))
    else:
        row.status, row.reason = "skipped", reason


def _guarded(spill: Spill) -> Spill:
    """The same, with its failures told apart from those of the file."""

    def guarded(payload: bytes, media_type: str, name: str | None) -> Attachment:
        try:
            return spill(payload, media_type, name)
        except Exception as error:
            raise _SpillFailed(error) from error

    return guarded
