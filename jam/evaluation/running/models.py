"""The models of a run: who plays, answers and grades, and where their replies are stored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jam.cards import load_card
from jam.evaluation.costs.call_seconds import Shares
from jam.evaluation.costs.counted import CountedModel
from jam.models.cache import REPLIES, FileCache
from jam.workspace.layout import DERIVED
from jam.workspace.store import Workspace, is_workspace

if TYPE_CHECKING:
    from jam.evaluation.running.plan import Plan
    from jam.models.chat import ChatModel


class Models:
    """See the module. Every player counts for itself; a reply is stored once for all of them."""

    def __init__(self, plan: Plan, workspace: Path | None, otherwise: Path) -> None:
        """Replies are stored in the workspace where one is named, else in a folder below `otherwise`.

        Raises `UsageError` for a model that is none.
        """
        named = Workspace.open(workspace).settings.models if workspace and is_workspace(workspace) else {}
        self.model = _model(plan.model, named)
        self.judge = self.model if plan.judge is None else _model(plan.judge, named)
        folder = (workspace / DERIVED if workspace is not None else otherwise) / REPLIES
        self._cache, self._shares = FileCache(folder), Shares(folder)

    def counted(self, engine: str) -> CountedModel | None:
        """The model for one method of an engine; `None` where the engine asks none."""
        return self._counted(self.model) if self.model and load_card(engine).needs_model() else None

    def answerer(self) -> CountedModel:
        """The model that answers."""
        assert self.model is not None
        return self._counted(self.model)

    def grader(self) -> CountedModel:
        """The model that grades."""
        assert self.judge is not None
        return self._counted(self.judge)

    def _counted(self, model: ChatModel) -> CountedModel:
        return CountedModel(model, self._cache, self._shares)


def _model(given: Any, named: Mapping[str, Mapping[str, Any]]) -> ChatModel | None:
    from jam.models.resolve import chat_model

    return None if given is None else chat_model(given, named)
