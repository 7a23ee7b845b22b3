"""The records of a benchmark's file (a JSON array, one object, or JSON lines), and clear words for what is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.errors import HistoryError


@dataclass(frozen=True, slots=True)
class Record:
    """An object of the file and its place."""

    path: Path
    number: int
    """Of the record, or of the line it stands on, from 1."""
    where: str
    """The same for people: `record 3` or `line 3`."""
    value: dict[str, Any]

    def fault(self, what: str) -> HistoryError:
        """The error that says what is wrong with this record."""
        return HistoryError(f"{self.path}, {self.where}: {what}")

    def text(self, key: str) -> str:
        """A text that must be there. Raises `HistoryError`."""
        value = self.value.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(f"{key!r} must be a text, not {_shown(value)}")
        return value

    def items(self, key: str) -> list[Any]:
        """A list, empty where the key is missing or null. Raises `HistoryError`."""
        value = self.value.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.fault(f"{key!r} must be a list, not {_shown(value)}")
        return value

    def answer(self) -> str | None:
        """The gold answer as text; benchmarks have numbers too, and none."""
        value = self.value.get("answer")
        return None if value is None else str(value)


def read_records(path: Path, benchmark: str, *needed: str) -> list[Record]:
    """All records, each an object with the keys that are needed. Raises `HistoryError` naming the file and record."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise HistoryError(f"{path} can't be read as {benchmark}'s JSON: {error}") from error
    rows = _parsed(path, text, benchmark)
    if not rows:
        raise HistoryError(f"{path} has no records; {benchmark}'s file is a list of objects with {_listed(needed)}")
    records = []
    for number, where, value in rows:
        if not isinstance(value, dict) or any(key not in value for key in needed):
            raise HistoryError(
                f"{path}, {where}: not {benchmark}'s: an object with {_listed(needed)} is expected, not {_shown(value)}"
            )
        records.append(Record(path, number, where, value))
    return records


def _parsed(path: Path, text: str, benchmark: str) -> list[tuple[int, str, Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].rstrip().endswith("}"):
            raise HistoryError(f"{path} can't be read as {benchmark}'s JSON: {error}") from error
        return [(number, f"line {number}", _line(path, number, line)) for number, line in lines]
    rows = whole if isinstance(whole, list) else [whole]
    return [(number, f"record {number}", value) for number, value in enumerate(rows, 1)]


def _line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise HistoryError(f"{path}, line {number}: not JSON: {error}") from error


def _listed(keys: tuple[str, ...]) -> str:
    return " and ".join(f"`{key}`" for key in keys)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, list(value)[:5])) or 'nothing'}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
