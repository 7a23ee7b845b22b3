"""What the header of a Codex session says of it: whose it is, where, and which version wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.fields import text_field

_FACTS = {
    "cwd": "cwd",
    "forked_from_id": "forked_from",
    "originator": "originator",
    "cli_version": "version",
    "model_provider": "model_provider",
}


def own_id(meta: Mapping[str, Any]) -> str | None:
    """The id of the session; `session_id` is that of the topmost one in newer versions."""
    return text_field(meta, "id") or text_field(meta, "session_id")


def parent_of(meta: Mapping[str, Any]) -> str | None:
    """For a sub-agent: the session that it belongs to, the topmost one where that is said."""
    own = own_id(meta)
    source = meta.get("source")
    subagent = source.get("subagent") if isinstance(source, dict) else None
    spawned = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    parent = text_field(meta, "parent_thread_id")
    if isinstance(spawned, dict):
        parent = text_field(spawned, "parent_thread_id") or parent
    if subagent is None and meta.get("thread_source") != "subagent" and parent is None:
        return None
    top = text_field(meta, "session_id")
    found = parent if top in (None, own) else top
    return found if found != own else None


def facts_of(meta: Mapping[str, Any]) -> dict[str, str | None]:
    """What is worth keeping."""
    git = meta.get("git")
    branch = text_field(git, "branch") if isinstance(git, dict) else None
    return {**{name: text_field(meta, key) for key, name in _FACTS.items()}, "branch": branch}
