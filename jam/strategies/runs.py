"""Saved runs: `.jam/runs/<run id>.jsonl`, one event a line. One schema for every strategy.

{"event": "run", "version": 1, "run_id", "query", "scope", "strategy", "budget", "at"}
{"event": "thought", "round", "text", "calls": [{"tool", "arguments"}]}
{"event": "observation", "round", "call": {"tool", "arguments"}, "text", "found", "files", "error", "seconds"}
{"event": "context", …the MemoryContext…}
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any

from jam.context import MemoryContext
from jam.workspace.store import Workspace

_log = logging.getLogger(__name__)
VERSION = 1


def new_run_id() -> str:
    """Sorts by time, unique: `20260203T091400-5f3a9c`."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def save_run(
    workspace: Workspace, head: Mapping[str, Any], events: Iterable[Mapping[str, Any]], context: MemoryContext
) -> None:
    """Saves a run, and removes the oldest beyond the setting `keep_runs`.

    A workspace that can't be written to is still answered from; that is said, not raised.
    """
    first = {"event": "run", "version": VERSION, "run_id": context.run_id, "strategy": context.strategy, **head}
    lines = [first, *events, {"event": "context", **context.to_dict()}]
    folder = workspace.derived / "runs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines)
        (folder / f"{context.run_id}.jsonl").write_text(text, encoding="utf-8")
        for path in sorted(folder.glob("*.jsonl"))[: -workspace.settings.keep_runs]:
            path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("the run was not saved: %s", error)
