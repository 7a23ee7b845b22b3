"""A question, with all that a strategy needs to answer it."""

from __future__ import annotations

from dataclasses import dataclass, field

from jam.cards import load_card
from jam.context import Budget
from jam.errors import UsageError
from jam.index.search_index import SearchIndex, Within
from jam.jobs import BrowseReader, Judge, ResearchPolicy
from jam.tools.toolbox import Toolbox
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays the query-time roles."""

    policy: ResearchPolicy
    reader: BrowseReader
    judge: Judge


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


def load_roles(engine: str, index: SearchIndex) -> Roles:
    """The query-time roles as an engine's card casts them. Raises `UsageError` for an unknown engine."""
    card = load_card(engine)
    return Roles(card.cast("research_policy"), card.cast("browse_reader"), card.cast("judge", index))


def extractive_roles(index: SearchIndex) -> Roles:
    """The roles filled without a model."""
    return load_roles("extractive", index)
