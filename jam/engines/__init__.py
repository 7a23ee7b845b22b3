"""Engines: who does the jobs of `jam/jobs.py`. They never import one another."""

from __future__ import annotations

from importlib import import_module

from jam.errors import UsageError
from jam.jobs import Engine

ENGINES = {"extractive": "jam.engines.extractive.engine:extractive_engine"}
"""Short name → the function that makes the engine."""


def load_engine(name: str) -> Engine:
    """The engine of that name. Raises `UsageError` listing the choices."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}; the engines are: {', '.join(sorted(ENGINES))}")
    module, _, function = ENGINES[name].partition(":")
    engine: Engine = getattr(import_module(module), function)()
    return engine
