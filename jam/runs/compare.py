"""Two runs side by side: where they went different ways, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jam.context import MemoryContext
from jam.runs.reading import SavedRun

_FIGURES = ("rounds", "tool_calls", "model_calls", "input_tokens", "output_tokens", "context_tokens", "seconds")
_OWN = ("run_id", "usage")
"""What differs between two runs of the same question in any case."""


def compare(first: SavedRun, second: SavedRun) -> dict[str, Any]:
    """The differences as JSON values: heads, calls round by round, evidence, verdict, usage."""
    return {
        "runs": [first.run_id, second.run_id],
        "head": _differing(_head(first), _head(second)),
        "calls": _calls(first, second),
        "verdict": _pair(_value(first, "verdict"), _value(second, "verdict")),
        "answer": _pair(_value(first, "answer"), _value(second, "answer")),
        "sources": _sides(_list(first, "sources"), _list(second, "sources")),
        "evidence": _sides(_evidence(first), _evidence(second)),
        "usage": {name: [_usage(run).get(name) for run in (first, second)] for name in _FIGURES},
        "same_context": _same(first.context, second.context),
    }


def observation_differences(
    recorded: Sequence[Mapping[str, Any]], again: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Where two series of observations part: a call that was not made, or one that gave something else."""
    known = {(item["round"], item["number"]): item for item in again}
    found = []
    for item in recorded:
        other = known.pop((item["round"], item["number"]), None)
        where = {"round": item["round"], "number": item["number"], "call": item["call"]}
        if other is None:
            found.append({**where, "what": "not made again"})
        elif other["call"] != item["call"]:
            found.append({**where, "what": f"another call: {call_text(other['call'])}"})
        elif (other["text"], other["error"]) != (item["text"], item["error"]):
            found.append({**where, "what": "another result"})
    for item in known.values():
        place = {"round": item["round"], "number": item["number"], "call": item["call"]}
        found.append({**place, "what": "made in addition"})
    return found


def context_differences(recorded: MemoryContext, again: MemoryContext) -> list[str]:
    """The fields in which two contexts differ; those that always do are left aside."""
    one, other = recorded.to_dict(), again.to_dict()
    return [name for name in one if name not in _OWN and one[name] != other[name]]


def call_text(call: Mapping[str, Any]) -> str:
    """A call as people write it."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
    return f"{call['tool']}({arguments})"


def render_comparison(data: Mapping[str, Any]) -> str:
    """A comparison for people."""
    lines = [f"{data['runs'][0]}  |  {data['runs'][1]}"]
    lines += [f"{name}: {_shown(pair[0])}  |  {_shown(pair[1])}" for name, pair in data["head"].items()]
    for row in data["calls"]:
        lines.append(f"round {row['round']}:" + (" the same calls" if not (row["first"] or row["second"]) else ""))
        lines += [f"  < {call}" for call in row["first"]] + [f"  > {call}" for call in row["second"]]
    for name in ("verdict", "answer"):
        lines += [f"{name}: {_shown(data[name][0])}  |  {_shown(data[name][1])}"] if data[name] else []
    for name in ("sources", "evidence"):
        lines += [f"{name}: {len(data[name]['both'])} in both"]
        lines += [f"  < {item}" for item in data[name]["first"]] + [f"  > {item}" for item in data[name]["second"]]
    lines += [f"{name}: {pair[0]}  |  {pair[1]}" for name, pair in data["usage"].items() if pair[0] != pair[1]]
    lines.append("the contexts are the same" if data["same_context"] else "the contexts differ")
    return "\n".join(lines)


def _head(run: SavedRun) -> dict[str, Any]:
    names = ("query", "scope", "since", "until", "asked_at", "strategy", "engine", "model")
    budget = run.head.get("budget")
    return {**{name: run.head.get(name) for name in names}, **(budget if isinstance(budget, Mapping) else {})}


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [one.get(name), other.get(name)] for name in {**one, **other} if one.get(name) != other.get(name)}


def _calls(first: SavedRun, second: SavedRun) -> list[dict[str, Any]]:
    """Round by round, the calls that only one of the two made."""
    rounds = sorted({item["round"] for run in (first, second) for item in run.observations})
    rows = []
    for number in rounds:
        sides = [[call_text(o["call"]) for o in run.observations if o["round"] == number] for run in (first, second)]
        split = _sides(*sides)
        rows.append({"round": number, "first": split["first"], "second": split["second"]})
    return rows


def _sides(one: Sequence[str], other: Sequence[str]) -> dict[str, list[str]]:
    return {
        "both": [item for item in one if item in other],
        "first": [item for item in one if item not in other],
        "second": [item for item in other if item not in one],
    }


def _pair(one: Any, other: Any) -> list[Any] | None:
    return None if one == other else [one, other]


def _value(run: SavedRun, name: str) -> Any:
    return getattr(run.context, name) if run.context else None


def _list(run: SavedRun, name: str) -> list[str]:
    return list(_value(run, name) or ())


def _evidence(run: SavedRun) -> list[str]:
    return [f"{item.path} #{item.message}" for item in run.context.evidence] if run.context else []


def _usage(run: SavedRun) -> dict[str, Any]:
    return dict(run.context.to_dict()["usage"]) if run.context else {}


def _same(one: MemoryContext | None, other: MemoryContext | None) -> bool:
    return one is not None and other is not None and one.context == other.context


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
