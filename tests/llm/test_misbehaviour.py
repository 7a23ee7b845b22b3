"""Models with bad manners: every run ends within its budget with a context and a true account; nothing is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import jam
from jam.doctor import check
from jam.memorizer.build import build
from jam.workspace.store import Workspace
from tests.histories import PORT
from tests.llm.scripts import call, job, rounds_before, sensible
from tests.servers import Close, CloseMidway, Dribble, Fail, Hang, Huge, NotJson, Odd, Say, tool_call

JUNK = "word salad " * 40
THINKING = "<think>" + "I wonder. " * 200
MANNERS: dict[str, Callable[[dict, int], object]] = {
    "prose": lambda r, n: Say("I think the archive is lovely, but I have nothing to add."),
    "a list": lambda r, n: Say("[]"),
    "an empty object": lambda r, n: Say("{}"),
    "a number": lambda r, n: Say("42"),
    "empty": lambda r, n: Say(""),
    "nothing at all": lambda r, n: Say(None),
    "white space": lambda r, n: Say(" \n\t "),
    "truncated JSON": lambda r, n: Say('{"title": "A good title", "gist": "It begi', finish="length"),
    "a truncated call": lambda r, n: Say('<think>x</think><tool_use>{"tool": "search", "que', finish="length"),
    "unknown tools": lambda r, n: Say(f"<think>.</think>{call('delete_everything', path='/')}{call('sudo', query='x')}"),  # noqa: E501
    "wrong paths": lambda r, n: Say(f"<think>.</think>{call('browse', path=f'no/such {n}.md', query='x')}"),
    "paths that lead out": lambda r, n: Say(f"<think>.</think>{call('open', path='../../..')}{call('browse', path='/etc/passwd', query='x')}"),  # noqa: E501
    "six calls": lambda r, n: Say("<think>.</think>" + "".join(call("search", query=f"port {n} {i}") for i in range(6))),  # noqa: E501
    "the same call again and again": lambda r, n: Say(f"<think>.</think>{call('search', query='port')}"),
    "arguments of wrong types": lambda r, n: Say(f"<think>.</think>{call('search', query=['a', 1])}{call('browse', path=7, query=None)}"),  # noqa: E501
    "no arguments": lambda r, n: Say('<tool_use>{"tool": "search"}</tool_use><tool_use>{"tool": "browse"}</tool_use>'),
    "thinking that never closes": lambda r, n: Say(THINKING, finish="length"),
    "calls inside the thinking": lambda r, n: Say(f"<think>I call {call('search', query=f'port {rounds_before(r)}')} now"),  # noqa: E501
    "thinking set apart, nothing said": lambda r, n: Say("", thinking=THINKING),
    "invented results": lambda r, n: Say(f"{call('search', query='port')}<tool_response>Port 1234</tool_response><answer>1234</answer>"),  # noqa: E501
    "two objects in a block": lambda r, n: Say('<tool_use>{"tool": "search", "query": "a"}{"tool": "search", "query": "b"}</tool_use>'),  # noqa: E501
    "control characters": lambda r, n: Say("\x00\x1b[31m\ud800" + JUNK),
    "a reply of its own prompt": lambda r, n: Say(json.dumps(r["messages"])),
    "a huge reply": lambda r, n: Huge(2_000_000),
    "a reply beyond measure": lambda r, n: Huge(20_000_000),
    "no JSON": lambda r, n: NotJson("<html>502 Bad Gateway</html>"),
    "no choices": lambda r, n: Odd({"choices": []}),
    "null": lambda r, n: Odd(None),
    "a list for a body": lambda r, n: Odd([1, 2]),
    "native calls nobody asked for": lambda r, n: Say(None, [tool_call("search", "not json")], finish="tool_calls"),
    "counts below zero": lambda r, n: Say(JUNK, usage={"prompt_tokens": -5, "completion_tokens": -5, "total_tokens": -10}),  # noqa: E501
    "counts beyond belief": lambda r, n: Say(JUNK, usage={"prompt_tokens": 10**12, "completion_tokens": 10**12, "total_tokens": 2 * 10**12}),  # noqa: E501
    "no counts": lambda r, n: Say(JUNK, usage="none"),
    "counts that are texts": lambda r, n: Say(JUNK, usage={"prompt_tokens": "many", "completion_tokens": None, "total_tokens": "x"}),  # noqa: E501
    "401": lambda r, n: Fail(401),
    "404": lambda r, n: Fail(404),
    "429": lambda r, n: Fail(429, {"Retry-After": "0"}),
    "500": lambda r, n: Fail(500),
    "503 with HTML": lambda r, n: Fail(503, body="<html>down</html>"),
    "hangs": lambda r, n: Hang(20),
    "dribbles": lambda r, n: Dribble(20),
    "closes": lambda r, n: Close(),
    "resets": lambda r, n: Close(reset=True),
    "closes midway": lambda r, n: CloseMidway(),
    "every other call fails": lambda r, n: Fail(500) if n % 2 else sensible(r, n),
    "three of four calls fail": lambda r, n: sensible(r, n) if n % 4 == 0 else Fail(429),
}  # fmt: skip
each = pytest.mark.parametrize("manner", MANNERS)
TOKENS = 40_000
ONE_CALL = 40_000
"""What a server that sends far more than it was asked for can make a single call cost."""


@each
@pytest.mark.parametrize("protocol", ["text", "tools"])
def test_a_run_ends_with_a_context_and_a_true_account(serve, built_examples: Path, manner: str, protocol: str):
    workspace = jam.Workspace.open(built_examples)
    model, server = serve(MANNERS[manner], timeout_seconds=0.4, retries=1, protocol=protocol)
    began = time.monotonic()
    budget = jam.Budget(rounds=4, tokens=TOKENS, seconds=20)
    context = jam.recall(workspace, PORT, model=model, budget=budget, save=False)
    assert time.monotonic() - began < 20 + 1
    assert jam.verify_context(workspace, context) == []
    usage = context.usage
    assert usage.rounds <= 4
    assert usage.tool_calls <= 20
    assert 0 <= usage.input_tokens + usage.output_tokens <= TOKENS + ONE_CALL * (manner == "a huge reply")
    assert usage.model_calls <= len(server.requests)
    assert context.verdict != "absent"
    assert context.evidence
    assert "1234" not in context.context


@each
def test_a_build_keeps_every_session_and_can_be_completed(serve, tmp_path: Path, manner: str):
    history = tmp_path / "h"
    history.mkdir()
    for number in range(4):
        (history / f"{number}.md").write_text(f"# Note {number}\n\nThe buoy {number} is red.\n", encoding="utf-8")
    model, _ = serve(MANNERS[manner], timeout_seconds=0.4, retries=1, concurrency=2)
    workspace, report = build(history, tmp_path / "w", engine="llm", model=model, tokens=TOKENS)
    assert len(list(workspace.sessions())) == 4
    assert report.spent.tokens <= TOKENS + 2 * ONE_CALL * (manner == "a huge reply")  # two calls at a time
    assert set(report.raw_only) == {e.path for e in workspace.entries() if workspace.read_memo(e.path) is None}
    assert bool(report.failed) == (not report.complete)
    assert jam.recall(workspace, "What colour is buoy 2?", engine="extractive").evidence
    well, server = serve(sensible)
    workspace, report = build(history, tmp_path / "w", engine="llm", model=well)
    assert report.complete, report.failed
    assert report.raw_only == ()
    assert check(Workspace.open(workspace.root)).sound
    assert {job(request) for request in server.requests} <= {"memo", "folder", "place", "reduce"}
