"""The methods that a benchmark compares: every strategy, with every engine behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WITHOUT_ENGINE = ("search",)
"""Strategies that are the same whatever the engine."""


@dataclass(frozen=True, slots=True)
class Method:
    """A strategy with an engine behind it."""

    name: str
    """As it is called in tables: the strategy, and the engine where there are several."""
    strategy: str
    engine: str


def methods(strategies: Sequence[str], engines: Sequence[str]) -> list[Method]:
    """All of them, the engines of a strategy after one another."""
    found = []
    for strategy in strategies:
        for engine in engines[:1] if strategy in WITHOUT_ENGINE else engines:
            found.append(Method(engine_name(strategy, engine, engines, strategy in WITHOUT_ENGINE), strategy, engine))
    return found


def engine_name(name: str, engine: str, engines: Sequence[str], same: bool = False) -> str:
    """What something is called that an engine does; the engine is named where there are several."""
    return name if same or len(engines) < 2 else f"{name}, {engine}"
