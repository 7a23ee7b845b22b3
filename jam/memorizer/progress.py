"""How long work tells how far it is. The command line draws it; a library call is silent by default."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told about each stage of a build; the counts are of `unit`, of things where none is named."""

    def stage(self, name: str, total: int, unit: str = "") -> None: ...

    def advance(self, done: int, total: int) -> None: ...


BYTES = "bytes"
"""The unit of a stage that reads files."""


class Silent:
    """Says nothing."""

    def stage(self, name: str, total: int, unit: str = "") -> None: ...

    def advance(self, done: int, total: int) -> None: ...
