"""What a question costs and what it gets: `Budget`, `Usage`, `Evidence`, `MemoryContext`. Plain data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from jam.errors import UsageError

Verdict = Literal["sufficient", "partial", "conflicting", "absent"]
VERDICTS: tuple[str, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Budget:
    """Hard caps for one question. `None` means no cap; every cap that is given is obeyed."""

    rounds: int = 20
    """Rounds of think → tools at most; the final step is not counted."""
    seconds: float | None = None
    """Wall-clock time after which no further round starts."""
    tokens: int | None = None
    """Model tokens, input and output together; an engine without a model spends none."""
    context_tokens: int = 2000
    """Length of the returned context at most, in tokens of the shipped tokenizer."""
    calls_per_round: int = 5
    """Tool calls that one round may make in parallel."""

    def __post_init__(self) -> None:
        for name in ("rounds", "context_tokens", "calls_per_round"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"budget: {name} must be a whole number of at least 1, not {value!r}")
        for name in ("seconds", "tokens"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
                raise UsageError(f"budget: {name} must be greater than 0 or left out, not {value!r}")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run really spent."""

    rounds: int = 0
    tool_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote of one raw message, with what it takes to check it."""

    path: str
    """The raw file, relative to the workspace, with `/`."""
    message: int
    """The message's number within that file, counted from 1."""
    text: str
    """The message's text, or for a very long message a verbatim stretch of it."""
    sha256: str
    """Digest of the whole message's text, see `jam.session.text_digest`."""
    id: str | None = None
    at: str | None = None
    """The message's own time, else its session's."""
    speaker: str | None = None
    role: str = "user"
    rewritten: str | None = None
    """What the context says in place of `text`, where a strategy put it into other words; marked there as edited."""


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The answer to a question: a compact context, and its proof."""

    query: str
    verdict: Verdict
    context: str
    """Ready to paste into a prompt; at most `Budget.context_tokens` long. All in it comes from `evidence`, but for its
    first and last line: the frame by which JAM knows it again (`jam.echo`). Empty where there is no evidence."""
    evidence: tuple[Evidence, ...] = ()
    sources: tuple[str, ...] = ()
    """The raw files cited, in the order of their numbers in `context` (`[1]` is the first)."""
    answer: str | None = None
    """A worded answer where a language model wrote one."""
    notes: str = ""
    searched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    strategy: str = "search"
    usage: Usage = field(default_factory=Usage)
    run_id: str = ""

    def render(self) -> str:
        """The context as text, ready to paste into a prompt."""
        return self.context

    def to_dict(self) -> dict[str, Any]:
        """The context as JSON values; the field order is the documented one."""
        data = asdict(self)
        order = ("query", "verdict", "answer", "context", "evidence", "sources", "notes", "searched", "missing")
        rest = ("strategy", "usage", "run_id")
        out = {key: data[key] for key in (*order, *rest)}
        for key in ("evidence", "sources", "searched", "missing"):
            out[key] = list(out[key])
        keys = ("path", "message", "id", "at", "speaker", "role", "text", "sha256", "rewritten")
        out["evidence"] = [{key: item[key] for key in keys} for item in out["evidence"]]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MemoryContext:
        """Reads what `to_dict` wrote; unknown fields are left aside. Raises `UsageError` naming the field at fault."""
        if not isinstance(data, Mapping):
            raise UsageError(f"a context is a JSON object, not {type(data).__name__}")
        verdict = data.get("verdict")
        if verdict not in VERDICTS:
            raise UsageError(f"context: verdict must be one of {', '.join(VERDICTS)}, not {verdict!r}")
        evidence = tuple(_evidence(item, number) for number, item in enumerate(_list(data, "evidence"), 1))
        usage = data.get("usage")
        known = {f.name for f in fields(Usage)}
        return cls(
            query=_text(data, "query"),
            verdict=verdict,
            context=_text(data, "context"),
            evidence=evidence,
            sources=tuple(map(str, _list(data, "sources"))),
            answer=data.get("answer"),
            notes=str(data.get("notes") or ""),
            searched=tuple(map(str, _list(data, "searched"))),
            missing=tuple(map(str, _list(data, "missing"))),
            strategy=str(data.get("strategy") or ""),
            usage=Usage(**{k: v for k, v in usage.items() if k in known}) if isinstance(usage, Mapping) else Usage(),
            run_id=str(data.get("run_id") or ""),
        )


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UsageError(f"context: {key} must be a string, not {value!r}")
    return value


def _list(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise UsageError(f"context: {key} must be a list, not {value!r}")
    return value


def _evidence(item: Any, number: int) -> Evidence:
    if not isinstance(item, Mapping):
        raise UsageError(f"context: evidence {number} must be an object, not {item!r}")
    for key, kind in (("path", str), ("message", int), ("text", str), ("sha256", str)):
        value = item.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise UsageError(f"context: evidence {number}: {key} is missing or not of type {kind.__name__}")
    for key in ("id", "at", "speaker", "role", "rewritten"):
        if item.get(key) is not None and not isinstance(item[key], str):
            raise UsageError(f"context: evidence {number}: {key} must be a text, not {item[key]!r}")
    if "role" in item and item["role"] is None:
        raise UsageError(f"context: evidence {number}: role must be a text, not None")
    known = {f.name for f in fields(Evidence)}
    return Evidence(**{key: value for key, value in item.items() if key in known})
