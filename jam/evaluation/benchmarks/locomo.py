"""LoCoMo's questions and their gold messages. (Its conversations are read by the history reader of that name.)"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jam.evaluation.benchmarks.question import Benchmark, BenchQuestion, message_name
from jam.evaluation.benchmarks.records import Record, read_records
from jam.history.readers.benchmarks.rows import free_name, own_id

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "unanswerable"}
_UNANSWERABLE = 5
_SESSIONS = 30
"""Its sessions are short: so many are about as long as ten of others."""
_GOLD = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_\d+")


def load_locomo(path: Path) -> Benchmark:
    """All questions of the file. Raises `HistoryError` where it is not LoCoMo's."""
    taken: set[str] = set()
    questions = []
    for record in read_records(path, "LoCoMo", "conversation", "qa"):
        name = free_name(own_id(record.value.get("sample_id")) or f"{path.name}#{record.number}", taken)
        known = _messages(record, name)
        questions += [_question(record, name, number, item, known) for number, item in enumerate(record.items("qa"), 1)]
    return Benchmark("locomo", path, tuple(questions), sessions=_SESSIONS)


def _messages(record: Record, name: str) -> dict[str, str]:
    """The turns' own ids → the messages' names. A turn without text or caption, or said twice, is no message."""
    talk = record.value["conversation"]
    if not isinstance(talk, dict):
        raise record.fault("'conversation' must be an object")
    found: dict[str, str] = {}
    for key, turns in talk.items():
        if not _SESSION.fullmatch(key) or not isinstance(turns, list):
            continue
        said: set[tuple[str, str]] = set()
        number = 0
        for turn in turns:
            own, text = _said(turn)
            if not text or (own, text) in said:
                continue
            number += 1
            if own:
                said.add((own, text))
                found.setdefault(own, message_name(f"{name}/{key}", number))
    return found


def _said(turn: Any) -> tuple[str, str]:
    """A turn's own id and what it says; empty where it has none."""
    if not isinstance(turn, dict):
        return "", ""
    own, parts = turn.get("dia_id"), (turn.get("text"), turn.get("blip_caption"))
    return own if isinstance(own, str) else "", "\n".join(part for part in parts if isinstance(part, str) and part)


def _question(record: Record, name: str, number: int, item: Any, known: dict[str, str]) -> BenchQuestion:
    place = f"question {number}"
    if not isinstance(item, dict):
        raise record.fault(f"{place} must be an object, not {item!r}")
    category, evidence = item.get("category"), item.get("evidence") or []
    if not isinstance(category, int) or category not in CATEGORIES:
        raise record.fault(f"{place}: 'category' must be 1 to 5, not {category!r}")
    if not isinstance(item.get("question"), str) or not isinstance(evidence, list):
        raise record.fault(f"{place}: 'question' must be a text and 'evidence' a list")
    named = [str(value) for value in evidence]
    gold = tuple(dict.fromkeys(known[own] for value in named for own in _GOLD.findall(value) if own in known))
    answer = item.get("answer")
    return BenchQuestion(
        conversation=name,
        number=number,
        text=item["question"],
        category=CATEGORIES[category],
        answer=None if answer is None else str(answer),
        answerable=category != _UNANSWERABLE,
        gold=gold,
        gold_sessions=tuple(dict.fromkeys(message.rpartition("#")[0] for message in gold)),
        broken=tuple(value for value in named if not any(own in known for own in _GOLD.findall(value))),
    )
