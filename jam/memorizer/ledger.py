"""Which source files have been read, and in what state: what need not be read again.

Derived data (`.jam/ledger.json`). Without it every file is read once more, and nothing changes in the tree.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from jam.history.reader import SourceFile
from jam.workspace import files

_log = logging.getLogger(__name__)
_VERSION = 2
_SETTLED_NS = 2_000_000_000
"""A file changed this shortly before it was read may change again without a new time stamp; it is read again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A source file as it was when it was read."""

    size: int
    mtime_ns: int
    read_ns: int
    sessions: dict[str, int]
    """Session id → how many messages it had in the tree once this file was taken in."""
    attachments: tuple[str, ...]
    """Digests of the payloads that were spilled."""
    complete: bool
    """Every record was taken in; a file with skipped records is read again, so that they are reported again."""


@dataclass
class Ledger:
    """The entries of all histories that this workspace was built from: history path → file name → entry."""

    path: Path
    histories: dict[str, dict[str, Entry]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Ledger:
        """The ledger at `path`; an empty one where there is none, or none that can be read."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data.get("version") != _VERSION:
                return cls(path)
            return cls(
                path, {h: {name: _entry(e) for name, e in rows.items()} for h, rows in data["histories"].items()}
            )
        except FileNotFoundError:
            return cls(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s is damaged and is made anew: %s", path, error)
            return cls(path)

    def save(self) -> None:
        data = {
            "version": _VERSION,
            "histories": {
                h: {name: asdict(entry) for name, entry in rows.items()} for h, rows in self.histories.items()
            },
        }
        files.write_atomic(self.path, json.dumps(data, ensure_ascii=True).encode())

    def unchanged(self, history: Path, file: SourceFile) -> Entry | None:
        """The file's entry if the file is still as it was read, completely, last time."""
        entry = self.histories.get(str(history), {}).get(file.name)
        if entry is None or not entry.complete or entry.size != file.size:
            return None
        try:
            mtime_ns = file.path.stat().st_mtime_ns
        except OSError:
            return None
        settled = entry.read_ns - mtime_ns > _SETTLED_NS
        return entry if settled and mtime_ns == entry.mtime_ns else None

    def note(self, history: Path, name: str, entry: Entry) -> None:
        """Remembers a file. Called once its sessions are durably on disk."""
        self.histories.setdefault(str(history), {})[name] = entry

    def holding(self, history: Path, sessions: set[str]) -> list[str]:
        """The remembered files that gave any of these sessions."""
        rows = self.histories.get(str(history), {})
        return [name for name, entry in rows.items() if not sessions.isdisjoint(entry.sessions)]

    def recount(self, history: Path, name: str, count: Callable[[str], int]) -> None:
        """Brings the counts of a remembered file's sessions up to date."""
        rows = self.histories.get(str(history), {})
        if name in rows:
            rows[name] = replace(rows[name], sessions={i: count(i) for i in rows[name].sessions})

    def forget(self, gone: Callable[[str], bool]) -> None:
        """Forgets the files of sessions that are gone, so that they are read again."""
        for rows in self.histories.values():
            for name in [name for name, entry in rows.items() if any(map(gone, entry.sessions))]:
                del rows[name]


def stamp(file: SourceFile) -> tuple[int, int, int]:
    """Size, time of change and time of looking, taken before the file is read; of a file in an archive the archive's
    time."""
    status = file.path.stat()
    return file.size if file.archive else status.st_size, status.st_mtime_ns, time.time_ns()


def _entry(data: dict[str, Any]) -> Entry:
    return Entry(**{**data, "sessions": dict(data["sessions"]), "attachments": tuple(data["attachments"])})
