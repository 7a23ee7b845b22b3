"""A model's server, as it is known so far: what it can do, how busy it may be kept, whether it works at all.

One for each model of a process; every `ChatModel` bound to it shares the limits.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from jam.errors import KeyRefused, ModelUnavailable
from jam.models.spec import ModelSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_log = logging.getLogger(__name__)
_DEFAULT_CONTEXT = 8192
_LOOK_SECONDS = 10.0
_LOOK_BYTES = 8_000_000
_FAILURES_IN_A_ROW = 3

Kind = Literal["vllm", "llama.cpp", "other"]


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a server says of itself. All of it is optional in the OpenAI API."""

    kind: Kind = "other"
    context_tokens: int | None = None
    tokenizes: bool = False
    """Whether it counts tokens on request (`/tokenize`)."""
    reachable: bool = False


@dataclass
class Endpoint:
    """A model's server within this process."""

    settings: ModelSettings
    backend: BaseChatModel | None = None
    """Given by a program that has a LangChain model already; else loaded for the first call."""
    schema_works: bool | None = None
    """Whether it holds replies to a JSON schema; unknown until tried."""
    temperature_works: bool = True
    """Whether it may be given a temperature."""
    _facts: ServerFacts | None = None
    _failures: int = 0
    _last_failure: float = 0.0
    _rest_until: float = 0.0
    _refused: KeyRefused | None = None
    _next_start: float = 0.0
    _gate: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _look_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Another one, since a look may take long, and calls under way must not wait for it."""

    def load(self) -> BaseChatModel:
        """The LangChain model behind it."""
        from jam.models.backend import load_backend

        with self._lock:
            if self.backend is None:
                self.backend = load_backend(self.settings)
            return self.backend

    @property
    def where(self) -> str:
        """Names it in messages."""
        return f"the model {self.settings.name!r}" + (f" at {self.settings.base_url}" if self.settings.base_url else "")

    @property
    def facts(self) -> ServerFacts:
        """What the server says of itself; asked once."""
        with self._look_lock:
            if self._facts is None:
                facts = look_at(self.settings)
                if not facts.reachable and self.settings.base_url:
                    return facts  # it may be starting still; it is looked at again
                self._facts = facts
            return self._facts

    def know(self, facts: ServerFacts) -> None:
        """Tells what would be asked of the server."""
        self._facts = facts

    @property
    def context_tokens(self) -> int:
        """Length of the context window: as set, as the server says, else a careful guess."""
        return self.settings.context_tokens or self.facts.context_tokens or _DEFAULT_CONTEXT

    def check_rested(self) -> None:
        """Raises `ModelUnavailable` while a server that failed again and again is left in peace, and what it said of a
        key that it refused.
        """
        if self._refused:
            raise self._refused
        if self.resting:
            raise ModelUnavailable(
                f"{self.where} failed {_FAILURES_IN_A_ROW} calls in a row and is left in peace for a moment"
            )

    @property
    def resting(self) -> bool:
        return time.monotonic() < self._rest_until

    def note(self, worked: bool, began: float) -> None:
        """Counts failures in a row; after some, no call is made for a while. `began` is when the call did, by the
        monotonic clock: calls side by side that fail for one reason count once.
        """
        with self._lock:
            if worked:
                self._failures = 0
            elif began >= self._last_failure:
                self._failures, self._last_failure = self._failures + 1, time.monotonic()
                if self._failures >= _FAILURES_IN_A_ROW:
                    self._rest_until = time.monotonic() + self.settings.rest_seconds

    def refuse(self, error: KeyRefused) -> None:
        """No further call is made: the key will not get better."""
        self._refused = error

    def rest(self) -> float:
        """Leaves the server in peace for a while; until when, by the monotonic clock."""
        with self._lock:
            if not self.resting:
                self._rest_until = time.monotonic() + self.settings.rest_seconds
            return self._rest_until

    def gate(self) -> asyncio.Semaphore:
        """As many calls at a time as are allowed. To be called on the event loop that the calls are made on."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._gate[0] is not loop:
            self._gate = (loop, asyncio.Semaphore(self.settings.concurrency))
        return self._gate[1]

    async def take_turn(self) -> None:
        """Waits as long as the rate limit asks for."""
        rate = self.settings.requests_per_minute
        if not rate:
            return
        with self._lock:
            start = max(time.monotonic(), self._next_start)
            self._next_start = start + 60.0 / rate
        await asyncio.sleep(max(0.0, start - time.monotonic()))


def look_at(settings: ModelSettings) -> ServerFacts:
    """Asks a server what it is. One that doesn't say is taken for what any OpenAI-compatible server is."""
    if settings.base_url is None:
        return ServerFacts()
    listed = get_json(settings, "/models")
    rows = listed.get("data") if isinstance(listed, Mapping) else None
    if not isinstance(rows, list):
        return ServerFacts()
    own = [row for row in rows if isinstance(row, Mapping) and row.get("id") == settings.name]
    row: Mapping[str, Any] = own[0] if own else (rows[0] if rows and isinstance(rows[0], Mapping) else {})
    kinds: dict[str, Kind] = {"vllm": "vllm", "llamacpp": "llama.cpp"}
    kind = kinds.get(str(row.get("owned_by")), "other")
    context = row.get("max_model_len") or (_slot_context(settings) if kind == "llama.cpp" else None)
    return ServerFacts(kind, context if _is_count(context) else None, kind != "other", reachable=True)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _slot_context(settings: ModelSettings) -> int | None:
    """llama.cpp shares its context among parallel slots; `/props` says what one has."""
    props = get_json(settings, "/props", root=True)
    own = props.get("default_generation_settings") if isinstance(props, Mapping) else None
    value = own.get("n_ctx") if isinstance(own, Mapping) else None
    return value if isinstance(value, int) else None


def get_json(settings: ModelSettings, path: str, *, root: bool = False, body: Any = None) -> Any:
    """A JSON document of the server, `None` where it has none; `root` leaves the `/v1` of the base URL out."""
    import httpx

    base = settings.base_url or ""
    url = (base.removesuffix("/v1") if root else base) + path
    headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
    seconds = min(_LOOK_SECONDS, settings.timeout_seconds)
    end = time.monotonic() + seconds
    method = "GET" if body is None else "POST"
    try:
        certified = not url.startswith("http:")  # loading certificates takes longer than a local server's answer
        client = httpx.Client(timeout=seconds, verify=certified, trust_env=not settings.is_local)
        with client, client.stream(method, url, headers=headers, json=body) as answer:
            if answer.status_code != 200:
                return None
            read = b""
            for chunk in answer.iter_bytes():
                read += chunk
                if time.monotonic() > end or len(read) > _LOOK_BYTES:
                    return None
            return json.loads(read)
    except (httpx.HTTPError, ValueError, RecursionError) as error:
        _log.debug("%s: %s", url, error)
        return None
