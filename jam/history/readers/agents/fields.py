"""What the transcripts of all coding agents have in common: fields that may be anything, working directories, homes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from jam.history.reader import SourceFile


def text_field(record: Mapping[str, Any], key: str) -> str | None:
    """A field that should be a text; anything else in it is as good as nothing."""
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def as_list(value: Any) -> list[Any]:
    """A field that should be a list; anything else in it is as good as an empty one."""
    return value if isinstance(value, list) else []


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
