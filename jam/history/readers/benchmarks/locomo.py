"""LoCoMo, a benchmark of long conversations: one JSON file, several pairs of friends, numbered sessions.

Questions, gold answers, and the benchmark's own summaries are no part of a history and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.jsontext import kind_name, read_json, sample_json
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Message, Session

_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"session_(\d+)_date_time")
_MARKS = frozenset({"conversation", "qa", "event_summary", "observation", "session_summary", "sample_id"})
_QUESTION = frozenset({"question", "evidence", "category"})


class Locomo:
    """See the module."""

    name = "locomo"
    description = "LoCoMo benchmark (JSON), recognised by conversation.session_1 with dia_id and speaker"

    def recognises(self, file: SourceFile) -> float:
        """Certain of the conversation itself; nearly so of what usually stands before it."""
        sample = sample_json(file)
        if sample is None:
            return 0.0
        value = sample.values[0]
        first = value[0] if isinstance(value, list) and value else value
        if not isinstance(first, dict):
            return 0.0
        if _is_conversation(_conversation(first)):
            return 0.98
        qa = first.get("qa")
        if isinstance(qa, list) and qa and isinstance(qa[0], dict) and qa[0].keys() >= _QUESTION:
            return 0.95
        return 0.9 if len(_MARKS & first.keys()) > 1 else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every session of every conversation, in the order of their numbers."""
        value = read_json(file)
        samples = value if isinstance(value, list) else [value]
        if not any(isinstance(sample, dict) and _is_conversation(_conversation(sample)) for sample in samples):
            raise UnreadableFile("no LoCoMo conversation in it")
        names: set[str] = set()
        for number, sample in enumerate(samples, 1):
            if not isinstance(sample, dict) or not _is_conversation(_conversation(sample)):
                yield Skipped(f"record {number}", "no conversation in it")
                continue
            name = _name(sample, f"{file.name}#{number}", names)
            yield from _sessions(file, name, _conversation(sample))


def _conversation(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = sample.get("conversation")
    return inner if isinstance(inner, dict) else sample


def _is_conversation(value: Mapping[str, Any]) -> bool:
    if "speaker_a" in value and any(_SESSION.match(key) for key in value):
        return True
    return any(
        isinstance(turns, list) and turns and isinstance(turns[0], dict) and "dia_id" in turns[0]
        for key, turns in value.items()
        if _SESSION.fullmatch(key)
    )


def _name(sample: Mapping[str, Any], otherwise: str, names: set[str]) -> str:
    """The conversation's own name, unless it has none or another has the same."""
    own = sample.get("sample_id")
    name = str(own) if isinstance(own, str | int) and str(own) and str(own) not in names else otherwise
    names.add(name)
    return name


def _sessions(file: SourceFile, name: str, talk: Mapping[str, Any]) -> Iterator[Session | Skipped | Note]:
    numbers = sorted({int(found[1]) for key in talk if (found := _SESSION.fullmatch(key))})
    without = [key for key in talk if (found := _DATE.fullmatch(key)) and f"session_{found[1]}" not in talk]
    if without:
        yield Note(f"{name}: {len(without)} dates without a session")
    for number in numbers:
        session_id = f"{name}/session_{number}"
        turns = talk[f"session_{number}"]
        if not isinstance(turns, list):
            yield Skipped(f"session {session_id}", f"{kind_name(turns)}, not a list")
            continue
        if not turns:
            yield Note(f"session {session_id} is empty")
            continue
        gathering = Gathering(Locomo.name, file.name)
        for place, turn in enumerate(turns, 1):
            message = _message(turn)
            if message is None:
                yield Skipped(f"session {session_id}, message {place}", "no text in it")
            else:
                gathering.add(session_id, message)
        yield from _finished(gathering, session_id, name, talk.get(f"session_{number}_date_time"))


def _finished(gathering: Gathering, session_id: str, name: str, date: object) -> Iterator[Session | Note]:
    draft = gathering.draft(session_id)
    draft.group = (name,)
    draft.at = spoken_time(date)
    if draft.at is None:
        draft.describe({"date": date})
    yield from gathering.take()
    if gathering.repeated:
        yield Note(ignored=gathering.repeated)


def spoken_time(value: object) -> str | None:
    """`1:56 pm on 8 May, 2023` as `2023-05-08T13:56:00`: no zone, since none is known."""
    if not isinstance(value, str):
        return None
    try:
        return datetime.strptime(" ".join(value.split()), "%I:%M %p on %d %B, %Y").isoformat()
    except ValueError:
        return iso_time(value)


def _message(turn: Any) -> Message | None:
    if not isinstance(turn, dict):
        return None
    said, caption = turn.get("text"), turn.get("blip_caption")
    parts = [said] if isinstance(said, str) and said else []
    if isinstance(caption, str) and caption:
        parts.append(f"[image: {caption}]")
    if not parts:
        return None
    own, speaker = turn.get("dia_id"), turn.get("speaker")
    return Message(
        role="user",
        text="\n".join(parts),
        id=own if isinstance(own, str) else None,
        speaker=speaker if isinstance(speaker, str) else None,
        meta={key: turn[key] for key in ("img_url", "query") if turn.get(key)},
    )
