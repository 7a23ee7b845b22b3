"""A chat model whose every reply counts, made now or stored before: so that the same run gives the same figures again.

Calls and tokens are those that the replies cost when they were made, seconds those that they took then.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

from jam.errors import KeyRefused, ModelError, ModelUnavailable
from jam.evaluation.costs.call_seconds import Interval, Shares, shares
from jam.models.cache import ReplyCache
from jam.models.chat import ChatModel
from jam.models.messages import ChatReply, ChatRequest
from jam.models.meter import Meter, Spent, paid
from jam.models.patience import Patience


@dataclass(frozen=True, slots=True)
class Cost:
    """What was asked of a model for one thing, and how long that thing took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    """With the time that stored replies took when they were made."""


@dataclass
class _Tally:
    """What was asked since the count began; shared by a model and its copies."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    spent: Spent = field(default_factory=Spent)
    made: list[Interval] = field(default_factory=list)
    stored: list[tuple[str, float]] = field(default_factory=list)
    """Key and seconds of each."""
    failures: list[ModelError] = field(default_factory=list)


class CountedModel(ChatModel):
    """See the module. What it is asked may run side by side; what is counted apart follows one another."""

    def __init__(self, model: ChatModel, cache: ReplyCache, known: Shares) -> None:
        super().__init__(model.endpoint, meter=Meter(), cache=cache, remembers=True, patience=Patience())
        self._known = known
        self._tally = _Tally()

    def bound(self, **options: Any) -> ChatModel:
        """The same model with the same count: only what is told of an exchange may change."""
        copy = CountedModel.__new__(CountedModel)
        copy.__dict__.update(self.__dict__)
        copy.record = options.get("record") or self.record
        return copy

    def ask(self, request: ChatRequest, purpose: str) -> ChatReply:
        """The reply to a request, which is counted. Raises `ModelError`."""
        key = request.digest(self.settings.identity())
        began = time.perf_counter()
        try:
            reply = super().ask(request, purpose)
        except ModelError as error:
            with self._tally.lock:
                self._tally.failures.append(error)
            raise
        with self._tally.lock:
            self._tally.spent += paid(reply)
            if reply.stored:
                self._tally.stored.append((key, reply.seconds))
            else:
                self._tally.made.append(Interval(key, began, time.perf_counter()))
        if not reply.stored:
            self.cache.put(key, reply)  # an empty one too, which is kept by nobody else: the next run must see the same
        return reply

    def take(self, seconds: float) -> Cost:
        """What was asked since this was last called, for something that took so many seconds now.

        Raises the `ModelError` of a server that couldn't be reached: what was made without it is no result.
        """
        tally = self._tally
        with tally.lock:
            spent, made, stored, failures = tally.spent, tally.made, tally.stored, tally.failures
            tally.spent, tally.made, tally.stored, tally.failures = Spent(), [], [], []
        self._known.note(shares(made))
        for error in failures:
            if isinstance(error, ModelUnavailable | KeyRefused):
                raise error
        whole = round(seconds + self._known.total(stored), 6)
        return Cost(spent.calls, spent.input_tokens, spent.output_tokens, whole)
