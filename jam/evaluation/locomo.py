"""LoCoMo's questions and their gold messages. (Its conversations are read by the history reader of that name.)"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.errors import HistoryError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "unanswerable"}
_GOLD = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with what should be found for it."""

    conversation: str
    number: int
    """Counts from 1 within the conversation."""
    text: str
    category: int
    answer: str | None
    gold: tuple[str, ...]
    """Ids of the gold messages that exist; the benchmark has broken ones too."""
    broken: tuple[str, ...] = ()


def load_questions(path: Path) -> list[BenchQuestion]:
    """All questions of the file. Raises `HistoryError` where the file is not LoCoMo's."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise HistoryError(f"{path} can't be read as LoCoMo's JSON: {error}") from error
    rows = data if isinstance(data, list) else [data]
    if not rows or not all(isinstance(row, dict) and "qa" in row and "conversation" in row for row in rows):
        raise HistoryError(f"{path} is not LoCoMo's JSON: a list of objects with `conversation` and `qa` is expected")
    try:
        return [question for row in rows for question in _questions(row)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HistoryError(f"{path} is not LoCoMo's JSON: {type(error).__name__}: {error}") from error


def _questions(row: dict[str, Any]) -> list[BenchQuestion]:
    turns = (turn for value in row["conversation"].values() if isinstance(value, list) for turn in value)
    known = {str(turn.get("dia_id")) for turn in turns}
    found = []
    for number, item in enumerate(row["qa"], 1):
        named = [str(value) for value in item.get("evidence") or []]
        gold = dict.fromkeys(match for value in named for match in _GOLD.findall(value) if match in known)
        broken = tuple(value for value in named if not set(_GOLD.findall(value)) & known)
        answer = item.get("answer")
        found.append(
            BenchQuestion(
                conversation=str(row.get("sample_id", "")),
                number=number,
                text=str(item["question"]),
                category=int(item["category"]),
                answer=None if answer is None else str(answer),
                gold=tuple(gold),
                broken=broken,
            )
        )
    return found
