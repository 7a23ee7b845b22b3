"""The memo: a session's short descriptor, used to file it and to find it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Memo:
    """What a session is about, in a form that fits on a card."""

    title: str
    gist: str
    """One line."""
    summary: str
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    """Named things that are not people: places, products, files, projects, identifiers."""
    dates: tuple[str, ...] = ()
    """Dates that the session mentions or happened on, ISO 8601, ascending."""
    engine: Literal["extractive", "llm", "person"] = "extractive"
    """Who wrote it. A memo that a person edited is theirs and is not written again."""
    inputs: str = ""
    """Digest of what the memo was made from; a memo whose inputs are unchanged is not made again."""

    def descriptor(self) -> str:
        """The memo as one piece of text, for comparing sessions with one another."""
        return " ".join([self.title, self.gist, self.summary, *self.keywords, *self.people, *self.things])
