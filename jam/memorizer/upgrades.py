"""When is something that was written before written again? When what it is made from changed, or its writer is better.

While its content is the same, what a model was paid for is not replaced by what is computed, nor by another model's,
unless that is asked for. (Of a summary of a folder that changed, an engine without a model keeps what a model wrote and
brings only the size up to date; it stays due.)
"""

from __future__ import annotations

from collections.abc import Sequence
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
    def of(cls, content: Sequence[str], fingerprint: str) -> Stamp:
        return cls(text_digest("\x1f".join(content))[:16], text_digest(fingerprint)[:8])

    @classmethod
    def parse(cls, text: str) -> Stamp:
        content, _, writer = text.partition("-")
        return cls(content, writer)

    def __str__(self) -> str:
        return f"{self.content}-{self.writer}"


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
