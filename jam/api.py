"""The library's front door: build a workspace, ask it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jam.context import Budget, MemoryContext
from jam.engines import load_engine
from jam.errors import UsageError
from jam.index.store import open_index
from jam.memorizer.build import build as _build
from jam.memorizer.progress import Progress
from jam.strategies import load_strategy
from jam.strategies.question import Question, check_asked, extractive_roles
from jam.workspace.store import Workspace


def build(
    history: str | Path, workspace: str | Path, *, engine: str = "extractive", progress: Progress | None = None
) -> Workspace:
    """Makes a workspace of a history (a file or a folder), or brings it up to date.

    What became of every file is in the workspace's `last_build`. Raises `HistoryError` where there is nothing to
    read, `WorkspaceError` where the workspace can't be written, `UsageError` for an unknown engine.
    """
    place, report = _build(history, workspace, engine=load_engine(engine), progress=progress)
    place.last_build = report
    return place


async def abuild(
    history: str | Path, workspace: str | Path, *, engine: str = "extractive", progress: Progress | None = None
) -> Workspace:
    """`build`, for asynchronous programs: it works in a thread."""
    return await asyncio.to_thread(build, history, workspace, engine=engine, progress=progress)


def check_question(query: str, strategy: str, since: str | None, until: str | None) -> None:
    """Raises `UsageError` for what can't be asked, before anything is built or read for it."""
    load_strategy(strategy)
    check_asked(query, since, until)


def recall(
    workspace: Workspace | str | Path,
    query: str,
    *,
    strategy: str = "research",
    scope: str | None = None,
    since: str | None = None,
    until: str | None = None,
    budget: Budget | None = None,
    save: bool = True,
) -> MemoryContext:
    """The context for a question, with its proof.

    `scope` confines it to a folder of the workspace, `since` and `until` (ISO dates) to messages of those days.
    With `save` the run is kept in `.jam/runs/`. Raises `UsageError` for an empty question or an unknown strategy,
    `ToolError` for a scope that isn't there.
    """
    answer = load_strategy(strategy)
    if not isinstance(scope or "", str):
        raise UsageError(f"the scope must be the path of a folder, not {scope!r}")
    if not isinstance(budget or Budget(), Budget):
        raise UsageError(f"the budget must be a jam.Budget, not {budget!r}")
    place = workspace if isinstance(workspace, Workspace) else Workspace.open(workspace)
    index = open_index(place)
    question = Question(
        workspace=place,
        query=query,
        scope=scope or "",
        budget=budget or Budget(),
        roles=extractive_roles(index),
        index=index,
        since=since,
        until=until,
        save=save,
    )
    return answer(question)


async def arecall(
    workspace: Workspace | str | Path,
    query: str,
    *,
    strategy: str = "research",
    scope: str | None = None,
    since: str | None = None,
    until: str | None = None,
    budget: Budget | None = None,
    save: bool = True,
) -> MemoryContext:
    """`recall`, for asynchronous programs: it works in a thread."""
    return await asyncio.to_thread(
        recall, workspace, query, strategy=strategy, scope=scope, since=since, until=until, budget=budget, save=save
    )
