"""Where coding agents work and keep their files: working directories and home folders."""

from __future__ import annotations

import re

from jam.history.reader import SourceFile


def project_of(cwd: str | None) -> str | None:
    """The project that a working directory of any system stands for: its last part."""
    parts = [part for part in re.split(r"[\\/]+", cwd or "") if part]
    return parts[-1] if parts else None


def parts_below(file: SourceFile, home: str) -> tuple[str, ...]:
    """The path of a file below an agent's home folder (`.claude`, `.codex`), where that is in the history or is it.

    Empty for other files; a history that merely lies somewhere in such a folder is not the agent's.
    """
    parts = file.place.parts
    first = max(0, len(parts) - len(file.name.split("/")) - 1)
    within = parts[first:-1]
    if home not in within:
        return ()
    return parts[first + len(within) - within[::-1].index(home) :]
