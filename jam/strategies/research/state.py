"""The Researcher's state: plain serialisable data, so that any checkpointer keeps it and any graph can hold it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

from jam.context import Budget
from jam.errors import UsageError
from jam.jobs import Answer, Cited, Found, Observation, ToolCall, Trail, Turn
from jam.models.meter import Spent


class ResearchInput(TypedDict, total=False):
    """What the graph is asked. Only `query` is needed."""

    query: str
    scope: str
    """A folder that the question is confined to."""
    budget: dict[str, Any]
    """Fields of `jam.Budget`."""
    since: str | None
    """ISO date: only messages of that day or later."""
    until: str | None
    asked_at: str | None
    """ISO date or time that "last week" is counted from; today unless told otherwise."""
    save: bool
    """Whether the run is kept in `.jam/runs/`; it is unless told otherwise."""


class ResearchOutput(TypedDict, total=False):
    """What the graph gives: the fields of `jam.MemoryContext`, as JSON values."""

    query: str
    verdict: str
    answer: str | None
    context: str
    evidence: list[dict[str, Any]]
    sources: list[str]
    notes: str
    searched: list[str]
    missing: list[str]
    strategy: str
    usage: dict[str, Any]
    run_id: str


def gather(known: list[dict[str, Any]] | None, new: list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Adds what parallel steps report; `None` begins anew, for a thread that is asked its next question."""
    return [] if new is None else [*(known or []), *new]


class ResearchState(ResearchInput, ResearchOutput, total=False):
    """Input, output, and what lies between. The `run_id` is given at the beginning."""

    asked_on: str
    """`asked_at`, or the day on which the run began; the next question of a thread has its own."""
    began: float
    """Wall-clock time of the start, in seconds since 1970: it survives a restart."""
    round: int
    calls: list[dict[str, Any]]
    """The calls of the round under way."""
    thoughts: Annotated[list[dict[str, Any]], gather]
    observations: Annotated[list[dict[str, Any]], gather]


class CallState(TypedDict):
    """What one parallel tool call is sent."""

    query: str
    scope: str
    since: str | None
    until: str | None
    asked_on: str
    budget: dict[str, Any]
    save: bool
    round: int
    number: int
    run_id: str
    began: float
    call: dict[str, Any]
    earlier: dict[str, Any] | None
    """The observation of the same call in an earlier round."""
    spent: dict[str, int]
    """What the run has spent on models so far."""


def read_budget(state: Mapping[str, Any], default: Budget) -> Budget:
    """The budget in a state, checked; fields that it leaves out are the default's."""
    given = state.get("budget") or {}
    if not isinstance(given, Mapping):
        raise UsageError(f"the budget in the state must give fields of jam.Budget, not {given!r}")
    unknown = [str(name) for name in given if name not in asdict(default)]
    if unknown:
        raise UsageError(f"budget: the fields are {', '.join(asdict(default))}; got {', '.join(unknown)}")
    try:
        return Budget(**{**asdict(default), **given})
    except TypeError as error:
        raise UsageError(f"budget: {error}") from None


def read_call(data: Mapping[str, Any]) -> ToolCall:
    return ToolCall(data["tool"], data["arguments"])


def write_call(call: ToolCall) -> dict[str, Any]:
    return {"tool": call.tool, "arguments": dict(call.arguments)}


def read_observation(data: Mapping[str, Any]) -> Observation:
    return Observation(
        round=data["round"],
        call=read_call(data["call"]),
        text=data["text"],
        found=tuple(Found(*item) for item in data["found"]),
        files=tuple(data["files"]),
        error=data["error"],
        picked=bool(data.get("picked")),
    )


def write_answer(answer: Answer | None) -> dict[str, Any] | None:
    return None if answer is None else json.loads(json.dumps(asdict(answer)))  # lists for tuples


def read_answer(data: Mapping[str, Any] | None) -> Answer | None:
    """The answer in a state, whose lists may have been tuples."""
    if data is None:
        return None
    quotes = tuple(Cited(**item) for item in data["quotes"])
    lists = {"sources": tuple(data["sources"]), "missing": tuple(data["missing"]), "quotes": quotes}
    return Answer(**{**data, **lists})


def spent_so_far(state: Mapping[str, Any]) -> Spent:
    """What the run has spent on models, by its thoughts and observations."""
    total = Spent()
    for item in [*(state.get("thoughts") or []), *(state.get("observations") or [])]:
        total += Spent.from_dict(item.get("spent") or {})
    return total


def read_trail(state: Mapping[str, Any], budget: Budget) -> Trail:
    """The run so far, in the order of rounds and calls."""
    done = sorted(state.get("observations") or [], key=lambda item: (item["round"], item["number"]))
    return Trail(
        query=state["query"],
        scope=state.get("scope") or "",
        observations=tuple(read_observation(item) for item in done),
        rounds=state.get("round") or 0,
        rounds_left=budget.rounds - (state.get("round") or 0),
        calls_per_round=budget.calls_per_round,
        context_tokens=budget.context_tokens,
        turns=tuple(
            Turn(thought["round"], tuple(thought.get("said") or ()), thought.get("asked") or 0)
            for thought in state.get("thoughts") or []
        ),
    )
