"""Runs of SWE-agent (`*.traj`) and mini-swe-agent (`*.traj.json`): one JSON document each, a session each.

A SWE-agent file tells the run twice: `history` as the model saw it, `trajectory` as steps. The more complete one is
read, most often the history. Other attempts at the same task are kept in threads of their own. Such files seldom have
times, and none is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jam.errors import UnreadableFile
from jam.history.gather import Gathering
from jam.history.parsing.fields import as_list, text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import kind_name, read_json, sample_json
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.swe_agent.records import is_reply, read_message, read_step
from jam.session import Message, Session

_FORMAT = "swe_agent"
_ENDINGS = (".traj.json", ".traj")
_FACTS = ("environment", "instance_id", "trajectory_format")
_FACTS_OF_RUN = ("exit_status", "mini_version", "swe_agent_version")


class SweAgent:
    """See the module."""

    name = _FORMAT
    description = "runs of SWE-agent and mini-swe-agent (*.traj, *.traj.json), recognised by history and trajectory"

    def recognises(self, file: SourceFile) -> float:
        """Certain of a trajectory of steps, or of what mini-swe-agent says of itself; sure of the endings."""
        sample = sample_json(file)
        if sample is None or sample.shape == "lines":
            return 0.0
        value = sample.values[0]
        named = file.name.endswith(_ENDINGS)
        if isinstance(value, list):
            return 0.93 if named and any(isinstance(row, dict) and "role" in row for row in value[:10]) else 0.0
        if not isinstance(value, dict):
            return 0.0
        steps = as_list(value.get("trajectory"))
        if any(isinstance(step, dict) and "action" in step and "observation" in step for step in steps[:10]):
            return 0.95 if named or not any(_is_event(step) for step in steps[:10]) else 0.0
        info = value.get("info")
        mini = str(value.get("trajectory_format")).startswith("mini-swe-agent")
        if mini or (isinstance(info, dict) and "mini_version" in info):
            return 0.95
        told = as_list(value.get("history")) or as_list(value.get("messages"))
        if named and any(isinstance(message, dict) and "role" in message for message in told[:10]):
            return 0.95
        return 0.9 if named and {"history", "trajectory", "messages", "info"} & set(value) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The run."""
        yield from _Run(file, spill).read()


def _is_event(step: Any) -> bool:
    """Whether a step is an event of another agent: those are an action or an observation, and say whose."""
    return isinstance(step, dict) and "source" in step


class _Run:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.gathering = Gathering(_FORMAT, file.name)
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        try:
            value = read_json(self.file)
        except UnreadableFile:
            yield from self._damaged()
            return
        draft = self.gathering.draft(self.file.name)
        draft.group, draft.title = self.file.folders, _title(self.file)
        whole: Mapping[str, Any] = value if isinstance(value, dict) else {"messages": value}
        draft.describe(_facts(whole))
        yield from self._told(whole, "", None)
        main = whole.get("history")
        attempts = [each for each in as_list(whole.get("attempts")) if isinstance(each, dict)]
        for number, attempt in enumerate(attempts, 1):
            if attempt.get("history") != main:
                yield from self._told(attempt, f"attempt {number}, ", f"attempt-{number}")
        yield from self._end()

    def _end(self) -> Iterator[Session | Note]:
        yield from self.gathering.take()
        yield Note(ignored=self.ignored)

    def _damaged(self) -> Iterator[Session | Skipped | Note]:
        """As many messages as can be read."""
        draft = self.gathering.draft(self.file.name)
        draft.group, draft.title = self.file.folders, _title(self.file)
        replied = False
        for item in json_items(self.file, ("history", "messages", "trajectory")):
            if isinstance(item, Skipped):
                yield item
            else:
                yield from self._add(item, replied, None)
                replied = replied or is_reply(item.value)
        yield from self._end()

    def _told(self, run: Mapping[str, Any], where: str, thread: str | None) -> Iterator[Skipped]:
        """The history, or the trajectory with what stands before the first reply in the history."""
        history = as_list(run.get("history")) or as_list(run.get("messages"))
        steps = as_list(run.get("trajectory"))
        replies = [n for n, message in enumerate(history) if is_reply(message) and not _is_demo(message)]
        if len(replies) < sum(isinstance(step, dict) for step in steps):
            history = [*history[: replies[0] if replies else len(history)], *steps]
        replied = False
        for number, message in enumerate(history, 1):
            yield from self._add(Item(number, message), replied, thread, where)
            replied = replied or (is_reply(message) and not _is_demo(message))

    def _add(self, item: Item, replied: bool, thread: str | None, where: str = "") -> Iterator[Skipped]:
        where = f"{where}message {item.number}"
        if not isinstance(item.value, dict):
            yield Skipped(where, f"{kind_name(item.value)}, not an object")
            return
        messages: list[Message] = []
        try:
            messages += self._read(item.value, replied)
        except ValueError as error:
            yield Skipped(where, str(error))
            return
        except RecursionError:
            yield Skipped(where, "nested too deeply")
            return
        self.ignored += not messages
        for message in messages:
            self.gathering.add(self.file.name, replace(message, thread=thread))

    def _read(self, value: Mapping[str, Any], replied: bool) -> Iterator[Message]:
        if "role" not in value and ("observation" in value or "action" in value):
            return read_step(value, self.spill)
        return read_message(value, replied, self.spill)


def _is_demo(message: Any) -> bool:
    return isinstance(message, dict) and message.get("is_demo") is True


def _title(file: SourceFile) -> str:
    name = file.name.rpartition("/")[2]
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), file.stem)


def _facts(run: Mapping[str, Any]) -> dict[str, Any]:
    info = run.get("info")
    own = info if isinstance(info, dict) else {}
    facts = {key: text_field(run, key) for key in _FACTS} | {key: text_field(own, key) for key in _FACTS_OF_RUN}
    config = own.get("config")
    model = config.get("model") if isinstance(config, dict) else None
    return {**facts, "model": text_field(model, "model_name") if isinstance(model, dict) else None}
