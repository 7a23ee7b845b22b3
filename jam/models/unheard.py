"""A model that no call reaches: for showing prompts, and for telling costs where no model is named."""

from __future__ import annotations

from collections.abc import Callable

from jam.models.chat import ChatModel
from jam.models.messages import ChatRequest, Exchange
from jam.models.meter import Meter
from jam.models.spec import ModelSettings

CONTEXT_TOKENS = 32_768
"""The context that it claims to have: what `jam model serve` gives a small model."""
_NOBODY = ModelSettings("openai:nobody@http://127.0.0.1:9/v1", context_tokens=CONTEXT_TOKENS)
_ALMOST_NOTHING = 100
"""Tokens of a budget that every call is turned down for, but for the work that leads to it."""


def unheard_model(catch: Callable[[ChatRequest], None] | None = None) -> ChatModel:
    """A model whose budget turns each call down, once the request has been caught."""

    def record(exchange: Exchange) -> None:
        if catch:
            catch(exchange.request)

    return ChatModel.of(_NOBODY).bound(meter=Meter(tokens=_ALMOST_NOTHING), record=record)
