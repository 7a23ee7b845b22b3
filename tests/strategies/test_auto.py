"""The cheapest that suffices: when it goes on, what it says of that, and what it may spend."""

from __future__ import annotations

from pathlib import Path

import pytest

import jam
from jam.replay import replay
from jam.runs.reading import find_run, read_run
from tests.histories import BLOOD, PORT, example_questions, lasting, small_workspace


@pytest.fixture(scope="module")
def workspace(built_examples: Path) -> jam.Workspace:
    return jam.Workspace.open(built_examples)


def ask(workspace: jam.Workspace, question: str, strategy: str = "auto", **budget: object) -> jam.MemoryContext:
    return jam.recall(workspace, question, strategy=strategy, budget=jam.Budget(**budget), save=False)


def steps(context: jam.MemoryContext) -> list[str]:
    """The steps that the notes tell of, in order."""
    told = context.notes.partition(".")[0]
    return [step.split(":")[0].strip() for step in told.split(";")]


def test_where_a_search_suffices_nothing_more_is_done(workspace: jam.Workspace):
    context, search = ask(workspace, PORT), ask(workspace, PORT, "search")
    assert (context.strategy, steps(context)) == ("auto", ["search"])
    assert context.context == search.context
    assert context.usage.tool_calls == search.usage.tool_calls == 1


def test_where_something_is_missing_it_goes_on_and_says_so(workspace: jam.Workspace):
    partial = [
        item["question"]
        for item in example_questions()
        if ask(workspace, item["question"], "search").verdict == "partial"
    ]
    assert partial
    for question in partial:
        context = ask(workspace, question)
        assert steps(context) == ["search", "research"]
        assert "search: partial (nothing on " in context.notes
        assert context.usage.tool_calls >= 2
        assert jam.verify_context(workspace, context) == []


def test_where_a_question_lies_apart_leads_are_followed(tmp_path: Path):
    place = small_workspace(
        tmp_path,
        garden=["Our old ferryman Tobias Renko planted seven quince trees behind the sluice.", "Nice."],
        birth=["Tobias Renko was born in Kallisto, in the house with the copper roof.", "I see."],
        roof=["The roof of the boathouse leaks, the carpenter comes on Tuesday.", "At last."],
        soup=["Put more pepper into the soup next time.", "I will."],
    )
    asked = "In which house with a copper roof was the ferryman with the quince trees and the pepper soup born?"
    context = ask(place, asked)
    assert steps(context) == ["search", "research"]
    assert "in no one place" in context.notes
    assert "Kallisto" in context.render()


def test_what_is_not_there_costs_one_search(workspace: jam.Workspace):
    context = ask(workspace, BLOOD)
    assert (context.verdict, context.evidence) == ("absent", ())
    assert steps(context) == ["search"]


def test_time_that_is_over_ends_it(workspace: jam.Workspace):
    question = next(
        item["question"]
        for item in example_questions()
        if ask(workspace, item["question"], "search").verdict == "partial"
    )
    context = ask(workspace, question, seconds=1e-6)
    assert steps(context) == ["search"]
    assert "The budget allowed no research after that." in context.notes
    assert context.verdict != "absent"


def test_a_saved_run_tells_its_steps_and_can_be_replayed(example_workspace: Path):
    workspace = jam.Workspace.open(example_workspace)
    context = jam.recall(workspace, PORT, strategy="auto")
    run = read_run(find_run("last", workspace))
    assert run.run_id == context.run_id
    assert run.context == context
    kept = [read_run(find_run(step, workspace)) for step in run.steps]
    assert [step.head["strategy"] for step in kept] == ["search"]
    assert replay(workspace, run).same


def test_it_is_the_same_every_time(workspace: jam.Workspace):
    for item in example_questions()[::4]:
        assert lasting(ask(workspace, item["question"])) == lasting(ask(workspace, item["question"]))
