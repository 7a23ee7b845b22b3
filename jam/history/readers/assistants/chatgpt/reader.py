"""ChatGPT data exports: `conversations.json`, or its shards `conversations-000.json`, with a tree of messages each.

The line that leads to the current message is the session; edits and answers that were generated anew are kept in
threads of their own. Hidden messages and custom instructions are notices. The other files of an export hold no
conversations, except `group_chats.json`; pictures and uploads are kept with the messages that show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.branches import Node, lines
from jam.history.readers.assistants.chatgpt.assets import Assets
from jam.history.readers.assistants.chatgpt.companions import is_companion, read_companion
from jam.history.readers.assistants.chatgpt.records import (
    project_of,
    read_message,
    session_facts,
    session_id_of,
)
from jam.history.readers.assistants.rows import NO_CONVERSATIONS, Row, is_empty_export, read_rows, sample_rows
from jam.session import Message, Session

_KEYS = ("conversations",)
_NODES = ("mapping", "linear_conversation", "messages")
"""Where the messages are: in an export, in a shared page, in what some tools save."""


class ChatGPT:
    """See the module."""

    name = "chatgpt"
    description = "ChatGPT data exports (conversations.json), recognised by conversations with a mapping of messages"

    def recognises(self, file: SourceFile) -> float:
        """Certain of conversations with a tree of nodes; sure of the other files of an export that holds such."""
        if is_companion(file) or is_empty_export(file):
            return 0.95
        rows = [row for row in sample_rows(file, _KEYS) if isinstance(row, dict)]
        if any(_has_nodes(row) for row in rows):
            return 0.97
        named = any("mapping" in row and ("create_time" in row or "current_node" in row) for row in rows)
        return 0.9 if named else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """A session for each conversation."""
        if is_companion(file):
            yield from read_companion(file)
        elif is_empty_export(file):
            yield NO_CONVERSATIONS
        else:
            yield from _File(file, spill).read()


def _has_nodes(row: Mapping[str, Any]) -> bool:
    nodes = [node for _, node in _nodes(row)[:10] if isinstance(node, dict)]
    return any({"message", "parent", "children"} & node.keys() or _has_author(node) for node in nodes)


def _has_author(node: Any) -> bool:
    author = node.get("author") if isinstance(node, dict) else None
    return isinstance(author, dict) and isinstance(author.get("role"), str)


def _nodes(row: Mapping[str, Any]) -> list[tuple[str | None, Any]]:
    """The nodes of a conversation with their ids; some tools write them as a list."""
    for key in _NODES:
        nodes = row.get(key)
        if isinstance(nodes, dict):
            return list(nodes.items())
        if isinstance(nodes, list) and (key != "messages" or any(map(_has_author, nodes))):
            return [(first_id(node, "id") if isinstance(node, dict) else None, node) for node in nodes]
    return []


class _File:
    """A file of conversations being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.assets = Assets(file, spill)
        self.gathering = Gathering(ChatGPT.name, file.name)
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        for row in read_rows(self.file, _KEYS):
            if isinstance(row, Row):
                yield from self._conversation(row)
            else:
                yield row
        yield Note(ignored=self.ignored + self.gathering.repeated)

    def _conversation(self, row: Row) -> Iterator[Session | Skipped]:
        value = row.value
        if not isinstance(value, dict) or not any(key in value for key in _NODES):
            reason = "no messages in it" if isinstance(value, dict) else f"{kind_name(value)}, not an object"
            yield Skipped(row.where, reason)
            return
        session_id = session_id_of(value) or row.name
        draft = self.gathering.draft(session_id)
        draft.title, draft.at = first_text(value, "title"), iso_time(value.get("create_time"))
        project = project_of(value)
        draft.group = (*self.file.folders, project) if project else self.file.folders
        draft.describe(session_facts(value))
        before = self.gathering.repeated
        messages, skipped = self._messages(value, session_id)
        yield from skipped
        for message in messages:
            self.gathering.add(session_id, message)
        if not draft.messages and self.gathering.repeated == before:
            yield Skipped(f"session {session_id}", "no messages in it")
        yield from self.gathering.take()
        self.gathering.drafts.clear()

    def _messages(self, row: Mapping[str, Any], session_id: str) -> tuple[list[Message], list[Skipped]]:
        nodes = _nodes(row)
        read: list[Message | None] = []
        skipped: list[Skipped] = []
        for number, (node_id, node) in enumerate(nodes, 1):
            message: Message | None = None
            try:
                message = self._message(node_id, node, session_id)
            except ValueError as error:
                skipped.append(Skipped(f"session {session_id}, message {number}", str(error)))
            except RecursionError:
                skipped.append(Skipped(f"session {session_id}, message {number}", "nested too deeply"))
            read.append(message)
        tree = [_tree_node(*node, message) for node, message in zip(nodes, read, strict=True)]
        threads = [
            [message for place in line if (message := read[place]) is not None]
            for line in lines(tree, first_id(row, "current_node"))
        ]
        main, branches = threads[0] if threads else [], [thread for thread in threads[1:] if thread]
        marked = [
            replace(message, thread=f"branch-{number}")
            for number, branch in enumerate(branches, 1)
            for message in branch
        ]
        return main + marked, skipped

    def _message(self, node_id: str | None, node: Any, session_id: str) -> Message | None:
        if not isinstance(node, dict):
            raise ValueError(f"{kind_name(node)}, not an object")
        message = node.get("message", node if "author" in node else None)
        if message is None:
            return None
        found = read_message(message, node_id, session_id, self.assets)
        self.ignored += found is None
        return found


def _tree_node(node_id: str | None, node: Any, message: Message | None) -> Node:
    if not isinstance(node, dict):
        return Node(node_id)
    children = node.get("children")
    listed = tuple(child for child in children if isinstance(child, str)) if isinstance(children, list) else ()
    return Node(node_id, first_id(node, "parent"), listed, message.at if message else None)
