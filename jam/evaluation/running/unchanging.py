"""A workspace that nobody writes to while it is measured: what was read of it stays read.

Not for what is timed.
"""

from __future__ import annotations

from pathlib import Path

from jam.workspace.raw_file import RawFile
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace

_KEPT = 2_000
"""Raw files in memory."""


class Unchanging(Workspace):
    """See the module."""

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__(root, settings)
        self._read: dict[str, RawFile] = {}

    def read_raw(self, path: str) -> RawFile:
        """The raw file at a path of the tree, as it was when it was first read."""
        if path not in self._read:
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[path] = super().read_raw(path)
        return self._read[path]
