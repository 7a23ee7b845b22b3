"""A question, with all that a strategy needs to answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
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
ASKED = ("query", "scope", "since", "until", "asked_at")
"""The fields of a question that say what is asked."""


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
    asked_at: str | None = None
    """The day or time that "last week" is counted from (ISO); today where none is given."""
    save: bool = True
    """Whether the run is kept in `.jam/runs/`."""
    casting: Casting = EXTRACTIVE
    """Who answers, for a strategy that casts the roles anew in each of its steps."""
    toolbox: Toolbox = field(init=False)

    def __post_init__(self) -> None:
        check_asked(self.query, self.since, self.until, self.asked_at)
        object.__setattr__(self, "asked_at", self.asked_at or today())
        toolbox = Toolbox(self.workspace, self.index, self.roles.reader, self.scope, self.asked_at)
        object.__setattr__(self, "toolbox", toolbox)
        object.__setattr__(self, "scope", toolbox.scope)

    def asked(self) -> dict[str, str | None]:
        """What a saved run says of the question, and a replay asks again."""
        return {name: getattr(self, name) for name in ASKED}

    def within(self, scope: str | None = None, since: str | None = None, until: str | None = None) -> Within:
        """Where to look for it: in its own scope and days unless others are given."""
        scope = self.scope if scope is None else scope
        return Within(scope, since or self.since, until or self.until, asked_at=self.asked_at)


def today() -> str:
    """The day by the asker's own clock (ISO)."""
    return date.today().isoformat()


def check_asked(query: str, since: str | None, until: str | None, asked_at: str | None = None) -> None:
    """Raises `UsageError` for what can't be asked: now, not after a build or a search."""
    texts = {"question": query, "since": since or "", "until": until or "", "asked_at": asked_at or ""}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UsageError(f"the {name} must be a text, not {value!r}")
    if not query.strip():
        raise UsageError("the question is empty; ask something")
    where = Within("", since, until, asked_at=asked_at)
    where.days()
    where.asked_on()


def extractive_roles(index: SearchIndex) -> Roles:
    """The roles filled without a model."""
    return EXTRACTIVE(index, None)
