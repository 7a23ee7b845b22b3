"""A question, with all that a strategy needs to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jam.context import Budget
from jam.engines import Roles, load_roles
from jam.errors import UsageError
from jam.index.search_index import SearchIndex, Within
from jam.tools.toolbox import Toolbox
from jam.workspace.store import Workspace

if TYPE_CHECKING:
    from jam.models.chat import ChatModel

Cast = Callable[[SearchIndex, "ChatModel | None"], Roles]
"""Fills the query-time roles; the model is bound to the budget and the record of the run."""


@dataclass(frozen=True, slots=True)
class Casting:
    """Who answers: an engine and, if it has one, its model."""

    engine: str = "extractive"
    model: ChatModel | None = None

    def __call__(self, index: SearchIndex, model: ChatModel | None) -> Roles:
        """Raises `UsageError` for an unknown engine, or for want of a model."""
        return load_roles(self.engine, index, model)


EXTRACTIVE = Casting()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what, by whose hand and at what price."""

    workspace: Workspace
    query: str
    scope: str
    budget: Budget
    roles: Roles
    index: SearchIndex
    since: str | None = None
    until: str | None = None
    save: bool = True
    """Whether the run is kept in `.jam/runs/`."""
    casting: Casting = EXTRACTIVE
    """Who answers, for a strategy that casts the roles anew in each of its steps."""
    toolbox: Toolbox = field(init=False)

    def __post_init__(self) -> None:
        check_asked(self.query, self.since, self.until)
        toolbox = Toolbox(self.workspace, self.index, self.roles.reader, self.scope)
        object.__setattr__(self, "toolbox", toolbox)
        object.__setattr__(self, "scope", toolbox.scope)


def check_asked(query: str, since: str | None, until: str | None) -> None:
    """Raises `UsageError` for what can't be asked: now, not after a build or a search."""
    for name, value in (("question", query), ("since", since or ""), ("until", until or "")):
        if not isinstance(value, str):
            raise UsageError(f"the {name} must be a text, not {value!r}")
    if not query.strip():
        raise UsageError("the question is empty; ask something")
    Within("", since, until).days()


def extractive_roles(index: SearchIndex) -> Roles:
    """The roles filled without a model."""
    return EXTRACTIVE(index, None)
