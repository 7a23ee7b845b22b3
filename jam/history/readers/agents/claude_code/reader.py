"""Claude Code transcripts: a record a line, one conversation a file, sub-agents in files of their own.

A record with a `message` is one message. Everything else is noise of the tool and counted as ignored, except `system`
records with a text (notices), `summary` records (a summary, and the session's title), what the user typed while the
agent was at work (`attachment`), and tool calls that are records by themselves. A sub-agent's messages belong to the
session that started it, in a thread of their own; so do rewound branches. Large tool results lie in files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import kind_name, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.claude_code.branches import Branches
from jam.history.readers.agents.claude_code.home import companion
from jam.history.readers.agents.claude_code.places import (
    folder_of,
    result_session,
    session_of,
    subagent_of,
    transcript_of_result,
)
from jam.history.readers.agents.claude_code.records import (
    called,
    noticed,
    origin_of,
    queued,
    spoken,
    summarised,
    title_in,
)
from jam.history.readers.agents.claude_code.results import ToolResults, result_message
from jam.history.readers.agents.homes import project_of
from jam.session import Message, Session

_TYPES = frozenset({"user", "assistant", "system", "summary", "progress", "attachment", "file-history-snapshot"})


class ClaudeCode:
    """See the module."""

    name = "claude_code"
    description = "Claude Code transcripts (*.jsonl), recognised by records with type, message, uuid and sessionId"

    def recognises(self, file: SourceFile) -> float:
        """Certain of records with `type` and `message`, and of files with a place of their own in Claude Code's home;
        fairly sure of records that only such a file has."""
        if companion(file) or result_session(file):
            return 0.97
        sample = sample_json(file)
        if sample is None or sample.shape == "document":
            return 0.0
        records = [value for value in sample.values if isinstance(value, dict)]
        if any(record.get("type") in ("user", "assistant") and "message" in record for record in records):
            return 0.95
        typed = [record for record in records if text_field(record, "type") in _TYPES]
        if any("sessionId" in record or "leafUuid" in record for record in typed):
            return 0.8
        return 0.7 if any("sessionId" in record and "uuid" in record for record in records) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The file's sessions: most files hold one, resumed ones may interleave several."""
        what, session = companion(file), result_session(file)
        if what:
            yield Note(what, companion=True)
        elif session is None:
            yield from _Transcript(file, spill).read()
        elif transcript_of_result(file, session):
            yield Note("a tool result: read with its session", companion=True)
        else:
            for item in result_message(file, spill):
                yield item if isinstance(item, Skipped) else Session(session, (item,), group=(folder_of(file),))


class _Transcript:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(ClaudeCode.name, file.name)
        subagent = subagent_of(file)
        self.agent = subagent.agent if subagent else None
        self.parent = subagent.session if subagent else None
        self.current = self.parent or session_of(file)
        self.summaries: list[tuple[int, str | None, Message]] = []
        self.titles: dict[str, tuple[int, str]] = {}
        self.results = ToolResults(file, spill)
        self.branches: Branches | None = None if self.agent else Branches()
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        for item in json_records(self.file):
            if isinstance(item, Record):
                yield from self._take(item)
            else:
                yield item
            if self.gathering.full():
                yield from self._hand_out({})
        yield from self._place_summaries()
        yield from self._place_results()
        yield from self._hand_out(self.branches.threads() if self.branches else {})
        yield Note(ignored=self.ignored + self.gathering.repeated)

    def _hand_out(self, threads: Mapping[str, str]) -> Iterator[Session]:
        for session_id, draft in self.gathering.drafts.items():
            draft.title = self.titles[session_id][1] if session_id in self.titles else draft.title
        yield from self.gathering.take(threads)

    def _take(self, line: Record) -> Iterator[Skipped]:
        record = line.value
        where = f"line {line.number}"
        if not isinstance(record, dict):
            yield Skipped(where, f"{kind_name(record)}, not an object")
            return
        message = None
        try:
            message = self._message(line.number, record)
        except ValueError as error:
            yield Skipped(where, str(error))
        except RecursionError:
            yield Skipped(where, "nested too deeply")
        else:
            if message is None:
                self._take_title(record)
                self.ignored += 1
            elif message.kind != "summary" or "message" in record:
                yield from self._file_under_session(record, message)
        if self.branches:
            self.branches.note(record, message)

    def _message(self, number: int, record: Mapping[str, Any]) -> Message | None:
        kind = record.get("type")
        if "message" in record and (kind in ("user", "assistant") or isinstance(record["message"], dict)):
            return spoken(record, self.spill)
        if kind in ("user", "assistant"):
            raise ValueError("no message in it")
        if kind == "summary":
            summary = summarised(record)
            if summary is not None:
                self.summaries.append((number, text_field(record, "leafUuid"), summary))
            return summary
        if kind in ("tool_use", "tool_result"):
            return called(record, self.spill)
        if kind == "attachment":
            return queued(record, self.spill)
        return noticed(record) if kind == "system" else None

    def _file_under_session(self, record: Mapping[str, Any], message: Message) -> Iterator[Skipped]:
        # A record without a session id belongs to the session before it: its own tool left the field out.
        self.current = self.parent or text_field(record, "sessionId") or self.current
        session_id = self.parent or origin_of(record) or self.current
        if self.agent and message.thread in (None, "sidechain"):
            message = replace(message, thread=self.agent)
        draft = self.gathering.draft(session_id)
        if not draft.group:
            draft.group = (project_of(text_field(record, "cwd")) or folder_of(self.file),)
        draft.describe({key: text_field(record, key) for key in ("cwd", "gitBranch", "version")})
        if self.gathering.add(session_id, message):
            for result in self.results.named_in(message, record):
                if isinstance(result, Skipped):
                    yield result
                else:
                    self.gathering.add(session_id, result)

    def _take_title(self, record: Mapping[str, Any]) -> None:
        title = title_in(record)
        session_id = text_field(record, "sessionId") or self.current
        if title and not self.agent and title >= (self.titles.get(session_id, title)[0], ""):
            self.titles[session_id] = title

    def _place_summaries(self) -> Iterator[Skipped]:
        """A summary belongs to the session of its leaf, or to the only one there is; it also is the title."""
        sessions = list(self.gathering.drafts) or [self.current]
        for number, leaf, message in self.summaries:
            owner = next((s for s in sessions if leaf and self.gathering.holds(s, leaf)), None)
            if owner is None and len(sessions) > 1:
                yield Skipped(f"line {number}", "a summary of a session that is not in this file")
                continue
            draft = self.gathering.draft(owner or sessions[0])
            draft.group = draft.group or (folder_of(self.file),)
            draft.title = message.text
            if not self.gathering.holds_summary(draft.id, message.text):
                draft.messages.append(message)

    def _place_results(self) -> Iterator[Skipped]:
        """Tool results that nothing names belong to the session that the folder is named after."""
        if self.agent:
            return
        for result in self.results.unnamed():
            if isinstance(result, Skipped):
                yield result
            else:
                known = self.file.stem in self.gathering.drafts
                draft = self.gathering.draft(self.file.stem if known else self.current)
                draft.group = draft.group or (folder_of(self.file),)
                self.gathering.add(draft.id, result)
