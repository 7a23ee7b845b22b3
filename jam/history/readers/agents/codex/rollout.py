"""One Codex session while its file streams by: whose it is, what is said in it, and what only repeats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jam.history.gather import Draft, Gathering
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.lines import Record, json_records
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.codex.events import Repeats, read_event
from jam.history.readers.agents.codex.forks import Past, rollout_of
from jam.history.readers.agents.codex.meta import facts_of, own_id, parent_of
from jam.history.readers.agents.codex.records import Said, read_item
from jam.history.readers.agents.codex.turns import roll_back, take_back
from jam.history.readers.agents.homes import project_of
from jam.session import Attachment, Message, Session

_FORMAT = "codex"
_ID_IN_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
_DATES = re.compile(r"\d{2}|\d{4}")
_SHELVES = frozenset({"sessions", "archived_sessions"})


class Rollout:
    """See the module."""

    def __init__(self, file: SourceFile, spill: Spill, with_past: bool = False) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(_FORMAT, file.name)
        self._session: str | None = None
        self._thread: str | None = None
        self._speaker: str | None = None
        self._named = False
        self._grouped = False
        self._past: Past | None = None
        self._with_past = with_past
        self._repeats = Repeats()
        self._copied: dict[int, Message] = {}
        self._branches = 0
        self._ignored = 0

    @property
    def session_id(self) -> str:
        """The session's own id, else that in the file's name, else the name."""
        if self._session is None:
            found = _ID_IN_NAME.search(self.file.stem)
            self._session = found[0] if found else self.file.name
        return self._session

    def take(self, line: Mapping[str, Any], where: str) -> Iterator[Skipped]:
        """One line, of any of the shapes that lines have."""
        payload = line.get("payload")
        kind = line.get("type")
        if not isinstance(payload, dict):
            yield from self._take_old(line, where)
        elif kind == "session_meta":
            self._ignored += 1
            self.describe(payload, payload.get("timestamp") or line.get("timestamp"))
        elif kind == "response_item":
            yield from self.take_item(payload, line.get("timestamp"), where)
        elif kind == "event_msg":
            yield from self._take_event(payload, line.get("timestamp"), where)
        elif kind == "compacted":
            self._take_summary(payload, line.get("timestamp"))
        elif kind == "inter_agent_communication":
            yield from self.take_item({**payload, "type": "agent_message"}, line.get("timestamp"), where)
        else:
            self._ignored += 1
            if kind == "turn_context" and not self._thread:
                self._draft().describe({key: text_field(payload, key) for key in ("cwd", "model")})
                self._group(text_field(payload, "cwd"))

    def _take_old(self, line: Mapping[str, Any], where: str) -> Iterator[Skipped]:
        """A line without an envelope: the header or an item."""
        if "payload" in line:
            yield Skipped(where, f"its payload is {kind_name(line['payload'])}, not an object")
        elif "type" in line or "role" in line:
            yield from self.take_item(line, line.get("timestamp"), where)
        else:
            self._ignored += 1
            if "id" in line:
                self.describe(line, line.get("timestamp"))

    def describe(self, meta: Mapping[str, Any], at: Any) -> None:
        """What a header says. Only the first one is the session's own; later ones came with a copied past."""
        if self._named:
            return
        self._named = True
        own = own_id(meta)
        parent = parent_of(meta)
        if not any(draft.messages for draft in self.gathering.drafts.values()):
            self.gathering.drafts.clear()
            self._session = parent or own or self._session
        if parent:
            self._thread, self._speaker = own or self.file.stem, text_field(meta, "agent_nickname")
        source = parent or text_field(meta, "forked_from_id")
        if source and not self._with_past:
            self._past = self._read_past(source)
        self._group(text_field(meta, "cwd"))
        if parent:
            return
        draft = self._draft()
        draft.at = iso_time(at)
        draft.describe(facts_of(meta))

    def take_item(self, item: Mapping[str, Any], at: Any, where: str) -> Iterator[Skipped]:
        """An item of the conversation."""
        try:
            said = read_item(item, iso_time(at), self.spill)
        except ValueError as error:
            yield Skipped(where, str(error))
            return
        except RecursionError:
            yield Skipped(where, "nested too deeply")
            return
        if said is None:
            self._ignored += 1
            return
        repeated = self._repeats.replaced_by(said)
        copied = [self._copied.pop(id(event)) for event in repeated if id(event) in self._copied]
        if copied or (self._past and self._past.holds(said.message)):
            self._ignored += 1
            self._remove([event for event in repeated if event not in copied])
        else:
            self._add_item(said.message, repeated)

    def _add_item(self, message: Message, repeated: list[Message]) -> None:
        """A message, in the place of the events that said the same before."""
        at = self._remove(repeated)
        if repeated and at is None:
            self._ignored += 1  # the event was handed out long ago, and says it
        elif self._add(message) and at is not None:
            messages = self._draft().messages
            messages.insert(at, messages.pop())

    def _remove(self, events: list[Message]) -> int | None:
        places = take_back(self._draft().messages, events)
        self._ignored += len(places)
        return places[0] if places else None

    def _take_event(self, event: Mapping[str, Any], at: Any, where: str) -> Iterator[Skipped]:
        try:
            said = read_event(event, iso_time(at), self.spill)
        except ValueError as error:
            yield Skipped(where, str(error))
            return
        if said is not None:
            said = Said(self._own(said.message), said.texts)
        if said is None or self._repeats.is_repeated(said):
            self._ignored += 1
            self._note(event)
        elif self._past and self._past.holds(said.message):
            self._ignored += 1
            self._copied[id(said.message)] = said.message
        else:
            self._add(said.message)

    def _note(self, event: Mapping[str, Any]) -> None:
        """What an event does to the session, where it says nothing."""
        name = event.get("type")
        if name == "thread_name_updated" and not self._thread:
            self._draft().title = text_field(event, "thread_name") or self._draft().title
        elif name == "thread_rolled_back" and isinstance(event.get("num_turns"), int):
            branch = "/".join(filter(None, (self._thread, f"branch-{self._branches + 1}")))
            self._branches += roll_back(self._draft().messages, event["num_turns"], self._thread, branch)

    def _take_summary(self, payload: Mapping[str, Any], at: Any) -> None:
        text = text_field(payload, "message")
        message = Message("assistant", text or "", at=iso_time(at), kind="summary")
        if text is None or not text.strip() or (self._past and self._past.holds(message)):
            self._ignored += 1
        else:
            self._add(message)

    def _add(self, message: Message) -> bool:
        return self.gathering.add(self._draft().id, self._own(message))

    def _own(self, message: Message) -> Message:
        """The message as one of the sub-agent's, if this is one."""
        if self._thread is None or message.thread is not None:
            return message
        speaker = message.speaker or (self._speaker if message.role == "assistant" else None)
        return replace(message, thread=self._thread, speaker=speaker)

    def _draft(self) -> Draft:
        known = self.session_id in self.gathering.drafts
        draft = self.gathering.draft(self.session_id)
        if not known:
            folders = (f for f in self.file.folders if f not in _SHELVES and not _DATES.fullmatch(f))
            draft.group = tuple(folders) or self.file.folders
        return draft

    def _group(self, cwd: str | None) -> None:
        """The first working directory names the project."""
        project = project_of(cwd)
        if project and not self._grouped:
            self._grouped = True
            self._draft().group = (project,)

    def _read_past(self, session_id: str) -> Past | None:
        """What the session says that this one was forked from, where its file is there."""
        file = rollout_of(self.file, session_id)
        try:
            return Past(_messages_of(file)) if file is not None and file.name != self.file.name else None
        except OSError:
            return None

    def end(self) -> Iterator[Session | Note]:
        """What is still waiting, and what was left out."""
        yield from self.gathering.take()
        yield Note(ignored=self._ignored + self.gathering.repeated)


def _messages_of(file: SourceFile) -> Iterator[Message]:
    """Everything that a session's file says."""
    rollout = Rollout(file, _kept_nowhere, with_past=True)
    for line in json_records(file):
        if isinstance(line, Record) and isinstance(line.value, dict):
            for _ in rollout.take(line.value, ""):
                pass  # what can't be read is listed when that file is read
            if rollout.gathering.full():
                for session in rollout.gathering.take():
                    yield from session.messages
    for session in rollout.gathering.take():
        yield from session.messages


def _kept_nowhere(payload: bytes, media_type: str, name: str | None) -> Attachment:
    return Attachment("", media_type, len(payload), name)
