"""A saved run once more, without its model: the same prompts are answered from the record, the tools run again.

Where workspace, prompts and code are what they were, every observation and the context are the same. Where they are
not, the first difference is where they part; a prompt that the run had not sent ends the replay.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import jam.errors
from jam.context import Budget, MemoryContext
from jam.errors import ModelError, NotRecorded, UsageError
from jam.index.store import open_index
from jam.models.chat import ChatModel
from jam.models.endpoint import Endpoint, ServerFacts
from jam.models.messages import ChatReply, ChatRequest, Exchange
from jam.models.meter import Meter
from jam.models.spec import ModelSettings, check_settings
from jam.runs.compare import context_differences, observation_differences
from jam.runs.reading import SavedRun, exchanges_of
from jam.strategies import load_strategy
from jam.strategies.question import ASKED, Casting, Question
from jam.strategies.research.graph import recursion_limit
from jam.strategies.research.run import compile_researcher
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay gave, beside what was recorded."""

    context: MemoryContext
    observations: list[dict[str, Any]]
    """Where the observations part, if they do."""
    fields: list[str]
    """The fields in which the contexts differ, if they do."""
    compared: int
    """Observations of the recorded run."""

    @property
    def same(self) -> bool:
        return not (self.observations or self.fields)

    def to_dict(self) -> dict[str, Any]:
        """The replay as JSON values."""
        return {
            "same": self.same,
            "observations": self.compared,
            "observation_differences": self.observations,
            "context_differences": self.fields,
            "context": self.context.to_dict(),
        }


def replay(workspace: Workspace, run: SavedRun) -> Replay:
    """Runs a saved run again. Raises `UsageError` for an engine that is no longer there, `ToolError` for its scope."""
    try:
        casting = Casting(str(run.head.get("engine") or "extractive"), _recorded_model(run))
        budget = Budget(**{**asdict(Budget()), **dict(run.head.get("budget") or {}), "seconds": None})
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{run.path}: its first line is damaged, or of another version: {error}") from error
    given = {name: run.head.get(name) for name in ASKED} | {"scope": run.head.get("scope") or ""}
    if not isinstance(given["scope"], str):
        raise UsageError(f"{run.path}: its scope should be a folder, not {given['scope']!r}")
    seen: list[dict[str, Any]] = []
    if run.head.get("strategy") == "research":
        context, seen = _researched(workspace, casting, budget, given)
    else:
        context = _answered(workspace, casting, budget, given, str(run.head.get("strategy")))
    fields = context_differences(run.context, context) if run.context else []
    return Replay(context, observation_differences(run.observations, seen), fields, len(run.observations))


def _answered(
    workspace: Workspace, casting: Casting, budget: Budget, given: Mapping[str, Any], strategy: str
) -> MemoryContext:
    index = open_index(workspace)
    roles = casting(index, casting.model)
    question = Question(workspace, budget=budget, roles=roles, index=index, save=False, casting=casting, **given)
    return load_strategy(strategy)(question)


def _researched(
    workspace: Workspace, casting: Casting, budget: Budget, given: Mapping[str, Any]
) -> tuple[MemoryContext, list[dict[str, Any]]]:
    """The context, and every observation, read off the graph's steps."""
    graph = compile_researcher(workspace, casting, budget=budget)
    seen: list[dict[str, Any]] = []
    final: Mapping[str, Any] = {}
    asked: Any = {**given, "budget": asdict(budget), "save": False}
    for step in graph.stream(asked, {"recursion_limit": recursion_limit(budget)}, stream_mode="updates"):
        for name, update in step.items():
            seen += update["observations"] if name == "tool" else []
            final = update if name == "finalize" else final
    return MemoryContext.from_dict(final), seen


def _recorded_model(run: SavedRun) -> ChatModel | None:
    """A model that says what the run's model said, and nothing else."""
    settings = run.head.get("model_settings")
    if not isinstance(settings, Mapping):
        return None
    known = {name: settings[name] for name in settings if name in ModelSettings.__dataclass_fields__}
    endpoint = Endpoint(check_settings(ModelSettings(**known), "the model of the run"))
    endpoint.know(ServerFacts())
    tokens = (run.head.get("budget") or {}).get("tokens")
    return _RecordedModel(endpoint, run, Meter(tokens, count_stored=True))


class _RecordedModel(ChatModel):
    """Answers from the exchanges of a saved run; what failed then fails again."""

    def __init__(self, endpoint: Endpoint, run: SavedRun, meter: Meter) -> None:
        super().__init__(endpoint, meter=meter, remembers=True)
        self._replies: dict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
        for exchange in exchanges_of(run):
            self._replies[exchange["key"]].append(exchange)

    def bound(self, **options: Any) -> ChatModel:
        """The same model: only what is told of an exchange may change."""
        copy = _RecordedModel.__new__(_RecordedModel)
        copy.__dict__.update(self.__dict__)
        copy.record = options.get("record") or self.record
        return copy

    def ask(self, request: ChatRequest, purpose: str) -> ChatReply:
        key = request.digest(self.settings.identity())
        known = self._replies.get(key)
        if not known:
            raise NotRecorded(f"the run had not asked this ({purpose})")
        exchange = known.popleft() if len(known) > 1 else known[0]
        if exchange["reply"] is None:
            kind = getattr(jam.errors, str(exchange.get("error_kind")), ModelError)
            error = kind(str(exchange.get("error")))
            self.record(Exchange(purpose, key, request, None, error))
            raise error
        reply = replace(ChatReply.from_dict(exchange["reply"]), stored=True)
        self.meter.note_stored(reply)
        self.record(Exchange(purpose, key, request, reply))
        return reply
