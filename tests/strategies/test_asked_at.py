"""The day of a question: what "last week" is counted from, by every way in, and once more in a replay."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jam
from jam.index.search_index import Within
from jam.index.store import open_index
from jam.integrations.langchain import as_retriever, as_tool
from jam.replay import replay
from jam.runs.reading import find_run, read_run
from tests.histories import STRATEGIES, lasting

RAN = "Where did I go running last week?"
JUNE, SEPTEMBER = "2026-06-12", "2026-09-20T21:15:00+02:00"
NOTES = {
    "2026-06-03": "Went running: twice around the reservoir, then breakfast.",
    "2026-07-01": "The new saddle squeaks. Ordered oil.",
    "2026-09-10": "Went running: along the sea wall, with wind from the west.",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> jam.Workspace:
    folder = tmp_path_factory.mktemp("diary")
    (folder / "diary").mkdir()
    for day, text in NOTES.items():
        (folder / "diary" / f"{day}.md").write_text(f"# {day}\n\n{text}\n", encoding="utf-8")
    return jam.build(folder / "diary", folder / "diary.jam")


def best(workspace: jam.Workspace, asked_at: str | None, query: str = RAN) -> str:
    index = open_index(workspace)
    return index.place(index.rank(query, Within(asked_at=asked_at)).best(1)[0][0])[0]


def first(context: jam.MemoryContext, word: str) -> bool:
    """Whether a word is in the evidence that a context of few tokens has room for."""
    return any(word in item.text for item in context.evidence)


def test_last_week_is_counted_from_the_day_it_is_asked_on(workspace: jam.Workspace):
    assert best(workspace, JUNE).startswith("2026-06-03")
    assert best(workspace, SEPTEMBER).startswith("2026-09-10")


def test_where_nothing_hangs_on_the_day_the_ranking_is_kept_from_day_to_day(workspace: jam.Workspace):
    index = open_index(workspace)
    settled = "Where did I run in June 2026?"
    assert index.rank(settled, Within(asked_at=JUNE)) is index.rank(settled, Within(asked_at=SEPTEMBER))
    assert index.rank(RAN, Within(asked_at=JUNE)) is not index.rank(RAN, Within(asked_at=SEPTEMBER))
    assert index.rank(RAN, Within(asked_at=JUNE)) is index.rank(RAN, Within(asked_at=f"{JUNE}T08:00"))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_recall_takes_the_day(workspace: jam.Workspace, strategy: str):
    few: dict[str, Any] = {"strategy": strategy, "budget": jam.Budget(context_tokens=60), "save": False}
    june = jam.recall(workspace, RAN, asked_at=JUNE, **few)
    assert first(june, "reservoir")
    assert not first(june, "sea wall")
    september = asyncio.run(jam.arecall(workspace, RAN, asked_at=SEPTEMBER, **few))
    assert first(september, "sea wall")
    assert not first(september, "reservoir")


@pytest.mark.parametrize("wrong", ["yesterday", "2026-13-01", "2026-02-03 and so on", "", 20260203])
def test_what_is_no_time_is_refused(workspace: jam.Workspace, wrong: Any):
    with pytest.raises(jam.JamError, match="asked_at must be"):
        jam.recall(workspace, RAN, asked_at=wrong)


def test_the_graph_takes_the_day_of_each_question_of_a_thread(
    workspace: jam.Workspace, monkeypatch: pytest.MonkeyPatch
):
    from langgraph.checkpoint.memory import InMemorySaver

    graph = jam.build_researcher(workspace, budget=jam.Budget(context_tokens=60), checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "one"}}
    monkeypatch.setattr("jam.strategies.question.today", lambda: JUNE)
    assert "reservoir" in graph.invoke({"query": RAN, "save": False}, thread)["context"]
    monkeypatch.setattr("jam.strategies.question.today", lambda: "2026-09-20")
    assert "sea wall" in graph.invoke({"query": RAN, "save": False}, thread)["context"]
    given = {"query": RAN, "save": False, "asked_at": JUNE}
    assert "reservoir" in graph.invoke(given, thread)["context"]
    with pytest.raises(jam.JamError, match="asked_at must be"):
        graph.invoke({**given, "asked_at": "soon"}, thread)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_replay_asks_on_the_day_of_the_run(workspace: jam.Workspace, strategy: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jam.strategies.question.today", lambda: JUNE)
    context = jam.recall(workspace, RAN, strategy=strategy, budget=jam.Budget(context_tokens=60))
    run = read_run(find_run(context.run_id, workspace))
    assert run.head["asked_at"] == JUNE
    monkeypatch.setattr("jam.strategies.question.today", lambda: "2026-09-20")
    again = replay(workspace, run)
    assert again.same
    assert lasting(again.context)["evidence"] == lasting(context)["evidence"]


def test_tool_and_retriever_take_the_day(workspace: jam.Workspace):
    few = jam.Budget(context_tokens=60)
    shown = as_tool(workspace, asked_at=JUNE, budget=few).invoke({"query": RAN})
    assert "reservoir" in shown
    found = as_retriever(workspace, asked_at=SEPTEMBER, budget=few).invoke(RAN)
    assert any("sea wall" in document.page_content for document in found)
    assert not any("reservoir" in document.page_content for document in found)


def jam_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jam", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line_takes_the_day(workspace: jam.Workspace):
    asked = jam_command("ask", workspace.root, RAN, "--asked-at", JUNE, "--context-tokens", 60, "--json")
    assert "reservoir" in json.loads(asked.stdout)["context"]
    searched = jam_command("search", workspace.root, RAN, "--asked-at", "2026-09-20", "-n", 1)
    assert "sea wall" in searched.stdout


@pytest.mark.parametrize("verb", ["ask", "search"])
def test_the_command_line_refuses_what_is_no_time(workspace: jam.Workspace, verb: str):
    refused = jam_command(verb, workspace.root, RAN, "--asked-at", "last Tuesday")
    assert refused.returncode == 2
    assert "asked_at must be a date such as" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_missing_history_is_not_built_for_a_wrong_day(tmp_path: Path):
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary" / "one.md").write_text("A word.", encoding="utf-8")
    place = tmp_path / "one.jam"
    assert jam_command("ask", tmp_path / "diary", "A word?", "--asked-at", "x", "-w", place).returncode == 2
    assert not place.exists()
