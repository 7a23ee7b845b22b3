"""Models behind scripted servers, as a program gives them to JAM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from jam.models.chat import ChatModel
from jam.models.spec import read_model
from tests.servers import ScriptedServer


@pytest.fixture(scope="session", autouse=True)
def _imported() -> None:
    """What the first call of a process imports takes seconds, which timed tests must not be charged with."""
    import langchain_openai  # noqa: F401
    import rapidfuzz.fuzz  # noqa: F401
    import tenacity  # noqa: F401


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[ChatModel, ScriptedServer]]]:
    """Starts a scripted server and gives the model behind it, with short waits."""
    with ExitStack() as stack:

        def start(script: Any, **settings: Any) -> tuple[ChatModel, ScriptedServer]:
            server = stack.enter_context(ScriptedServer(script))
            chosen: dict[str, Any] = {
                "retry_seconds": 0.01,
                "timeout_seconds": 20.0,
                "retries": 2,
                "context_tokens": 16_000,
                "rest_seconds": 0.02,
            }
            return ChatModel.of(replace(read_model(server.spec), **{**chosen, **settings})), server

        yield start
