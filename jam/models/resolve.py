"""From what a caller gives (a spec, a name, a LangChain chat model) to a `ChatModel`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jam.errors import UsageError
from jam.models.chat import SAME_NAMES, ChatModel
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
    kind = str(model._llm_type).replace(" ", "-").lower()
    kind = next((provider for provider in SAME_NAMES if kind.startswith(provider)), kind)
    provider = "openai" if hasattr(model, "openai_api_base") else kind
    own = json.dumps(model._identifying_params, sort_keys=True, default=repr)
    given = {"langchain": hashlib.sha256(own.encode()).hexdigest()[:16]}  # what else its replies depend on
    return replace(ModelSettings(f"{provider}:{name}" + (f"@{base}" if base else "")), given=given)
