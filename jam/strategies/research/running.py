"""A run in this process: what its model calls may still cost, and the file it is written down in.

None of it is in the state, which is plain data: after a restart it is made again from what the state says.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jam.context import Budget
from jam.models.cache import REPLIES, FileCache
from jam.models.chat import ChatModel
from jam.models.messages import Exchange
from jam.models.meter import Meter, Spent, failure, paid
from jam.runs.log import RunLog
from jam.strategies.research.state import spent_so_far
from jam.workspace.store import Workspace

_KEPT = 256
"""Runs that are remembered at one time; one that was broken off for good is forgotten in the end."""


@dataclass(frozen=True, slots=True)
class Running:
    """What the steps of one run share."""

    meter: Meter
    log: RunLog


class Runs:
    """The runs under way in this process."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._runs: OrderedDict[str, Running] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, state: Mapping[str, Any], budget: Budget) -> Running:
        """The run that a state is from."""
        run_id = state["run_id"]
        with self._lock:
            if run_id not in self._runs:
                seconds = None if budget.seconds is None else state["began"] + budget.seconds - time.time()
                spent = Spent.from_dict(state["spent"]) if "spent" in state else spent_so_far(state)
                meter = Meter(budget.tokens, seconds, spent)
                self._runs[run_id] = Running(meter, RunLog(self.workspace, run_id, state.get("save", True)))
                while len(self._runs) > _KEPT:
                    self._runs.popitem(last=False)
            self._runs.move_to_end(run_id)
            return self._runs[run_id]

    def end(self, run_id: str) -> None:
        with self._lock:
            self._runs.pop(run_id, None)


def model_facts(model: ChatModel | None) -> dict[str, Any]:
    """What a saved run says of its model: all that a replay needs to make the same prompts. No secrets."""
    if model is None:
        return {"model": None}
    settings = model.settings
    return {
        "model": settings.spec,
        "model_settings": {
            **settings.identity(),
            "context_tokens": model.endpoint.context_tokens,
            "protocol": settings.protocol,
            "structured": "prompt" if model.endpoint.schema_works is False else settings.structured,
        },
    }


class Step:
    """One step of a run: its model, bound to the run's budget and record, and what the step itself spends."""

    def __init__(self, running: Running, model: ChatModel | None, workspace: Workspace, **where: Any) -> None:
        self.running = running
        self.where = where
        self.spent = Spent()
        self._lock = threading.Lock()
        self.model = self._bound(model, workspace)

    def _bound(self, model: ChatModel | None, workspace: Workspace) -> ChatModel | None:
        if model is None:
            return None
        own = model.remembers
        cache = model.cache if own else FileCache(workspace.derived / REPLIES)
        meter = model.meter if own else self.running.meter
        return model.bound(meter=meter, cache=cache, record=self._record)

    def _record(self, exchange: Exchange) -> None:
        self.running.log.exchange(exchange, **self.where)
        reply = exchange.reply
        if reply is None:
            cost = failure(*exchange.error.lost_tokens) if exchange.error else Spent(failed=1)
        else:
            cost = Spent(stored=1) if reply.stored else paid(reply)
        with self._lock:
            self.spent += cost
