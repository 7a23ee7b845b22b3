"""Stored replies: what is paid for once isn't paid for again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jam.errors import ModelUnavailable
from jam.models.cache import FileCache, NoCache
from jam.models.messages import CalledTool, ChatReply, ChatRequest, Sampling, system, user
from jam.models.meter import Meter
from jam.models.spec import ModelSettings
from tests.models.helpers import asking, model_of
from tests.servers import Fail, Say, ScriptedServer, tool_call

BASE = ChatRequest((system("Be brief."), user("Is it so?")), 100)
SETTINGS = ModelSettings("openai:small@http://localhost:1/v1")
TOOL = {"name": "open", "description": "Opens.", "parameters": {"type": "object"}}
REPLY = ChatReply("text \ud800", "thought", (CalledTool("a", "open", "{}"),), "tool_calls", 10, 5, 3, 0.5, 2, True)


def test_a_stored_reply_is_used_without_a_call_and_at_no_cost(tmp_path):
    said = Say("yes", [tool_call("open", {"path": "x"})], thinking="hm", finish="tool_calls")
    with ScriptedServer([said, Fail(500)]) as server:
        model = model_of(server, cache=FileCache(tmp_path))
        first = model.ask(asking(), "test")
        second = model.bound(meter=Meter()).ask(asking(), "another purpose")
        assert len(server.requests) == 1
    assert second == replace(first, stored=True)
    other = model.bound(meter=Meter())
    other.ask(asking(), "test")
    assert (other.meter.spent.stored, other.meter.spent.calls, other.meter.spent.tokens) == (1, 0, 0)


def test_a_replay_may_count_stored_replies_as_they_were_paid(tmp_path):
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, cache=FileCache(tmp_path))
        model.ask(asking(), "test")
        replay = model.bound(meter=Meter(count_stored=True))
        replay.ask(asking(), "test")
    assert replay.meter.spent == model.meter.spent


def test_a_reply_is_stored_before_it_is_used(tmp_path):
    seen = []

    def crash(exchange):
        seen.extend(tmp_path.rglob("*.json"))
        raise KeyboardInterrupt

    with ScriptedServer([Say("yes"), Fail(500)]) as server:
        model = model_of(server, cache=FileCache(tmp_path), record=crash)
        with pytest.raises(KeyboardInterrupt):
            model.ask(asking(), "test")
        assert len(seen) == 1
        assert model.bound(record=lambda _: None).ask(asking(), "test").stored


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe\x00",
        b'{"text": null}',
        json.dumps({**REPLY.to_dict(), "text": None}).encode(),
        json.dumps({**REPLY.to_dict(), "input_tokens": "x"}).encode(),
        json.dumps({**REPLY.to_dict(), "tool_calls": None}).encode(),
        json.dumps({**REPLY.to_dict(), "tool_calls": [{"id": "a"}]}).encode(),
        json.dumps({**REPLY.to_dict(), "tool_calls": ["a"]}).encode(),
        json.dumps({**REPLY.to_dict(), "unknown": 1}).encode(),
        b"[" * 100_000,
    ],
    ids=lambda damage: repr(damage[:25]),
)
def test_a_damaged_stored_reply_is_asked_for_again(tmp_path, damage):
    with ScriptedServer([Say("one"), Say("two")]) as server:
        model = model_of(server, cache=FileCache(tmp_path))
        model.ask(asking(), "test")
        (file,) = tmp_path.rglob("*.json")
        file.write_bytes(damage)
        assert model.ask(asking(), "test").text == "two"
        assert model.ask(asking(), "test").text == "two"
        assert len(server.requests) == 2


def test_a_folder_that_cannot_be_written_costs_only_the_memory(tmp_path):
    (tmp_path / "replies").write_text("a file where the folder should be")
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, cache=FileCache(tmp_path / "replies"))
        assert [model.ask(asking(), "test").text for _ in range(2)] == ["yes", "yes"]


def test_failures_are_not_stored(tmp_path):
    with ScriptedServer([Fail(503), Say("yes")]) as server:
        model = model_of(server, cache=FileCache(tmp_path), retries=0)
        with pytest.raises(ModelUnavailable):
            model.ask(asking(), "test")
        assert model.ask(asking(), "test").text == "yes"


def test_a_reply_that_only_the_budget_has_cut_off_is_not_stored(tmp_path):
    with ScriptedServer([Say("it is", finish="length")]) as server:
        poor = model_of(server, cache=FileCache(tmp_path), meter=Meter(tokens=120))
        assert poor.ask(asking(max_output_tokens=500), "test").finish == "length"
        assert list(tmp_path.rglob("*.json")) == []
        poor.bound(meter=Meter()).ask(asking(max_output_tokens=500), "test")
        assert len(list(tmp_path.rglob("*.json"))) == 1  # cut off by the request's own limit


def test_a_reply_of_a_poor_budget_that_came_to_its_end_is_stored(tmp_path):
    with ScriptedServer([Say("yes")]) as server:
        poor = model_of(server, cache=FileCache(tmp_path), meter=Meter(tokens=120))
        poor.ask(asking(max_output_tokens=500), "test")
    assert len(list(tmp_path.rglob("*.json"))) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, messages=(*BASE.messages, user("really?"))),
        replace(BASE, messages=BASE.messages[::-1]),
        replace(BASE, messages=(user("Be brief."), user("Is it so?"))),
        replace(BASE, max_output_tokens=101),
        replace(BASE, sampling=Sampling(temperature=0.1)),
        replace(BASE, sampling=Sampling(temperature=None)),
        replace(BASE, sampling=Sampling(top_p=0.5)),
        replace(BASE, sampling=Sampling(thinking=True)),
        replace(BASE, schema={}),
        replace(BASE, schema={"type": "object"}),
        replace(BASE, tools=(TOOL,)),
        replace(BASE, tools=({**TOOL, "description": "Opens it."},)),
    ],
    ids=str,
)
def test_another_request_has_another_key(other):
    identity = SETTINGS.identity()
    others = {BASE.digest(identity), replace(BASE, schema={"a": 1}, tools=(TOOL, TOOL)).digest(identity)}
    assert other.digest(identity) not in others


@pytest.mark.parametrize(
    "changed",
    [{"spec": "openai:large@http://localhost:1/v1"}, {"temperature": 0.5}, {"seed": 1}, {"extra": {"min_p": 0.1}}],
)
def test_another_model_has_another_key(changed):
    assert BASE.digest(SETTINGS.identity()) != BASE.digest(replace(SETTINGS, **changed).identity())


def test_nothing_else_changes_the_key(monkeypatch):
    key = BASE.digest(SETTINGS.identity())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another")
    monkeypatch.setenv("OTHER_KEY", "sk-third")
    same = replace(
        SETTINGS,
        key_env="OTHER_KEY",
        context_tokens=99,
        protocol="text",
        structured="prompt",
        timeout_seconds=1.0,
        retries=0,
        retry_seconds=9.0,
        concurrency=1,
        requests_per_minute=5.0,
    )
    turned = tuple(dict(reversed(message.items())) for message in BASE.messages)
    assert replace(BASE, messages=turned).digest(same.identity()) == key


def test_a_reply_is_read_as_it_was_written(tmp_path):
    cache = FileCache(tmp_path)
    cache.put("abcdef", REPLY)
    assert cache.get("abcdef") == replace(REPLY, stored=True)
    assert cache.get("abcdee") is None


def test_no_prompts_are_kept(tmp_path):
    with ScriptedServer([Say("yes")]) as server:
        model_of(server, cache=FileCache(tmp_path)).ask(asking("a question that nobody may see"), "test")
    assert "nobody" not in "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_without_a_memory_every_call_is_made():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, cache=NoCache())
        for _ in range(2):
            model.ask(asking(), "test")
        assert len(server.requests) == 2
