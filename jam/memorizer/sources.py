"""The source files of a history: which of those that were read are gone, under which new name one came back, and which
are there twice.

A session that only its file's name identifies would be taken for a new one under another name. It is the same if it
says the same, and its old file is gone; then it takes the new name. What is gone without coming back is only told of.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from jam.history.report import ReadReport
from jam.history.source import SourceFile
from jam.memorizer.desk import Desk
from jam.memorizer.ledger import Ledger
from jam.memorizer.spool import Reading
from jam.session import Session
from jam.workspace import files
from jam.workspace.layout import INBOX, memo_path
from jam.workspace.memo_file import encode_memo
from jam.workspace.names import encode_id
from jam.workspace.raw_file import Kept

_log = logging.getLogger(__name__)
HISTORY = "history"
"""In the meta of a session that its file's name identifies: the name of the history that it is from."""
_MOST_ALIKE = 0.5
"""A history is another one under a new name if it has this share of its files, by name and size."""
_CHUNK = 1_048_576

Write = Callable[[Session, Iterable[Kept]], None]


def adopt(
    desk: Desk, ledger: Ledger, history: Path, name: str, found: Sequence[SourceFile], write: Write
) -> Path | None:
    """Takes over what is known of a history that has another path now, and is gone at its old one. Returns that one."""
    if str(history) in ledger.histories:
        return None
    sizes = {file.name: file.size for file in found}
    shares = {
        old: sum(sizes.get(each) == entry.size for each, entry in rows.items()) / len(rows)
        for old, rows in ledger.histories.items()
        if rows and not Path(old).exists()
    }
    best = max(shares, key=lambda old: (shares[old], old), default="")
    if not best or shares[best] < _MOST_ALIKE:
        return None
    sessions = {i for entry in ledger.histories[best].values() for i in entry.sessions}
    ledger.histories[str(history)] = ledger.histories.pop(best)
    for session_id in sorted(sessions & desk.fronts.keys()):
        front = desk.fronts[session_id]
        known = desk.known(session_id) if front.meta.get(HISTORY, name) != name else None
        if known is not None:
            write(replace(front, meta={**front.meta, HISTORY: name}), map(known.get, range(len(known.signs))))
    return Path(best)


class Sources:
    """The files of one history, as they are now."""

    def __init__(self, desk: Desk, found: Sequence[SourceFile], report: ReadReport) -> None:
        self.desk = desk
        self._files = {file.name: file for file in found}
        self._report = report
        self._doubles: dict[str, str | None] = {}
        self.renamed: dict[str, str] = {}
        """Sessions whose file has a new name: old id → new id."""

    def is_gone(self, origin: str) -> bool:
        """Whether a file was there once, and isn't now."""
        if origin in self._files:
            return False
        return not any(origin == name or origin.startswith(f"{name}/") for name in self._refused)

    @cached_property
    def _refused(self) -> list[str]:
        """Files and folders that are there, and can't be read: the report begins with them."""
        return [row.name.rstrip("/") for row in self._report.rows if row.name not in self._files]

    def double_of(self, name: str) -> str | None:
        """The file outside an archive that is byte for byte the one of this name in it; `None` where there is none."""
        if name not in self._doubles:
            file = self._files.get(name)
            twin = self._files.get(_unpacked(file)) if file else None
            self._doubles[name] = twin.name if file and twin and _equal(file, twin) else None
        return self._doubles[name]

    def take_over(self, reading: Reading, write: Write) -> bool:
        """Gives a session that was read under a new name the place of the one that it was; false where it is new."""
        session = reading.session
        old = self._same(reading) if HISTORY in session.meta else None
        if old is None:
            return False
        front = self.desk.fronts[old]
        self.desk.paths[session.id] = self.desk.paths.pop(old)
        self.desk.counts[session.id] = self.desk.counts.pop(old, 0)
        self.desk.fronts[session.id] = self.desk.fronts.pop(old)
        write(replace(session, title=session.title or front.title), reading.all())
        self._tell_memos(session.id)
        self.desk.move(session.id, INBOX, encode_id(session.id))  # it may belong into another folder now
        self.renamed[old] = session.id
        _log.info("%s is %s now", old, session.id)
        return True

    def gone(self, ledger: Ledger, history: Path) -> list[str]:
        """The files that are gone and have left sessions which no other file holds; forgets those that left none."""
        rows = ledger.histories.get(str(history), {})
        left = {name for name in rows if self.is_gone(name)}
        held = {i for name, entry in rows.items() if name not in left for i in entry.sessions}
        missed = {name for name in left if any(i in self.desk.paths and i not in held for i in rows[name].sessions)}
        for name in left - missed:
            del rows[name]
        return sorted(missed)

    def _same(self, reading: Reading) -> str | None:
        """The session of a file that is gone, or is the same file in an archive, which says what was read."""
        candidates = self._candidates(reading)
        keys = [key for key, _ in reading.signs()] if candidates else []
        for session_id in candidates:
            known = self.desk.known(session_id)
            there = [key for key, _ in known.signs] if known else []
            grown = reading.session.kind == "conversation"
            if there and (keys[: len(there)] if grown else keys) == there:
                return session_id
        return None

    def _candidates(self, reading: Reading) -> list[str]:
        """Those that it may be; first those of the same file name."""
        session, count = reading.session, len(reading)
        own = PurePosixPath(session.origin).name
        found = [
            (PurePosixPath(front.origin).name != own, session_id)
            for session_id, front in self.desk.fronts.items()
            if (front.format, front.kind) == (session.format, session.kind)
            and front.meta.get(HISTORY) == session.meta[HISTORY]
            and 0 < self.desk.count(session_id) <= count
            and (self.is_gone(front.origin) or self.double_of(front.origin) == session.origin)
        ]
        return [session_id for _, session_id in sorted(found)]

    def _tell_memos(self, session_id: str) -> None:
        """Tells the memos of a session its new name, but for those that are a person's."""
        for path in self.desk.paths[session_id]:
            memo = self.desk.workspace.read_memo(path)
            if memo and not memo.edited:
                data = encode_memo(replace(memo, session_id=session_id))
                files.write_atomic(self.desk.workspace.root / memo_path(path), data, sync=False)


def _unpacked(file: SourceFile) -> str:
    """The name that a file of an archive has where the archive was unpacked beside itself."""
    if file.archive is None or file.member is None:
        return ""
    packed = file.name.removesuffix(f"/{file.member}")
    return f"{packed.removesuffix('.zip')}/{file.member}" if packed.endswith(".zip") else ""


def _equal(one: SourceFile, other: SourceFile) -> bool:
    if one.size != other.size:
        return False
    try:
        with one.open() as left, other.open() as right:
            while chunk := left.read(_CHUNK):
                if chunk != right.read(len(chunk)):
                    return False
            return not right.read(1)
    except OSError:
        return False
