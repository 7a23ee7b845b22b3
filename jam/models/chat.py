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

from jam.errors import BudgetSpent, ModelError, ModelRefused, ModelUnavailable
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
_SAME_NAMES = ("anthropic", "mistralai", "groq", "deepseek", "openrouter", "together", "fireworks", "xai")
"""Providers beside OpenAI whose LangChain models take `max_tokens` and `temperature` with a call."""
_SLACK = 200
"""Tokens that it may count beyond that, for a chat template that we don't see."""

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
    ) -> None:
        self.endpoint = endpoint
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
        self, *, meter: Meter | None = None, cache: ReplyCache | None = None, record: Recorder | None = None
    ) -> ChatModel:
        """The same model with another budget, memory or recorder."""
        copy = ChatModel(
            self.endpoint,
            meter=meter or self.meter,
            cache=cache or self.cache,
            record=record or self.record,
            remembers=self.remembers,
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
            reply = self._asked_as_it_likes(request, key)
        except ModelError as error:
            self.record(Exchange(purpose, key, request, None, error))
            raise
        self.record(Exchange(purpose, key, request, reply))
        return reply

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
        ours = self.counter.count_prompt([request.text()])
        reservation = self.meter.reserve(ours, request.max_output_tokens)
        reply = None
        try:
            prepared = self._prepared(request, reservation.output_tokens)
            message, seconds, attempts = loop.run(self._attempts(*prepared))
            reply = _read_reply(message, ours, seconds, attempts)
            self.endpoint.note(worked=True)
            if _is_worth_keeping(reply, cut_short=reservation.output_tokens < request.max_output_tokens):
                self.cache.put(key, reply)
            return reply
        except ModelUnavailable:
            self.endpoint.note(worked=False)
            raise
        finally:
            self.meter.settle(reservation, reply)

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
            tools = [{"type": "function", "function": _encodable(dict(tool))} for tool in request.tools]
            try:
                runnable = runnable.bind_tools(tools)
            except NotImplementedError as error:
                raise ModelRefused(f"{self.endpoint.where} can't be given tools; use `protocol: text`") from error
        return (
            runnable,
            self._arguments(request, output_tokens),
            convert_to_messages(_encodable(_wire(request.messages))),
        )

    def _arguments(self, request: ChatRequest, output_tokens: int) -> dict[str, Any]:
        settings, sampling = self.settings, request.sampling
        arguments: dict[str, Any] = {"max_tokens": output_tokens}
        temperature = sampling.temperature if settings.temperature is None else settings.temperature
        temperature = temperature if self.endpoint.temperature_works else None
        for name, value in (("temperature", temperature), ("top_p", sampling.top_p), ("seed", settings.seed)):
            if value is not None:
                arguments[name] = value
        if settings.provider in _SAME_NAMES:
            return {name: value for name, value in arguments.items() if name != "seed"}
        if settings.provider != "openai":
            return {}  # its LangChain model has settings of its own
        body = dict(settings.extra)
        if sampling.thinking is not None and self.endpoint.facts.kind != "other":
            body.setdefault("chat_template_kwargs", {"enable_thinking": sampling.thinking})
        if (
            request.schema is not None
        ):  # in the body, since LangChain makes an error of a cut-off reply to its own argument
            form = {"name": "reply", "schema": _encodable(dict(request.schema)), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if body:
            arguments["extra_body"] = body
        return arguments


class _Passing(Exception):
    """A failure that another attempt may mend."""

    def __init__(self, error: ModelUnavailable, timeout: bool, wait: float) -> None:
        super().__init__(str(error))
        self.error, self.timeout, self.retry_after = error, timeout, wait


def _wire(messages: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API writes them."""
    out = []
    for message in messages:
        said = {**message, "content": str(message.get("content") or "")}
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
        given = json.loads(text)
        if isinstance(given, dict):
            return json.dumps(_encodable(given), ensure_ascii=False)
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unparsed": text[:500]}, ensure_ascii=False)


def _encodable(data: Any) -> Any:
    """The same JSON data, with a question mark for each lone surrogate, which can't be sent."""
    return json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))


def _read_reply(message: Any, ours: int, seconds: float, attempts: int) -> ChatReply:
    text = _text_of(message)
    thinking = str(message.additional_kwargs.get("reasoning_content") or "")[:LONGEST]
    calls = _calls_of(message)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    written = estimate("\n".join([text, thinking, *(call.arguments for call in calls)]))
    read, read_doubtful = _believed(usage.get("input_tokens"), ours)
    wrote, wrote_doubtful = _believed(usage.get("output_tokens"), written)
    reused = (usage.get("input_token_details") or {}).get("cache_read") or 0
    metadata = message.response_metadata or {}
    return ChatReply(
        text=text,
        thinking=thinking,
        tool_calls=calls,
        finish=str(metadata.get("finish_reason") or metadata.get("stop_reason") or "stop"),
        input_tokens=read,
        output_tokens=wrote,
        reused_tokens=min(max(0, int(reused)), read),
        seconds=round(seconds, 6),
        attempts=attempts,
        estimated=read_doubtful or wrote_doubtful,
    )


def _is_worth_keeping(reply: ChatReply, cut_short: bool) -> bool:
    """Whether it is the reply to its request: not nothing, and not cut off by the budget alone."""
    return bool(reply.text or reply.tool_calls) and not (cut_short and reply.finish == "length")


def _text_of(message: Any) -> str:
    content = message.content
    if not isinstance(content, str):
        parts = [part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    return content[:LONGEST]


def _calls_of(message: Any) -> tuple[CalledTool, ...]:
    """The calls, those with arguments that are no JSON among them; in the order they were made, where that is known."""
    raw = message.additional_kwargs.get("tool_calls")
    if isinstance(raw, list):
        return tuple(_raw_call(call, number) for number, call in enumerate(raw) if isinstance(call, Mapping))
    good = [(call.get("id"), call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
    bad = [(call.get("id"), call.get("name"), call.get("args")) for call in message.invalid_tool_calls]
    return tuple(
        CalledTool(str(given or f"call_{number}"), str(name or ""), str(arguments or ""))
        for number, (given, name, arguments) in enumerate([*good, *bad])
    )


def _raw_call(call: Mapping[str, Any], number: int) -> CalledTool:
    function = call.get("function")
    said: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    arguments = said.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return CalledTool(str(call.get("id") or f"call_{number}"), str(said.get("name") or ""), text)


def _believed(said: Any, ours: int) -> tuple[int, bool]:
    """The server's count if it can be right, else ours; and whether it couldn't."""
    if isinstance(said, bool) or not isinstance(said, int) or said < 0:
        return ours, True
    if said > ours * _LIKELY + _SLACK or said * _LIKELY < ours:
        return ours, True
    return said, False
