"""The messages of one conversation as lines, `speaker: text` (of a document `title: text`): for baselines."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from jam.evaluation.benchmarks.places import Places
from jam.index.embedder import static_embedder
from jam.rendering import day_text, plain
from jam.session import Message
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Line:
    """A message with what it takes to write it down."""

    path: str
    number: int
    """Within its raw file, from 1."""
    session: str
    started: str | None
    """When its session began."""
    speaker: str
    message: Message

    @property
    def at(self) -> str | None:
        """Its own time, else its session's."""
        return self.message.at or self.started

    def said(self, text: str | None = None) -> str:
        """The line; with another text in place of its own where one is given."""
        return f"{self.speaker}: {self.message.text if text is None else text}"


class Lines:
    """All lines of a conversation, by the names of their messages (`message_name`), in the order of the tree."""

    def __init__(self, workspace: Workspace, places: Places, conversation: str) -> None:
        self.by_name: dict[str, Line] = {}
        for path in places.paths(conversation):
            session = workspace.read_raw(path).session
            title = session.title if session.kind == "document" else None
            for number, message in enumerate(session.messages, 1):
                line = Line(path, number, places.session(path), session.started, title or message.name, message)
                self.by_name[places.name(path, number)] = line
        texts = [line.said() for line in self.by_name.values()]
        self.tokens = dict(zip(self.by_name, static_embedder().count_tokens(texts), strict=True))

    @cached_property
    def in_time(self) -> list[str]:
        """The names in the order of time, sessions whole."""

        def order(name: str) -> tuple[str, str, str, int]:
            line = self.by_name[name]
            return line.started or "", line.session, line.path, line.number

        return sorted(self.by_name, key=order)

    def of_sessions(self, sessions: Collection[str]) -> list[str]:
        """The names of all messages of some sessions, in the order of time."""
        return [name for name in self.in_time if self.by_name[name].session in sessions]

    def page(self, names: Collection[str], said: Mapping[str, str] | None = None) -> str:
        """Messages as a text to answer from: in the order of time, under the day of their session where it has one.

        `said` has the texts of those that are put into other words.
        """
        wanted, said = set(names), said or {}
        parts: list[str] = []
        before: tuple[str, str] | None = None
        for name in self.in_time:
            if name not in wanted:
                continue
            line = self.by_name[name]
            head = (line.session, day_text(line.at))
            if head != before:
                parts += [""] if parts else []
                parts += [head[1]] if head[1] else []
            before = head
            parts.append(plain(line.said(said.get(name))))
        return "\n".join(parts)

    @cached_property
    def whole(self) -> str:
        """The page of everything."""
        return self.page(self.by_name)
