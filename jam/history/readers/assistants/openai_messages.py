"""Conversations as chat APIs take them: `messages` with `role` and `content`.

Four shapes: `{"messages": […]}`, a list of those, a bare list of messages, and JSON lines with either a session or a
message a line. Ids, times and titles are used where a source adds them; none is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.jsontext import kind_name, read_json, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.openai_records import (
    ROLES,
    first_id,
    first_text,
    first_time,
    is_message,
    read_message,
    session_facts,
)
from jam.session import Session, text_digest


class OpenAIMessages:
    """See the module."""

    name = "openai_messages"
    description = "OpenAI-style chats (JSON or JSON lines), recognised by messages with role and content"

    def recognises(self, file: SourceFile) -> float:
        """Sure where the first rows are sessions or messages with a known role."""
        sample = sample_json(file)
        if sample is None:
            return 0.0
        rows = sample.values
        if sample.shape == "document" and isinstance(rows[0], list):
            rows = tuple(rows[0])
        if any(_is_session(row) for row in rows[:10]):
            return 0.9
        return 0.85 if any(_is_known_message(row) for row in rows[:10]) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every session of the file; loose messages of a file make one session."""
        yield from _File(file, spill).read()


def _is_known_message(row: Any) -> bool:
    return isinstance(row, dict) and is_message(row) and row["role"] in ROLES


def _is_session(row: Any) -> bool:
    if isinstance(row, dict):
        messages = row.get("messages")
        return isinstance(messages, list) and any(_is_known_message(message) for message in messages[:10])
    return isinstance(row, list) and any(_is_known_message(message) for message in row[:10])


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.loose = Gathering(OpenAIMessages.name, file.name)
        self.ids: dict[str, list[str]] = {}
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        sample = sample_json(self.file)
        if sample is not None and sample.shape == "lines":
            for item in json_records(self.file):
                if isinstance(item, Record):
                    yield from self._row(item.value, f"line {item.number}", f"{self.file.name}#{item.number}")
                else:
                    yield item
                if self.loose.full():
                    yield from self.loose.take()
        else:
            yield from self._document(read_json(self.file))
        yield from self.loose.take()
        yield Note(ignored=self.ignored + self.loose.repeated)

    def _document(self, value: Any) -> Iterator[Session | Skipped | Note]:
        if isinstance(value, dict):
            yield from self._row(value, "record 1", self.file.name)
        elif isinstance(value, list):
            for number, row in enumerate(value, 1):
                yield from self._row(row, f"record {number}", f"{self.file.name}#{number}")
        else:
            raise UnreadableFile("no messages in it")

    def _row(self, row: Any, where: str, session_id: str) -> Iterator[Session | Skipped | Note]:
        if isinstance(row, list):
            row = {"messages": row}
        if not isinstance(row, dict):
            yield Skipped(where, f"{kind_name(row)}, not an object")
        elif isinstance(row.get("messages"), list):
            yield from self._session(row, where, session_id)
        elif is_message(row):
            skipped = self._loose_message(row, where)
            if skipped:
                yield skipped
        else:
            yield Skipped(where, "neither messages nor a role in it")

    def _session(self, row: Mapping[str, Any], where: str, otherwise: str) -> Iterator[Session | Skipped | Note]:
        gathering = Gathering(OpenAIMessages.name, self.file.name)
        session_id = self._unique(_own_id(row, self.file.name) or otherwise, row["messages"])
        if session_id is None:
            yield Note(ignored=1)
            return
        for number, message in enumerate(row["messages"], 1):
            skipped = self._add(gathering, session_id, message, f"{where}, message {number}")
            if skipped:
                yield skipped
        draft = gathering.draft(session_id)
        draft.title, draft.at = first_text(row, ("title", "name", "subject")), first_time(row)
        draft.group = self.file.folders
        draft.describe(session_facts(row))
        if not draft.messages:
            yield Skipped(where, "no messages in it")
        yield from gathering.take()
        yield Note(ignored=gathering.repeated)

    def _unique(self, session_id: str, messages: list[Any]) -> str | None:
        """The id, numbered where another row of the file has it; `None` for the very same row again."""
        try:
            digest = text_digest(repr(messages))[:16]
        except RecursionError:
            digest = ""  # its messages are skipped one by one
        earlier = self.ids.setdefault(session_id, [])
        if digest in earlier:
            return None
        earlier.append(digest)
        return session_id if len(earlier) == 1 else f"{session_id}~{len(earlier)}"

    def _loose_message(self, row: Mapping[str, Any], where: str) -> Skipped | None:
        session_id = first_id(row, ("session_id", "conversation_id", "thread_id")) or self.file.name
        draft = self.loose.draft(session_id)
        draft.group = self.file.folders
        return self._add(self.loose, session_id, row, where)

    def _add(self, gathering: Gathering, session_id: str, row: Any, where: str) -> Skipped | None:
        try:
            message = read_message(row, self.spill)
        except ValueError as error:
            return Skipped(where, str(error))
        except RecursionError:
            return Skipped(where, "nested too deeply")
        if message is None:
            self.ignored += 1
        else:
            gathering.add(session_id, message)
        return None


def _own_id(row: Mapping[str, Any], name: str) -> str | None:
    """A row's own id; a mere number, which other files have as well, is told apart by the file's name."""
    own = first_id(row, ("id", "session_id", "conversation_id", "thread_id", "uuid"))
    return f"{name}#{own}" if own is not None and own.isdecimal() and len(own) < 9 else own
