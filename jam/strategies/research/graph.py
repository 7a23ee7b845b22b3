"""The Researcher: think → the round's calls in parallel → think … → finalize.

`Researcher` holds what a run needs and the state doesn't: the workspace, who plays the roles, the default budget.
The state is plain data; the recursion limit follows from the budget, so that the budget is what ends a run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from numpy.typing import NDArray

from jam.context import Budget, Usage
from jam.errors import ModelError, NotRecorded, UsageError
from jam.index.search_index import Within
from jam.index.store import open_index
from jam.jobs import Answer, Decision, Observation, ToolCall, Trail
from jam.models.chat import ChatModel
from jam.runs.log import new_run_id
from jam.strategies.conclude import conclude
from jam.strategies.question import Cast, Question
from jam.strategies.research.calls import carry_out
from jam.strategies.research.running import Runs
from jam.strategies.research.selection import Place, Seen, Selection, select
from jam.strategies.research.state import (
    CallState,
    ResearchInput,
    ResearchOutput,
    ResearchState,
    read_answer,
    read_budget,
    read_call,
    read_trail,
    spent_so_far,
    write_answer,
    write_call,
)
from jam.strategies.running import Step, model_facts
from jam.workspace.store import Workspace

Graph = CompiledStateGraph[ResearchState, Any, ResearchInput, ResearchOutput]
_STEPS_AROUND = 6
"""Steps that aren't rounds: begin, the last thought, finalize, and room for a host graph's own."""

_NOTHING_YET = {"thoughts": None, "observations": None}


class Researcher:
    """The nodes of the graph."""

    def __init__(
        self, workspace: Workspace, cast: Cast, budget: Budget, scope: str = "", model: ChatModel | None = None
    ) -> None:
        self.workspace = workspace
        self.cast = cast
        self.budget = budget
        self.scope = scope
        self.model = model
        self.runs = Runs(workspace)

    def question(self, state: Mapping[str, Any], model: ChatModel | None = None) -> Question:
        """The question in a state. Raises `UsageError` where there is none, `ToolError` for a wrong scope."""
        query = state.get("query")
        if not isinstance(query, str):
            raise UsageError('the researcher is asked with {"query": "…"}')
        if not isinstance(state.get("scope") or "", str):
            raise UsageError(f"the scope must be the path of a folder, not {state['scope']!r}")
        index = open_index(self.workspace)
        return Question(
            workspace=self.workspace,
            query=query,
            scope=state.get("scope") or self.scope,
            budget=read_budget(state, self.budget),
            roles=self.cast(index, model or self.model),
            index=index,
            since=state.get("since"),
            until=state.get("until"),
            asked_at=state.get("asked_on") or state.get("asked_at"),
            save=state.get("save", True),
        )

    def begin(self, state: ResearchState) -> dict[str, Any]:
        """Checks the question, and clears what an earlier one of the same thread has left in the state."""
        question = self.question({**state, "asked_on": None})
        fresh = {"scope": question.scope, "began": time.time(), "run_id": new_run_id(), "round": 0, "calls": []}
        fresh["asked_on"] = question.asked_at
        started: dict[str, Any] = {**state, **fresh, **_NOTHING_YET}
        self.runs.of(started, question.budget).log.begin(
            {
                **question.asked(),
                "strategy": "research",
                "engine": getattr(self.cast, "engine", None),
                **model_facts(self.model),
                "budget": asdict(question.budget),
                "at": fresh["began"],
            }
        )
        return {**fresh, **_NOTHING_YET}

    def think(self, state: ResearchState) -> dict[str, Any]:
        """What to look at next, within what the budget leaves."""
        question, step = self._step(state, round=state["round"] + 1)
        thoughts = state.get("thoughts") or []
        late = question.budget.seconds is not None and time.time() - state["began"] >= question.budget.seconds
        if late or (thoughts and thoughts[-1].get("last")):
            return {"calls": []}
        trail = read_trail(state, question.budget)
        if trail.rounds_left <= 0 and not any(turn.said for turn in trail.turns):
            return {"calls": []}
        try:
            decision = question.roles.policy.decide(trail)
        except NotRecorded:
            return {"calls": []}  # a replay has come to where its run was ended by time
        except ModelError as error:
            decision = _without_model(trail, error)
        # After the last round a model is asked once more: for its answer to what that round has found.
        most = question.budget.calls_per_round if trail.rounds_left > 0 else 0
        calls = [write_call(call) for call in decision.calls[:most]]
        thought = {
            "round": state["round"] + 1,
            "text": decision.thought,
            "calls": calls,
            "asked": len(decision.calls),
            "answer": write_answer(decision.answer),
            "last": decision.last,
            "notes": decision.notes,
            "spent": step.spent.to_dict(),
        }
        step.running.log.write({"event": "thought", **thought})
        kept = {**thought, "said": [dict(message) for message in decision.said]}
        return {"calls": calls, "round": state["round"] + bool(calls), "thoughts": [kept]}

    def route(self, state: ResearchState) -> Sequence[Send] | Literal["finalize"]:
        """The round's calls, each to run beside the others; without calls, the end."""
        if not state["calls"]:
            return "finalize"
        return [Send("tool", self._sent(state, number, call)) for number, call in enumerate(state["calls"], 1)]

    def tool(self, state: CallState) -> dict[str, Any]:
        """One call, carried out. A call made before is answered from memory and said to be a repeat."""
        question, step = self._step(state, round=state["round"], number=state["number"])
        observation: dict[str, Any] = {"round": state["round"], "number": state["number"], "call": state["call"]}
        earlier = state["earlier"]
        if earlier:
            observation = {**earlier, **observation, "error": "repeated", "seconds": 0.0, "spent": {}}
        else:
            observation |= carry_out(question, read_call(state["call"]))
            observation["spent"] = step.spent.to_dict()
        observation["at"] = time.time()
        step.running.log.write({"event": "observation", **observation})
        return {"observations": [observation]}

    def finalize(self, state: ResearchState) -> dict[str, Any]:
        """The context, from what was seen in this run alone."""
        question, step = self._step(state)
        trail = read_trail(state, question.budget)
        thoughts = state.get("thoughts") or []
        answer = read_answer(next((t["answer"] for t in reversed(thoughts) if t.get("answer")), None))
        chosen = select(trail, _seen(question), answer)
        answer = _as_proved(answer, chosen)
        context = conclude(
            question,
            chosen.ranked,
            strategy="research",
            searched=[str(o.call.arguments["query"]) for o in trail.observations if _searched(o)],
            usage=Usage(rounds=trail.rounds, tool_calls=len(trail.observations)),
            run_id=state["run_id"],
            answer=answer,
            focus=chosen.focus,
            remarks=[*dict.fromkeys(t["notes"] for t in thoughts if t.get("notes")), *_account(state, chosen)],
        )
        spent = spent_so_far(state) + step.spent
        usage = replace(
            context.usage,
            model_calls=spent.calls,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            seconds=round(time.time() - state["began"], 6),
        )
        context = replace(context, usage=usage)
        step.running.log.write({"event": "context", **context.to_dict(), "spent": spent.to_dict()})
        self.runs.end(state["run_id"])
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

    def _step(self, state: Mapping[str, Any], **where: Any) -> tuple[Question, Step]:
        """The question, with its roles' model bound to the run's budget and record."""
        running = self.runs.of(state, read_budget(state, self.budget))
        step = Step(running, self.model, self.workspace, **where)
        return self.question(state, step.model), step

    def _sent(self, state: ResearchState, number: int, call: dict[str, Any]) -> CallState:
        """What a call is sent. One that was made before, or stands before it in its round, is a repeat."""
        done = [item for item in state.get("observations") or [] if item["call"] == call and item["error"] != "failed"]
        earlier = {**done[0], "text": _repeat(done[0]["round"], done[0]["text"])} if done else None
        if earlier is None and call in state["calls"][: number - 1]:
            nothing = {"found": [], "files": [], "picked": False, "repaired": 0, "dropped": 0}
            earlier = {**nothing, "text": _repeat(state["round"], "see there")}
        return {
            "query": state["query"],
            "scope": state.get("scope") or "",
            "since": state.get("since"),
            "until": state.get("until"),
            "asked_on": state["asked_on"],
            "budget": state.get("budget") or {},
            "save": state.get("save", True),
            "run_id": state["run_id"],
            "began": state["began"],
            "round": state["round"],
            "number": number,
            "call": call,
            "earlier": earlier,
            "spent": spent_so_far(state).to_dict(),
        }


def _repeat(round_number: int, text: str) -> str:
    return f"a repeat of a call of round {round_number}, which gave: {text}"


def _as_proved(answer: Answer | None, chosen: Selection) -> Answer | None:
    """The answer, no surer than its proof: one whose quotes and sources don't hold can't be sufficient."""
    if answer is None or answer.verdict == "absent":
        return answer
    unquoted = answer.quotes and chosen.dropped == len(answer.quotes)
    unread = answer.sources and len(chosen.unread) == len(set(answer.sources))
    if not (unquoted or unread) or answer.verdict in ("partial", "conflicting"):
        return answer
    return replace(answer, verdict="partial", missing=answer.missing or ("proof of the answer",))


def _searched(observation: Observation) -> bool:
    """Whether a search was carried out."""
    return observation.call.tool == "search" and observation.error is None


def _without_model(trail: Trail, error: ModelError) -> Decision:
    """What is done where the model gives no reply: the question itself is searched for, if nothing was found yet."""
    found = any(observation.found for observation in trail.observations)
    calls = () if found else (ToolCall("search", {"query": trail.query}),)
    return Decision("The model gave no reply.", calls, last=True, notes=f"The research ended early: {error}.")


def _seen(question: Question) -> Seen:
    """How the selection looks things up."""
    index = question.index

    def there(place: Place) -> bool:
        return index.has(place[0])

    def scores() -> NDArray[np.float32]:
        return index.rank(question.query, Within(question.scope, asked_at=question.asked_at)).scores

    def row(path: str, number: int) -> int:
        return index.row(path, number, scores())

    def rate(places: Sequence[Place]) -> list[float]:
        own = [float(scores()[row(*place)]) for place in places]
        least = min((score for score in own if score != float("-inf")), default=0.0)
        return [score if score != float("-inf") else least - 1.0 for score in own]

    def text(place: Place) -> str:
        return question.workspace.read_raw(place[0]).session.messages[place[1] - 1].text

    return Seen(there, row, rate, text)


def _account(state: Mapping[str, Any], chosen: Selection) -> list[str]:
    """What the searches went without, and what became of quotes and sources that didn't hold."""
    observations = state.get("observations") or []
    repaired = chosen.repaired + sum(item.get("repaired") or 0 for item in observations)
    dropped = chosen.dropped + sum(item.get("dropped") or 0 for item in observations)
    remarks = list(dict.fromkeys(note for item in observations for note in item.get("notes") or ()))
    if repaired:
        remarks.append(f"{repaired} quotes were not verbatim and were brought to the nearest passage.")
    if dropped:
        remarks.append(f"{dropped} quotes stand nowhere in what was read and were left out.")
    if chosen.unread:
        remarks.append(f"{len(chosen.unread)} sources were named that the run had not read; they are left out.")
    return remarks


def recursion_limit(budget: Budget) -> int:
    """LangGraph steps that a run within the budget can take: two a round, and those around."""
    return 2 * budget.rounds + _STEPS_AROUND
