"""Two lists in Codex's home: `history.jsonl`, what the user typed in all sessions, and `session_index.jsonl`, names.

The prompts of a session whose own file is there as well are not read again.
"""

from __future__ import annotations

from collections.abc import Iterator

from jam.history.gather import Gathering
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.lines import Record, json_records
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile
from jam.history.readers.agents.codex.forks import rollout_of
from jam.session import Message, Session


def read_index(file: SourceFile) -> Iterator[Note]:
    """Nothing but names."""
    yield Note("a list of Codex sessions", companion=True)


def read_prompts(file: SourceFile) -> Iterator[Session | Skipped | Note]:
    """The prompts of sessions that are nowhere else, a session each."""
    gathering = Gathering("codex", file.name)
    elsewhere: dict[str, bool] = {}
    ignored = 0
    for line in json_records(file):
        if not isinstance(line, Record):
            yield line
            continue
        where = f"line {line.number}"
        if not isinstance(line.value, dict):
            yield Skipped(where, f"{kind_name(line.value)}, not an object")
            continue
        session, text = text_field(line.value, "session_id"), text_field(line.value, "text")
        if session is None or text is None or not text.strip():
            yield Skipped(where, "no session or no text in it")
            continue
        if session not in elsewhere:
            elsewhere[session] = rollout_of(file, session, home=".") is not None
        if elsewhere[session]:
            ignored += 1
            continue
        gathering.draft(session).group = file.folders
        gathering.add(session, Message("user", text, at=iso_time(line.value.get("ts"))))
        if gathering.full():
            yield from gathering.take()
    yield from gathering.take()
    said = "prompts of sessions whose own files are read" if any(elsewhere.values()) else ""
    yield Note(said, ignored=ignored, companion=bool(elsewhere) and all(elsewhere.values()))
