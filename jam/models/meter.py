"""What calls cost, and what they may. A budget is planned within: a call that can't be afforded is not made."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jam.errors import BudgetSpent
from jam.models.messages import ChatReply

_LEAST_OUTPUT = 64
"""A call that could not even say this much is not worth making."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What was really spent."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    stored: int = 0
    """Calls answered from memory, at no cost."""
    failed: int = 0
    """Calls that gave no reply after all attempts."""
    retries: int = 0
    doubtful: int = 0
    """Replies whose token counts, as the server gave them, can't be right; they were counted here instead."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spent) -> Spent:
        mine, theirs = asdict(self), asdict(other)
        return Spent(**{key: mine[key] + theirs[key] for key in mine})

    def to_dict(self) -> dict[str, int]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Spent:
        return cls(**{key: int(value) for key, value in data.items() if key in cls.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens set aside for a call under way."""

    input_tokens: int
    output_tokens: int
    estimated: int = 0
    """What the prompt was estimated at, before what earlier replies have taught."""


class Meter:
    """Counts what one run or build spends, and holds it to its budget. Safe for use by many threads."""

    def __init__(
        self,
        tokens: int | None = None,
        seconds: float | None = None,
        spent: Spent | None = None,
        *,
        count_stored: bool = False,
    ) -> None:
        self.limit = tokens
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.count_stored = count_stored
        """Whether stored replies count as they did when they were paid for: a replay stops where the run did."""
        self._spent = spent or Spent()
        self._reserved = 0
        self._ratio = 1.0
        """How many times our estimate the model's own tokens of a prompt were, at most."""
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        return self._spent

    def seconds_left(self) -> float | None:
        """Until the deadline; `None` where there is none."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    def tokens_left(self) -> int | None:
        """Tokens that are neither spent nor set aside; `None` where there is no limit."""
        return None if self.limit is None else self.limit - self._spent.tokens - self._reserved

    def exhausted(self) -> bool:
        """Whether no further call can be made."""
        seconds, tokens = self.seconds_left(), self.tokens_left()
        return (seconds is not None and seconds <= 0) or (tokens is not None and tokens <= _LEAST_OUTPUT)

    def reserve(self, prompt_tokens: int, output_tokens: int) -> Reservation:
        """Sets tokens aside for a call: as much output as can be afforded. Raises `BudgetSpent`."""
        seconds = self.seconds_left()
        if seconds is not None and seconds <= 0:
            raise BudgetSpent("the time allowed is over")
        with self._lock:
            estimated = prompt_tokens
            prompt_tokens = math.ceil(prompt_tokens * self._ratio)
            if self.limit is not None:
                left = self.limit - self._spent.tokens - self._reserved - prompt_tokens
                if left < min(output_tokens, _LEAST_OUTPUT):
                    raise BudgetSpent(
                        f"the budget of {self.limit} tokens doesn't reach: {self._spent.tokens} are spent, a call "
                        f"would take {prompt_tokens} and its reply"
                    )
                output_tokens = min(output_tokens, left)
            self._reserved += prompt_tokens + output_tokens
        return Reservation(prompt_tokens, output_tokens, estimated)

    def settle(self, reservation: Reservation, reply: ChatReply | None, lost: tuple[int, int] = (0, 0)) -> None:
        """Books what a call has cost; without a reply what is `lost`: input and output that it may have cost."""
        with self._lock:
            self._reserved -= reservation.input_tokens + reservation.output_tokens
            self._spent += failure(*lost) if reply is None else paid(reply)
            if reply is not None and reservation.estimated:
                self._ratio = max(self._ratio, reply.input_tokens / reservation.estimated)

    def note_stored(self, reply: ChatReply) -> None:
        """Books a reply that came from memory."""
        with self._lock:
            self._spent += paid(reply) if self.count_stored else Spent(stored=1)


def paid(reply: ChatReply) -> Spent:
    """What a reply cost when it was made."""
    return Spent(
        calls=1,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        retries=reply.attempts - 1,
        doubtful=int(reply.estimated),
    )


def failure(input_tokens: int, output_tokens: int) -> Spent:
    """A call without a reply; what it may have cost all the same is a guess."""
    return Spent(
        failed=1, input_tokens=input_tokens, output_tokens=output_tokens, doubtful=int(input_tokens + output_tokens > 0)
    )
