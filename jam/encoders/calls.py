"""Requests to a server of vectors or scores: side by side within bounds, tried again after passing failures.

The server's limits, the key and the naming of failures are those of chat models (`jam.models`); what is sent and what
comes back is JSON, of which nothing is known here.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import weakref
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from jam.errors import (
    KeyRefused,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    PromptTooLong,
    UnusableReply,
)
from jam.models import loop
from jam.models.endpoint import Endpoint
from jam.models.faults import ReplyTooLarge, classify, is_timeout, retry_after
from jam.models.spec import ModelSettings

if TYPE_CHECKING:
    import httpx

I = TypeVar("I")  # noqa: E741 - the item
R = TypeVar("R")

_MOST_BYTES = 128_000_000
"""Of one reply: 1,000 vectors of 4,096 numbers, written out, come to 90 million."""
_MOST_SAID = 100_000
"""Bytes of a refusal that are read."""
_PAUSE_AT_MOST = 30.0
_TOO_LARGE = re.compile(
    r"too large to process|batch size|too many inputs|array too long|less than \d+ tokens", re.IGNORECASE
)
"""How servers say, in words that chat servers don't use, that a request holds too much."""


class Calls:
    """Requests to one server. `used_as` is where it is set in `jam.yaml`, for messages."""

    def __init__(self, settings: ModelSettings, used_as: str) -> None:
        self.endpoint = Endpoint(settings)
        self.used_as = used_as
        self._client: tuple[asyncio.AbstractEventLoop, httpx.AsyncClient] | None = None

    @property
    def settings(self) -> ModelSettings:
        return self.endpoint.settings

    @property
    def where(self) -> str:
        return self.endpoint.where

    def all_of(self, items: Sequence[I], work: Callable[[I], Coroutine[Any, Any, R]]) -> list[R]:
        """What becomes of each item, in their order, side by side; the first failure ends it all."""

        async def together() -> list[R]:
            tasks = [asyncio.create_task(work(item)) for item in items]
            try:
                return await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

        return loop.run(together())

    async def post(self, url: str, body: Any) -> Any:
        """The reply to a request. Raises `ModelError`; `PromptTooLong` where the request holds too much."""
        self.endpoint.check_rested()
        began = time.monotonic()
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = await self._in_turn(url, body)
            except Exception as error:  # whatever the HTTP library raises is classified in one place
                failure = self._classified(error)
                if not isinstance(failure, ModelUnavailable) or attempt > self._further_attempts(error):
                    self._note(failure, began)
                    raise failure from error
                pause = min(_PAUSE_AT_MOST, self.settings.retry_seconds * 2 ** (attempt - 1))
                await asyncio.sleep(max(retry_after(error), pause * random.uniform(0.5, 1.0)))
            else:
                self.endpoint.note(True, began)
                return reply

    def _further_attempts(self, error: Exception) -> int:
        return min(1, self.settings.retries) if is_timeout(error) else self.settings.retries

    def _note(self, failure: ModelError, began: float) -> None:
        if isinstance(failure, KeyRefused):
            self.endpoint.refuse(failure)
        elif isinstance(failure, ModelUnavailable):
            self.endpoint.note(False, began)

    async def _in_turn(self, url: str, body: Any) -> Any:
        """One attempt, given up when its time is over; waiting for its turn is not part of that."""
        async with self.endpoint.gate():
            await self.endpoint.take_turn()
            return await asyncio.wait_for(self._exchange(url, body), self.settings.timeout_seconds)

    async def _exchange(self, url: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.settings.key}"} if self.settings.key else {}
        async with self._connected().stream("POST", url, json=body, headers=headers) as answer:
            if not answer.is_success:
                raise Refusal(answer, await _start(answer))
            data = await _whole(answer)
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise UnusableReply(f"{self.where} replied with what is no JSON; {self._hint(ModelRefused)}") from None

    def _connected(self) -> httpx.AsyncClient:
        """The connections, which belong to the loop that they were opened on."""
        import httpx

        running = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not running:
            settings = self.settings
            client = httpx.AsyncClient(
                limits=httpx.Limits(max_connections=settings.concurrency + 2),
                timeout=settings.timeout_seconds,
                verify=not str(settings.base_url).startswith("http:"),  # loading certificates takes a tenth of a second
                trust_env=not settings.is_local,
            )
            weakref.finalize(self, loop.close_later, client.aclose).atexit = False
            self._client = (running, client)
        return self._client[1]

    def _classified(self, error: Exception) -> ModelError:
        """The failure by what the caller can do about it, with what to do."""
        if isinstance(error, UnusableReply):
            return error
        failure = classify(error, self.where, self.settings.key)
        if isinstance(error, Refusal):
            if error.status_code == 413 or (error.status_code in (400, 422, 500) and _TOO_LARGE.search(str(error))):
                return PromptTooLong(f"{self.where} finds the request too large ({error.status_code}): {error}")
            if error.status_code == 501 or error.status_code < 400:
                failure = ModelRefused(f"{self.where} doesn't do that ({error.status_code}): {error}")
        hint = self._hint(type(failure))
        return type(failure)(f"{failure}; {hint}") if hint else failure

    def _hint(self, kind: type[ModelError]) -> str:
        if issubclass(kind, ModelTimeout):
            return "set a longer timeout_seconds or a smaller batch_size"
        if issubclass(kind, ModelUnavailable):
            return f"is the server running? `{self.used_as}:` in jam.yaml names it"
        if issubclass(kind, KeyRefused | PromptTooLong):
            return ""
        return f"look at the model's name and URL under `{self.used_as}:` in jam.yaml"


class Refusal(Exception):
    """A reply that is none, with what the server says of the reason."""

    def __init__(self, response: httpx.Response, said: str) -> None:
        super().__init__(said)
        self.response, self.status_code = response, response.status_code


async def _whole(answer: httpx.Response) -> bytes:
    read = bytearray()
    async for chunk in answer.aiter_bytes():
        read += chunk
        if len(read) > _MOST_BYTES:
            raise ReplyTooLarge(f"more than {_MOST_BYTES} bytes")
    return bytes(read)


async def _start(answer: httpx.Response) -> str:
    """What a server says of a failure, without the JSON around it."""
    read = bytearray()
    async for chunk in answer.aiter_bytes():
        read += chunk
        if len(read) > _MOST_SAID:
            break
    text = bytes(read).decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for key in ("error", "message", "detail"):
        if isinstance(said, dict) and said.get(key):
            said = said[key]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def is_absent(error: BaseException) -> bool:
    """Whether a call failed since there is nothing at its URL."""
    return isinstance(error.__cause__, Refusal) and error.__cause__.status_code in (404, 405)
