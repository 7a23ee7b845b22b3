"""What a model's server can do, found out by asking it: a finding for each ability, and the settings to use with it.

Each probe (`probes.py`) proves one thing with as few tokens as it can, and none stops the others, save where no chat is
possible. What the model is worth is not judged here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from jam.errors import BudgetSpent, ModelError
from jam.models.chat import ChatModel
from jam.models.checking import probes
from jam.models.endpoint import Endpoint
from jam.models.faults import is_timeout
from jam.models.meter import Meter
from jam.models.spec import ModelSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

SECONDS = 120.0
_A_CALL = 0.2
"""The part of all the time that one call may take."""
_PROBES: tuple[tuple[str, Callable[[ChatModel], probes.Found]], ...] = (
    ("json schema", probes.json_schema),
    ("thinking", probes.thinking),
    ("tool calls", probes.tool_calls),
    ("context", probes.context),
    ("tokenizer", probes.tokenizer),
    ("prefix cache", probes.prefix_cache),
    ("speed", probes.speed),
    ("at once", probes.at_once),
)
"""What is asked of a server that chats."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one probe found."""

    name: str
    ok: bool | None
    """`None` where it can't be said, or doesn't matter."""
    detail: str
    seconds: float


@dataclass
class Checkup:
    """All that was found out about a model."""

    settings: ModelSettings
    server: str = "other"
    """`vllm`, `llama.cpp` or `other`."""
    findings: list[Finding] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    """Figures: seconds, tokens, tokens per second."""
    spent: dict[str, int] = field(default_factory=dict)
    recommended: ModelSettings | None = None
    """`None` where no chat was possible."""

    def block(self, name: str | None = None) -> dict[str, Any] | None:
        """The recommended settings as they stand in `jam.yaml`."""
        if self.recommended is None:
            return None
        name = name or re.sub(r"[^a-z0-9.]+", "-", self.recommended.name.rpartition("/")[2].lower()).strip("-")
        differing = {
            item.name: value
            for item in fields(ModelSettings)
            if (value := getattr(self.recommended, item.name)) != item.default and value not in (None, {})
        }
        return {"model": name, "models": {name: differing}}

    def to_dict(self, name: str | None = None) -> dict[str, Any]:
        return {
            "model": self.settings.spec,
            "usable": self.recommended is not None,
            "server": self.server,
            "findings": [asdict(finding) for finding in self.findings],
            "measures": self.measures,
            "spent": self.spent,
            "recommended": self.block(name),
        }


def check(
    settings: ModelSettings,
    seconds: float = SECONDS,
    backend: BaseChatModel | None = None,
    told: Callable[[Finding], None] = lambda _: None,
) -> Checkup:
    """Probes a model, within so many seconds in all; `told` hears each finding as it is made."""
    patience = min(settings.timeout_seconds, max(1.0, seconds * _A_CALL))
    asked = replace(settings, retries=0, timeout_seconds=patience)  # what needs a second attempt should be seen
    model = ChatModel(Endpoint(asked, backend), meter=Meter(seconds=seconds))
    patient = replace(asked, timeout_seconds=min(settings.timeout_seconds, max(1.0, seconds / 2)))
    waking = ChatModel(Endpoint(patient, backend), meter=model.meter)  # some servers load the model for the first call
    checkup = Checkup(settings)
    found: dict[str, probes.Found] = {}

    def probe(name: str, work: Callable[[ChatModel], probes.Found], model: ChatModel = model) -> bool | None:
        began = time.monotonic()
        found[name] = _guarded(model, work)
        finding = Finding(name, found[name].ok, found[name].detail, round(time.monotonic() - began, 2))
        checkup.findings.append(finding)
        checkup.measures.update(found[name].measures)
        told(finding)
        return finding.ok

    reached = probe("reachable", probes.reachable) is not False
    if reached:
        checkup.server = model.endpoint.facts.kind
    chats = bool(probe("chat", probes.chat if reached else _skipped, waking))
    for name, work in _PROBES:
        probe(name, work if chats else _skipped)
    if chats:
        checkup.recommended = _recommended(settings, found, checkup.measures)
    checkup.spent = model.meter.spent.to_dict()
    return checkup


def _guarded(model: ChatModel, work: Callable[[ChatModel], probes.Found]) -> probes.Found:
    try:
        return work(model)
    except BudgetSpent:
        return probes.Found(None, "not probed: the time allowed is over")
    except ModelError as error:
        if error.__cause__ is not None and is_timeout(error.__cause__):
            return probes.Found(None, f"not known: no reply within {model.settings.timeout_seconds:g} s")
        return probes.Found(False, str(error))
    finally:
        model.endpoint.note(True, 0.0)  # that it fails at one thing is no reason to leave it in peace


def _skipped(_: ChatModel) -> probes.Found:
    return probes.Found(None, "skipped: nothing works without the above")


def _recommended(settings: ModelSettings, found: dict[str, probes.Found], measures: dict[str, float]) -> ModelSettings:
    context, schema = measures.get("context_tokens"), found["json schema"].ok
    return replace(
        settings,
        protocol="tools" if found["tool calls"].ok else "text",
        structured=settings.structured if schema is None else "json_schema" if schema else "prompt",
        context_tokens=settings.context_tokens if context is None else int(context),
        concurrency=_concurrency(settings.concurrency, measures),
    )


def _concurrency(now: int, measures: dict[str, float]) -> int:
    """Calls at one time: as many as the server has slots, else more where several at once were worth it."""
    slots, alone = measures.get("slots"), measures.get("output_tokens_per_second")
    together, calls = measures.get("output_tokens_per_second_at_once"), measures.get("calls_at_once", 1)
    if slots is not None:
        return int(slots)
    if not alone or not together:
        return min(now, 4)
    if together / alone >= 0.6 * calls:
        return max(now, 16)
    return 4 if together / alone >= 1.3 else 1
