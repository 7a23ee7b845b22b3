"""A secret's place in a text, and the mark that takes its place."""

from __future__ import annotations

from dataclasses import dataclass

MARK = "[redacted: "
"""What every mark begins with."""


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret of a text; the secret itself is `text[start:end]`, and is kept nowhere else."""

    kind: str
    """What it is, in words: `github token`, `password`."""
    start: int
    end: int

    @property
    def mark(self) -> str:
        """What stands in the text instead of it."""
        return f"{MARK}{self.kind}]"
