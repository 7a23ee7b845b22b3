"""How an encoder or reranker is to be treated: the settings below `embedder:` and `reranker:` in `jam.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from jam.errors import UsageError
from jam.models.spec import ModelSettings, check_settings

_OF_SERVERS = (
    "key_env",
    "timeout_seconds",
    "retries",
    "retry_seconds",
    "rest_seconds",
    "concurrency",
    "requests_per_minute",
    "extra",
)
_ALLOWED = {
    "openai": ("batch_size", "dimensions", "query_prefix", "passage_prefix", *_OF_SERVERS),
    "rerank": ("batch_size", *_OF_SERVERS),
    "bge": ("batch_size", "max_length", "device", "fp16"),
    "bge-reranker": ("batch_size", "max_length", "device", "fp16"),
    "static": ("batch_size",),
}
_OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """An encoder or reranker, and how it is to be treated."""

    spec: str
    used_as: str
    """`embedder` or `reranker`: where it stands in `jam.yaml`, for messages."""
    batch_size: int = 32
    """Texts of one request or pass."""
    dimensions: int | None = None
    """Asks the server for shorter vectors than its model's own, which not every model has."""
    query_prefix: str = ""
    """Set before each question, for models that were trained so."""
    passage_prefix: str = ""
    """Set before each text that is not a question."""
    max_length: int = 1024
    """Tokens of a text that a local model reads; the rest is left out."""
    device: str = "auto"
    """Where a local model runs: `cpu`, `cuda:0`, `mps`; `auto` takes the first GPU, else the CPU."""
    fp16: bool | None = None
    """Whether it computes with half precision; where nothing is said, it does so on a GPU alone."""
    server: ModelSettings | None = field(default=None)
    """Of a server: where it is, the key, patience; see `jam/models/spec.py`."""

    @property
    def kind(self) -> str:
        return self.spec.partition(":")[0]

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self.server.name if self.server else self.spec.partition(":")[2]


def read_settings(spec: str, given: Mapping[str, Any] | None, used_as: str) -> EncoderSettings:
    """The settings of a spec whose kind is known, if they make sense. Raises `UsageError` naming what doesn't."""
    spec, given = spec.strip(), dict(given or {})
    kind, _, rest = spec.partition(":")
    for key in given:
        if key not in _ALLOWED[kind]:
            raise UsageError(
                f"{used_as}: unknown setting {key!r} for {kind}:…; the settings are {', '.join(sorted(_ALLOWED[kind]))}"
            )
    if not rest.strip():
        raise UsageError(f"{used_as}: {spec!r} names no model")
    served = {key: given.pop(key) for key in _OF_SERVERS if key in given}
    server = _server(kind, rest, served, used_as) if kind in ("openai", "rerank") else None
    return _checked(EncoderSettings(spec, used_as, **given, server=server))


def _server(kind: str, rest: str, given: Mapping[str, Any], used_as: str) -> ModelSettings:
    settings = check_settings(ModelSettings(f"openai:{rest}", **{"timeout_seconds": 60.0, **given}), used_as)
    if settings.base_url is not None:
        return settings
    if kind == "rerank":
        raise UsageError(f"{used_as}: a reranker needs its server's URL: rerank:NAME@BASE_URL")
    return check_settings(ModelSettings(f"openai:{rest}@{_OPENAI}", **{"timeout_seconds": 60.0, **given}), used_as)


def _checked(settings: EncoderSettings) -> EncoderSettings:
    where = settings.used_as
    for item in fields(settings):
        value = getattr(settings, item.name)
        if item.name in ("batch_size", "max_length") and not _is_count(value):
            raise UsageError(f"{where}: {item.name} must be a whole number of at least 1, not {value!r}")
        if item.name == "dimensions" and value is not None and not _is_count(value):
            raise UsageError(f"{where}: {item.name} must be a whole number of at least 1, not {value!r}")
        if item.name in ("device", "query_prefix", "passage_prefix") and not isinstance(value, str):
            raise UsageError(f"{where}: {item.name} must be a text, not {value!r}")
    if settings.fp16 is not None and not isinstance(settings.fp16, bool):
        raise UsageError(f"{where}: fp16 must be true or false, not {settings.fp16!r}")
    return settings


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
