"""Engines: who does the jobs of `jam/jobs.py`. They never import one another; their cards say who plays what."""

from __future__ import annotations

from jam.cards import load_card
from jam.jobs import Engine


def load_engine(name: str) -> Engine:
    """The engine of that name, for the Memorizer. Raises `UsageError` listing the choices."""
    card = load_card(name)
    return Engine(
        name=name,
        memo_writer=card.cast("memo_writer"),
        organizer=card.cast("organizer"),
        summarizer=card.cast("folder_summarizer"),
    )
