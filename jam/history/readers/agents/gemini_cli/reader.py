"""Gemini CLI sessions: one JSON document each, or lines since about version 0.40; saved chats and prompts beside them.

`chats/session-*.json` holds `{sessionId, projectHash, startTime, messages}`, `checkpoint-*.json` what `/chat save` kept
(turns without times and ids), `logs.json` the prompts, which the chats hold as well. A sub-agent's messages belong to
the session that started it, in a thread of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import JsonSample, kind_name, read_json, sample_json
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.gemini_cli.log import Kept, Log
from jam.history.readers.agents.gemini_cli.prompts import is_prompt, read_prompts
from jam.history.readers.agents.gemini_cli.records import (
    answered_calls,
    calls_only_answered,
    read_record,
    read_turn,
)
from jam.history.readers.agents.gemini_cli.shapes import is_aside, is_chat, is_log, is_restore_point, turns
from jam.history.readers.agents.homes import project_of
from jam.session import Session

_FORMAT = "gemini_cli"
_CHECKPOINT = "checkpoint-"


class GeminiCli:
    """See the module."""

    name = _FORMAT
    description = "Gemini CLI chats (session-*.json and *.jsonl, checkpoints, logs.json), recognised by their fields"

    def recognises(self, file: SourceFile) -> float:
        """Certain of the fields that only these files have."""
        if is_aside(file):
            return 0.97
        sample = sample_json(file)
        if sample is None:
            return 0.0
        if sample.shape == "lines":
            return is_log([value for value in sample.values if isinstance(value, dict)])
        value = sample.values[0]
        if is_restore_point(value):
            return 0.93
        if turns(value) is not None:
            return 0.9
        if isinstance(value, list):
            return 0.95 if any(is_prompt(row) for row in value[:10]) else 0.0
        return is_chat(value)

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The file's session; a list of prompts may hold several."""
        sample = None if is_aside(file) else sample_json(file)
        if sample is None:
            yield Note("settings and working state of Gemini CLI", companion=True)
            return
        value = sample.values[0]
        if sample.shape == "lines":
            log = Log()
            yield from log.read(file)
            yield from _Chat(file, spill).read(log.header, log.records(), log.ignored)
        elif is_restore_point(value):
            yield Note("a restore point of Gemini CLI, whose chat is elsewhere", companion=True)
        elif turns(value) is not None:
            yield from _Chat(file, spill).read_turns(json_items(file, ("history",)))
        elif isinstance(value, list):
            yield from read_prompts(file)
        else:
            yield from _read_document(file, sample, spill)


def _read_document(file: SourceFile, sample: JsonSample, spill: Spill) -> Iterator[Session | Skipped | Note]:
    """A chat that is one document; of a damaged one, the messages that can be read."""
    items: Iterable[Item | Skipped]
    try:
        header = read_json(file)
        items = [Item(n, value) for n, value in enumerate(header["messages"], 1)]
    except UnreadableFile:
        header, items = sample.values[0], json_items(file, ("messages",))
    records: list[Kept] = []
    for item in items:
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item.value, dict):
            records.append(Kept(item.number, item.value, f"record {item.number}"))
        else:
            yield Skipped(f"record {item.number}", f"{kind_name(item.value)}, not an object")
    yield from _Chat(file, spill).read(header, records, 0)


class _Chat:
    """One session being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(_FORMAT, file.name)
        self.ignored = 0

    def read(self, header: Mapping[str, Any], records: list[Kept], ignored: int) -> Iterator[Session | Skipped | Note]:
        """A session with its header."""
        self.ignored += ignored
        own = text_field(header, "sessionId")
        thread = None
        session_id = own or self.file.name
        if header.get("kind") == "subagent" and self.file.place.parent.parent.name == "chats":
            session_id, thread = self.file.place.parent.name, own or self.file.stem
        draft = self.gathering.draft(session_id)
        draft.group = _group(self.file, header)
        if thread is None:
            draft.title, draft.at = text_field(header, "summary"), iso_time(header.get("startTime"))
            directories = header.get("directories")
            draft.describe({"directories": directories if isinstance(directories, list) and directories else None})
        answered = set().union(*(answered_calls(kept.record) for kept in records)) if records else set()
        for kept in records:
            only = calls_only_answered(kept.record)
            if only is not None and only <= answered:
                self.ignored += 1  # the calls' own record holds their results
            else:
                yield from self._add(session_id, kept, thread)
        yield from self._end()

    def read_turns(self, turns: Iterable[Item | Skipped]) -> Iterator[Session | Skipped | Note]:
        """What `/chat save` kept: turns without ids and times."""
        stem = self.file.stem
        draft = self.gathering.draft(self.file.name)
        draft.group = _group(self.file, {})
        draft.title = unquote(stem.removeprefix(_CHECKPOINT)) if stem.startswith(_CHECKPOINT) else None
        for turn in turns:
            if isinstance(turn, Skipped):
                yield turn
            elif isinstance(turn.value, dict):
                kept = Kept(turn.number, turn.value, f"record {turn.number}")
                yield from self._add(self.file.name, kept, None, is_turn=True)
            else:
                yield Skipped(f"record {turn.number}", f"{kind_name(turn.value)}, not an object")
        yield from self._end()

    def _add(self, session_id: str, kept: Kept, thread: str | None, is_turn: bool = False) -> Iterator[Skipped]:
        try:
            messages = (read_turn if is_turn else read_record)(kept.record, self.spill)
        except ValueError as error:
            yield Skipped(kept.where, str(error))
            return
        except RecursionError:
            yield Skipped(kept.where, "nested too deeply")
            return
        self.ignored += not messages
        branch = "/".join(filter(None, (thread, kept.thread))) or None
        for message in messages:
            self.gathering.add(session_id, replace(message, thread=branch))

    def _end(self) -> Iterator[Session | Note]:
        yield from self.gathering.take()
        yield Note(ignored=self.ignored + self.gathering.repeated)


def _group(file: SourceFile, header: Mapping[str, Any]) -> tuple[str, ...]:
    """The project: by the directory that the chat is about, else by the folder that Gemini CLI keeps its chats in."""
    directories = header.get("directories")
    first = directories[0] if isinstance(directories, list) and directories else None
    project = project_of(first if isinstance(first, str) else None)
    if project:
        return (project,)
    parents = [parent.name for parent in file.place.parents]
    if "chats" in parents[:2]:
        return (parents[parents.index("chats") + 1] or "chats",)
    return file.folders
