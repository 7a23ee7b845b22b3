"""Conversations as chat APIs take them: `messages` with `role` and `content`.

Four shapes: `{"messages": […]}`, a list of those (which may lie under a name such as `conversations`), a bare list of
messages, and JSON lines with either a session or a message a line. A session may also be a request and its response, as
logs and batch files have them, and a message an item of the Responses API. Ids, times and titles are used where a
source adds them; none is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.jsontext import kind_name, read_json, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.openai_messages.items import is_item
from jam.history.readers.assistants.openai_messages.logs import Exchange, exchange_of, is_said
from jam.history.readers.assistants.openai_messages.records import (
    ROLES,
    first_time,
    is_message,
    read_message,
    session_facts,
)
from jam.history.readers.assistants.rows import Ids
from jam.session import Session

_WRAPPERS = ("conversations", "chats", "sessions", "threads", "data")
_IDS = ("id", "session_id", "conversation_id", "thread_id", "uuid")


class OpenAIMessages:
    """See the module."""

    name = "openai_messages"
    description = "OpenAI-style chats (JSON or JSON lines), recognised by messages with role and content"

    def recognises(self, file: SourceFile) -> float:
        """Sure where the first rows are sessions or messages with a known role."""
        sample = sample_json(file)
        if sample is None:
            return 0.0
        rows: Sequence[Any] = sample.values
        if sample.shape == "document":
            rows = _wrapped(rows[0]) or (rows[0] if isinstance(rows[0], list) else rows)
        if any(_is_session(row) for row in rows[:10]):
            return 0.9
        return 0.85 if any(_is_known_message(row) for row in rows[:10]) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every session of the file; loose messages of a file make one session."""
        yield from _File(file, spill).read()


def _wrapped(value: Any) -> list[Any]:
    """The sessions in a document that holds them under a name of its own."""
    if not isinstance(value, dict) or _is_session(value):
        return []
    lists = (value[key] for key in _WRAPPERS if isinstance(value.get(key), list))
    return next((rows for rows in lists if any(_is_session(row) for row in rows[:10])), [])


def _is_known_message(row: Any) -> bool:
    return isinstance(row, dict) and is_message(row) and row["role"] in ROLES


def _is_session(row: Any) -> bool:
    if isinstance(row, list):
        return any(_is_known_message(message) for message in row[:10])
    exchange = exchange_of(row) if not _is_known_message(row) else None
    return exchange is not None and any(is_said(message) for message in exchange.messages[:10])


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.loose = Gathering(OpenAIMessages.name, file.name)
        self.ids = Ids(file.name)
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
        rows = _wrapped(value)
        if isinstance(value, dict) and not rows:
            yield from self._row(value, "record 1", self.file.name)
        elif isinstance(value, dict | list):
            for number, row in enumerate(rows or value, 1):
                yield from self._row(row, f"record {number}", f"{self.file.name}#{number}")
        else:
            raise UnreadableFile("no messages in it")

    def _row(self, row: Any, where: str, session_id: str) -> Iterator[Session | Skipped | Note]:
        if isinstance(row, list):
            row = {"messages": row}
        if not isinstance(row, dict):
            yield Skipped(where, f"{kind_name(row)}, not an object")
            return
        loose = not isinstance(row.get("messages"), list) and (is_message(row) or is_item(row))
        exchange = None if loose else exchange_of(row)
        if exchange is not None:
            yield from self._session(row, exchange, where, session_id)
        elif loose:
            skipped = self._loose_message(row, where)
            if skipped:
                yield skipped
        else:
            yield Skipped(where, "neither messages nor a role in it")

    def _session(
        self, row: Mapping[str, Any], exchange: Exchange, where: str, otherwise: str
    ) -> Iterator[Session | Skipped | Note]:
        gathering = Gathering(OpenAIMessages.name, self.file.name)
        own = self.ids.own(first_id(row, *_IDS)) or self._of_batch(row) or otherwise
        session_id = self.ids.unique(own, (exchange.messages, exchange.others))
        if session_id is None:
            yield Note(ignored=1)
            return
        for number, message in enumerate(exchange.messages, 1):
            skipped = self._add(gathering, session_id, message, f"{where}, message {number}")
            if skipped:
                yield skipped
        for number, answer in enumerate(exchange.others, 2):
            for message in answer:
                skipped = self._add(gathering, session_id, message, f"{where}, choice {number}", f"choice-{number}")
                if skipped:
                    yield skipped
        draft = gathering.draft(session_id)
        draft.title = first_text(row, "title", "name", "subject")
        draft.at = first_time(row) or first_time(exchange.facts)
        draft.group = self.file.folders
        draft.describe(session_facts(row))
        draft.describe({key: fact for key, fact in session_facts(exchange.facts).items() if key in ("model", "tools")})
        if not draft.messages:
            yield Skipped(where, "no messages in it")
        yield from gathering.take()
        yield Note(ignored=gathering.repeated)

    def _of_batch(self, row: Mapping[str, Any]) -> str | None:
        """A request's id within its batch, which other batches have as well."""
        own = first_id(row, "custom_id")
        return f"{self.file.name}#{own}" if own else None

    def _loose_message(self, row: Mapping[str, Any], where: str) -> Skipped | None:
        session_id = first_id(row, "session_id", "conversation_id", "thread_id") or self.file.name
        draft = self.loose.draft(session_id)
        draft.group = self.file.folders
        return self._add(self.loose, session_id, row, where)

    def _add(
        self, gathering: Gathering, session_id: str, row: Any, where: str, thread: str | None = None
    ) -> Skipped | None:
        try:
            message = read_message(row, self.spill)
        except ValueError as error:
            return Skipped(where, str(error))
        except RecursionError:
            return Skipped(where, "nested too deeply")
        if message is None:
            self.ignored += 1
        else:
            gathering.add(session_id, replace(message, thread=thread) if thread else message)
        return None
