"""The report of a reading: one row for every file found, with counts that add up.

found = ingested + unchanged + skipped. Plain data; it can be printed or written as JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from jam.history.parsing.decoding import printable
from jam.history.reader import Skipped
from jam.history.scan import Left

Status = Literal["ingested", "unchanged", "skipped"]
LISTED_RECORDS = 1_000
"""A row lists this many skipped records at most; it counts all."""


@dataclass(slots=True)
class FileRow:
    """What became of one file."""

    name: str
    """Relative to the history, with `/`."""
    status: Status = "skipped"
    format: str | None = None
    """The name of the reader."""
    sessions: int = 0
    messages: int = 0
    records_skipped: list[Skipped] = field(default_factory=list)
    """The first `LISTED_RECORDS` records that were not taken in."""
    skipped_count: int = 0
    """All of them."""
    ignored: int = 0
    """Records that are never messages."""
    unfinished: int = 0
    """Records at the file's end that are not complete yet."""
    redacted: dict[str, int] = field(default_factory=dict)
    """Secrets that were taken out of its texts, by their kind."""
    reason: str | None = None
    """Why the file was skipped."""
    note: str | None = None

    def skip_record(self, skipped: Skipped) -> None:
        """Count a record that was not taken in, and list it if there is room."""
        self.skipped_count += 1
        if len(self.records_skipped) < LISTED_RECORDS:
            self.records_skipped.append(skipped)

    def count_redacted(self, counts: Mapping[str, int]) -> None:
        """Count secrets that were taken out."""
        for kind, count in counts.items():
            self.redacted[kind] = self.redacted.get(kind, 0) + count

    def add_note(self, text: str) -> None:
        """Say one thing more about the file."""
        self.note = f"{self.note}; {text}" if self.note else text

    @property
    def left_out(self) -> bool:
        """Whether the file or something in it was not taken in."""
        return self.status == "skipped" or self.skipped_count > 0

    def render(self) -> str:
        """One line for people."""
        counts = f"{self.sessions} sessions, {self.messages} messages" if self.status == "ingested" else self.status
        parts = [
            counts,
            f"as {self.format}" if self.format else "",
            self.reason or "",
            f"{self.skipped_count} records skipped" if self.skipped_count else "",
            f"{redacted_text(self.redacted)} redacted" if self.redacted else "",
            self.note or "",
        ]
        return printable(f"{self.name}: " + "; ".join(part for part in parts if part))


@dataclass(slots=True)
class FormatCount:
    """What was read in one format."""

    files: int = 0
    sessions: int = 0
    messages: int = 0


@dataclass(slots=True)
class ReadReport:
    """What became of a history."""

    rows: list[FileRow] = field(default_factory=list)
    excluded: list[Left] = field(default_factory=list)
    """What is never history: named, but not counted as found."""

    def _count(self, status: Status) -> int:
        return sum(row.status == status for row in self.rows)

    @property
    def found(self) -> int:
        """All files and other entries found."""
        return len(self.rows)

    @property
    def ingested(self) -> int:
        """Files of which at least one session was read."""
        return self._count("ingested")

    @property
    def unchanged(self) -> int:
        """Files that were read before and are the same still."""
        return self._count("unchanged")

    @property
    def skipped(self) -> int:
        """Files that gave nothing; each row has the reason."""
        return self._count("skipped")

    @property
    def sessions(self) -> int:
        """Sessions read; one that two files hold counts in each."""
        return sum(row.sessions for row in self.rows)

    @property
    def messages(self) -> int:
        """Messages read."""
        return sum(row.messages for row in self.rows)

    @property
    def records_skipped(self) -> int:
        """Records that were not taken in, in all files."""
        return sum(row.skipped_count for row in self.rows)

    @property
    def ignored(self) -> int:
        """Records that are never messages, in all files."""
        return sum(row.ignored for row in self.rows)

    @property
    def formats(self) -> dict[str, FormatCount]:
        """What was read in each format, by its name."""
        found: dict[str, FormatCount] = {}
        for row in self.rows:
            if row.status == "ingested" and row.format:
                count = found.setdefault(row.format, FormatCount())
                count.files += 1
                count.sessions += row.sessions
                count.messages += row.messages
        return dict(sorted(found.items()))

    @property
    def redacted(self) -> dict[str, int]:
        """Secrets that were taken out, by their kind, the most frequent first."""
        total: Counter[str] = Counter()
        for row in self.rows:
            total.update(row.redacted)
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        names = ("found", "ingested", "unchanged", "skipped", "sessions", "messages", "records_skipped", "ignored")
        return {
            **{name: getattr(self, name) for name in names},
            "redacted": self.redacted,
            "formats": {name: asdict(count) for name, count in self.formats.items()},
            "rows": [asdict(row) for row in self.rows],
            "excluded": [asdict(left) for left in self.excluded],
        }

    def render(self) -> str:
        """The report for people: the counts, then every file and record that was left out."""
        lines = [
            f"{self.found} files found: {self.ingested} ingested, {self.unchanged} unchanged, {self.skipped} skipped",
            f"{self.sessions} sessions, {self.messages} messages; {self.records_skipped} records skipped, "
            f"{self.ignored} ignored",
        ]
        if self.redacted:
            lines.append(f"{redacted_text(self.redacted)} redacted")
        for name, count in self.formats.items():
            lines.append(f"  {name}: {count.files} files, {count.sessions} sessions, {count.messages} messages")
        for row in self.rows:
            if row.left_out or row.note:
                lines.append(f"  {row.render()}")
            lines += [printable(f"    {skipped.where}: {skipped.reason}") for skipped in row.records_skipped]
            if row.skipped_count > len(row.records_skipped):
                lines.append(f"    and {row.skipped_count - len(row.records_skipped)} more")
        lines += [printable(f"  left out: {left.name} ({left.reason})") for left in self.excluded]
        return "\n".join(lines)


def redacted_text(counts: Mapping[str, int]) -> str:
    """`3 secrets (2 github token, 1 password)`"""
    total = sum(counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{total} secret{'' if total == 1 else 's'} ({kinds})"
