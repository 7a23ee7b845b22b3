"""Engines: who does the jobs of `jam/jobs.py`. They never import one another; their cards say who plays what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jam.cards import MEMORIZER_ROLES, Card, load_card
from jam.errors import UsageError
from jam.index.search_index import SearchIndex
from jam.jobs import (
    BrowseReader,
    Distiller,
    FolderSummarizer,
    Judge,
    MemoWriter,
    Organizer,
    ResearchPolicy,
    WindowEditor,
)

if TYPE_CHECKING:
    from jam.models.chat import ChatModel


@dataclass(frozen=True, slots=True)
class Engine:
    """The Memorizer's roles, filled."""

    name: str
    memo_writer: MemoWriter
    organizer: Organizer
    summarizer: FolderSummarizer
    model: ChatModel | None = None
    """The model that plays some of them; `None` where all is computed."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The query-time roles, filled."""

    policy: ResearchPolicy
    reader: BrowseReader
    judge: Judge
    editor: WindowEditor
    distiller: Distiller


def load_engine(name: str, model: ChatModel | None = None) -> Engine:
    """The engine of that name, for the Memorizer. Raises `UsageError` listing the choices, or for want of a model."""
    card = load_card(name)
    needed = card.needs_model(MEMORIZER_ROLES)
    check_model(card, model, needed)
    return Engine(
        name=name,
        memo_writer=card.cast("memo_writer", model=model),
        organizer=card.cast("organizer", model=model),
        summarizer=card.cast("folder_summarizer", model=model),
        model=model if needed else None,
    )


def load_roles(engine: str, index: SearchIndex, model: ChatModel | None = None) -> Roles:
    """The query-time roles as an engine's card casts them. Raises `UsageError` for an unknown engine."""
    card = load_card(engine)
    check_model(card, model, card.needs_model())
    return Roles(
        policy=card.cast("research_policy", model=model, index=index),
        reader=card.cast("browse_reader", model=model, index=index),
        judge=card.cast("judge", model=model, index=index),
        editor=card.cast("window_editor", model=model, index=index),
        distiller=card.cast("distiller", model=model, index=index),
    )


def check_model(card: Card, model: ChatModel | None, needed: bool) -> None:
    """Raises `UsageError` where an engine needs a model and has none."""
    if needed and model is None:
        raise UsageError(
            f"the engine {card.engine!r} needs a chat model: give --model openai:NAME@BASE_URL, or set `model:` in the "
            "workspace's jam.yaml"
        )
