"""A run in this process: what its model calls may still cost, and the file it is written down in."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import Any

from jam.models.cache import REPLIES, FileCache
from jam.models.chat import ChatModel
from jam.models.messages import Exchange
from jam.models.meter import Meter, Spent, failure, paid
from jam.runs.log import RunLog
from jam.strategies.question import Question
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Running:
    """What the steps of one run share."""

    meter: Meter
    log: RunLog


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


def run_head(question: Question, strategy: str, at: float) -> dict[str, Any]:
    """What the first line of a saved run says: all that it takes to ask again."""
    return {
        **question.asked(),
        "strategy": strategy,
        "engine": question.casting.engine,
        **model_facts(question.casting.model),
        "budget": asdict(question.budget),
        "at": at,
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
