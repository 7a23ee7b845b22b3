"""States of LangChain and LangGraph: where in a record the messages are, which thread it belongs to, and how its states
become one conversation. Nothing here knows about files.

A thread is saved again after every step, each time with all its messages: those are taken once, in the order in which
the steps were taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jam.history.parsing.fields import as_object, first_id, first_text
from jam.history.parsing.times import iso_time
from jam.history.readers.assistants.langchain.records import form_of
from jam.session import Message

_PLACES = (
    ("messages",),
    ("channel_values", "messages"),
    ("checkpoint", "channel_values", "messages"),
    ("values", "messages"),
    ("state", "messages"),
    ("chat_memory", "messages"),
    ("chat_history",),
    ("inputs", "messages"),
    ("input", "messages"),
)
_ANSWERS = (("outputs", "messages"), ("output", "messages"), ("outputs", "generations"))
_THREAD = ("thread_id", "session_id", "conversation_id")
_CHECKPOINT = frozenset({"channel_values", "checkpoint", "values"})
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The messages that a record holds, unread."""

    messages: list[Any]
    thread: str | None = None
    """The thread that it belongs to, where it says so."""
    saved: str | None = None
    """When the state was saved."""
    step: int | None = None
    part: str | None = None
    """The part of a graph that it is the state of, where it isn't the whole."""
    checkpoint: bool = False
    """Whether it is one of several states of a thread, rather than a conversation."""
    title: str | None = None


def state_of(row: Any) -> State | None:
    """What a record holds; `None` where there are no messages in it."""
    if isinstance(row, list):
        messages = _flat(row)
        return State(messages) if any(map(form_of, messages)) else None
    if not isinstance(row, dict):
        return None
    found = next(filter(None, (_messages_at(row, place) for place in _PLACES)), [])
    answers = [message for place in _ANSWERS for message in _messages_at(row, place)]
    if not found and not answers:
        return None
    config = as_object(as_object(row.get("config")).get("configurable"))
    metadata = as_object(row.get("metadata")) or as_object(as_object(row.get("extra")).get("metadata"))
    inner = as_object(row.get("checkpoint"))
    checkpoint = bool(_CHECKPOINT & row.keys())
    named = () if checkpoint else ("id", "uuid")
    run = "run_type" in row  # a traced run's session is the project that it was traced in
    own = row if not run else {key: value for key, value in row.items() if key != "session_id"}
    step = metadata.get("step")
    return State(
        messages=[*found, *answers],
        thread=first_id(config, *_THREAD) or first_id(metadata, *_THREAD) or first_id(own, *_THREAD, *named),
        saved=next(filter(None, (iso_time(v) for v in (row.get("created_at"), row.get("ts"), inner.get("ts")))), None),
        step=step if isinstance(step, int) and not isinstance(step, bool) else None,
        part=first_text(config, "checkpoint_ns") or first_text(own, "checkpoint_ns"),
        checkpoint=checkpoint,
        title=first_text(row, "title"),
    )


def _messages_at(row: Mapping[str, Any], place: tuple[str, ...]) -> list[Any]:
    """The messages in this place; none where what lies there are no messages."""
    value: Any = row
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    messages = _flat(value) if isinstance(value, list) else []
    return messages if any(map(form_of, messages)) else []


def _flat(values: list[Any]) -> list[Any]:
    """Messages in batches, and those that a model generated, as one list."""
    flat: list[Any] = []
    for value in values:
        for inner in value if isinstance(value, list) else (value,):
            wrapped = isinstance(inner, dict) and form_of(inner) is None and form_of(inner.get("message"))
            flat.append(inner["message"] if wrapped else inner)
    return flat


@dataclass(slots=True)
class Thread:
    """A conversation, as its states come in."""

    id: str
    title: str | None = None
    saved: str | None = None
    _messages: dict[_Key, Message] = field(default_factory=dict)
    _states: list[tuple[bool, str, int, int, list[_Key]]] = field(default_factory=list)
    repeated: int = 0

    def add(self, state: State, messages: list[Message]) -> None:
        """Take a state in: what is known already is not kept twice."""
        seen: Counter[_Key] = Counter()
        keys: list[_Key] = []
        for message in messages:
            key = (message.id, message.text) if message.id else ("", message.role, message.kind, message.text)
            seen[key] += 1
            key = (*key, str(seen[key]))
            self.repeated += key in self._messages
            self._messages.setdefault(key, replace(message, thread=state.part))
            keys.append(key)
        order = len(self._states)
        step = order if state.step is None else state.step
        self._states.append((state.part is not None, state.saved or "", step, order, keys))
        self.title = self.title or state.title
        self.saved = max(self.saved or "", state.saved or "") or None

    def messages(self) -> Iterator[Message]:
        """All messages, each once: the graph's own first, then those of its parts."""
        states = self._states
        if all(saved for _, saved, *_ in states) or not any(saved for _, saved, *_ in states):
            states = sorted(states)
        given: set[_Key] = set()
        ids: Counter[str] = Counter()
        for *_, keys in states:
            for key in keys:
                if key not in given:
                    given.add(key)
                    yield _with_own_id(self._messages[key], ids)


def _with_own_id(message: Message, ids: Counter[str]) -> Message:
    """The message; numbered where another text came under its id before."""
    if message.id is None:
        return message
    ids[message.id] += 1
    count = ids[message.id]
    return message if count == 1 else replace(message, id=f"{message.id}~{count}")
