"""A benchmark with a model: engines side by side, answers and grades, and the same table again without a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.errors import JamError, ModelUnavailable
from jam.evaluation.running.models import Models
from jam.evaluation.running.plan import Plan
from jam.models.messages import ChatRequest, user
from tests.evaluation.test_locomo_bench import SAMPLES
from tests.llm.scripts import asked, sensible
from tests.servers import Act, Fail, Say, ScriptedServer

RESEARCH = ["--strategy", "search", "--strategy", "research", "--budget", "200"]
GOOD = {"zeppelin": "Rome", "sister": "the cello", "cost": "900", "hail": "it halved the harvest"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SAMPLES), encoding="utf-8")
    return path


def scripted(request: dict[str, Any], number: int) -> Act:
    """Answers what the evidence has; grades by whether the reference's first word is said; else as is sensible."""
    begin = str(request["messages"][0]["content"])
    if begin.startswith("You answer one question"):
        evidence, _, question = asked(request).rpartition("Question: ")
        said = next((text for word, text in GOOD.items() if word in question), "No information available")
        known = "(nothing was found)" not in evidence
        return Say(f"<think>hm</think>{said}" if known else "It is not mentioned.")
    if begin.startswith("You grade"):
        return Say(json.dumps({"reason": "compared", "right": _right(asked(request))}))
    try:
        return sensible(request, number)
    except StopIteration:
        return Say("{}")  # a job that this script doesn't know


def _right(graded: str) -> bool:
    lines = dict(line.split(": ", 1) for line in graded.splitlines())
    refused = "information" in lines["Answer"] or "mentioned" in lines["Answer"]
    return refused == ("can't be answered" in lines["Reference"])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted, context_tokens=16_000) as started:
        yield started


def bench(file: Path, *arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["bench", "locomo", str(file), *arguments, "--json", "-q"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]


def test_everything_is_measured_and_the_second_run_asks_nobody(file: Path, tmp_path: Path, server: ScriptedServer):
    arguments = [*RESEARCH, "--model", server.spec, "--answers", "--answer-budget", "300"]
    first, again = tmp_path / "first", tmp_path / "again"
    workspace = ["-w", str(tmp_path / "w.jam")]
    data = bench(file, *arguments, *workspace, "--out", str(first))
    called = len(server.requests)
    repeated = bench(file, *arguments, *workspace, "--out", str(again))
    assert len(server.requests) == called
    assert (first / "table.md").read_bytes() == (again / "table.md").read_bytes()
    assert repeated["answers"] == data["answers"]
    assert repeated["settings"] == data["settings"]

    assert data["settings"]["methods"] == ["search", "research, extractive", "research, llm"]
    assert data["settings"]["budgets"] == [200, 300]
    assert "top-30 sessions, distilled, llm" in data["settings"]["baselines"]
    costs = {(point["method"], point["budget"]): point for point in data["points"]}
    asked_for = costs["research, llm", 300]
    assert asked_for["calls"] >= 2
    assert asked_for["input_tokens"] > asked_for["output_tokens"] > 0
    assert costs["research, extractive", 300]["calls"] == costs["search", 200]["calls"] == 0
    # What was answered from memory is told the time that it took when it was asked.
    then = {(point["method"], point["budget"]): point["seconds"] for point in repeated["points"]}
    assert then["research, llm", 300] > asked_for["seconds"] / 4

    search = data["answers"]["search"]
    assert search["all"] == {"questions": 4, "f1": pytest.approx(1.0), "exact": None, "right": 1.0}
    assert search["categories"]["multi-hop"]["questions"] == 1
    assert search["unanswerable"] == {"questions": 1, "refuses": 1.0, "right": 1.0}
    assert data["answers"]["full history"]["all"]["right"] == 1.0
    table = (first / "table.md").read_text(encoding="utf-8")
    assert "| search | 4 | 1.000 | - | 1.000 | 1 | 1.000 | 1.000 | 0 | 0 |" in table
    assert "## Answers by category: F1, right" in table
    own = data["settings"]["answers"]
    assert own["budget"] == 300
    assert own["judge"]["spec"] == data["settings"]["model"]["spec"] == server.spec
    assert len(own["prompt"]) == len(own["judge_prompt"]) == 12
    assert {"research_text", "judge"} <= set(data["settings"]["prompts"])
    _check_predictions(first)


def _check_predictions(out: Path) -> None:
    for row in rows(out):
        for answer in row["answers"]:
            baseline = answer["budget"] is None
            assert (answer["worded"] is not None) == (answer["budget"] in (300, None))
            assert (answer["text"] is None) == (row["method"] == "full history")
            assert baseline or (answer["verdict"] and answer["seconds"] > 0)
            assert (answer["calls"] > 0) <= row["method"].endswith("llm")
    told = next(row for row in rows(out) if (row["method"], row["number"]) == ("search", 1))
    worded = told["answers"][1]["worded"]
    assert (worded["text"], worded["f1"], worded["right"], worded["reason"]) == ("Rome", 1.0, True, "compared")
    assert "zeppelin" in told["answers"][1]["text"]
    oracle = next(row for row in rows(out) if (row["method"], row["number"]) == ("oracle", 1))
    assert oracle["answers"][0]["text"] == "8 May 2023\nAnn: I bought a lavender zeppelin in Rome."


def test_equal_contexts_are_answered_once(file: Path, server: ScriptedServer):
    options = ["--strategy", "search", "--budget", "2000", "--engine", "extractive", "--limit", "1"]
    bench(file, *options, "--model", server.spec, "--answers")
    answers = [asked(request) for request in server.requests if "You answer" in request["messages"][0]["content"]]
    grades = [asked(request) for request in server.requests if "You grade" in request["messages"][0]["content"]]
    assert len(answers) == len(set(answers)) < 10
    assert len(grades) == len(set(grades)) == 2


def only(kind: str, act: Act) -> Callable[[dict[str, Any], int], Act]:
    """The scripted model, but for requests whose prompt begins so."""
    return lambda request, number: (
        act if request["messages"][0]["content"].startswith(kind) else scripted(request, number)
    )


@pytest.mark.parametrize(
    ("kind", "act", "refused", "ungraded"),
    [
        ("You answer", Fail(400, body='{"error": {"message": "maximum context length is 5 tokens"}}'), 5, 0),
        ("You grade", Say("I can't tell"), 0, 5),
    ],
)
def test_what_gave_no_result_is_no_score(file: Path, kind: str, act: Act, refused: int, ungraded: int):
    with ScriptedServer(only(kind, act)) as server:
        options = ["--strategy", "search", "--budget", "2000", "--engine", "extractive"]
        row = bench(file, *options, "--model", server.spec, "--answers")["answers"]["search"]
    assert (row["refused"], row["ungraded"]) == (refused, ungraded)
    assert row["all"]["questions"] == (0 if refused else 4)
    assert row["all"]["right"] is None


def test_a_server_that_fails_ends_the_run_and_what_it_said_is_kept(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("jam.models.patience.Patience.wait", lambda *_: False)
    workspace = jam.build(file, tmp_path / "w.jam").root
    options = ["--strategy", "research", "--budget", "200", "--limit", "1", "-w", str(workspace), "--model", "mine"]
    with ScriptedServer(lambda request, number: scripted(request, number) if number < 3 else Fail(503)) as server:
        with (workspace / "jam.yaml").open("a", encoding="utf-8") as settings:
            settings.write(f"\nmodels:\n  mine: {{spec: '{server.spec}', retries: 0, context_tokens: 16000}}\n")
        with pytest.raises(ModelUnavailable):
            bench(file, *options, "--engine", "llm")
    assert len(list((workspace / ".jam" / "replies").glob("*/*.json"))) == 2


def test_a_search_is_the_same_behind_every_engine():
    plan = Plan(("search", "research"), engines=("extractive", "llm"))
    assert [method.name for method in plan.methods] == ["search", "research, extractive", "research, llm"]
    alone = Plan(("search", "research"), engines=("llm",))
    assert [(method.name, method.engine) for method in alone.methods] == [("search", "llm"), ("research", "llm")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--answers"], "--model"),
        (["--judge", "openai:j@http://127.0.0.1:9/v1"], "--answers"),
        (["--engine", "llm"], "needs a chat model"),
        (["--engine", "steam"], "the engines are"),
        (["--model", "no such thing"], "is not understood"),
    ],
)
def test_what_can_not_be_measured_is_said_before_anything_is_built(
    file: Path, tmp_path: Path, arguments: list[str], said: str
):
    result = CliRunner().invoke(cli, ["bench", "locomo", str(file), *arguments, "-w", str(tmp_path / "w.jam")])
    told = result.output + (str(result.exception) if isinstance(result.exception, JamError) else "")
    assert result.exit_code != 0
    assert said in told
    assert not (tmp_path / "w.jam").exists()


def test_empty_replies_are_stored_too(tmp_path: Path):
    (tmp_path / "out").mkdir()
    with ScriptedServer([Say("")]) as server:
        model = Models(Plan(model=server.spec), None, tmp_path / "out").answerer()
        request = ChatRequest((user("Anybody?"),), 50)
        assert model.ask(request, "answer").text == model.ask(request, "answer").text == ""
        assert len(server.requests) == 1
        cost = model.take(0.5)
        assert (cost.calls, model.take(0.0).calls) == (2, 0)
        assert cost.seconds > 0.5
