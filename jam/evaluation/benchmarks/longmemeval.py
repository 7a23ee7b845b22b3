"""LongMemEval's questions, each asked of its own haystack, and their gold turns and sessions.

The haystacks are read by the history reader of that name, which does not see the marks on the gold turns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jam.evaluation.benchmarks.question import Benchmark, BenchQuestion, Published, message_name
from jam.evaluation.benchmarks.records import Record, read_records
from jam.history.parsing.times import iso_time
from jam.history.readers.benchmarks.rows import free_name, own_id

_UNANSWERABLE = "_abs"
"""What the ids of questions end with whose haystack doesn't hold the answer."""
_WHOLE = "published by others; 470 of all 500 questions"
PUBLISHED = (
    Published(f"BM25 ({_WHOLE})", {"any@5": 0.862, "any@10": 0.946}),
    Published(f"BM25 + MiniLM ({_WHOLE})", {"any@5": 0.952, "any@10": 0.986}),
)


def load_longmemeval(path: Path) -> Benchmark:
    """All questions of the file. Raises `HistoryError` where it is not LongMemEval's."""
    taken: set[str] = set()
    records = read_records(path, "LongMemEval", "question", "haystack_sessions")
    questions = tuple(_question(record, number, taken) for number, record in enumerate(records, 1))
    return Benchmark("longmemeval", path, questions, published=PUBLISHED)


def _question(record: Record, number: int, taken: set[str]) -> BenchQuestion:
    own = own_id(record.value.get("question_id"))
    name = free_name(own or f"{record.path.name}#{record.number}", taken)
    gold, kept = _haystack(record, name)
    named = [str(value) for value in record.items("answer_session_ids")]
    return BenchQuestion(
        conversation=name,
        number=number,
        text=record.text("question"),
        category=str(record.value.get("question_type") or "other"),
        answer=record.answer(),
        answerable=not (own or "").endswith(_UNANSWERABLE),
        gold=tuple(gold),
        gold_sessions=tuple(dict.fromkeys(f"{name}/{value}" for value in named if f"{name}/{value}" in kept)),
        broken=tuple(value for value in named if f"{name}/{value}" not in kept),
        asked_at=iso_time(record.value.get("question_date")),
    )


def _haystack(record: Record, name: str) -> tuple[list[str], set[str]]:
    """The names of the gold turns and the ids of all sessions, as the reader gives them out.

    Empty turns and empty sessions are none; a session that stands there twice counts once.
    """
    ids, dates = record.items("haystack_session_ids"), record.items("haystack_dates")
    gold: list[str] = []
    names: set[str] = set()
    seen: set[tuple[str, str]] = set()
    for place, turns in enumerate(record.items("haystack_sessions")):
        spoken = [turn for turn in turns if _speaks(turn)] if isinstance(turns, list) else []
        own = own_id(ids[place] if place < len(ids) else None) or str(place + 1)
        said = [(turn.get("role"), turn["content"]) for turn in spoken]
        mark = (own, json.dumps([dates[place] if place < len(dates) else None, said]))
        if not spoken or mark in seen:
            continue
        seen.add(mark)
        session = f"{name}/{free_name(own, names)}"
        gold += [message_name(session, number) for number, turn in enumerate(spoken, 1) if turn.get("has_answer")]
    return gold, {f"{name}/{own}" for own in names}


def _speaks(turn: Any) -> bool:
    """Whether a turn is a message: it has a text, or a number in the place of one."""
    if not isinstance(turn, dict):
        return False
    content = turn.get("content")
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list | int | float) and content != []
