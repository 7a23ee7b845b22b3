"""From what a caller gives (a spec, a name, a LangChain chat model) to a `ChatModel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jam.errors import UsageError
from jam.models.chat import ChatModel
from jam.models.spec import ModelSettings, read_model

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def chat_model(given: Any, named: Mapping[str, Mapping[str, Any]] | None = None) -> ChatModel:
    """The chat model that is meant: a spec or a name of `jam.yaml`, a LangChain chat model, or one of ours.

    Raises `UsageError` for anything else.
    """
    if isinstance(given, ChatModel):
        return given
    if isinstance(given, str):
        return ChatModel.of(read_model(given, named))
    from langchain_core.language_models import BaseChatModel

    if isinstance(given, BaseChatModel):
        return ChatModel.of(_settings_of(given), given)
    raise UsageError(f"the model must be a spec such as openai:NAME@BASE_URL or a LangChain chat model, not {given!r}")


def _settings_of(model: BaseChatModel) -> ModelSettings:
    """How a LangChain model is called in messages and in the keys of stored replies."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
    base = getattr(model, "openai_api_base", None)
    provider = "openai" if hasattr(model, "openai_api_base") else str(model._llm_type).replace(" ", "-").lower()
    return ModelSettings(f"{provider}:{name}" + (f"@{base}" if base else ""))
