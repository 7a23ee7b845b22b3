"""Running the Researcher: for a question, and as a graph for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jam.context import Budget, MemoryContext
from jam.strategies.question import Question, extractive_roles
from jam.strategies.research.graph import Graph, Researcher, recursion_limit
from jam.strategies.research.state import ResearchInput
from jam.workspace.store import Workspace

_GRAPH = "researcher"


def research(question: Question) -> MemoryContext:
    """Answers a question by research."""
    kept = question.workspace.kept
    graph: Graph = kept.get(_GRAPH) or Researcher(question.workspace, extractive_roles, Budget()).compile()
    kept[_GRAPH] = graph
    given: ResearchInput = {
        "query": question.query,
        "scope": question.scope,
        "budget": asdict(question.budget),
        "since": question.since,
        "until": question.until,
        "save": question.save,
    }
    state = graph.invoke(given, {"recursion_limit": recursion_limit(question.budget)})
    return MemoryContext.from_dict(state)


def build_researcher(
    workspace: Workspace, *, scope: str | None = None, budget: Budget | None = None, **options: Any
) -> Graph:
    """The Researcher as a compiled LangGraph graph: ask it with `{"query": "…"}`, get `MemoryContext`'s fields.

    `budget` and `scope` are the defaults; the state may give its own. A budget in the state that allows more rounds
    than the default needs a higher `recursion_limit` in the call's config. Other options go to `compile`.
    """
    return Researcher(workspace, extractive_roles, budget or Budget(), scope or "").compile(**options)
