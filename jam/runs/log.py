"""Writing a run down while it goes on. A workspace that can't be written to is still answered from; that is said."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jam.models.messages import Exchange
from jam.workspace.store import Workspace

_log = logging.getLogger(__name__)
VERSION = 2


def new_run_id() -> str:
    """Sorts by time, unique: `20260203T091400-5f3a9c21b`, where `5f3` are 4096ths of the second."""
    now = time.time()
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}-{int(now % 1 * 4096):03x}{secrets.token_hex(3)}"


def runs_folder(workspace: Workspace) -> Path:
    return workspace.derived / "runs"


def reference(value: Mapping[str, Any]) -> str:
    """What a message, a schema or a tool is referred to by, once it stands in a run's file."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


class RunLog:
    """The file of one run. Safe for use by many threads; one that is not to be saved writes nothing."""

    def __init__(self, workspace: Workspace, run_id: str, save: bool = True) -> None:
        self.workspace = workspace
        self.run_id = run_id
        self.path = runs_folder(workspace) / f"{run_id}.jsonl"
        self._save = save
        self._said: set[str] = set()
        """What stands in the file already, by what it is referred to by."""
        self._broken_off = False
        """Whether the last line has no end yet."""
        if save:
            self._go_on()
        self._lock = threading.Lock()

    def begin(self, head: Mapping[str, Any]) -> None:
        """Writes the first line, and removes the oldest runs beyond the setting `keep_runs`."""
        self.write({"event": "run", "version": VERSION, "run_id": self.run_id, **head})
        if not self._save:
            return
        try:
            for path in sorted(self.path.parent.glob("*.jsonl"))[: -self.workspace.settings.keep_runs]:
                path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("old runs were not removed: %s", error)

    def write(self, event: Mapping[str, Any]) -> None:
        """Appends an event."""
        if not self._save:
            return
        with self._lock:
            self._append(event)

    def exchange(self, exchange: Exchange, **where: Any) -> None:
        """Appends what was said to a model and what it said; `where` names the round and call it belongs to."""
        if not self._save:
            return
        request = exchange.request
        with self._lock:
            self._append(
                {
                    "event": "exchange",
                    **where,
                    "purpose": exchange.purpose,
                    "key": exchange.key,
                    "messages": [self._once(message) for message in request.messages],
                    "request": {
                        "max_output_tokens": request.max_output_tokens,
                        "sampling": asdict(request.sampling),
                        "schema": self._once(request.schema) if request.schema else None,
                        "tools": [self._once(tool) for tool in request.tools],
                    },
                    "reply": exchange.reply.to_dict() if exchange.reply else None,
                    "error": str(exchange.error) if exchange.error else None,
                    "error_kind": type(exchange.error).__name__ if exchange.error else None,
                    "stored": bool(exchange.reply and exchange.reply.stored),
                }
            )

    def _once(self, value: Mapping[str, Any]) -> Any:
        """The value where it stands for the first time, then what it is referred to by."""
        name = reference(value)
        if name in self._said:
            return name
        self._said.add(name)
        return dict(value)

    def _go_on(self) -> None:
        """Takes in what the file holds already: a run that goes on after a restart goes on in its file."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return
        self._broken_off = text != "" and not text.endswith("\n")
        for line in text.splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError):
                event = json.loads(line)
                if event["event"] == "exchange":
                    request = event["request"]
                    for value in [*event["messages"], request["schema"], *request["tools"]]:
                        if isinstance(value, dict):
                            self._said.add(reference(value))

    def _append(self, event: Mapping[str, Any]) -> None:
        try:
            if not self.workspace.root.is_dir():
                raise FileNotFoundError(f"{self.workspace.root} is gone")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" * self._broken_off + json.dumps(event, ensure_ascii=True) + "\n")
            self._broken_off = False
        except OSError as error:
            _log.warning("the run is not saved: %s", error)
            self._save = False
