"""Where JAM itself has filed each session, so that one that a person moved is told apart, and stays.

Derived data (`.jam/filing.json`). Where it is missing it follows from the tree: filing is the same each time, so what
doesn't lie where JAM would put it was put there by somebody.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jam.workspace import files

_log = logging.getLogger(__name__)
_VERSION = 1
_FILE = "filing.json"


@dataclass
class Filings:
    """What was filed where, by session id and by group."""

    path: Path
    folders: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Session id → its group, and its folder relative to the group's, where JAM put it without a model."""
    bases: dict[str, str] = field(default_factory=dict)
    """Group → the folder that JAM made for it."""
    stamps: dict[str, str] = field(default_factory=dict)
    """Group → digest of all that its filing follows from; while it is the same there is nothing to do."""

    @classmethod
    def load(cls, derived: Path) -> Filings | None:
        """What is remembered; `None` where there is nothing, or nothing that can be read."""
        path = derived / _FILE
        try:
            data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if data.get("version") != _VERSION:
                return None
            folders = {str(key): (str(group), str(folder)) for key, (group, folder) in data["folders"].items()}
            return cls(path, folders, dict(data["bases"]), dict(data["stamps"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s is damaged and is made anew: %s", path, error)
            return None

    @classmethod
    def empty(cls, derived: Path) -> Filings:
        return cls(derived / _FILE)

    def save(self) -> None:
        data = {"version": _VERSION, "folders": self.folders, "bases": self.bases, "stamps": self.stamps}
        files.write_atomic(self.path, json.dumps(data, ensure_ascii=True, sort_keys=True).encode())
