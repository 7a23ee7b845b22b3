"""Claude Code transcripts: a record a line, one conversation a file, sub-agents in files of their own.

A record with a `message` is one message. Everything else is noise of the tool and counted as ignored, except `system`
records with a text (notices) and `summary` records (a summary, and the session's title). A sub-agent's messages belong
to the session that started it, in a thread of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.jsontext import kind_name, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.claude_records import noticed, spoken, summarised, text_field
from jam.session import Message, Session

_TYPES = frozenset({"user", "assistant", "system", "summary", "progress", "attachment", "file-history-snapshot"})
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_AGENT_FILE = re.compile(r"agent-(.+)")


class ClaudeCode:
    """See the module."""

    name = "claude_code"
    description = "Claude Code transcripts (*.jsonl), recognised by records with type, message, uuid and sessionId"

    def recognises(self, file: SourceFile) -> float:
        """Certain of records with `type` and `message`; fairly sure of records that only such a file has."""
        sample = sample_json(file)
        if sample is None or sample.shape == "document":
            return 0.0
        records = [value for value in sample.values if isinstance(value, dict)]
        if any(record.get("type") in ("user", "assistant") and "message" in record for record in records):
            return 0.95
        if any(record.get("type") in _TYPES and ("sessionId" in record or "leafUuid" in record) for record in records):
            return 0.8
        return 0.7 if any("sessionId" in record and "uuid" in record for record in records) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The file's sessions: most files hold one, resumed ones may interleave several."""
        return _Transcript(file, spill).read()


class _Transcript:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(ClaudeCode.name, file.name)
        self.parent, self.agent = _subagent_of(file)
        self.current = self.parent or _session_of(file)
        self.summaries: list[tuple[int, str | None, Message]] = []
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        for item in json_records(self.file):
            skipped = self._take(item) if isinstance(item, Record) else item
            if skipped is not None:
                yield skipped
            if self.gathering.full():
                yield from self.gathering.take()
        yield from self._place_summaries()
        yield from self.gathering.take()
        yield Note(ignored=self.ignored + self.gathering.repeated)

    def _take(self, line: Record) -> Skipped | None:
        record = line.value
        where = f"line {line.number}"
        if not isinstance(record, dict):
            return Skipped(where, f"{kind_name(record)}, not an object")
        try:
            message = self._message(line.number, record)
        except ValueError as error:
            return Skipped(where, str(error))
        except RecursionError:
            return Skipped(where, "nested too deeply")
        if message is None:
            self.ignored += 1
        elif message.kind != "summary" or "message" in record:
            self._file_under_session(record, message)
        return None

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
        return noticed(record) if kind == "system" else None

    def _file_under_session(self, record: Mapping[str, Any], message: Message) -> None:
        # A record without a session id belongs to the session before it: its own tool left the field out.
        session_id = self.parent or text_field(record, "sessionId") or self.current
        self.current = session_id
        if self.agent and message.thread in (None, "sidechain"):
            message = replace(message, thread=self.agent)
        draft = self.gathering.draft(session_id)
        if not draft.group:
            draft.group = (_project(text_field(record, "cwd")) or _folder_of(self.file),)
        draft.describe({key: text_field(record, key) for key in ("cwd", "gitBranch", "version")})
        self.gathering.add(session_id, message)

    def _place_summaries(self) -> Iterator[Skipped]:
        """A summary belongs to the session of its leaf, or to the only one there is; it also is the title."""
        sessions = list(self.gathering.drafts) or [self.current]
        for number, leaf, message in self.summaries:
            owner = next((s for s in sessions if leaf and self.gathering.holds(s, leaf)), None)
            if owner is None and len(sessions) > 1:
                yield Skipped(f"line {number}", "a summary of a session that is not in this file")
                continue
            draft = self.gathering.draft(owner or sessions[0])
            draft.group = draft.group or (_folder_of(self.file),)
            draft.title = message.text
            if not any(earlier.kind == "summary" and earlier.text == message.text for earlier in draft.messages):
                draft.messages.append(message)


def _subagent_of(file: SourceFile) -> tuple[str | None, str | None]:
    """For a sub-agent's file: the session that started it, as far as the place of the file tells, and the agent.

    Claude Code files it under `<session>/subagents/`, so a folder named like a session id decides. Such a file's own
    `sessionId` is the parent's in some versions and merely the agent's in others. Where `subagents/` was copied next
    to a single transcript, that one is the parent. Otherwise the records' own `sessionId` has to do.
    """
    found = _AGENT_FILE.fullmatch(file.stem)
    if found is None:
        return None, None
    folder = file.place.parent
    if folder.name != "subagents":
        return None, found[1]
    holder = folder.parent
    if _UUID.fullmatch(holder.name) or file.beside(f"../../{holder.name}.jsonl"):
        return holder.name, found[1]
    stems = [PurePosixPath(name).stem for name in file.neighbours("..") if name.endswith(".jsonl")]
    beside = [stem for stem in stems if not _AGENT_FILE.fullmatch(stem)]
    return (beside[0] if len(beside) == 1 else None), found[1]


def _session_of(file: SourceFile) -> str:
    """The session of records that name none: the file's name, with its folders unless it is unique by itself."""
    return file.stem if _UUID.fullmatch(file.stem) else str(PurePosixPath(file.name).with_suffix(""))


def _project(cwd: str | None) -> str | None:
    """The last part of a working directory, of any system."""
    parts = [part for part in re.split(r"[\\/]+", cwd or "") if part]
    return parts[-1] if parts else None


def _folder_of(file: SourceFile) -> str:
    """The folder that stands for the project: the one that holds the transcript, or the sub-agent's session."""
    folder = file.place.parent
    if folder.name == "subagents":
        folder = folder.parent.parent if _UUID.fullmatch(folder.parent.name) else folder.parent
    return folder.name or "project"
