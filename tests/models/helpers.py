"""What the tests of models share: quick settings, a model of a scripted server, and requests."""

from __future__ import annotations

from dataclasses import replace

from jam.models.chat import ChatModel
from jam.models.messages import ChatRequest, user
from jam.models.meter import Meter
from jam.models.spec import ModelSettings, read_model


def quick(spec: str, **changes) -> ModelSettings:
    """Settings with pauses and timeouts that tests can wait for."""
    return replace(read_model(spec), **{"retry_seconds": 0.01, "timeout_seconds": 5.0, **changes})


def model_of(server, *, meter=None, cache=None, record=None, **changes) -> ChatModel:
    """A model on a scripted server, with a budget of its own."""
    return ChatModel.of(quick(server.spec, **changes)).bound(meter=meter or Meter(), cache=cache, record=record)


def asking(text="Is it so?", max_output_tokens=200, **rest) -> ChatRequest:
    return ChatRequest((user(text),), max_output_tokens, **rest)
