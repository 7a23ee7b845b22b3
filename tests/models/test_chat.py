"""Asking a chat model whose server has good and bad manners."""

from __future__ import annotations

import gc
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from itertools import pairwise

import pytest
from langchain_core.language_models import FakeListChatModel

from jam.errors import BudgetSpent, JamError, ModelError, ModelRefused, ModelUnavailable, PromptTooLong
from jam.models.cache import FileCache
from jam.models.chat import ChatModel
from jam.models.messages import CalledTool, ChatReply, ChatRequest, Sampling, assistant, system, user
from jam.models.meter import Meter
from tests.models.helpers import asking, model_of, quick
from tests.servers import (
    Close,
    CloseMidway,
    Dribble,
    Fail,
    Hang,
    Huge,
    NotJson,
    Odd,
    Say,
    ScriptedServer,
    completion,
    tool_call,
)

WEATHER = {"name": "weather", "description": "", "parameters": {"type": "object", "properties": {}}}
KEY = "sk-a-key-that-nobody-may-see"


def test_a_reply_comes_back_with_what_it_cost():
    usage = {"prompt_tokens": 21, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 16}}
    with ScriptedServer([Say("It is so.", usage=usage)]) as server:
        model = model_of(server)
        reply = model.ask(asking(), "test")
    assert (reply.text, reply.finish, reply.attempts, reply.stored) == ("It is so.", "stop", 1, False)
    assert (reply.input_tokens, reply.output_tokens, reply.reused_tokens, reply.estimated) == (21, 7, 16, False)
    spent = model.meter.spent
    assert (spent.calls, spent.input_tokens, spent.output_tokens, spent.failed, spent.retries) == (1, 21, 7, 0, 0)


def test_the_request_says_what_it_should():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    request = ChatRequest(
        (system("Be brief."), user("Is it so?")), 77, Sampling(temperature=0.5, top_p=0.9), schema, (WEATHER,)
    )
    with ScriptedServer([Say("yes")]) as server:
        model_of(server, seed=7, extra={"min_p": 0.1}).ask(request, "test")
        sent = server.requests[0]
    assert sent["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it so?"}]
    assert (sent["model"], sent["max_tokens"], sent["temperature"], sent["top_p"]) == ("scripted", 77, 0.5, 0.9)
    assert (sent["seed"], sent["min_p"]) == (7, 0.1)
    assert sent["response_format"]["json_schema"]["schema"] == schema
    assert sent["tools"] == [{"type": "function", "function": WEATHER}]
    assert "max_completion_tokens" not in sent


def test_the_settings_temperature_comes_before_the_requests():
    with ScriptedServer([Say("yes")]) as server:
        model_of(server, temperature=0.25).ask(asking(), "test")
        assert server.requests[0]["temperature"] == 0.25


@pytest.mark.parametrize(("owned_by", "sent"), [("vllm", {"enable_thinking": False}), ("somebody", None)])
def test_thinking_is_switched_where_the_server_has_such_a_switch(owned_by, sent):
    with ScriptedServer([Say("yes")], owned_by=owned_by) as server:
        model_of(server).ask(asking(sampling=Sampling(thinking=False)), "test")
        assert server.requests[0].get("chat_template_kwargs") == sent


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_tried_again(status):
    with ScriptedServer([Fail(status), Fail(status), Say("at last")]) as server:
        model = model_of(server)
        reply = model.ask(asking(), "test")
        assert len(server.requests) == 3
    assert (reply.text, reply.attempts) == ("at last", 3)
    assert (model.meter.spent.calls, model.meter.spent.retries, model.meter.spent.failed) == (1, 2, 0)


@pytest.mark.parametrize(
    "act",
    [
        Fail(503),
        Fail(500, body="<html>what?</html>"),
        Fail(502, body=""),
        Close(),
        Close(reset=True),
        CloseMidway(),
        NotJson("this is no JSON"),
        NotJson("<html>Please log in</html>", "text/html"),
        NotJson(""),
        Odd(None),
        Odd([]),
        Odd("text"),
        Odd(7),
        Odd({}),
        Odd({"choices": None}),
        Odd({"choices": []}),
        Odd({"choices": {}}),
        Odd({"choices": [None]}),
        Odd({"choices": [{}]}),
        Odd({"choices": [{"message": None}]}),
        Odd({"choices": [{"message": {"role": "assistant", "content": {"deep": 1}}}]}),
        Odd({"error": {"message": "overloaded", "code": 529}}),
        Huge(9_000_000),
    ],
    ids=repr,
)
def test_what_is_no_reply_ends_as_unavailable_after_all_attempts(act):
    with ScriptedServer([act]) as server:
        model = model_of(server, retries=1)
        with pytest.raises(ModelUnavailable, match="scripted"):
            model.ask(asking(), "test")
        assert len(server.requests) == 2
    spent = model.meter.spent
    assert (spent.calls, spent.failed, spent.tokens) == (0, 1, 0)


@pytest.mark.parametrize(("status", "word"), [(400, "400"), (401, "key"), (403, "key"), (404, "404"), (422, "422")])
def test_a_refusal_is_not_tried_again(status, word):
    with ScriptedServer([Fail(status)]) as server:
        model = model_of(server)
        with pytest.raises(ModelRefused, match=word) as raised:
            model.ask(asking(), "test")
        assert len(server.requests) == 1
    assert not isinstance(raised.value, PromptTooLong)
    assert (model.meter.spent.failed, model.meter.spent.calls) == (1, 0)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        "The decoder prompt (length 9000) is longer than the maximum model length; the prompt is too long",
    ],
)
def test_a_prompt_beyond_the_context_window_is_told_apart(said):
    with ScriptedServer([Fail(400, body=json.dumps({"error": {"message": said, "code": 400}}))]) as server:
        with pytest.raises(PromptTooLong):
            model_of(server).ask(asking(), "test")
        assert len(server.requests) == 1


def test_nobody_listening_ends_as_unavailable():
    with ScriptedServer([Say("yes")]) as server:
        settings = quick(server.spec, retries=1)
    with pytest.raises(ModelUnavailable, match="gave no reply"):
        ChatModel.of(settings).ask(asking(), "test")


def test_the_number_of_attempts_is_bounded():
    with ScriptedServer([Fail(503)]) as server:
        with pytest.raises(ModelUnavailable, match="503"):
            model_of(server, retries=3).ask(asking(), "test")
        assert len(server.requests) == 4


def test_pauses_grow():
    with ScriptedServer([Fail(503)]) as server:
        with pytest.raises(ModelUnavailable):
            model_of(server, retries=4, retry_seconds=0.08).ask(asking(), "test")
        times = [arrival.at for arrival in server.arrivals]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    for number, pause in enumerate(pauses):
        assert pause >= 0.04 * 2**number


def test_retry_after_in_seconds_is_waited_for():
    with ScriptedServer([Fail(429, {"Retry-After": "0.4"}), Say("yes")]) as server:
        assert model_of(server).ask(asking(), "test").text == "yes"
        first, second = (arrival.at for arrival in server.arrivals)
    assert 0.4 <= second - first < 10


def test_retry_after_as_a_date_is_waited_for():
    def script(request, number):
        return Fail(429, {"Retry-After": formatdate(time.time() + 2, usegmt=True)}) if number == 1 else Say("yes")

    with ScriptedServer(script) as server:
        assert model_of(server).ask(asking(), "test").text == "yes"
        first, second = (arrival.at for arrival in server.arrivals)
    assert 0.9 <= second - first < 10


@pytest.mark.parametrize(
    "said", ["", "soon", "-5", "nan", "Wed, 99 Foo 2020 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00"]
)
def test_a_retry_after_that_makes_no_sense_is_passed_over(said):
    began = time.monotonic()
    with ScriptedServer([Fail(429, {"Retry-After": said}), Say("yes")]) as server:
        assert model_of(server).ask(asking(), "test").text == "yes"
    assert time.monotonic() - began < 10


def test_a_retry_after_beyond_the_budgets_time_ends_the_call_at_once():
    began = time.monotonic()
    with ScriptedServer([Fail(429, {"Retry-After": "30"})]) as server, pytest.raises(ModelUnavailable, match="429"):
        model_of(server, meter=Meter(seconds=2)).ask(asking(), "test")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("act", [Hang(60), Dribble(60), Say("late", delay=60)], ids=repr)
def test_a_slow_server_is_tried_once_more_and_given_up_in_time(act):
    began = time.monotonic()
    with ScriptedServer([act]) as server:
        model = model_of(server, timeout_seconds=0.4)
        with pytest.raises(ModelUnavailable, match="time allowed"):
            model.ask(asking(), "test")
        assert len(server.requests) == 2
    assert 0.8 <= time.monotonic() - began < 10
    assert (model.meter.spent.failed, model.meter.spent.calls) == (1, 0)


def test_no_retries_means_none_after_a_timeout_either():
    with ScriptedServer([Hang(60)]) as server:
        with pytest.raises(ModelUnavailable):
            model_of(server, timeout_seconds=0.3, retries=0).ask(asking(), "test")
        assert len(server.requests) == 1


@pytest.mark.parametrize("act", [Hang(60), Dribble(60)], ids=repr)
def test_a_slow_server_is_given_up_when_the_budgets_time_is_over(act):
    began = time.monotonic()
    with ScriptedServer([act]) as server:
        model = model_of(server, timeout_seconds=30, meter=Meter(seconds=0.5))
        for _ in range(4):
            with pytest.raises(BudgetSpent, match="time"):
                model.ask(asking(), "test")
        assert len(server.requests) == 1
    assert 0.5 <= time.monotonic() - began < 10
    assert not model.endpoint.resting  # a short budget is not the server's fault


def test_waiting_for_a_turn_ends_with_the_budgets_time():
    began = time.monotonic()
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, requests_per_minute=2)
        model.ask(asking("one"), "test")
        with pytest.raises(BudgetSpent):
            model.bound(meter=Meter(seconds=0.3)).ask(asking("two"), "test")
        assert len(server.requests) == 1
    assert time.monotonic() - began < 10


def test_waiting_behind_other_calls_ends_with_the_budgets_time_and_leaves_no_place_taken():
    with ScriptedServer(lambda request, number: Say("yes", delay=1.0 if number == 1 else 0)) as server:
        model = model_of(server, concurrency=1)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(model.ask, asking("one"), "test")
            while not server.requests:
                time.sleep(0.01)
            with pytest.raises(BudgetSpent):
                model.bound(meter=Meter(seconds=0.2)).ask(asking("two"), "test")
            assert first.result().text == "yes"
        assert model.ask(asking("three"), "test").text == "yes"


def test_no_more_calls_at_one_time_than_allowed():
    with ScriptedServer([Say("yes", delay=0.05)]) as server:
        model = model_of(server, concurrency=3)
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda number: model.ask(asking(f"question {number}"), "test"), range(12)))
        assert (server.most_at_once, len(server.requests)) == (3, 12)


def test_calls_are_spread_as_the_rate_limit_asks():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, requests_per_minute=600)
        began = time.monotonic()
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda number: model.ask(asking(f"question {number}"), "test"), range(6)))
        times = [arrival.at for arrival in server.arrivals]
    assert 0.45 <= times[-1] - began < 10


def test_a_server_that_fails_again_and_again_is_left_in_peace():
    with ScriptedServer([Fail(500)]) as server:
        model = model_of(server, retries=0)
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match="500"):
                model.ask(asking(), "test")
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match="left in peace"):
                model.ask(asking(), "test")
        assert (len(server.requests), model.endpoint.resting) == (3, True)


def test_a_reply_between_failures_keeps_a_server_in_use():
    acts = [Fail(500), Fail(500), Say("yes"), Fail(500), Fail(500), Say("yes")]
    with ScriptedServer(acts) as server:
        model = model_of(server, retries=0)
        for act in acts:
            if isinstance(act, Say):
                assert model.ask(asking(), "test").text == "yes"
            else:
                with pytest.raises(ModelUnavailable, match="500"):
                    model.ask(asking(), "test")


def test_refusals_are_not_failures_of_the_server():
    with ScriptedServer([Fail(400)]) as server:
        model = model_of(server)
        for _ in range(5):
            with pytest.raises(ModelRefused):
                model.ask(asking(), "test")
        assert len(server.requests) == 5


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_that_is_set_apart_is_kept(name):
    with ScriptedServer([Say("yes", thinking="It may be so.", thinking_key=name)]) as server:
        reply = model_of(server).ask(asking(), "test")
    assert (reply.text, reply.thinking) == ("yes", "It may be so.")


def test_tool_calls_are_kept_in_their_order_the_broken_ones_among_them():
    calls = [
        tool_call("open", '{"path": ', "a"),
        tool_call("search", {"query": "Prüfung"}, "b"),
        tool_call("open", "[1, 2]", "c"),
        tool_call("browse", "", "d"),
        tool_call("", "{}", "e"),
    ]
    with ScriptedServer([Say(None, calls, finish="tool_calls")]) as server:
        reply = model_of(server).ask(asking(tools=(WEATHER,)), "test")
    assert (reply.text, reply.finish) == ("", "tool_calls")
    assert [(call.id, call.name) for call in reply.tool_calls] == [
        ("a", "open"),
        ("b", "search"),
        ("c", "open"),
        ("d", "browse"),
        ("e", ""),
    ]
    assert [call.arguments for call in reply.tool_calls[:1]] == ['{"path": ']
    assert json.loads(reply.tool_calls[1].arguments) == {"query": "Prüfung"}
    assert [call.arguments for call in reply.tool_calls[2:]] == ["[1, 2]", "", "{}"]


@pytest.mark.parametrize(
    "call",
    [
        {"id": None, "type": "function", "function": {"name": "open", "arguments": "{}"}},
        {"type": "function", "function": {"name": "open", "arguments": {"path": "x"}}},
        {"id": "a", "function": {"name": "open"}},
        {"id": "a", "type": "function", "function": None},
        {"id": 5, "function": {"name": None, "arguments": None}},
    ],
    ids=repr,
)
def test_odd_tool_calls_do_not_lose_the_reply(call):
    with ScriptedServer([Say("so", [call])]) as server:
        reply = model_of(server).ask(asking(tools=(WEATHER,)), "test")
        assert len(server.requests) == 1
    assert reply.text == "so"
    assert all(isinstance(value, str) for called in reply.tool_calls for value in (called.id, called.arguments))


def test_tool_calls_go_back_in_a_form_that_any_server_reads():
    said = ChatReply("", tool_calls=(CalledTool("a", "open", '{"path": "x"}'), CalledTool("b", "open", "not JSON")))
    answers = tuple({"role": "tool", "tool_call_id": name, "content": "…"} for name in "ab")
    with ScriptedServer([Say("done")]) as server:
        model_of(server).ask(ChatRequest((user("?"), assistant(said), *answers), 50, tools=(WEATHER,)), "test")
        sent = server.requests[0]["messages"]
    assert [json.loads(call["function"]["arguments"]) for call in sent[1]["tool_calls"]] == [
        {"path": "x"},
        {"unparsed": "not JSON"},
    ]
    assert [message["tool_call_id"] for message in sent[2:]] == ["a", "b"]


@pytest.mark.parametrize("text", ["a \ud800 lone one", "\udfff", "\x00\x01\x07\x1b[31m\x7f", "\u2028\ufffe\U0010ffff"])
def test_any_character_may_be_asked_and_answered(text, tmp_path):
    call = CalledTool("a", "open", json.dumps({"path": text}, ensure_ascii=False))
    messages = (
        system(text),
        assistant(ChatReply(text, tool_calls=(call,))),
        {"role": "tool", "tool_call_id": "a", "content": text},
        user(text),
    )
    tool = {**WEATHER, "description": text}
    schema = {"type": "object", "description": text}
    with ScriptedServer([Say(text, [tool_call("open", {"path": text})])]) as server:
        model = model_of(server, cache=FileCache(tmp_path))
        request = ChatRequest(messages, 100, tools=(tool,), schema=schema)
        reply = model.ask(request, "test")
        again = model.ask(request, "test")
        assert len(server.requests) == 1
    assert (reply.text, again.text, again.stored) == (text, text, True)
    assert json.loads(reply.tool_calls[0].arguments) == {"path": text}


def test_an_empty_reply_is_a_reply():
    with ScriptedServer([Odd({"choices": [{"message": {"role": "assistant", "content": None}}]})]) as server:
        reply = model_of(server).ask(asking(), "test")
    assert (reply.text, reply.tool_calls, reply.finish) == ("", (), "stop")


def test_a_reply_without_a_role_is_the_assistants():
    with ScriptedServer([Odd({"choices": [{"message": {"content": "so"}}]})]) as server:
        assert model_of(server).ask(asking(), "test").text == "so"


def test_a_large_reply_is_cut_to_what_is_looked_at():
    with ScriptedServer([Huge(2_000_000)]) as server:
        reply = model_of(server).ask(asking(), "test")
    assert len(reply.text) == 200_000


def test_a_backend_given_by_the_program_is_used():
    backend = FakeListChatModel(responses=["from the fake"])
    model = ChatModel.of(quick("other:fake"), backend)
    reply = model.ask(asking(), "test")
    assert (reply.text, reply.estimated) == ("from the fake", True)
    assert reply.input_tokens > 0
    assert reply.output_tokens > 0


def test_the_key_reaches_the_server_and_nothing_else(monkeypatch, tmp_path, caplog):
    caplog.set_level("DEBUG", logger="jam")
    monkeypatch.setenv("A_KEY", f"{KEY}\n")  # as files of keys end
    told = []

    def script(request, number):
        return Say("yes") if number == 1 else Fail(401, body=f'{{"error": {{"message": "wrong key {KEY}"}}}}')

    with ScriptedServer(script) as server:
        model = model_of(server, key_env="A_KEY", cache=FileCache(tmp_path), record=told.append)
        model.ask(asking("one"), "test")
        with pytest.raises(ModelRefused, match="key") as raised:
            model.ask(asking("two"), "test")
        sent = [arrival.headers["authorization"] for arrival in server.arrivals]
        assert model.endpoint.facts.reachable
    assert sent == [f"Bearer {KEY}"] * 2
    kept = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert kept
    assert all(KEY not in text for text in (kept, str(raised.value), repr(told), repr(model.settings), caplog.text))


def test_openai_itself_needs_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model = ChatModel.of(quick("openai:some-model"))
    with pytest.raises(ModelRefused, match="OPENAI_API_KEY"):
        model.ask(asking(), "test")
    assert model.meter.spent.failed == 1


def test_all_that_happens_is_recorded():
    told = []
    with ScriptedServer([Say("yes"), Fail(400)]) as server:
        model = model_of(server, record=told.append)
        model.ask(asking("one"), "memo")
        with pytest.raises(ModelError):
            model.ask(asking("two"), "place")
    assert [(item.purpose, item.reply and item.reply.text) for item in told] == [("memo", "yes"), ("place", None)]
    assert told[0].error is None
    assert "400" in str(told[1].error)


def test_one_failing_call_does_not_hold_up_the_others():
    def script(request, number):
        return Hang(60) if "slow" in request["messages"][0]["content"] else Say("yes")

    with ScriptedServer(script) as server:
        model = model_of(server, timeout_seconds=1.5, retries=0)
        with ThreadPoolExecutor(5) as pool:
            slow = pool.submit(model.ask, asking("slow"), "test")
            quick_ones = [pool.submit(model.ask, asking(f"{number}"), "test") for number in range(4)]
            assert [one.result().text for one in quick_ones] == ["yes"] * 4
            assert not slow.done()
            with pytest.raises(ModelUnavailable):
                slow.result()


def test_a_look_at_a_server_that_hangs_does_not_hold_up_calls():
    with ScriptedServer([Say("yes")], looks=Dribble(60)) as server:
        model = model_of(server, timeout_seconds=1.0, requests_per_minute=6000)
        look = threading.Thread(target=lambda: model.endpoint.facts)
        began = time.monotonic()
        look.start()
        assert model.ask(asking(), "test").text == "yes"
        look.join()
        assert not model.endpoint.facts.reachable
    assert time.monotonic() - began < 10


def test_connections_are_kept_open_between_calls():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server)
        for number in range(5):
            model.ask(asking(str(number)), "test")
        assert server.connections == 1


def test_connections_are_closed_when_their_model_is_gone():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server)
        model.ask(asking(), "test")
        assert server.open_connections == 1
        del model
        gc.collect()
        end = time.monotonic() + 5
        while server.open_connections and time.monotonic() < end:
            time.sleep(0.01)
        assert server.open_connections == 0


def test_bad_requests_of_the_program_are_errors_of_ours():
    model = ChatModel.of(quick("other:fake"), FakeListChatModel(responses=["yes"]))
    with pytest.raises(JamError, match="tools"):
        model.ask(asking(tools=(WEATHER,)), "test")


def test_a_fair_reply_is_read_as_it_was_written():
    body = completion(Say("<think>hm</think>yes"), {"messages": []})
    body["choices"][0]["finish_reason"] = None
    with ScriptedServer([Odd(body)]) as server:
        reply = model_of(server).ask(asking(), "test")
    assert (reply.text, reply.finish) == ("<think>hm</think>yes", "stop")


def test_a_model_that_refuses_a_temperature_is_asked_without_one():
    def picky(request, number):
        return (
            Fail(400, body='{"error": {"message": "Unsupported value: temperature"}}')
            if "temperature" in request
            else Say("well")
        )

    with ScriptedServer(picky) as server:
        model = model_of(server)
        assert [model.ask(ChatRequest((user(text),), 50), "test").text for text in ("a", "b")] == ["well", "well"]
        assert len(server.requests) == 3  # found out once


def test_an_empty_reply_is_not_kept(tmp_path):
    with ScriptedServer([Say(""), Say("well")]) as server:
        model = model_of(server).bound(cache=FileCache(tmp_path))
        assert [model.ask(ChatRequest((user("a"),), 50), "test").text for _ in range(3)] == ["", "well", "well"]


def test_a_proxy_of_the_environment_is_used_but_not_for_this_machine(monkeypatch):
    with ScriptedServer([Say("well")]) as server:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        model = model_of(server)
        assert model.ask(asking(), "test").text == "well"
        assert model.endpoint.facts.reachable
        far = ChatModel.of(quick("openai:m@http://models.example/v1", retries=0))
        with pytest.raises(ModelUnavailable):  # the proxy is not there; the test's own rules allow nothing else
            far.ask(asking(), "test")
