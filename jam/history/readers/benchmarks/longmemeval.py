"""LongMemEval, a benchmark of questions that each have a history of their own: the haystack of one question, dozens or
hundreds of chats with an assistant, is a group.

Questions, gold answers, and the marks on the turns that hold them are no part of a history and are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.content import read_content
from jam.history.parsing.jsontext import compact_json, kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.benchmarks.rows import Row, first_rows, free_name, own_id, rows
from jam.session import Message, Session, text_digest

_HAYSTACK = frozenset({"haystack_sessions", "haystack_dates", "haystack_session_ids"})
_ROLES = frozenset({"user", "assistant", "system", "tool"})


class LongMemEval:
    """See the module."""

    name = "longmemeval"
    description = "LongMemEval benchmark (JSON), recognised by haystack_sessions with haystack_dates"

    def recognises(self, file: SourceFile) -> float:
        """Certain of two of the haystack's three lists; fairly sure of the sessions alone."""
        first = first_rows(file)
        if any(len(_HAYSTACK & row.keys()) > 1 for row in first):
            return 0.98
        return 0.9 if any("haystack_sessions" in row for row in first) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every session of every haystack, in the file's order."""
        yield from _File(file, spill).read()


@dataclass(slots=True)
class _Haystack:
    """The sessions of one question, as far as they have been read."""

    name: str
    seen: set[tuple[str, str]] = field(default_factory=set)
    """The id and the digest of every session."""
    names: set[str] = field(default_factory=set)


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.names: set[str] = set()
        self.empty = 0
        self.doubled = 0
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        for row in rows(self.file):
            if not isinstance(row, Row):
                yield row
            elif not isinstance(row.value, dict):
                yield Skipped(row.where, f"{kind_name(row.value)}, not an object")
            elif not isinstance(row.value.get("haystack_sessions"), list):
                yield Skipped(row.where, "no haystack_sessions in it")
            else:
                yield from self._haystack(row)
        if self.empty:
            yield Note(f"{self.empty} empty sessions")
        if self.doubled:
            yield Note(f"{self.doubled} sessions that stand there twice")
        yield Note(ignored=self.ignored)

    def _haystack(self, row: Row) -> Iterator[Session | Skipped]:
        own = own_id(row.value.get("question_id"))
        haystack = _Haystack(free_name(own or f"{self.file.name}#{row.number}", self.names))
        for place, turns in enumerate(row.value["haystack_sessions"]):
            session_id = own_id(_at(row.value.get("haystack_session_ids"), place)) or str(place + 1)
            date = _at(row.value.get("haystack_dates"), place)
            if not isinstance(turns, list):
                yield Skipped(f"session {haystack.name}/{session_id}", f"{kind_name(turns)}, not a list")
            elif turns:
                yield from self._session(haystack, session_id, date, turns)
            else:
                self.empty += 1

    def _session(
        self, haystack: _Haystack, session_id: str, date: object, turns: list[Any]
    ) -> Iterator[Session | Skipped]:
        messages: list[Message] = []
        skipped: list[Skipped] = []
        for number, turn in enumerate(turns, 1):
            try:
                message = _message(turn, self.spill)
            except (ValueError, RecursionError) as error:
                reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                skipped.append(Skipped(f"session {haystack.name}/{session_id}, message {number}", reason))
                continue
            if message.text.strip():
                messages.append(message)
            else:
                self.ignored += 1
        # The same turns on another day are another session: what was said twice was said on two days.
        digest = text_digest("\0".join([repr(date), *(f"{message.role}\0{message.text}" for message in messages)]))
        if (session_id, digest) in haystack.seen:
            self.doubled += 1
            self.ignored += len(turns)
            return
        haystack.seen.add((session_id, digest))
        yield from skipped
        if not messages:
            self.empty += not skipped
            return
        at = iso_time(date)
        yield Session(
            id=f"{haystack.name}/{free_name(session_id, haystack.names)}",
            messages=tuple(messages),
            format=LongMemEval.name,
            origin=self.file.name,
            group=(haystack.name,),
            at=at,
            meta={"date": date} if at is None and date is not None else {},
        )


def _at(values: object, place: int) -> object:
    """The value at a place of a list; `None` where there is no list, or a shorter one."""
    return values[place] if isinstance(values, list) and place < len(values) else None


def _message(turn: Any, spill: Spill) -> Message:
    """One turn. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(turn, dict):
        raise ValueError(f"{kind_name(turn)}, not an object")
    role = turn.get("role")
    named = role if isinstance(role, str) and role.strip() else None
    content = read_content(_said(turn), spill)
    return Message(
        role=named if named in _ROLES else "user",
        text=content.text,
        speaker=None if named in _ROLES else named,
        kind=content.kind,
        attachments=tuple(content.attachments),
    )


def _said(turn: Mapping[str, Any]) -> Any:
    """The content; the data set has numbers where a text is due."""
    value = turn.get("content")
    return compact_json(value) if isinstance(value, int | float) else value
