"""OpenHands conversations: a list of events, one event a file, or the rows of an evaluation with a `history` each.

    [{"id", "timestamp", "source", "action" or "observation", …}]     one conversation, also as {"trajectory": […]}
    <conversation>/events/12.json, event-00012-<id>.json              one conversation, an event a file
    {"instance_id", "history": […]} a line                            a conversation a row

Old histories have neither ids nor times, and some come as pairs of an action and its observation. Of a folder with an
event a file, the last file stands for all: the others are read with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.fields import as_list, text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import BadJson, kind_name, read_json, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.openhands.folders import (
    conversation_of,
    events_beside,
    is_last_event,
    is_repeated,
    is_state,
    read_beside,
    title_beside,
)
from jam.history.readers.agents.openhands.records import is_event, read_event
from jam.session import Message, Session

_FORMAT = "openhands"
_ROW_FACTS = ("error", "issue_type", "test_result", "success", "base_commit")
_KEYS = ("trajectory", "history", "events")


class OpenHands:
    """See the module."""

    name = _FORMAT
    description = "OpenHands events (lists, events/*.json, output.jsonl), recognised by their actions and observations"

    def recognises(self, file: SourceFile) -> float:
        """Sure where the first records are events, or rows with a history of them."""
        if is_repeated(file) or is_state(file):
            return 0.95
        sample = sample_json(file)
        if sample is None:
            return 0.0
        values = sample.values
        if sample.shape == "document" and isinstance(values[0], list):
            values = tuple(values[0])
        if any(_is_row(value) for value in values[:10]):
            return 0.93
        return 0.92 if any(is_event(event) for value in values[:10] for event in _flat(value)) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every conversation of the file."""
        if is_repeated(file) or is_state(file):
            yield Note("state of an OpenHands conversation, whose events are elsewhere", companion=True)
            return
        sample = sample_json(file)
        files = events_beside(file)
        if files:
            yield from _read_folder(file, files, spill)
        elif sample is not None and sample.shape == "lines":
            yield from _read_rows(file, json_records(file), spill)
        elif sample is not None and isinstance(sample.values[0], list):
            yield from _read_rows(file, json_items(file), spill)
        else:
            yield from _read_document(file, spill)


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return any(is_event(event) for key in _KEYS for each in as_list(value.get(key))[:10] for event in _flat(each))


def _flat(value: Any) -> list[Any]:
    """An event, or the pair of an action and what came of it."""
    return value if isinstance(value, list) else [value]


class _Conversation:
    """One conversation being read."""

    def __init__(self, file: SourceFile, session_id: str, spill: Spill) -> None:
        self.gathering = Gathering(_FORMAT, file.name)
        self.draft = self.gathering.draft(session_id)
        self.draft.group = file.folders
        self.spill = spill
        self.last: Message | None = None
        self.ignored = 0

    def take(self, value: Any, where: str) -> Iterator[Skipped]:
        """An event, or a pair of them."""
        events = _flat(value)
        for number, event in enumerate(events, 1):
            place = f"{where}, part {number}" if len(events) > 1 else where
            if not isinstance(event, dict):
                yield Skipped(place, f"{kind_name(event)}, not an object")
                continue
            try:
                message = read_event(event, self.last, self.spill)
            except ValueError as error:
                yield Skipped(place, str(error))
                continue
            except RecursionError:
                yield Skipped(place, "nested too deeply")
                continue
            if message is None:
                self.ignored += 1
            else:
                self.last = message
                self.gathering.add(self.draft.id, message)

    def end(self) -> Iterator[Session | Note]:
        """What is waiting, and what was left out."""
        yield from self.gathering.take()
        yield Note(ignored=self.ignored + self.gathering.repeated)
        self.ignored = self.gathering.repeated = 0


def _read_folder(file: SourceFile, files: list[str], spill: Spill) -> Iterator[Session | Skipped | Note]:
    """All events of a folder, if this is the last of them."""
    if not is_last_event(file, files):
        yield Note("an event of a conversation that is read as a whole", companion=True)
        return
    conversation = _Conversation(file, conversation_of(file), spill)
    conversation.draft.group = file.folders[:-2]
    conversation.draft.title = title_beside(file)
    for name in files:
        try:
            value = read_beside(file, name)
        except (BadJson, UnreadableFile, OSError) as error:
            yield Skipped(name, f"can't be read: {error}")
            continue
        yield from conversation.take(value, name)
        if conversation.gathering.full():
            yield from conversation.end()
    yield from conversation.end()


def _read_rows(
    file: SourceFile, items: Iterable[Record | Item | Skipped | Note], spill: Spill
) -> Iterator[Session | Skipped | Note]:
    """Rows with a history each, or the events of one conversation."""
    loose = _Conversation(file, file.name, spill)
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Skipped | Note):
            yield item
            continue
        where = f"{'line' if isinstance(item, Record) else 'record'} {item.number}"
        history = _history(item.value)
        if history is None:
            yield from loose.take(item.value, where)
            if loose.gathering.full():
                yield from loose.end()
            continue
        named = text_field(item.value, "instance_id")
        own = named if named and named not in seen else str(item.number)
        seen.add(own)
        yield from _read_row(file, item.value, history, f"{file.name}#{own}", where, spill)
    yield from loose.end()


def _history(value: Any) -> list[Any] | None:
    """The events of a row; `None` for what is no row."""
    if not isinstance(value, dict) or is_event(value):
        return None
    return next((value[key] for key in _KEYS if isinstance(value.get(key), list)), None)


def _read_row(
    file: SourceFile, row: Mapping[str, Any], history: list[Any], session_id: str, where: str, spill: Spill
) -> Iterator[Session | Skipped | Note]:
    conversation = _Conversation(file, session_id, spill)
    issue = row.get("issue")
    title = text_field(issue, "title") if isinstance(issue, dict) else None
    conversation.draft.title = title or text_field(row, "instance_id") or text_field(row, "title")
    facts = {key: row[key] for key in _ROW_FACTS if isinstance(row.get(key), str | bool | int) and row[key] != ""}
    conversation.draft.describe({"instance_id": text_field(row, "instance_id"), **facts})
    for number, event in enumerate(history, 1):
        yield from conversation.take(event, f"{where}, message {number}")
    if not conversation.draft.messages:
        yield Skipped(where, "no messages in it")
    yield from conversation.end()


def _read_document(file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
    """One object: a row, or a single event; of a damaged one, the events that can be read."""
    try:
        value = read_json(file)
    except UnreadableFile:
        yield from _read_rows(file, json_items(file, _KEYS), spill)
        return
    history = _history(value)
    if history is None:
        yield from _read_rows(file, [Item(1, value)], spill)
    else:
        yield from _read_row(file, value, history, file.name, "record 1", spill)
