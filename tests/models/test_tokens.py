"""Counting tokens, and what a server says of itself."""

from __future__ import annotations

import time

import pytest

from jam.models.endpoint import Endpoint
from jam.models.tokens import TokenCounter, estimate
from tests.models.helpers import quick
from tests.servers import Dribble, Fail, Hang, Huge, NotJson, Odd, Say, ScriptedServer


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("the quick brown fox", 4),
        ("漢字かな交じり文" * 10, 60),
        ("สวัสดีครับ" * 50, 150),
        ("aGVsbG8gd29ybGQ" * 400, 900),
        ("😀" * 100, 60),
        ("\n" * 600, 100),
        ("x" * 6000, 900),
    ],
    ids=lambda value: str(value)[:8],
)
def test_no_text_is_taken_for_next_to_nothing(text, least):
    assert estimate(text) >= least


@pytest.mark.parametrize("text", ["", "\ud800", "\x00", "\ud800" * 1000])
def test_any_text_can_be_counted(text):
    assert 0 <= estimate(text) <= 2 * len(text) + 1


def test_a_server_without_a_tokenizer_is_counted_for_here():
    with ScriptedServer([Say("yes")]) as server:
        counter = TokenCounter(Endpoint(quick(server.spec)))
        assert (counter.exact, counter.count("the quick brown fox"), counter.count("")) == (False, 5, 0)


def test_a_prompt_is_counted_without_a_call():
    with ScriptedServer([Say("yes")]) as server:
        assert TokenCounter(Endpoint(quick(server.spec))).count_prompt(["one", "two words"]) >= 5
        assert server.looks == 0


def test_a_tokenizer_that_fails_is_replaced_by_our_own():
    with ScriptedServer([Say("yes")], owned_by="vllm") as server:  # it has no /tokenize
        counter = TokenCounter(Endpoint(quick(server.spec)))
        assert (counter.exact, counter.count("the quick brown fox")) == (True, 5)


def test_a_server_says_what_it_is_once():
    with ScriptedServer([Say("yes")], owned_by="vllm", context_tokens=4096) as server:
        endpoint = Endpoint(quick(server.spec))
        assert [endpoint.facts.kind, endpoint.context_tokens, endpoint.context_tokens] == ["vllm", 4096, 4096]
        assert server.looks == 1


def test_the_context_window_may_be_set():
    with ScriptedServer([Say("yes")], owned_by="vllm", context_tokens=4096) as server:
        assert Endpoint(quick(server.spec, context_tokens=2000)).context_tokens == 2000


@pytest.mark.parametrize(
    "act",
    [
        Fail(500),
        Fail(404),
        NotJson("<html></html>"),
        NotJson("[" * 50_000),
        Odd(None),
        Odd([]),
        Odd({"data": None}),
        Odd({"data": []}),
        Odd({"data": [None, 5]}),
        Odd({"data": [{"id": "scripted", "max_model_len": "long"}]}),
        Odd({"data": [{"id": "scripted", "max_model_len": -1}]}),
        Odd({"data": [{"id": "scripted", "max_model_len": True}]}),
        Hang(60),
        Dribble(60),
        Huge(20_000_000),
    ],
    ids=lambda act: repr(act)[:60],
)
def test_a_server_that_says_nothing_of_use_has_the_careful_guess(act):
    began = time.monotonic()
    with ScriptedServer([Say("yes")], looks=act) as server:
        endpoint = Endpoint(quick(server.spec, timeout_seconds=0.5))
        assert (endpoint.context_tokens, endpoint.facts.kind) == (8192, "other")
    assert time.monotonic() - began < 10


def test_a_server_that_is_not_there_is_not_reachable():
    with ScriptedServer([Say("yes")]) as server:
        settings = quick(server.spec)
    assert not Endpoint(settings).facts.reachable
