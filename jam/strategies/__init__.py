"""Strategies: how a context is made at query time. They share one interface and never import one another."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from jam.context import MemoryContext
from jam.errors import UsageError
from jam.strategies.question import Question

STRATEGIES = {
    "search": "jam.strategies.search:search",
    "lazy": "jam.strategies.lazy.run:lazy",
    "defer": "jam.strategies.defer.run:defer",
    "research": "jam.strategies.research.run:research",
    "auto": "jam.strategies.auto:auto",
}
"""Short name → the function that answers."""


class Strategy(Protocol):
    """From a question to its context."""

    def __call__(self, question: Question) -> MemoryContext: ...


def load_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises `UsageError` listing the choices."""
    if name not in STRATEGIES:
        raise UsageError(f"there is no strategy {name!r}; the strategies are: {', '.join(STRATEGIES)}")
    module, _, function = STRATEGIES[name].partition(":")
    strategy: Strategy = getattr(import_module(module), function)
    return strategy
