"""The runs of a graph that are under way in this process.

None of it is in the state, which is plain data: after a restart it is made again from what the state says.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from jam.context import Budget
from jam.models.meter import Meter, Spent
from jam.runs.log import RunLog
from jam.strategies.research.state import spent_so_far
from jam.strategies.running import Running
from jam.workspace.store import Workspace

_KEPT = 256
"""Runs that are remembered at one time; one that was broken off for good is forgotten in the end."""


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
