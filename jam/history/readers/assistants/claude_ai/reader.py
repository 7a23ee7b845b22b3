"""Claude.ai data exports: `conversations.json`, one conversation saved by a browser tool, and what lies beside them.

A message's blocks are read, and its `text` only where they hold none. The line that leads to the current leaf is the
session; other branches are kept in threads of their own. Documents of projects and memories are documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.branches import Node, lines
from jam.history.readers.assistants.claude_ai.documents import is_memory, is_project, read_memory, read_project
from jam.history.readers.assistants.claude_ai.records import (
    project_of,
    read_design_message,
    read_message,
    session_facts,
)
from jam.history.readers.assistants.rows import (
    NO_CONVERSATIONS,
    Row,
    is_empty_export,
    is_empty_list,
    read_rows,
    sample_rows,
)
from jam.session import Message, Session

_KEYS = ("conversations",)
_LEAF = ("current_leaf_message_uuid",)
_ACCOUNT = frozenset({"full_name", "email_address", "verified_phone_number"})
_COMPANIONS = {"login_history.json": "logins", "users.json": "the accounts of the export"}
_LISTS = {"projects.json": "no projects in it", "memories.json": "no memories in it"}
_MANIFEST = re.compile(r"manifest.*\.json")


class ClaudeAI:
    """See the module."""

    name = "claude_ai"
    description = "Claude.ai data exports (conversations.json), recognised by conversations with chat_messages"

    def recognises(self, file: SourceFile) -> float:
        """Certain of conversations; sure of projects, memories, chats about designs and lists of accounts."""
        rows = [row for row in sample_rows(file, _KEYS) if isinstance(row, dict)]
        if any("chat_messages" in row for row in rows):
            return 0.97
        if any(is_project(row) or is_memory(row) or _is_design(row) for row in rows):
            return 0.95
        return 0.96 if _companion_of(file, rows) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """A session for each conversation and each document."""
        companion = _companion_of(file, [row for row in sample_rows(file, _KEYS) if isinstance(row, dict)])
        if companion:
            yield Note(companion, companion=True)
        else:
            yield from _File(file, spill).read()


def _companion_of(file: SourceFile, rows: list[dict[str, Any]]) -> str | None:
    """What a file without conversations is, if it belongs to an export."""
    name = file.name.rpartition("/")[2]
    if is_empty_export(file) and "users.json" in file.neighbours():
        return NO_CONVERSATIONS.text
    if name in _LISTS and is_empty_list(file) and "conversations.json" in file.neighbours():
        return _LISTS[name]
    if any("uuid" in row and len(_ACCOUNT & row.keys()) > 1 for row in rows):
        return _COMPANIONS["users.json"]
    if name == "login_history.json" and "users.json" in file.neighbours():
        return _COMPANIONS[name]
    if _MANIFEST.fullmatch(name) and any(_lists_archives(row.get("data_files")) for row in rows):
        return "a list of the export's files"
    return None


def _lists_archives(files: Any) -> bool:
    return isinstance(files, list) and any(isinstance(file, dict) and "category" in file for file in files)


def _is_design(row: Mapping[str, Any]) -> bool:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return False
    contents = [message.get("content") for message in messages[:10] if isinstance(message, dict)]
    return any(isinstance(inner, dict) and {"contentBlocks", "authorAccountUuid"} & inner.keys() for inner in contents)


class _File:
    """A file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(ClaudeAI.name, file.name)
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        documents = False
        for row in read_rows(self.file, _KEYS):
            if not isinstance(row, Row):
                yield row
            elif is_project(row.value) or is_memory(row.value):
                documents = True
                read = read_project if is_project(row.value) else read_memory
                yield from read(row.value, row.name, self.file.folders)
            else:
                yield from self._conversation(row)
        yield Note(ignored=self.ignored + self.gathering.repeated, companion=documents)

    def _conversation(self, row: Row) -> Iterator[Session | Skipped]:
        value = row.value
        if not isinstance(value, dict):
            yield Skipped(row.where, f"{kind_name(value)}, not an object")
            return
        design = "chat_messages" not in value and _is_design(value)
        messages = value.get("messages" if design else "chat_messages")
        session_id = first_id(value, "uuid", "conversation_id", "id") or row.name
        draft = self.gathering.draft(session_id)
        draft.title, draft.at = first_text(value, "name", "title"), iso_time(value.get("created_at"))
        project = project_of(value)
        draft.group = (*self.file.folders, project) if project else self.file.folders
        draft.describe(session_facts(value))
        before = self.gathering.repeated
        yield from self._take(session_id, value, messages, read_design_message if design else read_message)
        if not draft.messages and self.gathering.repeated == before:
            yield Skipped(f"session {session_id}", "no messages in it")
        yield from self.gathering.take()
        self.gathering.drafts.clear()

    def _take(
        self, session_id: str, row: Mapping[str, Any], values: Any, read: Callable[[Any, Spill], Message | None]
    ) -> Iterator[Skipped]:
        """Read all messages, and gather them line by line."""
        rows = values if isinstance(values, list) else []
        found: list[Message | None] = []
        for number, value in enumerate(rows, 1):
            message: Message | None = None
            try:
                message = read(value, self.spill)
                self.ignored += message is None
            except ValueError as error:
                yield Skipped(f"session {session_id}, message {number}", str(error))
            except RecursionError:
                yield Skipped(f"session {session_id}, message {number}", "nested too deeply")
            found.append(message)
        branch = 0
        for number, line in enumerate(lines([_node(value) for value in rows], first_id(row, *_LEAF))):
            said = [message for place in line if (message := found[place]) is not None]
            branch += bool(number and said)
            for message in said:
                self.gathering.add(session_id, replace(message, thread=f"branch-{branch}") if number else message)


def _node(row: Any) -> Node:
    if not isinstance(row, dict):
        return Node(None)
    at = iso_time(row.get("created_at"))
    return Node(first_id(row, "uuid", "id"), first_id(row, "parent_message_uuid"), at=at)
