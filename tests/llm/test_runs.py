"""Saved runs: written as they happen, read back whole, found again, compared."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.errors import ModelUnavailable, UsageError
from jam.models.messages import CalledTool, ChatReply, ChatRequest, Exchange, Sampling, assistant, system, user
from jam.runs.compare import compare, context_differences, observation_differences, render_comparison
from jam.runs.log import RunLog, new_run_id, runs_folder
from jam.runs.reading import find_run, list_runs, read_run
from jam.tools.descriptions import TOOLS
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace

HEAD = {"query": "When is the regatta?", "scope": "", "strategy": "research", "engine": "llm", "budget": {"rounds": 3}}
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string", "maxLength": 600}}}
START = [system("You are a researcher.\u2028Überall — \ud800"), user("Question: When is the regatta?")]
REPLY = ChatReply("<think>…</think>", "hm", (CalledTool("1", "search", '{"query": "x"}'),), "tool_calls", 12, 5)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "memory.jam")


def exchange(*messages: Any, schema: Any = None, tools: Any = (), reply: ChatReply | None = REPLY) -> Exchange:
    request = ChatRequest(tuple(messages), 100, Sampling(), schema, tuple(tools))
    return Exchange("think", "key", request, reply, None if reply else ModelUnavailable("the server is gone"))


def observed(round: int, number: int, query: str, text: str = "chats/a.md", error: str | None = None) -> dict[str, Any]:
    call = {"tool": "search", "arguments": {"query": query}}
    return {"event": "observation", "round": round, "number": number, "call": call, "text": text, "error": error}


def context(**changes: Any) -> dict[str, Any]:
    data = jam.MemoryContext(HEAD["query"], "sufficient", "[1]\nuser: 14 June", answer="14 June").to_dict()
    return {**data, "event": "context", **changes}


def begun(workspace: Workspace, run_id: str = "20260502T100000-abc", **head: Any) -> RunLog:
    log = RunLog(workspace, run_id)
    log.begin({**HEAD, **head})
    return log


def whole(messages: Any) -> list[dict[str, Any]]:
    """Messages as JSON gives them back."""
    return json.loads(json.dumps(list(messages)))


def test_a_run_comes_back_as_it_was_written(workspace):
    log = begun(workspace)
    log.exchange(exchange(*START, tools=TOOLS.values()), round=1)
    log.write({"event": "thought", "round": 1, "text": "Search."})
    log.write(observed(1, 2, "crew"))
    log.write(observed(1, 1, "regatta"))
    log.exchange(exchange(*START, schema=SCHEMA, reply=None), round=2)
    log.write(context())
    run = read_run(log.path)
    assert (run.run_id, run.query, run.head["version"], run.head["budget"]) == (
        "20260502T100000-abc",
        HEAD["query"],
        2,
        {"rounds": 3},
    )
    assert [thought["text"] for thought in run.thoughts] == ["Search."]
    assert [item["number"] for item in run.observations] == [1, 2], "in the order of the calls"
    assert run.context is not None
    assert run.context.answer == "14 June"
    first, second = run.exchanges
    assert first["messages"] == second["messages"] == whole(START)
    assert first["request"]["tools"] == whole(TOOLS.values())
    assert (first["request"]["schema"], second["request"]["schema"]) == (None, SCHEMA)
    assert ChatReply.from_dict(first["reply"]).tool_calls == REPLY.tool_calls
    assert (second["reply"], second["error"], second["error_kind"]) == (None, "the server is gone", "ModelUnavailable")
    assert (run.summary()["finished"], run.summary()["verdict"]) == (True, "sufficient")


def test_what_is_said_again_is_stored_once(workspace):
    log = begun(workspace)
    grown = list(START)
    for number in range(20):
        log.exchange(exchange(*grown, schema=SCHEMA, tools=TOOLS.values()))
        grown += [assistant(ChatReply(f"round {number} " + "x" * 500)), user(f"results {number} " + "y" * 500)]
    text = log.path.read_text(encoding="utf-8")
    for said in ("You are a researcher.", "round 0 ", "results 0 ", '"answer": {"type"', '"name": "browse"'):
        assert text.count(said) == 1
    assert len(text) < 50_000
    assert read_run(log.path).exchanges[-1]["messages"] == whole(grown[:-2])


MESSAGES = st.sampled_from([*START, user("a"), user("b"), {**user("a"), "role": "tool"}, assistant(REPLY)])


@given(st.lists(st.tuples(st.lists(MESSAGES, max_size=5), st.booleans(), st.integers(0, 3)), max_size=6), st.data())
@settings(max_examples=40)
def test_any_exchanges_come_back_whole_over_any_restarts(rows, data):
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.create(Path(folder) / "memory.jam")
        log = begun(workspace)
        for messages, bound, tools in rows:
            if data.draw(st.booleans()):
                log = RunLog(workspace, log.run_id)
            log.exchange(exchange(*messages, schema=SCHEMA if bound else None, tools=list(TOOLS.values())[:tools]))
        found = read_run(log.path).exchanges
    assert [item["messages"] for item in found] == [whole(messages) for messages, _, _ in rows]
    assert [len(item["request"]["tools"]) for item in found] == [tools for _, _, tools in rows]
    assert [item["request"]["schema"] for item in found] == [SCHEMA if bound else None for _, bound, _ in rows]


def test_a_run_goes_on_in_its_file_after_a_restart(workspace):
    begun(workspace).exchange(exchange(*START, schema=SCHEMA))
    again = RunLog(workspace, "20260502T100000-abc")
    again.exchange(exchange(*START, user("more"), schema=SCHEMA))
    again.write(context())
    run = read_run(again.path)
    assert run.exchanges[1]["messages"] == [*whole(START), user("more")]
    assert again.path.read_text(encoding="utf-8").count("You are a researcher.") == 1
    assert run.context is not None


def test_a_run_goes_on_after_a_line_that_was_cut_off(workspace, caplog):
    log = begun(workspace)
    log.exchange(exchange(*START))
    log.exchange(exchange(user("a"), user("b")))
    data = log.path.read_bytes()
    log.path.write_bytes(data[:-40])
    again = RunLog(workspace, log.run_id)
    again.exchange(exchange(*START, user("b")))
    again.exchange(exchange(user("b"), user("a")))
    again.write(context())
    with caplog.at_level(logging.WARNING):
        run = read_run(again.path)
    assert [item["messages"] for item in run.exchanges] == [
        whole(START),
        [*whole(START), user("b")],
        [user("b"), user("a")],
    ]
    assert run.context is not None
    assert "line 3 is cut off or damaged" in caplog.text


@given(st.data())
@settings(max_examples=40)
def test_a_file_that_ends_anywhere_is_read_as_far_as_it_goes(data):
    with tempfile.TemporaryDirectory() as folder:
        log = begun(Workspace.create(Path(folder) / "memory.jam"))
        log.exchange(exchange(*START))
        log.exchange(exchange(*START, user("more")))
        written = log.path.read_bytes()
        first = written.index(b"\n")
        log.path.write_bytes(written[: data.draw(st.integers(first, len(written)))])
        run = read_run(log.path)
        assert [item["messages"] for item in run.exchanges] in (
            [],
            [whole(START)],
            [whole(START), [*whole(START), user("more")]],
        )
        assert run.context is None
        assert run.summary()["finished"] is False


def test_a_damaged_exchange_is_left_out_with_a_warning(workspace, caplog):
    log = begun(workspace)
    for event in ({"event": "exchange"}, {"event": "exchange", "messages": 7, "request": {}}, {"event": "unheard of"}):
        log.write(event)
    log.write(context())
    with caplog.at_level(logging.WARNING):
        run = read_run(log.path)
    assert run.exchanges == []
    assert run.context is not None
    assert caplog.text.count("'exchange' is damaged") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a saved run"),
        ("not json\n", "is not a saved run"),
        ("[1]\n", "is not a saved run"),
        ('{"event": "thought"}\n', "is not a saved run"),
        ('{"event": "run", "version": 3}\n', "saved by a later JAM .version 3.; upgrade"),
        ('{"event": "run"}\n', "is not a saved run"),
    ],
)
def test_what_is_no_run_or_a_later_ones_is_refused(tmp_path, text, said):
    path = tmp_path / "run.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        read_run(path)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(UsageError, match="can't be read"):
        read_run(tmp_path / "absent.jsonl")
    (tmp_path / "run.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="can't be read"):
        read_run(tmp_path / "run.jsonl")


def test_a_run_that_is_not_to_be_saved_writes_nothing(workspace):
    log = RunLog(workspace, "20260502T100000-abc", save=False)
    log.begin(HEAD)
    log.exchange(exchange(*START))
    log.write(context())
    assert not log.path.exists()
    assert list(list_runs(workspace)) == []


def test_a_workspace_that_can_not_be_written_to_is_said_once(workspace, caplog):
    workspace.derived.mkdir(exist_ok=True)
    runs_folder(workspace).write_text("in the way", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        log = begun(workspace)
        log.exchange(exchange(*START))
        log.write(context())
    assert caplog.text.count("the run is not saved") == 1


def test_only_the_newest_runs_are_kept(tmp_path):
    small = Workspace.create(tmp_path / "small.jam", Settings(keep_runs=2))
    for day in range(1, 5):
        begun(small, f"2026050{day}T100000-abc")
    assert [run.run_id for run in list_runs(small)] == ["20260504T100000-abc", "20260503T100000-abc"]


def test_runs_are_listed_newest_first_and_damaged_ones_left_out(workspace, caplog):
    for name in ("20260502T100000-a", "20260503T100000-b"):
        begun(workspace, name)
    (runs_folder(workspace) / "20260504T100000-c.jsonl").write_text("{}\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert [run.run_id for run in list_runs(workspace)] == ["20260503T100000-b", "20260502T100000-a"]
    assert "left out" in caplog.text


def test_names_of_runs_sort_by_time_and_differ():
    names = [new_run_id() for _ in range(2000)]
    assert len(set(names)) == 2000
    assert [name[:19] for name in names] == sorted(name[:19] for name in names)


class TestFinding:
    @pytest.fixture(autouse=True)
    def _runs(self, workspace: Workspace) -> None:
        for name in ("20260502T100000-a", "20260502T100000-b", "20260503T100000-c"):
            begun(workspace, name)

    @pytest.mark.parametrize(
        ("given", "found"),
        [
            ("20260502T100000-a", "20260502T100000-a"),
            ("20260503", "20260503T100000-c"),
            ("last", "20260503T100000-c"),
        ],
    )
    def test_by_its_name_or_how_that_begins(self, workspace, given, found):
        assert find_run(given, workspace).stem == found

    def test_by_path(self, workspace, tmp_path):
        path = begun(workspace).path
        elsewhere = path.rename(tmp_path / "kept.jsonl")
        assert find_run(str(elsewhere), workspace) == elsewhere

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("20260502", "2 runs begin with '20260502'"),
            ("2027", "there is no run '2027'"),
            ("", "there is no run ''"),
            ("nowhere.jsonl", "there is no run 'nowhere.jsonl'"),
        ],
    )
    def test_what_is_not_one_run_is_said(self, workspace, given, said):
        with pytest.raises(UsageError, match=said) as caught:
            find_run(given, workspace)
        assert "see: jam runs" in str(caught.value)


def test_there_is_no_last_run_before_the_first(workspace):
    with pytest.raises(UsageError, match="there is no run 'last'"):
        find_run("last", workspace)


def test_a_run_compared_with_itself(workspace):
    log = begun(workspace)
    log.write(observed(1, 1, "regatta"))
    log.write(context())
    data = compare(read_run(log.path), read_run(log.path))
    assert (data["head"], data["verdict"], data["answer"], data["same_context"]) == ({}, None, None, True)
    assert data["calls"] == [{"round": 1, "first": [], "second": []}]
    text = render_comparison(data)
    assert "round 1: the same calls" in text
    assert text.endswith("the contexts are the same")


def test_two_runs_compared(workspace):
    first, second = begun(workspace, "20260502T100000-a"), begun(workspace, "20260502T100000-b", engine="extractive")
    for query in ("regatta", "crew"):
        first.write(observed(1, 1, query))
    second.write(observed(1, 1, "regatta"))
    second.write(observed(2, 1, "berth"))
    first.write(context())
    second.write(context(verdict="absent", answer=None, context="", sources=["chats/b.md"], usage={"rounds": 2}))
    data = compare(read_run(first.path), read_run(second.path))
    assert data["head"] == {"engine": ["llm", "extractive"]}
    assert data["calls"] == [
        {"round": 1, "first": ["search(query='crew')"], "second": []},
        {"round": 2, "first": [], "second": ["search(query='berth')"]},
    ]
    assert data["verdict"] == ["sufficient", "absent"]
    assert data["sources"] == {"both": [], "first": [], "second": ["chats/b.md"]}
    assert data["usage"]["rounds"] == [0, 2]
    assert data["same_context"] is False
    text = render_comparison(data)
    for line in (
        "engine: llm  |  extractive",
        "  < search(query='crew')",
        "  > search(query='berth')",
        "verdict: sufficient  |  absent",
        "answer: 14 June  |  null",
        "  > chats/b.md",
        "rounds: 0  |  2",
        "the contexts differ",
    ):
        assert line in text.split("\n")


def test_a_run_that_was_broken_off_can_be_compared(workspace):
    first, second = begun(workspace, "20260502T100000-a"), begun(workspace, "20260502T100000-b")
    second.write(context())
    data = compare(read_run(first.path), read_run(second.path))
    assert data["verdict"] == [None, "sufficient"]
    assert data["same_context"] is False
    render_comparison(data)


def test_observations_part_where_they_differ():
    recorded = [observed(1, 1, "a"), observed(1, 2, "b"), observed(2, 1, "c"), observed(2, 2, "d")]
    again = [observed(1, 1, "a"), observed(1, 2, "x"), observed(2, 1, "c", "other"), observed(3, 1, "e")]
    found = {(row["round"], row["number"]): row["what"] for row in observation_differences(recorded, again)}
    assert found == {
        (1, 2): "another call: search(query='x')",
        (2, 1): "another result",
        (2, 2): "not made again",
        (3, 1): "made in addition",
    }
    assert observation_differences(recorded, recorded) == []


def test_contexts_differ_in_their_fields():
    one = jam.MemoryContext("q", "partial", "a", run_id="1")
    assert context_differences(one, jam.MemoryContext("q", "partial", "a", run_id="2")) == []
    assert context_differences(one, jam.MemoryContext("q", "absent", "b")) == ["verdict", "context"]
