"""Reading saved runs. One that was broken off has no context; a line that can't be read is left out, with a warning."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jam.context import MemoryContext
from jam.errors import UsageError
from jam.runs.log import VERSION, runs_folder
from jam.workspace.store import Workspace

_log = logging.getLogger(__name__)


@dataclass
class SavedRun:
    """A run, read back."""

    path: Path
    head: Mapping[str, Any]
    thoughts: list[Mapping[str, Any]] = field(default_factory=list)
    observations: list[Mapping[str, Any]] = field(default_factory=list)
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    """With the whole messages, schema and tools of each."""
    context: MemoryContext | None = None
    """`None` where the run was broken off."""

    @property
    def run_id(self) -> str:
        return str(self.head.get("run_id") or self.path.stem)

    @property
    def query(self) -> str:
        return str(self.head.get("query") or "")

    def summary(self) -> dict[str, Any]:
        """The run in a line of a listing."""
        usage = self.context.to_dict()["usage"] if self.context else None
        return {
            "run_id": self.run_id,
            "at": self.head.get("at"),
            "query": self.query,
            "scope": self.head.get("scope") or "",
            "strategy": self.head.get("strategy"),
            "engine": self.head.get("engine") or "extractive",
            "model": self.head.get("model"),
            "verdict": self.context.verdict if self.context else None,
            "finished": self.context is not None,
            "usage": usage,
        }


def list_runs(workspace: Workspace) -> Iterator[SavedRun]:
    """The saved runs, newest first."""
    for path in sorted(runs_folder(workspace).glob("*.jsonl"), reverse=True):
        try:
            yield read_run(path)
        except UsageError as error:
            _log.warning("left out: %s", error)


def find_run(given: str, workspace: Workspace) -> Path:
    """The file of a run: by its id or how that begins, `last`, or a path. Raises `UsageError` where there is none."""
    if given.endswith(".jsonl") and Path(given).expanduser().is_file():
        return Path(given).expanduser()
    found = sorted(runs_folder(workspace).glob("*.jsonl"))
    if given == "last" and found:
        return found[-1]
    matching = [path for path in found if given and path.stem.startswith(given)]
    if len(matching) == 1:
        return matching[0]
    many = f"{len(matching)} runs begin with {given!r}" if matching else f"there is no run {given!r}"
    raise UsageError(f"{many} in {workspace.root}; see: jam runs {workspace.root}")


def read_run(path: Path) -> SavedRun:
    """The run in a file. Raises `UsageError` where it is none, or one of a later version."""
    events = list(_events(path))
    head = events[0] if events else {}
    version = head.get("version")
    if head.get("event") != "run" or not isinstance(version, int):
        raise UsageError(f"{path} is not a saved run: its first line should be an event `run` with a `version`")
    if version > VERSION:
        raise UsageError(f"{path} was saved by a later JAM (version {version}); upgrade jam-memory")
    run = SavedRun(path, head)
    said: list[Any] = []
    for event in events[1:]:
        kind = event.get("event")
        if kind == "thought":
            run.thoughts.append(event)
        elif kind == "observation":
            run.observations.append(event)
        elif kind == "exchange":
            try:
                run.exchanges.append(_whole(event, said))
            except (KeyError, TypeError, ValueError):
                _log.warning("%s: an exchange is damaged and left out", path)
        elif kind == "context":
            run.context = MemoryContext.from_dict(event)
    run.observations.sort(key=lambda event: (event.get("round", 0), event.get("number", 0)))
    return run


def _events(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except ValueError:
            _log.warning("%s, line %d is cut off or damaged and left out", path, number)
            continue
        if isinstance(event, dict):
            yield event


def _whole(event: dict[str, Any], said: list[Any]) -> dict[str, Any]:
    """An exchange with all that it only points to put back."""

    def back(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return said[value] if value < len(said) else {}
        if value is not None:
            said.append(value)
        return value

    request = dict(event["request"])
    messages = [back(message) for message in event["messages"]]
    request["schema"] = back(request.get("schema"))
    request["tools"] = [back(tool) for tool in request.get("tools") or []]
    return {**event, "messages": messages, "request": request}
