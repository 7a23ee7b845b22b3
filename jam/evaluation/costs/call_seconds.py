"""How much of a run's time each model call took, where calls run side by side: what a stored reply stands for in time.

Every moment in which calls are under way is divided evenly among them. The shares of all calls add up to the time in
which any was, so that a run that is answered from memory can be told how long it would have taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

FILE = "seconds.jsonl"
"""Beside the stored replies: a line each with its key and its share."""


@dataclass(frozen=True, slots=True)
class Interval:
    """When a call was under way, by one clock."""

    key: str
    began: float
    ended: float


def shares(intervals: Sequence[Interval]) -> dict[str, float]:
    """The share of each call by its key, in seconds; one that was made several times has the sum."""
    moments = sorted({moment for call in intervals for moment in (call.began, call.ended)})
    found: dict[str, float] = {}
    for begin, end in pairwise(moments):
        active = [call.key for call in intervals if call.began <= begin and end <= call.ended]
        for key in active:
            found[key] = found.get(key, 0.0) + (end - begin) / len(active)
    return found


class Shares:
    """The shares of all calls that were ever made, as far as they are known."""

    def __init__(self, folder: Path | None = None) -> None:
        """With `folder`, they are kept there. Lines that can't be read are passed over."""
        self._path = folder / FILE if folder else None
        self._known: dict[str, float] = {}
        for line in _lines(self._path):
            self._read(line)

    def _read(self, line: str) -> None:
        try:
            row = json.loads(line)
            self._known[str(row["key"])] = float(row["seconds"])
        except (ValueError, TypeError, KeyError):
            return

    def note(self, found: Mapping[str, float]) -> None:
        """Remembers the shares of calls."""
        self._known.update(found)
        if self._path is None or not found:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            for key, seconds in found.items():
                file.write(json.dumps({"key": key, "seconds": round(seconds, 6)}) + "\n")

    def total(self, replies: Sequence[tuple[str, float]]) -> float:
        """The seconds that stored replies stand for, each given by its key and how long it took."""
        return sum(self._known.get(key, seconds) for key, seconds in replies)


def _lines(path: Path | None) -> list[str]:
    if path is None or not path.is_file():
        return []
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
