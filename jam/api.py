"""The library's front door: build a workspace, ask it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jam.context import Budget, MemoryContext
from jam.errors import UsageError
from jam.index.store import open_index
from jam.memorizer.build import build as _build
from jam.memorizer.progress import Progress
from jam.strategies import load_strategy
from jam.strategies.question import Casting, Question, check_asked
from jam.workspace.store import Workspace, is_workspace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from jam.models.chat import ChatModel
    from jam.strategies.research.graph import Graph

    Model = str | BaseChatModel | ChatModel

_MODELS = "models"


def build(
    history: str | Path,
    workspace: str | Path,
    *,
    engine: str | None = None,
    model: Model | None = None,
    tokens: int | None = None,
    redact: bool | None = None,
    progress: Progress | None = None,
) -> Workspace:
    """Makes a workspace of a history (a file or a folder), or brings it up to date.

    `engine` is `extractive` or `llm`; where none is named it is `llm` if a `model` is given here or in the workspace's
    `jam.yaml`. `tokens` is what the model calls may cost at most. `redact` says whether passwords, keys and tokens are
    left out; it is kept in `jam.yaml`, and `None` is as it says there, else yes. What became of every file, and what
    was spent, is in the workspace's `last_build`. Raises `HistoryError` where there is nothing to read,
    `WorkspaceError` where the workspace can't be written, `UsageError` for an unknown engine or a missing model.
    """
    there = Path(workspace).expanduser()
    casting = cast(Workspace.open(there) if is_workspace(there) else None, engine, model)
    place, report = _build(
        history,
        workspace,
        engine=casting.engine,
        model=casting.model,
        tokens=tokens,
        redact=redact,
        progress=progress,
    )
    place.last_build = report
    return place


async def abuild(
    history: str | Path,
    workspace: str | Path,
    *,
    engine: str | None = None,
    model: Model | None = None,
    tokens: int | None = None,
    redact: bool | None = None,
    progress: Progress | None = None,
) -> Workspace:
    """`build`, for asynchronous programs: it works in a thread."""
    return await asyncio.to_thread(
        build, history, workspace, engine=engine, model=model, tokens=tokens, redact=redact, progress=progress
    )


def check_question(
    query: str, strategy: str, since: str | None, until: str | None, asked_at: str | None = None
) -> None:
    """Raises `UsageError` for what can't be asked, before anything is built or read for it."""
    load_strategy(strategy)
    check_asked(query, since, until, asked_at)


def cast(workspace: Workspace | None, engine: str | None, model: Model | None) -> Casting:
    """Who works: as named, else the llm engine where a model is given or set in `jam.yaml`, else the extractive one."""
    given: Any = model
    if given is None and workspace is not None and engine != "extractive":
        given = workspace.settings.model or None
    if given is None:
        return Casting(engine or "extractive")
    return Casting(engine or "llm", _chat_model(workspace, given))


def _chat_model(workspace: Workspace | None, given: Any) -> ChatModel:
    """The model, kept with the workspace: what is known of its server serves the next question too."""
    from jam.models.resolve import chat_model

    if workspace is None:
        return chat_model(given)
    known: dict[Any, ChatModel] = workspace.kept.setdefault(_MODELS, {})
    key = given if isinstance(given, str) else id(given)
    if key not in known:
        known[key] = chat_model(given, workspace.settings.models)
    return known[key]


def recall(
    workspace: Workspace | str | Path,
    query: str,
    *,
    strategy: str = "research",
    scope: str | None = None,
    since: str | None = None,
    until: str | None = None,
    asked_at: str | None = None,
    budget: Budget | None = None,
    engine: str | None = None,
    model: Model | None = None,
    save: bool = True,
) -> MemoryContext:
    """The context for a question, with its proof.

    `scope` confines it to a folder of the workspace, `since` and `until` (ISO dates) to messages of those days.
    `asked_at` (an ISO date or time, else today) is what "last week" in the question is counted from.
    `engine` and `model` are as for `build`. With `save` the run is kept in `.jam/runs/`. Raises `UsageError` for an
    empty question or an unknown strategy, `ToolError` for a scope that isn't there. A model that fails is no error: the
    context is made without it, and its notes say so.
    """
    answer = load_strategy(strategy)
    if not isinstance(scope or "", str):
        raise UsageError(f"the scope must be the path of a folder, not {scope!r}")
    if not isinstance(budget or Budget(), Budget):
        raise UsageError(f"the budget must be a jam.Budget, not {budget!r}")
    place = workspace if isinstance(workspace, Workspace) else Workspace.open(workspace)
    index = open_index(place)
    casting = cast(place, engine, model)
    question = Question(
        workspace=place,
        query=query,
        scope=scope or "",
        budget=budget or Budget(),
        roles=casting(index, casting.model),
        index=index,
        since=since,
        until=until,
        asked_at=asked_at,
        save=save,
        casting=casting,
    )
    return answer(question)


async def arecall(workspace: Workspace | str | Path, query: str, **options: Any) -> MemoryContext:
    """`recall`, for asynchronous programs, with the same options: it works in a thread."""
    return await asyncio.to_thread(recall, workspace, query, **options)


def build_researcher(
    workspace: Workspace,
    *,
    engine: str | None = None,
    model: Model | None = None,
    scope: str | None = None,
    budget: Budget | None = None,
    **options: Any,
) -> Graph:
    """The Researcher as a compiled LangGraph graph: ask it with `{"query": "…"}`, get `MemoryContext`'s fields.

    `engine` and `model` are as for `build`. `budget` and `scope` are the defaults; the state may give its own. A budget
    in the state that allows more rounds than the default needs a higher `recursion_limit` in the call's config. Other
    options (such as `checkpointer`) go to LangGraph's `compile`.
    """
    from jam.strategies.research.run import compile_researcher

    return compile_researcher(workspace, cast(workspace, engine, model), scope or "", budget or Budget(), **options)
