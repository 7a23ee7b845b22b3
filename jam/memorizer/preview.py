"""What a build would read, and what it would cost, without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.errors import HistoryError
from jam.history.reading import read_history
from jam.history.report import ReadReport
from jam.index.embedder import static_embedder
from jam.memorizer.progress import Progress, Silent
from jam.session import Attachment, Session, bytes_digest


@dataclass(frozen=True, slots=True)
class Preview:
    """A history, read but not kept."""

    history: ReadReport
    sessions: int
    messages: int
    text_tokens: int
    """All text, in tokens of the shipped tokenizer."""
    model_calls: int
    """Calls of a language model that the build would make; the extractive engine makes none."""
    model_tokens: int

    def to_dict(self) -> dict[str, Any]:
        """The preview as JSON values."""
        counts = {
            name: getattr(self, name) for name in ("sessions", "messages", "text_tokens", "model_calls", "model_tokens")
        }
        return {"dry_run": True, **counts, "history": self.history.to_dict()}


def preview(history: str | Path, progress: Progress | None = None) -> Preview:
    """Reads a whole history and keeps nothing. Raises `HistoryError` where there is nothing to read."""
    source = Path(history).expanduser()
    if not source.exists():
        raise HistoryError(f"there is no file or folder {source}; give the path of a history")
    progress = progress or Silent()
    reading = read_history(source.resolve(), _measured, progress=lambda done, total, _: progress.advance(done, total))
    progress.stage("reading", len(reading.files))
    ids: set[str] = set()
    messages = tokens = 0
    for _, session in reading:
        ids.add(session.id)
        messages += len(session.messages)
        tokens += _tokens(session)
    return Preview(reading.report, len(ids), messages, tokens, model_calls=0, model_tokens=0)


def _tokens(session: Session) -> int:
    texts: Sequence[str] = [message.text for message in session.messages]
    return sum(static_embedder().count_tokens(texts))


def _measured(payload: bytes, media_type: str, name: str | None) -> Attachment:
    return Attachment(bytes_digest(payload), media_type, len(payload), name)
