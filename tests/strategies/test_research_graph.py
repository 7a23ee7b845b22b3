"""The Researcher as a graph: its rounds, its state, and its place in other programs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

import jam
from jam.engines import Roles
from jam.jobs import Decision, Observation, ToolCall, Trail
from jam.strategies.question import extractive_roles
from jam.strategies.research.graph import Graph, Researcher
from tests.histories import BLOOD, PORT, lasting

FIELDS = ["query", "verdict", "answer", "context", "evidence", "sources", "notes", "searched", "missing"]
FIELDS += ["strategy", "usage", "run_id"]
TIDE = ToolCall("search", {"query": "tide window"})


@pytest.fixture(scope="module")
def workspace(built_examples: Path) -> jam.Workspace:
    return jam.Workspace.open(built_examples)


class Scripted:
    """A policy that says what it was told to say, and remembers what it was shown."""

    def __init__(self, script: Callable[[Trail], Sequence[ToolCall]]) -> None:
        self.script = script
        self.seen: list[Trail] = []

    def decide(self, trail: Trail) -> Decision:
        self.seen.append(trail)
        return Decision("as scripted", tuple(self.script(trail)))


def researcher(workspace: jam.Workspace, policy: Scripted, **budget: Any) -> Graph:
    def roles(index: Any, model: Any) -> Roles:
        return replace(extractive_roles(index), policy=policy)

    return Researcher(workspace, roles, jam.Budget(**budget)).compile()


def observe(workspace: jam.Workspace, *calls: ToolCall, **given: Any) -> list[Observation]:
    """What one round of these calls gives, in their order."""
    policy = Scripted(lambda trail: () if trail.rounds else calls)
    researcher(workspace, policy).invoke({"query": PORT, "save": False, **given})
    return list(policy.seen[-1].observations)


def plain(state: Any) -> dict[str, Any]:
    return lasting(jam.MemoryContext.from_dict(state))


def test_it_gives_the_fields_of_a_context(workspace: jam.Workspace):
    state = jam.build_researcher(workspace).invoke({"query": PORT, "save": False})
    assert list(jam.MemoryContext.from_dict(state).to_dict()) == FIELDS
    assert set(state) == set(FIELDS)
    assert plain(state) == lasting(jam.recall(workspace, PORT, save=False))


def test_asynchronously_it_gives_the_same(workspace: jam.Workspace):
    graph = jam.build_researcher(workspace)
    state = asyncio.run(graph.ainvoke({"query": PORT, "save": False}))
    assert plain(state) == plain(graph.invoke({"query": PORT, "save": False}))


def test_scope_and_budget_may_be_in_the_state(workspace: jam.Workspace):
    given = {"query": PORT, "scope": "harbor", "budget": {"rounds": 1, "context_tokens": 200}, "save": False}
    state = jam.build_researcher(workspace).invoke(given)
    assert {path.partition("/")[0] for path in state["sources"]} == {"harbor"}
    assert state["usage"]["rounds"] == 1
    assert state["usage"]["context_tokens"] <= 200


def test_scope_and_budget_may_be_defaults(workspace: jam.Workspace):
    graph = jam.build_researcher(workspace, scope="harbor", budget=jam.Budget(rounds=1))
    state = graph.invoke({"query": PORT, "save": False})
    assert {path.partition("/")[0] for path in state["sources"]} == {"harbor"}
    assert state["usage"]["rounds"] == 1


@pytest.mark.parametrize("given", [{}, {"query": 5}, {"query": ""}, {"query": PORT, "budget": {"rouns": 1}}])
def test_a_senseless_state_is_refused(workspace: jam.Workspace, given: dict[str, Any]):
    with pytest.raises(jam.JamError):
        jam.build_researcher(workspace).invoke({"scope": "", **given})


def test_it_is_a_node_in_another_graph(workspace: jam.Workspace):
    class Mine(TypedDict, total=False):
        query: str
        context: str
        verdict: str
        prompt: str

    graph = StateGraph(Mine)
    graph.add_node("ask", lambda state: {"query": PORT})
    graph.add_node("remember", jam.build_researcher(workspace, budget=jam.Budget(context_tokens=300)))
    graph.add_node("write", lambda state: {"prompt": f"{state['verdict']}: {state['context']}"})
    for source, target in ((START, "ask"), ("ask", "remember"), ("remember", "write"), ("write", END)):
        graph.add_edge(source, target)
    state = graph.compile().invoke({})
    assert state["prompt"] == f"{state['verdict']}: {state['context']}"
    assert "8443" in state["prompt"]


def test_a_checkpoint_holds_plain_data_only(workspace: jam.Workspace):
    graph = jam.build_researcher(workspace, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "one"}}
    graph.invoke({"query": PORT, "save": False}, config)
    values = graph.get_state(config).values
    assert json.loads(json.dumps(values)) == values


def test_a_second_question_on_a_thread_starts_afresh(workspace: jam.Workspace):
    graph = jam.build_researcher(workspace, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "one"}}
    graph.invoke({"query": BLOOD, "save": False}, config)
    again = graph.invoke({"query": PORT, "save": False}, config)
    assert plain(again) == lasting(jam.recall(workspace, PORT, save=False))


def test_a_run_goes_on_from_its_checkpoint(workspace: jam.Workspace):
    graph = jam.build_researcher(workspace, checkpointer=InMemorySaver(), interrupt_before=["finalize"])
    config = {"configurable": {"thread_id": "one"}}
    graph.invoke({"query": PORT, "save": False}, config)
    assert plain(graph.invoke(None, config)) == lasting(jam.recall(workspace, PORT, save=False))


def test_its_steps_can_be_watched(workspace: jam.Workspace):
    steps = jam.build_researcher(workspace).stream({"query": PORT, "save": False}, stream_mode="updates")
    names = [name for step in steps for name in step]
    assert names[:2] == ["begin", "think"]
    assert names[-1] == "finalize"
    assert names.count("tool") == jam.recall(workspace, PORT, save=False).usage.tool_calls
    assert set(names) == {"begin", "think", "tool", "finalize"}


def test_the_calls_of_a_round_run_side_by_side(workspace: jam.Workspace):
    calls = [ToolCall("search", {"query": text}) for text in ("tide", "berth", "port")]
    seen = observe(workspace, *calls)
    assert [item.call for item in seen] == calls
    assert {item.round for item in seen} == {1}


def test_no_more_than_five_calls_a_round(workspace: jam.Workspace):
    policy = Scripted(
        lambda trail: () if trail.rounds else [ToolCall("search", {"query": f"tide {n}"}) for n in range(9)]
    )
    state = researcher(workspace, policy).invoke({"query": PORT, "save": False})
    assert state["usage"]["tool_calls"] == 5


@pytest.mark.parametrize("rounds", [1, 20])
def test_the_budget_ends_a_run_that_never_ends_itself(workspace: jam.Workspace, rounds: int):
    policy = Scripted(lambda trail: [ToolCall("search", {"query": f"tide {trail.rounds}"})] * 2)
    state = researcher(workspace, policy, rounds=rounds).invoke({"query": PORT, "save": False})
    assert state["usage"]["rounds"] == rounds
    assert state["usage"]["tool_calls"] == 2 * rounds


def test_a_repeated_call_is_answered_as_a_repeat(workspace: jam.Workspace):
    policy = Scripted(lambda trail: [TIDE] if trail.rounds < 2 else ())
    researcher(workspace, policy).invoke({"query": PORT, "save": False})
    first, second = policy.seen[-1].observations
    assert (first.error, second.error) == (None, "repeated")
    assert second.text == f"a repeat of a call of round 1, which gave: {first.text}"
    assert second.found == first.found


def test_a_call_repeated_twice_still_names_the_first(workspace: jam.Workspace):
    policy = Scripted(lambda trail: [TIDE] if trail.rounds < 3 else ())
    researcher(workspace, policy).invoke({"query": PORT, "save": False})
    *_, third = policy.seen[-1].observations
    assert third.text.count("a repeat of") == 1


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (ToolCall("browse", {"path": "chats/nothing.md", "query": "x"}), "not_found"),
        (ToolCall("browse", {"path": "chats", "query": "x"}), "is_folder"),
        (ToolCall("open", {"path": "notes/2026-06-16 tuesday.md"}), "is_file"),
        (ToolCall("open", {"path": "../.."}), "outside_workspace"),
        (ToolCall("search", {"query": " "}), "bad_arguments"),
        (ToolCall("search", {}), "bad_arguments"),
        (ToolCall("browse", {"query": "x"}), "bad_arguments"),
        (ToolCall("delete", {"path": "chats"}), "bad_arguments"),
        (ToolCall("search", {"query": "x", "since": "soon"}), "bad_arguments"),
        (ToolCall("search", {"query": "x", "since": 2026}), "bad_arguments"),
    ],
)
def test_a_call_that_fails_is_an_observation(workspace: jam.Workspace, call: ToolCall, code: str):
    (seen,) = observe(workspace, call)
    assert (seen.error, seen.found, seen.files) == (code, (), ())
    assert seen.text


def test_a_failed_call_does_not_spoil_the_round(workspace: jam.Workspace):
    bad, good = observe(workspace, ToolCall("open", {"path": "nowhere"}), ToolCall("search", {"query": PORT}))
    assert bad.error == "not_found"
    assert good.found


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("browse", {"path": "notes/2026-06-16 tuesday.md", "query": "port"}),
        ToolCall("open", {"path": "notes"}),
        ToolCall("search", {"query": "port", "scope": "notes"}),
    ],
)
def test_no_call_leaves_the_scope_of_the_question(workspace: jam.Workspace, call: ToolCall):
    (seen,) = observe(workspace, call, scope="chats")
    assert (seen.error, seen.found) == ("outside_scope", ())


def test_a_search_may_name_a_folder(workspace: jam.Workspace):
    (seen,) = observe(workspace, ToolCall("search", {"query": PORT, "scope": "notes"}))
    assert {item.path.partition("/")[0] for item in seen.found} == {"notes"}


def test_no_call_leaves_the_days_of_the_question(workspace: jam.Workspace):
    wide = ToolCall("search", {"query": PORT, "since": "2000-01-01"})
    read = ToolCall("browse", {"path": "notes/2026-06-16 tuesday.md", "query": PORT})
    policy = Scripted(lambda trail: () if trail.rounds else (wide, read))
    state = researcher(workspace, policy).invoke({"query": PORT, "since": "2026-09-01", "save": False})
    assert all(item["at"] >= "2026-09-01" for item in state["evidence"])


def test_only_what_was_seen_is_cited(workspace: jam.Workspace):
    path = "notes/2026-06-16 tuesday.md"
    policy = Scripted(lambda trail: () if trail.rounds else [ToolCall("browse", {"path": path, "query": PORT})])
    state = researcher(workspace, policy).invoke({"query": PORT, "save": False})
    assert state["sources"] == [path]


def test_the_policy_is_told_what_is_left(workspace: jam.Workspace):
    policy = Scripted(lambda trail: [ToolCall("search", {"query": f"tide {trail.rounds}"})])
    researcher(workspace, policy, rounds=3).invoke({"query": PORT, "save": False})
    assert [(trail.rounds, trail.rounds_left) for trail in policy.seen] == [(0, 3), (1, 2), (2, 1)]
