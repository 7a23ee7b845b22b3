"""When is something that was written before written again? When what it is made from changed, or its writer is better.

While its content is the same, what a model was paid for is not replaced by what is computed, nor by another model's,
unless that is asked for. (Of a summary of a folder that changed, an engine without a model keeps what a model wrote and
brings only the size up to date; it stays due.)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from jam.session import text_digest

_RANKS = {"extractive": 0, "llm": 1, "person": 2}
"""A writer of a user's own counts as a model."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What something was made from, and by whom: `<digest of the content>-<digest of the writer>`."""

    content: str
    writer: str

    @classmethod
    def of(cls, content: Iterable[str], fingerprint: str) -> Stamp:
        made = Content()
        made.add(content)
        return made.stamp(fingerprint)

    @classmethod
    def parse(cls, text: str) -> Stamp:
        content, _, writer = text.partition("-")
        return cls(content, writer)

    def __str__(self) -> str:
        return f"{self.content}-{self.writer}"


class Content:
    """What something is made from, as far as it was looked at; not kept."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._between = b""

    def add(self, texts: Iterable[str]) -> None:
        """Takes more in."""
        for text in texts:
            self._digest.update(self._between + text.encode("utf-8", "surrogatepass"))
            self._between = b"\x1f"

    def stamp(self, fingerprint: str) -> Stamp:
        return Stamp(self._digest.hexdigest()[:16], text_digest(fingerprint)[:8])


def is_due(wanted: Stamp, name: str, present: Stamp, present_name: str, refresh: bool = False) -> bool:
    """Whether a writer (its engine's `name`) should write what `present_name` wrote before."""
    if present_name == "person":
        return False
    if wanted.content != present.content:
        return True
    if wanted.writer == present.writer:
        return False
    mine, theirs = _RANKS.get(name, 1), _RANKS.get(present_name, 1)
    return mine > theirs or (mine == theirs and (refresh or mine == 0))
