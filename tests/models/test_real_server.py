"""A real llama.cpp server with a tiny model: that what is assumed of servers is so."""

from __future__ import annotations

import json

import httpx
import pytest

from jam.errors import PromptTooLong
from jam.models.chat import ChatModel
from jam.models.messages import ChatRequest, system, user
from jam.models.structured import ask_structured
from tests.models.helpers import asking, quick
from tests.servers import llama  # noqa: F401 - the fixture

TEXTS = ["the quick brown fox", "Grüße aus Köln", "漢字かな", "a\n\n  b\t{}", "😀", "x" * 300, "lone \ud800"]


@pytest.fixture
def model(llama):  # noqa: F811
    return ChatModel.of(quick(llama, timeout_seconds=120.0))


def test_a_chat_model_replies_and_says_what_it_cost(model):
    request = ChatRequest((system("You are a helpful assistant."), user("Say hello.")), 12)
    reply = model.ask(request, "test")
    assert reply.text.strip()
    assert 0 < reply.output_tokens <= 12
    assert (reply.estimated, reply.attempts) == (False, 1)
    assert model.ask(request, "test").reused_tokens > 0


def test_a_reply_is_held_to_its_schema(model):
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}, "sure": {"type": "boolean"}},
        "required": ["colour", "sure"],
        "additionalProperties": False,
    }

    def read(data):
        return data["colour"], data["sure"]

    found = ask_structured(model, asking("Which colour has the sky?", 30, schema=schema), "test", read)
    assert found.value[0] in ("red", "blue")
    assert isinstance(found.value[1], bool)
    assert model.endpoint.schema_works


def test_tokens_are_counted_as_the_server_counts(model):
    root = model.settings.base_url.removesuffix("/v1")
    assert (model.counter.exact, model.endpoint.facts.kind) == (True, "llama.cpp")
    for text in TEXTS:
        clean = text.encode("utf-8", "replace").decode()
        answer = httpx.post(f"{root}/tokenize", content=json.dumps({"content": clean}))
        assert model.counter.count(text) == len(answer.json()["tokens"])


def test_a_prompt_beyond_the_context_window_is_told_apart(model):
    words = " ".join(f"word{number}" for number in range(model.endpoint.context_tokens))
    with pytest.raises(PromptTooLong):
        model.ask(asking(words, 10), "test")
