"""Faults that were found by reading and trying, each with its right value."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

import jam
from jam.doctor import check
from jam.errors import UsageError
from jam.memorizer.build import build
from jam.models.chat import ChatModel
from jam.models.meter import Meter
from jam.models.spec import read_model
from jam.rendering import plain
from jam.runs.log import runs_folder
from jam.runs.reading import read_run
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.histories import PORT, write_chat
from tests.llm.scripts import answer, call, instead, job, rounds_before, sensible, think
from tests.servers import Fail, Hang, Say


@pytest.fixture
def workspace(example_workspace: Path) -> jam.Workspace:
    return jam.Workspace.open(example_workspace)


def test_an_answer_to_what_nobody_has_read_is_none(serve, workspace: jam.Workspace):
    model, _ = serve(think(answer("Port 1234", verdict="sufficient")))
    context = jam.recall(workspace, PORT, model=model)
    assert (context.answer, context.verdict) == ("as found", "partial")  # the judge's, from the evidence


def test_an_answer_without_proof_is_not_sufficient(serve, workspace: jam.Workspace):
    bold = answer("1234", "made/up.md", quotes=["nobody has ever said these words here"], verdict="sufficient")
    model, _ = serve(think(f"<think>.</think>{call('search', query='port')}", bold))
    context = jam.recall(workspace, PORT, model=model)
    assert context.verdict == "partial"
    assert context.missing == ("proof of the answer",)


def test_reasoning_that_is_not_shown_is_paid_for(serve):
    usage = {"prompt_tokens": 20, "completion_tokens": 1400, "total_tokens": 1420}
    model, _ = serve([Say("42", usage=usage)])
    model = model.bound(meter=Meter())
    from jam.models.messages import ChatRequest, user

    assert model.ask(ChatRequest((user("How much is it?"),), 1500), "test").output_tokens == 1400
    assert model.meter.spent.doubtful == 0


def test_a_call_that_was_given_up_is_booked(serve):
    from jam.errors import ModelTimeout
    from jam.models.messages import ChatRequest, user

    model, _ = serve([Hang(5)], timeout_seconds=0.2, retries=0)
    model = model.bound(meter=Meter(tokens=2000))
    with pytest.raises(ModelTimeout):
        model.ask(ChatRequest((user("How much is it?"),), 500), "test")
    assert model.meter.spent.output_tokens == 500
    assert (model.meter.spent.failed, model.meter.spent.doubtful) == (1, 1)


def test_many_long_cards_are_reduced_in_steps_that_fit(serve, tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["tide and berth " * 60 for _ in range(100)], id="huge")

    def wordy(request, number):
        card = {"title": "Tides", "gist": "word " * 40, "summary": "word " * 250, "keywords": []}
        return Say(json.dumps(card))

    model, server = serve(
        lambda r, n: wordy(r, n) if job(r) in ("memo", "reduce") else sensible(r, n), context_tokens=4096
    )
    place = Workspace.create(tmp_path / "w", Settings(part_tokens=100_000))
    _, report = build(tmp_path / "h", place.root, engine="llm", model=model)
    assert report.complete
    assert max(len(json.dumps(request["messages"])) for request in server.requests) < 4096 * 5
    jobs = [job(request) for request in server.requests]
    assert jobs.count("memo") < 20
    assert 1 <= jobs.count("reduce") <= jobs.count("memo")


def test_placement_keeps_within_the_window(serve, tmp_path: Path):
    for number in range(30):
        write_chat(tmp_path / "h" / f"{number:02}.json", [f"潮位と係留の話 {number} " * 20], id=f"s{number:02}")

    def memo(request, number):
        return Say(json.dumps({"title": "潮位" * 20, "gist": "係留" * 60, "summary": "話", "keywords": []}))

    model, server = serve(instead("memo", memo), context_tokens=4096)
    _, report = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert report.complete
    places = [request for request in server.requests if job(request) == "place"]
    assert len(places) >= 2


def test_a_placement_that_is_refused_as_too_long_is_halved(serve, tmp_path: Path):
    for number in range(16):
        write_chat(tmp_path / "h" / f"{number:02}.json", [f"a word on matter {number}"], id=f"s{number:02}")

    def narrow(request, number):
        if len(json.dumps(request["messages"])) > 1600:
            return Fail(400, body='{"error": {"message": "maximum context length is 300 tokens"}}')
        return sensible(request, number)

    model, _ = serve(instead("place", narrow))
    workspace, report = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert not any(entry.path.startswith("inbox/") for entry in workspace.entries())


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "HOME", "GITHUB_TOKEN", ""])
def test_a_workspace_can_not_ask_for_any_secret(name: str):
    with pytest.raises(UsageError, match="key_env"):
        read_model("m", {"m": {"spec": "openai:m@http://127.0.0.1:9/v1", "key_env": name}})


def test_a_budget_holds_after_a_restart_within_a_round(serve, workspace: jam.Workspace):
    from langgraph.checkpoint.memory import InMemorySaver

    path = workspace.entries()[0].path
    model, server = serve(think(f"<think>.</think>{call('browse', path=path, query='port')}", answer("x")))
    saver = InMemorySaver()
    budget = jam.Budget(tokens=1700)  # enough to think once, and to read a little
    config = {"configurable": {"thread_id": "one"}}
    first = jam.build_researcher(workspace, model=model, budget=budget, checkpointer=saver, interrupt_before=["tool"])
    first.invoke({"query": PORT}, config)
    again = jam.build_researcher(workspace, model=model, budget=budget, checkpointer=saver)
    state = again.invoke(None, config)
    thought = first.get_state(config).values["thoughts"][0]["spent"]
    left = 1700 - thought["input_tokens"] - thought["output_tokens"]
    assert state["usage"]["model_calls"] == len(server.requests)
    for request in server.requests[1:]:
        assert request["max_tokens"] < left


def test_readmes_name_what_another_build_has_filed_meanwhile(serve, example_history: Path, tmp_path: Path):
    place = tmp_path / "w"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "note.md").write_text("# Ropes\n\nThe ropes are blue.", encoding="utf-8")
    built = []

    def meddle(request, number):
        if job(request) == "folder" and not built:
            built.append(True)
            build(tmp_path / "other", place)
        return sensible(request, number)

    model, _ = serve(meddle, concurrency=1)
    workspace, _ = build(example_history, place, engine="llm", model=model)
    assert len(list(workspace.sessions())) == 26
    pages = "".join(path.read_text(encoding="utf-8") for path in place.rglob("README.md"))
    assert all(entry.path.rpartition("/")[2] in pages for entry in workspace.entries())
    assert check(workspace).sound


def test_a_replay_knows_that_the_schema_was_refused(serve, workspace: jam.Workspace):
    from jam.replay import replay

    def script(request, number):
        return (
            Fail(400, body='{"error": {"message": "no response_format"}}')
            if "response_format" in request
            else (think(f"<think>.</think>{call('search', query='port')}")(request, number))
        )

    model, _ = serve(script)
    budget = jam.Budget(rounds=1)
    for question in (PORT, "Which database did we decide on for Harbor?"):
        context = jam.recall(workspace, question, model=model, budget=budget)
        run = read_run(runs_folder(workspace) / f"{context.run_id}.jsonl")
        assert replay(workspace, run).same


def test_two_langchain_models_do_not_share_replies(workspace: jam.Workspace):
    from langchain_core.language_models import FakeListChatModel

    def said(text: str) -> str | None:
        model = FakeListChatModel(responses=[f"<think>.</think>{call('search', query=PORT)}", answer(text)])
        return jam.recall(workspace, PORT, model=model).answer

    assert [said("ONE"), said("TWO")] == ["ONE", "TWO"]


def test_a_build_waits_for_a_server_that_is_down_for_a_while(serve, example_history: Path, tmp_path: Path):
    began = time.monotonic()

    def starting(request, number):
        return Fail(503) if time.monotonic() - began < 2.0 else sensible(request, number)

    model, _ = serve(starting, retries=1, rest_seconds=2.5, concurrency=8)
    _, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert report.complete, report.failed


def test_a_key_that_is_refused_is_not_tried_again(serve, example_history: Path, tmp_path: Path):
    model, server = serve([Fail(401)], concurrency=2)
    _, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert len(server.requests) <= 2
    assert len(report.raw_only) == 25


def test_a_part_that_fails_does_not_cost_the_others_their_memos(serve, tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", [f"message {n} " + "tide " * 120 for n in range(30)], id="long")
    model, _ = serve(
        lambda r, n: Fail(400) if "message 20 " in json.dumps(r["messages"]) else sensible(r, n), concurrency=1
    )
    place = Workspace.create(tmp_path / "w", Settings(part_tokens=1000))
    workspace, report = build(tmp_path / "h", place.root, engine="llm", model=model)
    assert len(report.raw_only) == 2  # the part itself, and the first, whose memo is of the whole
    well, _ = serve(sensible)
    _, report = build(tmp_path / "h", place.root, engine="llm", model=well)
    assert report.complete
    assert {memo.memo.title for e in workspace.entries() for memo in [workspace.read_memo(e.path)] if memo} >= {
        "The whole of it"
    }


def test_the_same_call_twice_in_a_round_is_made_once(serve, workspace: jam.Workspace):
    path = workspace.entries()[0].path
    same = call("browse", path=path, query="port")
    model, server = serve(think(f"<think>.</think>{same}{same}{same}", answer("x")))
    context = jam.recall(workspace, PORT, model=model)
    run = read_run(runs_folder(workspace) / f"{context.run_id}.jsonl")
    assert [item["error"] for item in run.observations] == [None, "repeated", "repeated"]
    assert [job(request) for request in server.requests].count("browse") == 1


def test_after_the_last_round_the_model_answers_to_what_it_found(serve, workspace: jam.Workspace):
    def script(request, number):
        if job(request) != "think":
            return sensible(request, number)
        if "No round is left" in request["messages"][-1]["content"]:
            return Say(answer("8443", verdict="sufficient"))
        return Say(f"<think>.</think>{call('search', query=f'port {rounds_before(request)}')}")

    model, _ = serve(script)
    context = jam.recall(workspace, PORT, model=model, budget=jam.Budget(rounds=2))
    assert (context.answer, context.usage.rounds, context.usage.tool_calls) == ("8443", 2, 2)


@pytest.mark.parametrize(
    "mark",
    [
        *("<start_of_turn>", "<end_of_turn>", "<bos>", "</s>", "[INST]", "[/INST]", "<|im_start|>", "<|eot_id|>"),
        *("<｜User｜>", "<function=search>", "<thinking>", "</think>", "<tool_calls>", "[TOOL_CALLS]", "<parameter=x>"),
    ],
)
def test_marks_of_model_families_are_made_harmless(mark: str):
    assert mark not in plain(f"before {mark} after")
    assert plain("a < b, <b>bold</b> and [link](x), <table>") == "a < b, <b>bold</b> and [link](x), <table>"


def test_asking_a_history_does_not_pay_for_its_memos(serve, example_history: Path, tmp_path: Path, monkeypatch):
    from click.testing import CliRunner

    from jam.cli.main import cli

    monkeypatch.chdir(tmp_path)
    model, server = serve(sensible)
    result = CliRunner().invoke(cli, ["ask", str(example_history), PORT, "--model", model.settings.spec, "--json"])
    assert result.exit_code == 0, result.output
    assert {job(request) for request in server.requests} == {"think"}


def test_a_server_that_is_not_up_yet_is_looked_at_again(serve):
    model = ChatModel.of(replace(read_model("openai:m@http://127.0.0.1:9/v1")))
    assert not model.endpoint.facts.reachable
    up, _ = serve(sensible)
    model.endpoint.settings = replace(model.settings, spec=up.settings.spec)
    assert model.endpoint.facts.reachable


def test_a_research_that_only_reads_keeps_its_answer(serve, workspace: jam.Workspace):
    path = next(entry.path for entry in workspace.entries() if "demo-box" in entry.path)
    text = workspace.read_raw(path).session.messages[0].text
    proved = answer("8080", path, verdict="sufficient", quotes=[{"source": path, "quote": text[:60]}])
    model, _ = serve(think(f"<think>.</think>{call('browse', path=path, query='port')}", proved))
    context = jam.recall(workspace, "Which port at first?", model=model)
    assert (context.answer, context.verdict, context.notes) == ("8080", "sufficient", "")


def test_a_build_that_another_one_overtakes_keeps_what_was_paid(serve, tmp_path: Path):
    history = tmp_path / "h"
    history.mkdir()
    for number in range(20):
        (history / f"{number:02}.md").write_text(f"# Note {number}\n\nThe buoy {number} is red.\n", encoding="utf-8")
    built = []

    def meddle(request, number):
        if number == 5:
            built.append(build(history, tmp_path / "w"))
        return sensible(request, number)

    model, _ = serve(meddle, concurrency=2)
    workspace, report = build(history, tmp_path / "w", engine="llm", model=model)
    memos = [workspace.read_memo(entry.path) for entry in workspace.entries()]
    assert {file.memo.engine for file in memos if file} == {"llm"}
    assert report.complete, report.failed


def test_a_workspace_that_is_deleted_meanwhile_is_not_made_again(serve, example_history: Path, tmp_path: Path):
    import shutil

    from jam.errors import WorkspaceError

    def delete(request, number):
        if number == 3:
            shutil.rmtree(tmp_path / "w")
        return sensible(request, number)

    model, _ = serve(delete, concurrency=1)
    with pytest.raises(WorkspaceError, match="gone"):
        build(example_history, tmp_path / "w", engine="llm", model=model)
    assert not (tmp_path / "w" / "README.md").exists()


def test_ctrl_c_ends_a_question_whose_tools_wait(serve, example_workspace: Path):
    import os
    import signal
    import subprocess
    import sys

    paths = [entry.path for entry in jam.Workspace.open(example_workspace).entries()][:4]
    calls = "".join(call("browse", path=path, query="port") for path in paths)
    model, server = serve(lambda r, n: Hang(60) if job(r) == "browse" else Say(f"<think>.</think>{calls}"))
    command = [sys.executable, "-m", "jam", "ask", str(example_workspace), PORT, "--model", model.settings.spec]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while len(server.requests) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=15)
    assert (child.returncode, out) == (130, b"")
    assert b"Traceback" not in err


@pytest.mark.parametrize("key", ["sk-SECRET\nsecond-line", "ключ-секрет", "sk-\x00SECRET"])
def test_a_key_that_can_not_be_sent_is_told_without_it(monkeypatch: pytest.MonkeyPatch, key: str):
    from jam.errors import KeyRefused

    monkeypatch.setattr("os.environ", {"OPENAI_API_KEY": key})
    with pytest.raises(KeyRefused, match="OPENAI_API_KEY holds characters") as told:
        _ = read_model("openai:m@http://127.0.0.1:9/v1").key
    assert "SECRET" not in str(told.value)
    assert "секрет" not in str(told.value)


@pytest.mark.parametrize(
    "entry",
    [
        {"spec": "openai:m@http://127.0.0.1:9/v1?key=abc"},
        {"spec": "openai:m", "extra": {"api_key": "abc"}},
        {"spec": "ollama:m@http://127.0.0.1:9"},
    ],
)
def test_keys_have_no_place_in_settings(entry: dict):
    with pytest.raises(UsageError):
        read_model("m", {"m": entry})


@pytest.mark.parametrize("state", [{"budget": [1]}, {"budget": 5}, {"scope": 5}, {"budget": {"tokens": "x"}}])
def test_a_senseless_state_is_told_as_such(workspace: jam.Workspace, state: dict):
    with pytest.raises(UsageError):
        jam.build_researcher(workspace).invoke({"query": PORT, **state})


@pytest.mark.parametrize("source", ["{{ 1/0 }}", "{{ nobody }}", "{% if %}", "{{ [].x.y }}"])
def test_a_prompt_that_fails_is_told_as_such(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str):
    from jam.rehearsal import rehearse

    (tmp_path / "memo").mkdir()
    (tmp_path / "memo" / "system.j2").write_text(source, encoding="utf-8")
    monkeypatch.setenv("JAM_PROMPTS", str(tmp_path))
    with pytest.raises(UsageError, match="memo/system"):
        rehearse("llm")


@pytest.mark.parametrize("player", ["os:system", "builtins:int", "jam.engines.llm.browse:LlmBrowseReader", "no:where"])
def test_a_player_that_can_not_do_its_job_is_told_as_such(monkeypatch, tmp_path: Path, player: str):
    import yaml

    from jam.engines import load_engine
    from tests.conftest import REPOSITORY

    card = yaml.safe_load((REPOSITORY / "agents" / "extractive.yaml").read_text(encoding="utf-8"))
    card["roles"]["memo_writer"] = player
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(card), encoding="utf-8")
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path))
    with pytest.raises(UsageError, match="memo_writer"):
        load_engine("mine")
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="JAM_AGENTS"):
        load_engine("extractive")


def test_a_server_that_counts_more_than_we_do_is_learnt_from(serve):
    from jam.errors import BudgetSpent
    from jam.models.messages import ChatRequest, user

    model, _ = serve([Say("well", usage={"prompt_tokens": 130, "completion_tokens": 5, "total_tokens": 135})])
    model = model.bound(meter=Meter(tokens=1000))
    questions = [ChatRequest((user(f"A question of some length, the {n} th of many " * 3),), 64) for n in range(100)]

    def ask_all() -> None:
        for question in questions:
            model.ask(question, "test")

    with pytest.raises(BudgetSpent):
        ask_all()
    assert 700 <= model.meter.spent.tokens <= 1000


def test_a_summary_that_was_paid_for_outlives_a_build_without_a_model(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    build(example_history, tmp_path / "w", engine="llm", model=model)
    (example_history / "notes" / "new.md").write_text("# Sails\n\nThe new sails are red.", encoding="utf-8")
    build(example_history, tmp_path / "w")
    readme = (tmp_path / "w" / "README.md").read_text(encoding="utf-8")
    assert "26 sessions" in readme
    assert "What a sensible model says" in readme
    count = len(server.requests)
    _, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert {job(request) for request in server.requests[count:]} == {"memo", "folder"}


@pytest.mark.parametrize("said", ["It ends <!-- jam:end --> here.", "A lone \ud800 one.", "# A heading\nand more"])
def test_a_summary_reads_back_as_it_was_written(serve, example_history: Path, tmp_path: Path, said: str):
    model, _ = serve(instead("folder", lambda *_: Say(json.dumps({"summary": said}))))
    from tests.conftest import tree_digest

    workspace, _ = build(example_history, tmp_path / "w", engine="llm", model=model)
    before = tree_digest(workspace.root)
    build(example_history, tmp_path / "w", engine="llm", model=model)
    assert tree_digest(workspace.root) == before


def test_quotes_that_say_something_else_are_not_repaired():
    from jam.quotes import find_quote

    text = "We settle on port 8080 for the Harbor service. Jonas tells the crew tomorrow at the office."
    assert find_quote("We don't settle on port 8080 for the Harbor service", [text]) is None
    assert find_quote("We settle on port 8443 for the Harbor service", [text]) is None
    found = find_quote("We settle on port 8080 … Jonas tells the crew tomorrow", [text])
    assert found is not None
    assert text[found.start : found.end] == "Jonas tells the crew tomorrow"


CALL = {"tool": "open", "arguments": {}}
DAMAGED = [
    {"event": "observation", "round": [1], "number": 1, "call": CALL, "text": "", "error": None},
    {"event": "observation", "round": 1, "call": CALL, "text": "", "error": None},
    {"event": "observation", "round": 1, "number": 1, "text": "", "error": None},
    {"event": "exchange", "purpose": "x", "key": "k", "messages": ["nowhere"], "request": {"tools": []}},
    {"event": "exchange", "purpose": "x", "key": "k", "messages": [{"content": "no role"}], "request": {"tools": []}},
    {"event": "context", "verdict": "perhaps"},
    {"event": "thought"},
]  # fmt: skip


@pytest.mark.parametrize("event", DAMAGED, ids=lambda event: json.dumps(event)[:60])
def test_damaged_events_of_a_run_are_left_out(workspace: jam.Workspace, event: dict):
    from jam.replay import replay
    from jam.runs.compare import compare

    context = jam.recall(workspace, PORT)
    path = runs_folder(workspace) / f"{context.run_id}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], json.dumps(event), *lines[1:]]) + "\n", encoding="utf-8")
    run = read_run(path)
    assert replay(workspace, run).same
    assert compare(run, run)["same_context"]


@pytest.mark.parametrize(
    "head",
    [
        {"budget": [None]},
        {"budget": {"tokens": "x"}},
        {"scope": {"a": 1}},
        {"model_settings": {"a": 1}},
        {"engine": "x"},
    ],
)
def test_a_run_with_a_damaged_head_is_refused_clearly(workspace: jam.Workspace, head: dict):
    from jam.replay import replay

    context = jam.recall(workspace, PORT)
    path = runs_folder(workspace) / f"{context.run_id}.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **head}), *rest]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError):
        replay(workspace, read_run(path))


def test_a_line_lost_in_the_middle_of_a_run_shifts_nothing(serve, workspace: jam.Workspace):
    model, _ = serve(think(*(f"<think>.</think>{call('search', query=f'port {n}')}" for n in range(3)), answer("x")))
    context = jam.recall(workspace, PORT, model=model)
    path = runs_folder(workspace) / f"{context.run_id}.jsonl"
    whole = read_run(path).exchanges
    lines = path.read_text(encoding="utf-8").splitlines()
    lost = [number for number, line in enumerate(lines) if '"event": "exchange"' in line][2]
    path.write_text("\n".join(lines[:lost] + lines[lost + 1 :]) + "\n", encoding="utf-8")
    left = read_run(path).exchanges
    assert all(exchange in whole for exchange in left)
