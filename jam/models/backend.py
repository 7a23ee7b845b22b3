"""The LangChain chat model behind a spec. LangChain's packages are imported when the first call is made.

For the OpenAI API three things are added to `ChatOpenAI`: the reasoning that servers such as vLLM set apart is kept, a
reply isn't lost to tool calls or token counts that are out of order, and one larger than any can be is not read to its
end.
"""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from jam.errors import MissingExtra, ModelRefused
from jam.models import loop
from jam.models.faults import ReplyTooLarge
from jam.models.spec import ModelSettings

if TYPE_CHECKING:
    import httpx
    from langchain_core.language_models import BaseChatModel

MOST_BYTES = 8_000_000
"""Of one reply."""
_NO_KEY = "not-needed"


def load_backend(settings: ModelSettings) -> BaseChatModel:
    """The LangChain chat model of these settings. Raises `ModelRefused` without a key, `MissingExtra`."""
    if settings.provider == "openai":
        return _openai(settings)
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise MissingExtra(
            f"{settings.spec!r} needs LangChain's own loader: pip install langchain langchain-{settings.provider}"
        ) from error
    try:
        backend: BaseChatModel = init_chat_model(settings.spec)
        return backend
    except ImportError as error:
        raise MissingExtra(f"{settings.spec!r}: {error}") from error
    except ValueError as error:
        raise ModelRefused(f"{settings.spec!r} is not understood by LangChain: {error}") from error


def _openai(settings: ModelSettings) -> BaseChatModel:
    import httpx
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    class OpenAICompatible(ChatOpenAI):
        """Keeps the reasoning and raw tool calls that ChatOpenAI drops; says `max_tokens`, which all servers know."""

        def _get_request_payload(self, *given: Any, **options: Any) -> dict[str, Any]:
            payload: dict[str, Any] = super()._get_request_payload(*given, **options)
            if settings.base_url and "max_completion_tokens" in payload:
                payload["max_tokens"] = payload.pop("max_completion_tokens")
            return payload

        def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> Any:
            if not hasattr(response, "model_dump"):
                return super()._create_chat_result(response, generation_info)  # which says what is wrong
            data = response.model_dump(warnings=False)
            messages = [choice["message"] for choice in data.get("choices") or []]
            calls = [message.pop("tool_calls", None) for message in messages]
            for message in messages:
                message["role"] = "assistant"  # some servers leave it out
            data["usage"] = _token_counts(data.get("usage"))
            result = super()._create_chat_result(data, generation_info)
            for generation, said, called in zip(result.generations, messages, calls, strict=True):
                thinking = said.get("reasoning") or said.get("reasoning_content")
                kept = {"tool_calls": called, "reasoning_content": thinking if isinstance(thinking, str) else None}
                generation.message.additional_kwargs.update(kept)
            return result

    key = settings.key
    if not key and settings.base_url is None:
        raise ModelRefused(f"{settings.spec!r} needs a key: set {settings.key_env} in the environment")
    limits = httpx.Limits(max_connections=settings.concurrency + 2)
    certified = not (settings.base_url or "").startswith("http:")  # loading certificates takes a tenth of a second
    if _has_proxy(settings):  # httpx finds it by itself, unless it is given a transport
        client = httpx.AsyncClient(limits=limits, timeout=settings.timeout_seconds)
    else:
        transport = _bounded(httpx.AsyncHTTPTransport(limits=limits, verify=certified))
        client = httpx.AsyncClient(transport=transport, timeout=settings.timeout_seconds)
    model = OpenAICompatible(
        model=settings.name,
        base_url=settings.base_url,
        api_key=SecretStr(key or _NO_KEY),
        max_retries=0,
        timeout=settings.timeout_seconds,
        http_async_client=client,
        http_client=httpx.Client(verify=certified),  # never used, but else made at that cost
        stream_usage=False,
        use_responses_api=False,
    )
    weakref.finalize(model, loop.close_later, client.aclose).atexit = False
    return model


def _token_counts(usage: Any) -> dict[str, Any] | None:
    """What a server says a call took, without anything that is no whole number."""
    if not isinstance(usage, Mapping):
        return None
    details = usage.get("prompt_tokens_details")
    reused = details.get("cached_tokens") if isinstance(details, Mapping) else None
    counts = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    whole = {name: count for name, count in counts.items() if isinstance(count, int)}
    return {**whole, "prompt_tokens_details": {"cached_tokens": reused if isinstance(reused, int) else 0}}


def _has_proxy(settings: ModelSettings) -> bool:
    """Whether the environment names a proxy for calls to this model."""
    url = urlsplit(settings.base_url or "https://api.openai.com")
    return not settings.is_local and url.scheme in getproxies() and not proxy_bypass(url.hostname or "")


def _bounded(inner: httpx.AsyncBaseTransport) -> httpx.AsyncBaseTransport:
    """The transport, but for replies beyond `MOST_BYTES`. The classes are made here, since httpx is imported late."""
    import httpx

    class Stream(httpx.AsyncByteStream):
        def __init__(self, stream: httpx.AsyncByteStream) -> None:
            self.stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for chunk in self.stream:
                read += len(chunk)
                if read > MOST_BYTES:
                    raise ReplyTooLarge(f"more than {MOST_BYTES} bytes")
                yield chunk

        async def aclose(self) -> None:
            await self.stream.aclose()

    class Transport(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            response = await inner.handle_async_request(request)
            assert isinstance(response.stream, httpx.AsyncByteStream)
            return httpx.Response(
                response.status_code,
                headers=response.headers,
                stream=Stream(response.stream),
                extensions=response.extensions,
            )

        async def aclose(self) -> None:
            await inner.aclose()

    return Transport()
