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
from jam.models.messages import ChatReply
from jam.runs.log import VERSION, reference, runs_folder
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
    steps: list[str] = field(default_factory=list)
    """The ids of the runs that this one is made of, where it is."""
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
    said: dict[str, Any] = {}
    for event in events[1:]:
        try:
            _take(run, event, said)
        except (KeyError, TypeError, ValueError, AttributeError, UsageError):
            _log.warning("%s: an event %r is damaged and left out", path, event.get("event"))
    run.observations.sort(key=lambda event: (event["round"], event["number"]))
    return run


def exchanges_of(run: SavedRun) -> list[dict[str, Any]]:
    """What was said to a model in a run and in its steps, as far as those are still kept."""
    found = list(run.exchanges)
    for step in run.steps:
        path = run.path.parent / f"{step}.jsonl"
        if "/" not in step and path.is_file():
            found += read_run(path).exchanges
    return found


def _take(run: SavedRun, event: dict[str, Any], said: dict[str, Any]) -> None:
    """Adds an event to its run. Raises one of several errors for a damaged one."""
    kind = event.get("event")
    if kind == "thought":
        run.thoughts.append({**event, "round": int(event["round"])})
    elif kind == "observation":
        call = {"tool": str(event["call"]["tool"]), "arguments": dict(event["call"]["arguments"])}
        placed = {"round": int(event["round"]), "number": int(event["number"]), "call": call}
        run.observations.append({**event, **placed, "text": str(event["text"]), "error": event["error"]})
    elif kind == "exchange":
        whole = _whole(event, said)
        if whole["reply"] is not None:
            ChatReply.from_dict(whole["reply"])
        run.exchanges.append({**whole, "key": str(event["key"]), "purpose": str(event["purpose"])})
    elif kind == "step":
        run.steps.append(str(event["run_id"]))
    elif kind == "context":
        run.context = MemoryContext.from_dict(event)


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


def _whole(event: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """An exchange with all that it only refers to put back. Raises `KeyError` for what stands nowhere before it."""

    def back(value: Any) -> Any:
        if isinstance(value, str):
            return said[value]
        if value is not None:
            said[reference(value)] = value
        return value

    request = dict(event["request"])
    messages = [back(message) for message in event["messages"]]
    request["schema"] = back(request.get("schema"))
    request["tools"] = [back(tool) for tool in request.get("tools") or []]
    if not all(isinstance(message, dict) and "role" in message for message in messages):
        raise ValueError("a message without a role")
    return {**event, "messages": messages, "request": request}
