"""LangChain and LangGraph conversations: dumped messages, states with `messages`, checkpoints that are plain JSON.

A file holds messages (one session), lists of messages or states (a session each), or the checkpoints of threads, which
become one session a thread. Messages that only remove others are left out. No time is in most of them, none is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.jsontext import kind_name
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.langchain.records import form_of, is_dump, read_message
from jam.history.readers.assistants.langchain.states import Thread, state_of
from jam.history.readers.assistants.openai_messages import records as openai_records
from jam.history.readers.assistants.rows import Ids, Row, read_rows, sample_rows
from jam.session import Message, Session

_SPOKEN = frozenset({"human", "ai"})


class LangChain:
    """See the module."""

    name = "langchain"
    description = "LangChain and LangGraph messages (JSON or JSON lines), recognised by message classes or human and ai"

    def recognises(self, file: SourceFile) -> float:
        """Certain of dumped classes; fairly sure of messages of the types `human` and `ai`."""
        messages: list[Any] = []
        for row in sample_rows(file):
            state = None if form_of(row) else state_of(row)
            messages += state.messages[:10] if state else [row]
        if any(map(is_dump, messages)):
            return 0.96
        forms = [form for form in map(form_of, messages) if form is not None and form.type in _SPOKEN]
        if any("data" in message for message in messages if isinstance(message, dict) and form_of(message)):
            return 0.92 if forms else 0.0
        return 0.87 if forms else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """A session for each thread, list or state; loose messages of a file make one session."""
        yield from _File(file, spill).read()


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.ids = Ids(file.name)
        self.loose = Gathering(LangChain.name, file.name)
        self.threads: dict[str, Thread] = {}
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        self.loose.draft(self.file.name).group = self.file.folders
        for row in read_rows(self.file):
            if not isinstance(row, Row):
                yield row
            elif form_of(row.value) is not None:
                yield from self._loose_message(row)
            else:
                yield from self._state(row)
            if self.loose.full():
                yield from self.loose.take()
        yield from self.loose.take()
        for thread in self.threads.values():
            self.ignored += thread.repeated
            yield from self._session(thread)
        yield Note(ignored=self.ignored + self.loose.repeated)

    def _loose_message(self, row: Row) -> Iterator[Skipped]:
        for message in self._messages([row.value], lambda _: row.where):
            if isinstance(message, Skipped):
                yield message
            else:
                self.loose.add(self.file.name, message)

    def _state(self, row: Row) -> Iterator[Session | Skipped]:
        state = state_of(row.value)
        if state is None:
            known = isinstance(row.value, dict | list)
            yield Skipped(row.where, "no messages in it" if known else f"{kind_name(row.value)}, not an object")
            return
        messages: list[Message] = []
        for message in self._messages(state.messages, lambda number: f"{row.where}, message {number}"):
            if isinstance(message, Skipped):
                yield message
            else:
                messages.append(message)
        own = self.ids.own(state.thread) or (self.file.name if state.checkpoint else None)
        if own is None:
            alone = Thread(row.name)
            alone.add(state, messages)
            yield from self._session(alone, row.where)
        else:
            self.threads.setdefault(own, Thread(own)).add(state, messages)

    def _messages(self, rows: list[Any], where: Callable[[int], str]) -> Iterator[Message | Skipped]:
        """The messages of a list, of other libraries' forms too."""
        for number, row in enumerate(rows, 1):
            other = form_of(row) is None and isinstance(row, dict) and openai_records.is_message(row)
            try:
                message = (openai_records.read_message if other else read_message)(row, self.spill)
            except ValueError as error:
                yield Skipped(where(number), str(error))
                continue
            except RecursionError:
                yield Skipped(where(number), "nested too deeply")
                continue
            if message is None:
                self.ignored += 1
            else:
                yield message

    def _session(self, thread: Thread, where: str | None = None) -> Iterator[Session | Skipped]:
        messages = tuple(thread.messages())
        if not messages:
            yield Skipped(where or f"session {thread.id}", "no messages in it")
            return
        yield Session(
            id=thread.id,
            messages=messages,
            title=thread.title,
            group=self.file.folders,
            meta={"saved": thread.saved} if thread.saved else {},
        )
