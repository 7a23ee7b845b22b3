"""The graph: think → the round's calls in parallel → think … → finalize.

`Researcher` holds what a run needs and the state doesn't: the workspace, who plays the roles, the default budget.
The state is plain data; the recursion limit follows from the budget, so that the budget is what ends a run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from jam.context import Budget, MemoryContext, Usage
from jam.errors import UsageError
from jam.index.search_index import SearchIndex
from jam.index.store import open_index
from jam.strategies.conclude import conclude
from jam.strategies.question import Question, Roles
from jam.strategies.research.calls import carry_out
from jam.strategies.research.selection import select
from jam.strategies.research.state import (
    CallState,
    ResearchInput,
    ResearchOutput,
    ResearchState,
    read_budget,
    read_call,
    read_trail,
    write_call,
)
from jam.strategies.runs import save_run
from jam.workspace.store import Workspace

Graph = CompiledStateGraph[ResearchState, Any, ResearchInput, ResearchOutput]
_STEPS_AROUND = 6
"""Steps that aren't rounds: begin, the last thought, finalize, and room for a host graph's own."""

_NOTHING_YET = {"thoughts": None, "observations": None}


class Researcher:
    """The nodes of the graph."""

    def __init__(
        self, workspace: Workspace, roles: Callable[[SearchIndex], Roles], budget: Budget, scope: str = ""
    ) -> None:
        self.workspace = workspace
        self.roles = roles
        self.budget = budget
        self.scope = scope

    def question(self, state: Mapping[str, Any]) -> Question:
        """The question in a state. Raises `UsageError` where there is none, `ToolError` for a wrong scope."""
        query = state.get("query")
        if not isinstance(query, str):
            raise UsageError('the researcher is asked with {"query": "…"}')
        index = open_index(self.workspace)
        return Question(
            workspace=self.workspace,
            query=query,
            scope=state.get("scope") or self.scope,
            budget=read_budget(state, self.budget),
            roles=self.roles(index),
            index=index,
            since=state.get("since"),
            until=state.get("until"),
            save=state.get("save", True),
        )

    def begin(self, state: ResearchState) -> dict[str, Any]:
        """Checks the question, and clears what an earlier one of the same thread has left in the state."""
        question = self.question(state)
        return {"scope": question.scope, "began": time.time(), "round": 0, "calls": [], **_NOTHING_YET}

    def think(self, state: ResearchState) -> dict[str, Any]:
        """What to look at next, within what the budget leaves."""
        question = self.question(state)
        late = question.budget.seconds is not None and time.time() - state["began"] >= question.budget.seconds
        if late or state["round"] >= question.budget.rounds:
            return {"calls": []}
        decision = question.roles.policy.decide(read_trail(state, question.budget))
        calls = [write_call(call) for call in decision.calls[: question.budget.calls_per_round]]
        thought = {"round": state["round"] + 1, "text": decision.thought, "calls": calls}
        return {"calls": calls, "round": state["round"] + bool(calls), "thoughts": [thought]}

    def route(self, state: ResearchState) -> Sequence[Send] | Literal["finalize"]:
        """The round's calls, each to run beside the others; without calls, the end."""
        if not state["calls"]:
            return "finalize"
        return [Send("tool", self._sent(state, number, call)) for number, call in enumerate(state["calls"], 1)]

    def tool(self, state: CallState) -> dict[str, Any]:
        """One call, carried out. A call made before is answered from memory and said to be a repeat."""
        head = {"round": state["round"], "number": state["number"], "call": state["call"]}
        earlier = state["earlier"]
        if earlier:
            text = f"a repeat of a call of round {earlier['round']}, which gave: {earlier['text']}"
            return {"observations": [{**earlier, **head, "text": text, "error": "repeated", "seconds": 0.0}]}
        return {"observations": [{**head, **carry_out(self.question(state), read_call(state["call"]))}]}

    def finalize(self, state: ResearchState) -> dict[str, Any]:
        """The context, from what was seen in this run alone."""
        question = self.question(state)
        trail = read_trail(state, question.budget)
        context = conclude(
            question,
            select(trail, question.index.row),
            strategy="research",
            searched=[str(o.call.arguments.get("query")) for o in trail.observations if o.call.tool == "search"],
            usage=Usage(rounds=trail.rounds, tool_calls=len(trail.observations)),
        )
        seconds = round(time.time() - state["began"], 6)
        context = replace(context, usage=replace(context.usage, seconds=seconds))
        if question.save:
            self._save(question, state, context)
        return context.to_dict()

    def compile(self, **options: Any) -> Graph:
        """The graph, compiled; options (such as `checkpointer`) go to LangGraph's `compile`."""
        graph = StateGraph(ResearchState, input_schema=ResearchInput, output_schema=ResearchOutput)
        graph.add_node("begin", self.begin)
        graph.add_node("think", self.think)
        graph.add_node("tool", self.tool, input_schema=CallState)
        graph.add_node("finalize", self.finalize)
        graph.add_edge(START, "begin")
        graph.add_edge("begin", "think")
        graph.add_conditional_edges("think", self.route, ["tool", "finalize"])
        graph.add_edge("tool", "think")
        graph.add_edge("finalize", END)
        compiled = graph.compile(name="researcher", **options)
        return compiled.with_config(recursion_limit=recursion_limit(self.budget))

    def _sent(self, state: ResearchState, number: int, call: dict[str, Any]) -> CallState:
        earlier = [item for item in state.get("observations") or [] if item["call"] == call]
        return {
            "query": state["query"],
            "scope": state.get("scope") or "",
            "since": state.get("since"),
            "until": state.get("until"),
            "budget": state.get("budget") or {},
            "round": state["round"],
            "number": number,
            "call": call,
            "earlier": earlier[0] if earlier else None,
        }

    def _save(self, question: Question, state: ResearchState, context: MemoryContext) -> None:
        observations = sorted(state.get("observations") or [], key=lambda item: (item["round"], item["number"]))
        events: list[dict[str, Any]] = []
        for thought in state.get("thoughts") or []:
            events.append({"event": "thought", **thought})
            seen = [item for item in observations if item["round"] == thought["round"]]
            events += [{"event": "observation", **item} for item in seen]
        head = {
            "query": question.query,
            "scope": question.scope,
            "budget": asdict(question.budget),
            "at": state["began"],
        }
        save_run(self.workspace, head, events, context)


def recursion_limit(budget: Budget) -> int:
    """LangGraph steps that a run within the budget can take: two a round, and those around."""
    return 2 * budget.rounds + _STEPS_AROUND
