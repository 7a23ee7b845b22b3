"""Running the Researcher: for a question, and as a graph for other programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jam.context import Budget, MemoryContext
from jam.strategies.question import Casting, Question
from jam.strategies.research.graph import Graph, Researcher, recursion_limit
from jam.strategies.research.state import ResearchInput
from jam.workspace.store import Workspace

_GRAPH = "researcher"


def research(question: Question) -> MemoryContext:
    """Answers a question by research."""
    given: ResearchInput = {
        "query": question.query,
        "scope": question.scope,
        "budget": asdict(question.budget),
        "since": question.since,
        "until": question.until,
        "asked_at": question.asked_at,
        "save": question.save,
    }
    graph = _graph(question.workspace, question.casting)
    state = graph.invoke(given, {"recursion_limit": recursion_limit(question.budget)})
    return MemoryContext.from_dict(state)


def _graph(workspace: Workspace, casting: Casting) -> Graph:
    """The compiled graph, kept with the workspace for the next question to the same engine and model."""
    kept: tuple[Casting, Graph] | None = workspace.kept.get(_GRAPH)
    if kept and kept[0] == casting:
        return kept[1]
    graph = Researcher(workspace, casting, Budget(), model=casting.model).compile()
    workspace.kept[_GRAPH] = (casting, graph)
    return graph


def compile_researcher(
    workspace: Workspace, casting: Casting, scope: str = "", budget: Budget | None = None, **options: Any
) -> Graph:
    """The Researcher as a compiled graph, with these defaults; options go to LangGraph's `compile`."""
    return Researcher(workspace, casting, budget or Budget(), scope, casting.model).compile(**options)
