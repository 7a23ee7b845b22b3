"""By what the files of Gemini CLI are known: their fields, and their places in its home. Nothing is opened here."""

from __future__ import annotations

from typing import Any

from jam.history.parsing.fields import text_field
from jam.history.readers.agents.gemini_cli.records import ROLES
from jam.history.readers.agents.homes import parts_below
from jam.history.source import SourceFile

_TYPES = frozenset({*ROLES, "info", "error", "warning"})
_ASIDE = frozenset(
    {"google_accounts.json", "installation_id", "oauth_creds.json", "projects.json", "settings.json", "state.json"}
    | {"trustedFolders.json", "user_id"}
)
_ASIDE_OF_PROJECT = frozenset({".project_root", "shell_history"})


def is_aside(file: SourceFile) -> bool:
    """Whether a file belongs to Gemini CLI's home without holding messages."""
    below = parts_below(file, ".gemini")
    return (len(below) == 1 and below[0] in _ASIDE) or (bool(below) and below[-1] in _ASIDE_OF_PROJECT)


def is_log(rows: list[dict[str, Any]]) -> float:
    """How surely lines are a session's: by the header, or messages and patches without it."""
    others = {"uuid", "message", "messageId"}
    if any({"sessionId", "projectHash"} <= set(row) and not others & set(row) for row in rows):
        return 0.95
    patches = any(isinstance(row.get("$set"), dict) or isinstance(row.get("$rewindTo"), str) for row in rows)
    own = any(row.get("type") == "gemini" and "id" in row for row in rows)
    others_too = any("sessionId" in row or text_field(row, "type") in _TYPES for row in rows)
    return 0.9 if own or (patches and others_too) else 0.0


def is_chat(value: Any) -> float:
    """How surely a document is a session."""
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return 0.0
    types = {m.get("type") for m in messages[:20] if isinstance(m, dict) and isinstance(m.get("type"), str)}
    if "sessionId" in value and "projectHash" in value:
        return 0.95 if types & _TYPES else 0.9
    return 0.95 if "gemini" in types and ("sessionId" in value or "startTime" in value) else 0.0


def turns(value: Any) -> list[Any] | None:
    """The turns of a checkpoint: a bare list of them, or `history`."""
    found = value.get("history") if isinstance(value, dict) else value
    if not isinstance(found, list):
        return None
    first = [turn for turn in found[:10] if isinstance(turn, dict) and isinstance(turn.get("parts"), list)]
    return found if any(turn.get("role") in ("user", "model") for turn in first) else None


def is_restore_point(value: Any) -> bool:
    """Whether a document is what the tool keeps before it changes a file: the whole chat, again and again."""
    return isinstance(value, dict) and "clientHistory" in value and "history" in value
