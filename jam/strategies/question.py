"""A question, with all that a strategy needs to answer it."""

from __future__ import annotations

from dataclasses import dataclass, field

from jam.context import Budget
from jam.errors import UsageError
from jam.index.search_index import SearchIndex
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
        if not self.query.strip():
            raise UsageError("the question is empty; ask something")
        toolbox = Toolbox(self.workspace, self.index, self.roles.reader, self.scope)
        object.__setattr__(self, "toolbox", toolbox)
        object.__setattr__(self, "scope", toolbox.scope)


def extractive_roles(index: SearchIndex) -> Roles:
    """The roles filled without a model."""
    from jam.engines.extractive.browse import ExtractiveBrowseReader
    from jam.engines.extractive.judge import ExtractiveJudge
    from jam.engines.extractive.policy import ExtractivePolicy

    return Roles(ExtractivePolicy(), ExtractiveBrowseReader(), ExtractiveJudge(index))
