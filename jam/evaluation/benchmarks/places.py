"""Which message of the history each message of a workspace is, and where and when a question is asked of it."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from jam.errors import HistoryError
from jam.evaluation.benchmarks.question import BenchQuestion, message_name
from jam.index.search_index import Within
from jam.index.store import open_index
from jam.workspace.layout import within
from jam.workspace.store import Workspace

_UNDATED = "2000-01-01"
"""The day of a question to a history without dates."""


class Places:
    """The messages of a workspace by their names in the history, see `message_name`. Reads front matters only."""

    def __init__(self, workspace: Workspace) -> None:
        self._files: dict[str, tuple[str, int]] = {}
        """Raw file → its session, and how many of the session's messages stand before it."""
        self._sizes: dict[str, int] = {}
        self._scopes: dict[str, str] = {}
        for entry in workspace.entries():
            self._files[entry.path] = entry.session_id, entry.front.first
            last = entry.front.first + entry.front.count
            self._sizes[entry.session_id] = max(last, self._sizes.get(entry.session_id, 0))

    def name(self, path: str, number: int) -> str:
        """The message at a place: a raw file, and a number within it from 1."""
        session, before = self._files[path]
        return message_name(session, before + number)

    def session(self, path: str) -> str:
        """The id of a raw file's session."""
        return self._files[path][0]

    def has(self, name: str) -> bool:
        """Whether the workspace has a message of that name."""
        session, _, number = name.rpartition("#")
        return 1 <= int(number) <= self._sizes.get(session, 0)

    def around(self, name: str, width: int) -> list[str]:
        """A message with so many neighbours on either side, within its session."""
        session, _, text = name.rpartition("#")
        first, last = int(text) - width, int(text) + width
        return [message_name(session, n) for n in range(max(1, first), min(last, self._sizes[session]) + 1)]

    def paths(self, conversation: str) -> list[str]:
        """The raw files of a conversation's sessions, of all for none."""
        beginning = f"{conversation}/" if conversation else ""
        return [path for path, (session, _) in self._files.items() if session.startswith(beginning)]

    def scope(self, conversation: str) -> str:
        """The folder that a conversation is kept in. Raises `HistoryError` where none of it is in the workspace."""
        if conversation not in self._scopes:
            folders = [str(PurePosixPath(path).parent) for path in self.paths(conversation)]
            if not folders:
                raise HistoryError(f"none of the sessions of {conversation!r} is in the workspace")
            self._scopes[conversation] = os.path.commonpath(folders).replace(os.sep, "/") if conversation else ""
        return self._scopes[conversation]


def asked_within(workspace: Workspace, places: Places, question: BenchQuestion, conversation: str) -> Within:
    """Where and when a question is asked: never today, on which no figure should hang."""
    scope = places.scope(conversation)
    days = [record.started for record in open_index(workspace).files if within(record.path, scope)]
    last = max((day for day in days if day), default=_UNDATED)
    return Within(scope, asked_at=question.asked_at or last[: len(_UNDATED)])
