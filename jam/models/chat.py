"""Asking a chat model: from memory if it was asked before, within the budget, again after passing failures.

    reply = model.ask(ChatRequest((user("…"),), max_output_tokens=200), purpose="memo")

What it costs is booked with a `Meter`, what is said is told to a recorder. Raises `ModelError` and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jam.errors import BudgetSpent, KeyRefused, ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from jam.models import loop
from jam.models.cache import NoCache, ReplyCache
from jam.models.endpoint import Endpoint
from jam.models.faults import classify, is_timeout, retry_after
from jam.models.messages import ChatReply, ChatRequest, Exchange
from jam.models.meter import Meter
from jam.models.patience import Patience
from jam.models.replies import read_reply
from jam.models.spec import ModelSettings
from jam.models.tokens import TokenCounter
from jam.models.wire import encodable, wire_messages

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_log = logging.getLogger(__name__)
_PAUSE_AT_MOST = 30.0
SAME_NAMES = ("anthropic", "mistralai", "groq", "deepseek", "openrouter", "together", "fireworks", "xai")
"""Providers beside OpenAI whose LangChain models take `max_tokens` and `temperature` with a call."""

Recorder = Callable[[Exchange], None]


def _unrecorded(_: Exchange) -> None: ...


class ChatModel:
    """A chat model, bound to a budget, a memory and a recorder. Copies (`bound`) share its server's limits."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        meter: Meter | None = None,
        cache: ReplyCache | None = None,
        record: Recorder = _unrecorded,
        remembers: bool = False,
        patience: Patience | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.patience = patience
        self.remembers = remembers
        """Whether its memory and budget are its own, and not to be replaced by those of a run: a replay's are."""
        self.meter = meter or Meter()
        self.cache = cache or NoCache()
        self.record = record
        self.counter = TokenCounter(endpoint)

    @classmethod
    def of(cls, settings: ModelSettings, backend: BaseChatModel | None = None) -> ChatModel:
        """The model of these settings; `backend` is a LangChain chat model to use for it."""
        return cls(Endpoint(settings, backend))

    def bound(
        self,
        *,
        meter: Meter | None = None,
        cache: ReplyCache | None = None,
        record: Recorder | None = None,
        patience: Patience | None = None,
    ) -> ChatModel:
        """The same model with another budget, memory, recorder or patience."""
        copy = ChatModel(
            self.endpoint,
            meter=meter or self.meter,
            cache=cache or self.cache,
            record=record or self.record,
            remembers=self.remembers,
            patience=patience or self.patience,
        )
        copy.counter = self.counter
        return copy

    @property
    def settings(self) -> ModelSettings:
        return self.endpoint.settings

    @property
    def fingerprint(self) -> str:
        """Names the model in what is made with it."""
        return self.settings.spec

    def ask(self, request: ChatRequest, purpose: str) -> ChatReply:
        """The reply to a request. Raises `ModelError`: unavailable, refused, or the budget is spent."""
        key = request.digest(self.settings.identity())
        stored = self.cache.get(key)
        if stored is not None:
            self.meter.note_stored(stored)
            self.record(Exchange(purpose, key, request, stored))
            return stored
        try:
            reply = self._with_patience(request, key)
        except ModelError as error:
            self.record(Exchange(purpose, key, request, None, error))
            raise
        self.record(Exchange(purpose, key, request, reply))
        return reply

    def _with_patience(self, request: ChatRequest, key: str) -> ChatReply:
        """The reply; where the server is down and there is time, after it was left in peace for a while."""
        while True:
            try:
                return self._asked_as_it_likes(request, key)
            except ModelUnavailable:
                if self.patience is None or not self.patience.wait(self.endpoint):
                    raise

    def _asked_as_it_likes(self, request: ChatRequest, key: str) -> ChatReply:
        """The reply, without a temperature where the model refuses to be given one: some allow none but their own."""
        try:
            return self._ask(request, key)
        except ModelRefused as error:
            if "temperature" not in str(error) or not self.endpoint.temperature_works:
                raise
            self.endpoint.temperature_works = False
            return self._ask(request, key)

    def _ask(self, request: ChatRequest, key: str) -> ChatReply:
        self.endpoint.check_rested()
        began = time.monotonic()
        ours = self.counter.count_prompt([request.text()])
        reservation = self.meter.reserve(ours, request.max_output_tokens)
        reply, lost = None, (0, 0)
        try:
            prepared = self._prepared(request, reservation.output_tokens)
            message, seconds, attempts = loop.run(self._attempts(*prepared))
            reply = read_reply(message, ours, reservation.output_tokens, seconds, attempts)
            self.endpoint.note(True, began)
            if _is_worth_keeping(reply, cut_short=reservation.output_tokens < request.max_output_tokens):
                self.cache.put(key, reply)
            return reply
        except (ModelTimeout, BudgetSpent) as error:  # the model may have been at work, and be paid for it
            error.lost_tokens = (reservation.input_tokens, reservation.output_tokens)
            lost = error.lost_tokens
            if isinstance(error, ModelTimeout):
                self.endpoint.note(False, began)
            raise
        except KeyRefused as error:
            self.endpoint.refuse(error)
            raise
        except ModelUnavailable:
            self.endpoint.note(False, began)
            raise
        finally:
            self.meter.settle(reservation, reply, lost)

    async def _attempts(
        self, runnable: Any, arguments: dict[str, Any], messages: list[Any]
    ) -> tuple[AIMessage, float, int]:
        """The reply's message, the seconds it took, and the number of attempts it needed."""
        import tenacity

        policy = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, _Passing)),
            stop=self._stop,
            wait=self._wait,
            reraise=True,
        )
        try:
            async with asyncio.timeout(self.meter.seconds_left()):
                async for attempt in policy:
                    with attempt:
                        began = time.monotonic()
                        message = await self._once(runnable, messages, arguments)
                        return message, time.monotonic() - began, attempt.retry_state.attempt_number
        except _Passing as failure:
            raise failure.error from failure.__cause__
        except TimeoutError as error:  # the budget's: that of one attempt is a passing failure
            raise BudgetSpent(f"the time allowed is over; {self.endpoint.where} had not replied yet") from error
        raise AssertionError("the attempts end with a reply or an error")

    async def _once(self, runnable: Any, messages: list[Any], arguments: dict[str, Any]) -> AIMessage:
        """One attempt, given up when its time is over; waiting for its turn is not part of that."""
        async with self.endpoint.gate():
            await self.endpoint.take_turn()
            try:
                call = runnable.ainvoke(messages, **arguments)
                message: AIMessage = await asyncio.wait_for(call, self.settings.timeout_seconds)
            except Exception as error:  # whatever a provider's library raises is classified in one place
                classified = classify(error, self.endpoint.where, self.settings.key)
                if isinstance(classified, ModelUnavailable):
                    raise _Passing(classified, is_timeout(error), retry_after(error)) from error
                raise classified from error
            return message

    def _stop(self, state: Any) -> bool:
        """Whether that was the last attempt, or the next would come after the budget's time."""
        failure = state.outcome.exception()
        left = self.meter.seconds_left()
        allowed = min(1, self.settings.retries) if failure.timeout else self.settings.retries
        return bool(state.attempt_number > allowed or (left is not None and left <= state.upcoming_sleep))

    def _wait(self, state: Any) -> float:
        """Doubling pauses, each shortened by chance so that many callers don't return together; at least as long as the
        server asks."""
        import random

        pause: float = min(_PAUSE_AT_MOST, self.settings.retry_seconds * 2 ** (state.attempt_number - 1))
        return max(float(state.outcome.exception().retry_after), pause * random.uniform(0.5, 1.0))

    def _prepared(self, request: ChatRequest, output_tokens: int) -> tuple[Any, dict[str, Any], list[Any]]:
        """The LangChain model with tools bound, the arguments of the call, and the messages."""
        from langchain_core.messages import convert_to_messages

        runnable: Any = self.endpoint.load()
        if request.tools:
            tools = [{"type": "function", "function": encodable(dict(tool))} for tool in request.tools]
            try:
                runnable = runnable.bind_tools(tools)
            except NotImplementedError as error:
                raise ModelRefused(f"{self.endpoint.where} can't be given tools; use `protocol: text`") from error
        return (
            runnable,
            self._arguments(request, output_tokens),
            convert_to_messages(encodable(wire_messages(request.messages))),
        )

    def _arguments(self, request: ChatRequest, output_tokens: int) -> dict[str, Any]:
        settings, sampling = self.settings, request.sampling
        arguments: dict[str, Any] = {"max_tokens": output_tokens}
        temperature = sampling.temperature if settings.temperature is None else settings.temperature
        temperature = temperature if self.endpoint.temperature_works else None
        for name, value in (("temperature", temperature), ("top_p", sampling.top_p), ("seed", settings.seed)):
            if value is not None:
                arguments[name] = value
        if settings.provider in SAME_NAMES:
            return {name: value for name, value in arguments.items() if name != "seed"}
        if settings.provider != "openai":
            return {}  # its LangChain model has settings of its own
        body = dict(settings.extra)
        if sampling.thinking is not None and self.endpoint.facts.kind != "other":
            body.setdefault("chat_template_kwargs", {"enable_thinking": sampling.thinking})
        if request.schema is not None:
            # In the body, since LangChain makes an error of a cut-off reply to its own argument.
            form = {"name": "reply", "schema": encodable(dict(request.schema)), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if body:
            arguments["extra_body"] = body
        return arguments


class _Passing(Exception):
    """A failure that another attempt may mend."""

    def __init__(self, error: ModelUnavailable, timeout: bool, wait: float) -> None:
        super().__init__(str(error))
        self.error, self.timeout, self.retry_after = error, timeout, wait


def _is_worth_keeping(reply: ChatReply, cut_short: bool) -> bool:
    """Whether it is the reply to its request: not nothing, and not cut off by the budget alone."""
    return bool(reply.text or reply.tool_calls) and not (cut_short and reply.finish == "length")
