from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jam.history.reading import HistoryReading, read_history
from jam.history.report import FileRow, ReadReport
from jam.session import Attachment, Session


class Spilled(dict[str, bytes]):
    """A spill that keeps the payloads in memory."""

    def __call__(self, payload: bytes, media_type: str, name: str | None) -> Attachment:
        digest = hashlib.sha256(payload).hexdigest()
        self[digest] = payload
        return Attachment(digest, media_type, len(payload), name)


@dataclass
class Result:
    sessions: list[Session]
    report: ReadReport
    spilled: Spilled

    @property
    def session(self) -> Session:
        assert len(self.sessions) == 1, [session.id for session in self.sessions]
        return self.sessions[0]

    @property
    def row(self) -> FileRow:
        assert len(self.report.rows) == 1
        return self.report.rows[0]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.session.messages]


def read_all(history: Path, **options: Any) -> Result:
    spilled = Spilled()
    reading: HistoryReading = read_history(history, spilled, **options)
    sessions = [session for _, session in reading]
    report = reading.report
    assert report.found == report.ingested + report.unchanged + report.skipped
    assert all(row.reason for row in report.rows if row.status == "skipped")
    report.render().encode()
    return Result(sessions, report, spilled)


@pytest.fixture
def read() -> Callable[..., Result]:
    return read_all


@pytest.fixture
def make(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Write files and give the folder that holds them."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "history"
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return folder

    return write


@pytest.fixture
def data() -> Path:
    """Real files, which are not part of the repository."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("JAM_TEST_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder} (set JAM_TEST_DATA)")
    return folder
