"""What else lies in Claude Code's home folder and beside its transcripts: known by its place or shape, and not read.

The home is a folder `.claude`, or one with the `history.jsonl` that only a home has.
"""

from __future__ import annotations

import re
from typing import Any

from jam.history.parsing.jsontext import sample_json
from jam.history.readers.agents.claude_code.places import UUID
from jam.history.readers.agents.homes import parts_below
from jam.history.source import SourceFile

_HOME = ".claude"
_PROMPTS = "prompts typed into Claude Code, which its transcripts hold as well"
_MEMORY = "notes that Claude Code keeps for itself: no conversation"
_INDEX = "a list of Claude Code's sessions"
_SETTINGS = "settings of Claude Code"
_STATE = "working state of Claude Code: no conversation"
_FOLDERS = {
    **dict.fromkeys(("backups", "cache", "chrome", "debug", "downloads", "file-history", "ide", "image-cache"), _STATE),
    **dict.fromkeys(("jobs", "local", "logs", "paste-cache", "sessions", "session-env", "shell-snapshots"), _STATE),
    **dict.fromkeys(("stats", "statsig", "tasks", "teams", "telemetry", "todos", "usage-data"), _STATE),
    "plans": "plans that Claude Code wrote, which its transcripts hold as well",
    "plugins": "plugins of Claude Code",
}
_FILES = {
    **dict.fromkeys(("settings.json", "settings.local.json", "remote-settings.json", "policy-limits.json"), _SETTINGS),
    **dict.fromkeys((".credentials.json", "mcp-needs-auth-cache.json", "stats-cache.json"), _STATE),
    "history.jsonl": _PROMPTS,
}
_TODO_LIST = re.compile(rf"{UUID.pattern}-agent-.+\.json", re.IGNORECASE)
_AGENT_FACTS = re.compile(r"agent-.+\.meta\.json")
_WORKFLOW = re.compile(r"wf_.+\.json")


def companion(file: SourceFile) -> str | None:
    """What a file of Claude Code's home is, if it holds no conversation of its own."""
    return _by_home(file) or _by_project(file) or _by_shape(file)


def _by_home(file: SourceFile) -> str | None:
    below = parts_below(file, _HOME)
    if len(below) == 1:
        return _FILES.get(below[0])
    if below:
        return _FOLDERS.get(below[0])
    for depth, folder in enumerate(reversed(file.folders), 1):
        if folder in _FOLDERS and _has_prompts(file.beside(f"{'../' * depth}history.jsonl")):
            return _FOLDERS[folder]
    return None


def _has_prompts(file: SourceFile | None) -> bool:
    return file is not None and file.size > 0 and b'"display"' in file.read_bytes(4096)


def _by_project(file: SourceFile) -> str | None:
    """Beside transcripts."""
    name = file.name.rpartition("/")[2]
    folders = file.place.parts[:-1]
    if folders[-1:] == ("memory",) and (_is_encoded(folders) or _has_transcripts(file.neighbours(".."))):
        return _MEMORY
    if "subagents" in folders and (_AGENT_FACTS.fullmatch(name) or name == "journal.jsonl"):
        return _STATE
    if _TODO_LIST.fullmatch(name) or (folders[-1:] == ("workflows",) and _WORKFLOW.fullmatch(name)):
        return _STATE
    return None


def _is_encoded(folders: tuple[str, ...]) -> bool:
    """Whether the folder above is named as Claude Code names a project's: its path, with dashes."""
    return folders[-3:-2] == ("projects",) and folders[-2].startswith("-")


def _has_transcripts(names: list[str]) -> bool:
    return any(name.endswith(".jsonl") and UUID.match(name) for name in names)


def _by_shape(file: SourceFile) -> str | None:
    name = file.name.rpartition("/")[2]
    if name not in ("history.jsonl", "sessions-index.json"):
        return None
    sample = sample_json(file)
    values = [value for value in sample.values if isinstance(value, dict)] if sample else []
    if name == "sessions-index.json":
        return _INDEX if any(_is_index(value) for value in values) else None
    return _PROMPTS if any("display" in value and "project" in value for value in values) else None


def _is_index(value: dict[str, Any]) -> bool:
    entries = value.get("entries")
    return isinstance(entries, list) and any(isinstance(each, dict) and "sessionId" in each for each in entries)
