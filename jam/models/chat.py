"""Asking a chat model: from memory if it was asked before, within the budget, again after passing failures.

    reply = model.ask(ChatRequest((user("…"),), max_output_tokens=200), purpose="memo")

What it costs is booked with a `Meter`, what is said is told to a recorder. Raises `ModelError` and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from jam.errors import ModelError, ModelUnavailable
from jam.models import loop
from jam.models.cache import NoCache, ReplyCache
from jam.models.endpoint import Endpoint
from jam.models.faults import classify, is_timeout, retry_after
from jam.models.messages import CalledTool, ChatReply, ChatRequest, Exchange
from jam.models.meter import Meter
from jam.models.parsing import LONGEST
from jam.models.spec import ModelSettings
from jam.models.tokens import TokenCounter, estimate

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

_log = logging.getLogger(__name__)
_PAUSE_AT_MOST = 30.0
_LIKELY = 4.0
"""A server's token count is believed if it is at most this many times ours, and at least that part of it."""
_SLACK = 200
"""Tokens of a chat template that our own count doesn't see."""

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
    ) -> None:
        self.endpoint = endpoint
        self.meter = meter or Meter()
        self.cache = cache or NoCache()
        self.record = record
        self.counter = TokenCounter(endpoint)

    @classmethod
    def of(cls, settings: ModelSettings, backend: BaseChatModel | None = None) -> ChatModel:
        """The model of these settings; `backend` is a LangChain chat model to use for it."""
        return cls(Endpoint(settings, backend))

    def bound(
        self, *, meter: Meter | None = None, cache: ReplyCache | None = None, record: Recorder | None = None
    ) -> ChatModel:
        """The same model with another budget, memory or recorder."""
        copy = ChatModel(
            self.endpoint, meter=meter or self.meter, cache=cache or self.cache, record=record or self.record
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
            reply = self._ask(request, key)
        except ModelError as error:
            self.record(Exchange(purpose, key, request, None, str(error)))
            raise
        self.record(Exchange(purpose, key, request, reply))
        return reply

    def _ask(self, request: ChatRequest, key: str) -> ChatReply:
        self.endpoint.check_rested()
        ours = self.counter.count_prompt([request.text()])
        reservation = self.meter.reserve(ours, request.max_output_tokens)
        reply = None
        try:
            message, seconds, attempts = loop.run(self._attempts(request, reservation.output_tokens))
            reply = _read_reply(message, ours, seconds, attempts)
            self.endpoint.note(worked=True)
            if reply.finish != "length" or reservation.output_tokens == request.max_output_tokens:
                self.cache.put(key, reply)  # one that only the budget has cut off is not the reply to this request
            return reply
        except ModelUnavailable:
            self.endpoint.note(worked=False)
            raise
        finally:
            self.meter.settle(reservation, reply)

    async def _attempts(self, request: ChatRequest, output_tokens: int) -> tuple[AIMessage, float, int]:
        """The reply's message, the seconds it took, and the number of attempts it needed."""
        import tenacity

        runnable, arguments, messages = self._prepared(request, output_tokens)
        policy = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, _Passing)),
            stop=self._stop,
            wait=self._wait,
            reraise=True,
        )
        try:
            async for attempt in policy:
                with attempt:
                    began = time.monotonic()
                    message = await self._once(runnable, messages, arguments)
                    return message, time.monotonic() - began, attempt.retry_state.attempt_number
        except _Passing as failure:
            raise failure.error from failure.__cause__
        raise AssertionError("the attempts end with a reply or an error")

    async def _once(self, runnable: Any, messages: list[Any], arguments: dict[str, Any]) -> AIMessage:
        """One attempt, given up when its time or the budget's is over."""
        async with self.endpoint.gate():
            await self.endpoint.take_turn()
            left = self.meter.seconds_left()
            limit = self.settings.timeout_seconds if left is None else min(self.settings.timeout_seconds, max(left, 0))
            try:
                message: AIMessage = await asyncio.wait_for(runnable.ainvoke(messages, **arguments), limit)
            except Exception as error:  # whatever a provider's library raises is classified in one place
                classified = classify(error, self.endpoint.where)
                if isinstance(classified, ModelUnavailable):
                    raise _Passing(classified, is_timeout(error), retry_after(error)) from error
                raise classified from error
            return message

    def _stop(self, state: Any) -> bool:
        failure = state.outcome.exception()
        left = self.meter.seconds_left()
        allowed = min(1, self.settings.retries) if failure.timeout else self.settings.retries
        return bool(state.attempt_number > allowed or (left is not None and left <= 0))

    def _wait(self, state: Any) -> float:
        """Doubling pauses, each shortened by chance so that many callers don't return together; at least as long as the
        server asks, at most as long as the budget has."""
        import random

        pause = min(_PAUSE_AT_MOST, self.settings.retry_seconds * 2 ** (state.attempt_number - 1))
        pause = max(float(state.outcome.exception().retry_after), pause * random.uniform(0.5, 1.0))
        left = self.meter.seconds_left()
        return pause if left is None else max(0.0, min(pause, left))

    def _prepared(self, request: ChatRequest, output_tokens: int) -> tuple[Any, dict[str, Any], list[Any]]:
        """The LangChain model with tools bound, the arguments of the call, and the messages."""
        from langchain_core.messages import convert_to_messages

        runnable: Any = self.endpoint.load()
        if request.tools:
            runnable = runnable.bind_tools([{"type": "function", "function": dict(tool)} for tool in request.tools])
        return runnable, self._arguments(request, output_tokens), convert_to_messages(_wire(request.messages))

    def _arguments(self, request: ChatRequest, output_tokens: int) -> dict[str, Any]:
        settings, sampling = self.settings, request.sampling
        arguments: dict[str, Any] = {"max_tokens": output_tokens}
        temperature = sampling.temperature if settings.temperature is None else settings.temperature
        for name, value in (("temperature", temperature), ("top_p", sampling.top_p), ("seed", settings.seed)):
            if value is not None:
                arguments[name] = value
        if settings.provider != "openai":
            return arguments
        body = dict(settings.extra)
        if sampling.thinking is not None and self.endpoint.facts.kind != "other":
            body.setdefault("chat_template_kwargs", {"enable_thinking": sampling.thinking})
        if body:
            arguments["extra_body"] = body
        if request.schema is not None:
            form = {"name": "reply", "schema": dict(request.schema), "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": form}
        return arguments


class _Passing(Exception):
    """A failure that another attempt may mend."""

    def __init__(self, error: ModelUnavailable, timeout: bool, wait: float) -> None:
        super().__init__(str(error))
        self.error, self.timeout, self.retry_after = error, timeout, wait


def _wire(messages: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API writes them. What no JSON can hold is replaced."""
    out = []
    for message in messages:
        said = {**message, "content": str(message.get("content") or "").encode("utf-8", "replace").decode()}
        if message.get("tool_calls"):
            said["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": _valid_arguments(call["arguments"])},
                }
                for call in message["tool_calls"]
            ]
        out.append(said)
    return out


def _valid_arguments(text: str) -> str:
    """Arguments that a chat template can render: what is no JSON object is shown within one."""
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unparsed": text[:500]})


def _read_reply(message: Any, ours: int, seconds: float, attempts: int) -> ChatReply:
    text = _text_of(message)
    thinking = str(message.additional_kwargs.get("reasoning_content") or "")[:LONGEST]
    calls = _calls_of(message)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    written = estimate("\n".join([text, thinking, *(call.arguments for call in calls)]))
    read, read_doubtful = _believed(usage.get("input_tokens"), ours)
    wrote, wrote_doubtful = _believed(usage.get("output_tokens"), written)
    details = usage.get("input_token_details") or {}
    metadata = message.response_metadata or {}
    return ChatReply(
        text=text,
        thinking=thinking,
        tool_calls=calls,
        finish=str(metadata.get("finish_reason") or metadata.get("stop_reason") or "stop"),
        input_tokens=read,
        output_tokens=wrote,
        reused_tokens=int(details.get("cache_read") or 0) if isinstance(details, Mapping) else 0,
        seconds=round(seconds, 6),
        attempts=attempts,
        estimated=read_doubtful or wrote_doubtful,
    )


def _text_of(message: Any) -> str:
    content = message.content
    if not isinstance(content, str):
        parts = [part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    return content[:LONGEST]


def _calls_of(message: Any) -> tuple[CalledTool, ...]:
    """The calls, those with arguments that are no JSON among them, in the order they were made."""
    good = [(call.get("id"), call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
    bad = [(call.get("id"), call.get("name"), call.get("args")) for call in message.invalid_tool_calls]
    return tuple(
        CalledTool(str(given or f"call_{number}"), str(name or ""), str(arguments or ""))
        for number, (given, name, arguments) in enumerate([*good, *bad])
    )


def _believed(said: Any, ours: int) -> tuple[int, bool]:
    """The server's count if it can be right, else ours; and whether it couldn't."""
    if isinstance(said, bool) or not isinstance(said, int) or said < 0:
        return ours, True
    if said > ours * _LIKELY + _SLACK or said * _LIKELY + _SLACK < ours:
        return ours, True
    return said, False
