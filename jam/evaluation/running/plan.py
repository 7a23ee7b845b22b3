"""What a run measures, and what it writes down of that."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from jam.cards import load_card
from jam.errors import UsageError
from jam.evaluation.answers import answering, grading
from jam.evaluation.baselines.distilled import distilled_name
from jam.evaluation.baselines.plain import baseline_names
from jam.evaluation.benchmarks.question import Benchmark
from jam.evaluation.running.ablations import ABLATIONS
from jam.evaluation.running.methods import Method, engine_name, methods
from jam.index.store import open_index
from jam.prompts import prompt_digest
from jam.strategies import STRATEGIES, load_strategy
from jam.workspace.store import Workspace

if TYPE_CHECKING:
    from jam.api import Model
    from jam.models.chat import ChatModel

BUDGETS = (500, 1000, 2000, 4000, 6590, 8000, 14410)
"""Tokens of a context; 6,590 and 14,410 are what others spend."""
ABLATED = "search"
"""The strategy that ablations are measured with: nothing but the ranking decides there."""
_PARTS = ("system", "user")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run measures."""

    strategies: tuple[str, ...] = tuple(STRATEGIES)
    budgets: tuple[int, ...] = BUDGETS
    ablations: bool = False
    limit: int | None = None
    """So many questions of each conversation, or of the file where they are numbered through; see `sample`."""
    engines: tuple[str, ...] = ("extractive",)
    model: Model | None = None
    """For the engines that need one, and for answers."""
    answers: int | None = None
    """The budget whose contexts are answered from and graded, where that is asked for; it is one of `budgets`."""
    judge: Model | None = None
    """The model that grades; `model`, unless another is named."""

    def check(self) -> None:
        """Raises `UsageError` for a strategy or engine that there is none of, or where a model is missing."""
        for name in self.strategies:
            load_strategy(name)
        for name in self.engines:
            if load_card(name).needs_model() and self.model is None:
                raise UsageError(f"the engine {name!r} needs a chat model: give --model openai:NAME@BASE_URL")
        if self.answers is not None and self.model is None:
            raise UsageError("answers need a chat model: give --model openai:NAME@BASE_URL")
        if self.answers is not None and self.answers not in self.budgets:
            raise UsageError(f"{self.answers} tokens, to be answered from, must be one of the budgets")

    @property
    def methods(self) -> list[Method]:
        """What is compared."""
        return methods(self.strategies, self.engines)

    def distillers(self, sessions: int) -> dict[str, str]:
        """The baselines that distil so many sessions: name → engine."""
        return {engine_name(distilled_name(sessions), engine, self.engines): engine for engine in self.engines}


def ablated(name: str) -> str:
    """What an ablation is called among the methods: it is always `search` that has less to go by."""
    return f"{ABLATED} {name}"


def settings_of(
    benchmark: Benchmark, plan: Plan, place: Workspace, model: ChatModel | None, judge: ChatModel | None
) -> dict[str, Any]:
    """All that the figures depend on."""
    index = open_index(place)
    return {
        "benchmark": benchmark.name,
        "data": benchmark.file.name,
        "data_sha256": hashlib.sha256(benchmark.file.read_bytes()).hexdigest(),
        **benchmark.settings,
        "limit": plan.limit,
        "jam": version("jam-memory"),
        "engines": list(plan.engines),
        "model": _identity(model),
        "prompts": {name: digest for engine in plan.engines for name, digest in _prompts(engine).items()},
        "answers": _answers(plan, judge),
        "embedder": index.collection.embedder.fingerprint,
        "encoder": place.settings.embedder.get("spec"),
        "reranker": place.settings.reranker.get("spec"),
        "weights": {f"{name} {level}": weight for (name, level), weight in index.weights.items()},
        "strategies": list(plan.strategies),
        "methods": [method.name for method in plan.methods],
        "ablations": [ablated(name) for name in ABLATIONS] if plan.ablations else [],
        "baselines": baseline_names(list(plan.distillers(benchmark.sessions))),
        "budgets": list(plan.budgets),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def _identity(model: ChatModel | None) -> dict[str, Any] | None:
    """All of a model that its replies depend on; no secrets."""
    return None if model is None else dict(model.settings.identity())


def _answers(plan: Plan, judge: ChatModel | None) -> dict[str, Any] | None:
    if plan.answers is None:
        return None
    return {
        "budget": plan.answers,
        "prompt": prompt_digest(answering.PROMPT, _PARTS),
        "judge": _identity(judge),
        "judge_prompt": prompt_digest(grading.PROMPT, _PARTS),
    }


def _prompts(engine: str) -> dict[str, str]:
    """The prompts of an engine's card, each with what names its wording."""
    names: set[str] = set()
    for role in load_card(engine).roles.values():
        names |= {str(value) for key, value in role.settings.items() if key.endswith("prompt")}
        names |= set(map(str, dict(role.setting("prompts", {})).values()))
    return {name: prompt_digest(name, _PARTS) for name in sorted(names)}
