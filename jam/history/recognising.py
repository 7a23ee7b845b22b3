"""Which format each file of a history has, told without reading the files whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jam.history.registry import detect
from jam.history.scan import scan
from jam.history.source import SourceFile, read_sample


@dataclass(frozen=True, slots=True)
class Recognised:
    """One file of a history."""

    file: str
    """Its path relative to the history."""
    format: str | None
    """The reader that would read it; `None` where none would."""
    reason: str | None = None
    """Why it would not even be opened."""


def recognise(history: Path) -> list[Recognised]:
    """All files of a history, by name. Raises `HistoryError` where there is nothing."""
    found = scan(history)
    files = [_recognised(file) for file in found.files]
    files += [Recognised(left.name, None, left.reason) for left in (*found.refused, *found.excluded)]
    return sorted(files, key=lambda row: row.file)


def _recognised(file: SourceFile) -> Recognised:
    try:
        reader = detect(read_sample(file))
    except OSError as error:
        return Recognised(file.name, None, f"can't be read: {error.strerror or error}")
    return Recognised(file.name, reader.name if reader else None)
