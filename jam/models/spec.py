"""Which model is meant: `openai:NAME@BASE_URL`, a LangChain spec such as `anthropic:NAME`, or a name from `jam.yaml`.

    model: local                  # used where no --model is given
    models:
      local:
        spec: openai:Qwen/Qwen3.5-4B@http://localhost:8000/v1
        concurrency: 16

Keys come from the environment alone, and are never written anywhere.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from jam.errors import KeyRefused, UsageError

_FORMS = (
    "openai:NAME@BASE_URL (openai:Qwen/Qwen3.5-4B@http://localhost:8000/v1), openai:NAME for OpenAI itself, "
    "PROVIDER:NAME for any other that LangChain knows (anthropic:…), or a name from `models:` in jam.yaml"
)
_PROTOCOLS = ("auto", "text", "tools")
_STRUCTURED = ("auto", "json_schema", "prompt")
_SECRET = re.compile(r"key|token$|secret|password|authorization", re.IGNORECASE)
_SPEC = re.compile(r"(?P<provider>[a-z][a-z0-9_-]*):(?P<name>(?!//).+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A chat model, and how it is to be treated. Each field may be given in `jam.yaml` under `models:`."""

    spec: str
    key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key; a local server needs none."""
    context_tokens: int | None = None
    """Length of its context window; asked of the server where it says so, else 8,192."""
    protocol: str = "auto"
    """How the Researcher talks with it: `text` or `tools`; `auto` is what the agent card says."""
    structured: str = "auto"
    """`json_schema`: the server holds replies to a schema; `prompt`: they are only asked for; `auto` tries."""
    temperature: float | None = None
    """Instead of the agent cards' own."""
    seed: int | None = None
    timeout_seconds: float = 300.0
    """A call that takes longer is given up."""
    retries: int = 4
    """Further attempts after a passing failure (429, 5xx, a lost connection); a timeout is tried again once."""
    retry_seconds: float = 0.5
    """Pause before the first further attempt at most; it doubles with each, up to 30 s."""
    rest_seconds: float = 30.0
    """How long a server that failed again and again is left in peace; a build waits for it twice."""
    concurrency: int = 8
    """Calls at one time."""
    requests_per_minute: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request's body, as the server wants them."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Names a LangChain model that a program has made; not for `jam.yaml`."""

    @property
    def key(self) -> str:
        """The key, from the environment; empty where there is none. Raises `KeyRefused` for what can't be sent."""
        key = os.environ.get(self.key_env, "").strip()
        if not (key.isascii() and (key.isprintable() or not key)):
            raise KeyRefused(f"{self.key_env} holds characters that can't be sent; set it to the key alone")
        return key

    @property
    def provider(self) -> str:
        return self.spec.partition(":")[0]

    @property
    def name(self) -> str:
        """The model's name, as its server knows it."""
        rest = self.spec.partition(":")[2]
        return rest.rpartition("@")[0] if self.base_url else rest

    @property
    def base_url(self) -> str | None:
        """Where its server is, without a slash at the end; `None` for the provider's own."""
        before, at, url = self.spec.partition(":")[2].rpartition("@")
        return url.rstrip("/") if at and before and "://" in url else None

    @property
    def is_local(self) -> bool:
        """Whether its server is on this machine: never to be reached through a proxy."""
        return urlsplit(self.base_url or "").hostname in ("localhost", "127.0.0.1", "::1")

    def identity(self) -> dict[str, Any]:
        """All that a reply depends on beside the request: for the key of the reply cache. No secrets."""
        own = {"spec": self.spec, "temperature": self.temperature, "seed": self.seed}
        return {**own, "extra": dict(self.extra), "given": dict(self.given)}


def read_model(given: str, named: Mapping[str, Mapping[str, Any]] | None = None) -> ModelSettings:
    """The model that a spec or a name of `jam.yaml` means. Raises `UsageError` that says what would do."""
    named = named or {}
    if given in named:
        return _from_mapping(given, named[given])
    return check_settings(ModelSettings(given.strip()), f"the model {given!r}", sorted(named))


def _from_mapping(name: str, data: Mapping[str, Any]) -> ModelSettings:
    where = f"jam.yaml: models: {name}"
    known = {item.name for item in fields(ModelSettings)} - {"given"}
    if not isinstance(data, Mapping) or not isinstance(data.get("spec"), str):
        raise UsageError(f"{where}: needs `spec: …`; {_FORMS}")
    for key in data:
        if key not in known:
            raise UsageError(f"{where}: unknown setting {key!r}; the settings are {', '.join(sorted(known))}")
    return check_settings(ModelSettings(**{**data, "spec": data["spec"].strip()}), where, [])


def check_settings(settings: ModelSettings, where: str, names: Sequence[str] = ()) -> ModelSettings:
    """The settings, if they make sense. Raises `UsageError` naming what doesn't, and where."""
    if re.search(r"://[^/]*@", settings.spec):  # looked at first, since other messages show the spec
        raise UsageError("the model's URL must not hold a user or password; keys come from the environment")
    match = _SPEC.fullmatch(settings.spec)
    if not match:
        listed = f"; the names there are: {', '.join(names)}" if names else ""
        raise UsageError(f"{where} is not understood; give {_FORMS}{listed}")
    url = settings.base_url
    if url is None and "@" in settings.spec and "://" in settings.spec:
        raise UsageError(f"{where}: the base URL is not understood; give {_FORMS}")
    if url and not _usable(url):
        raise UsageError(f"{where}: the base URL must begin with http:// or https://, like http://localhost:8000/v1")
    if not isinstance(settings.key_env, str) or not settings.key_env:
        raise UsageError(f"{where}: key_env must be the name of an environment variable, not {settings.key_env!r}")
    if not settings.key_env.upper().endswith("_API_KEY"):  # a workspace from elsewhere must not ask for other secrets
        raise UsageError(f"{where}: key_env must name a variable that ends in _API_KEY, not {settings.key_env!r}")
    if url and urlsplit(url).query:
        raise UsageError(f"{where}: a base URL has nothing after '?'; keys come from {settings.key_env}")
    if isinstance(settings.extra, Mapping) and any(_SECRET.search(str(name)) for name in settings.extra):
        raise UsageError(f"{where}: extra must hold no keys or passwords; keys come from {settings.key_env}")
    if settings.provider != "openai" and "://" in settings.spec:
        raise UsageError(f"{where}: only openai:NAME@BASE_URL has a base URL; most servers speak that API too")
    for key, choices in (("protocol", _PROTOCOLS), ("structured", _STRUCTURED)):
        if getattr(settings, key) not in choices:
            raise UsageError(f"{where}: {key} must be one of {', '.join(choices)}, not {getattr(settings, key)!r}")
    for key, least in (
        ("timeout_seconds", 0.001),
        ("retries", 0),
        ("retry_seconds", 0),
        ("rest_seconds", 0),
        ("concurrency", 1),
    ):
        value = getattr(settings, key)
        if not _is_number(value) or value < least:
            raise UsageError(f"{where}: {key} must be a number of at least {least}, not {value!r}")
    for key in ("context_tokens", "requests_per_minute", "temperature", "seed"):
        value = getattr(settings, key)
        if value is not None and (not _is_number(value) or value < 0):
            raise UsageError(f"{where}: {key} must be a number, not {value!r}")
    if not isinstance(settings.extra, Mapping) or not _is_json(settings.extra):
        raise UsageError(f"{where}: extra must be `key: value` lines of what JSON can hold, not {settings.extra!r}")
    return replace(settings, retries=int(settings.retries), concurrency=int(settings.concurrency))


def _usable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_json(value: Mapping[str, Any]) -> bool:
    try:
        json.dumps(value, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
