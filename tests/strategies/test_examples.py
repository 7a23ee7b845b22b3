"""The questions of the example history, by every strategy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jam
from jam.echo import CLOSE, OPEN, unframed
from jam.index.embedder import count_tokens
from tests.histories import BLOOD, PORT, STRATEGIES, example_questions, lasting

QUESTIONS = {item["id"]: item for item in example_questions()}
OPEN_VERDICTS = {
    "updated-port": {"sufficient", "conflicting"},
    "partial-talk": {"partial", "absent", "sufficient"},
    "absent-dog": {"absent", "partial"},
    "english-on-german-shed": {"sufficient", "partial"},
    "two-sessions-cost": {"sufficient", "partial"},
}
"""Where the notes beside the question allow more than one verdict, or the judge without a model can't know better."""
Contexts = dict[tuple[str, str], jam.MemoryContext]


@pytest.fixture(scope="module")
def workspace(built_examples: Path) -> jam.Workspace:
    return jam.Workspace.open(built_examples)


@pytest.fixture(scope="module")
def contexts(workspace: jam.Workspace) -> Contexts:
    return {
        (name, strategy): jam.recall(workspace, item["question"], strategy=strategy, save=False)
        for name, item in QUESTIONS.items()
        for strategy in STRATEGIES
    }


every = pytest.mark.parametrize("strategy", STRATEGIES)
every_question = pytest.mark.parametrize("name", QUESTIONS)


@every
@every_question
def test_the_gold_is_in_the_evidence(contexts: Contexts, name: str, strategy: str):
    texts = [item.text for item in contexts[name, strategy].evidence]
    for gold in QUESTIONS[name]["gold"]:
        assert any(gold["contains"] in text for text in texts), gold["contains"]


@every
@every_question
def test_the_gold_comes_from_its_file(contexts: Contexts, workspace: jam.Workspace, name: str, strategy: str):
    for gold in QUESTIONS[name]["gold"]:
        paths = [item.path for item in contexts[name, strategy].evidence if gold["contains"] in item.text]
        assert gold["file"] in {workspace.read_raw(path).session.origin for path in paths}


@every
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_verdict_is_right(contexts: Contexts, name: str, strategy: str):
    verdict = QUESTIONS[name]["verdict"]
    assert contexts[name, strategy].verdict in OPEN_VERDICTS.get(name, {verdict})


@every
@every_question
def test_every_quote_holds(contexts: Contexts, workspace: jam.Workspace, name: str, strategy: str):
    assert jam.verify_context(workspace, contexts[name, strategy]) == []


@every
@every_question
def test_the_length_is_counted_exactly(contexts: Contexts, name: str, strategy: str):
    context = contexts[name, strategy]
    assert context.usage.context_tokens == count_tokens(context.context) <= 2000


@every
@every_question
def test_the_numbers_in_the_context_are_those_of_the_sources(contexts: Contexts, name: str, strategy: str):
    context = contexts[name, strategy]
    heads = re.findall(r"(?:^|\n\n)\[(\d+)\] \d?\d ", unframed(context.context))
    dated = [path for path in context.sources if "undated" not in path]
    assert [context.sources[int(number) - 1] for number in heads] == dated
    assert list(context.sources) == list(dict.fromkeys(item.path for item in context.evidence))


@every
@every_question
def test_evidence_is_in_the_order_of_time_and_each_message_once(contexts: Contexts, name: str, strategy: str):
    evidence = contexts[name, strategy].evidence
    order = list(contexts[name, strategy].sources)
    places = [(order.index(item.path), item.message) for item in evidence]
    assert places == sorted(set(places))


@every
@every_question
def test_the_context_says_the_evidence_and_nothing_else(contexts: Contexts, name: str, strategy: str):
    context = contexts[name, strategy]
    rest = unframed(context.context)
    assert context.context == (f"{OPEN}\n{rest}\n{CLOSE}" if rest else "")
    for item in context.evidence:
        name = item.speaker or item.role
        line = f"{name}: {item.text}" if item.rewritten is None else f"{name} (edited): {item.rewritten}"
        before, found, rest = rest.partition(line)
        assert found, line
        assert re.fullmatch(r"\s*(?:…\s*)?(?:\[\d+\](?: \d?\d \w{3} \d{4})?\s*)?", before), before
    assert rest == ""


@every
@pytest.mark.parametrize("question", [BLOOD])
def test_what_is_not_there_is_absent(workspace: jam.Workspace, strategy: str, question: str):
    context = jam.recall(workspace, question, strategy=strategy, save=False)
    assert (context.verdict, context.evidence, context.sources, context.context) == ("absent", (), (), "")
    assert question in context.searched
    assert "blood" in context.missing
    assert context.usage.context_tokens == 0


@every
def test_both_sides_of_a_conflict_come_in_the_order_of_time(contexts: Contexts, strategy: str):
    context = contexts["contradiction-berths", strategy]
    assert context.context.index("is 42 boats") < context.context.index("is 48 boats")
    assert "42" in context.notes
    assert "48" in context.notes


@every
def test_the_same_question_gets_the_same_context(workspace: jam.Workspace, built_examples: Path, strategy: str):
    again = jam.recall(jam.Workspace.open(built_examples), PORT, strategy=strategy, save=False)
    assert lasting(again) == lasting(jam.recall(workspace, PORT, strategy=strategy, save=False))


@every
def test_a_scope_confines_the_evidence(workspace: jam.Workspace, strategy: str):
    context = jam.recall(workspace, PORT, strategy=strategy, scope="harbor", save=False)
    assert context.evidence
    assert {path.partition("/")[0] for path in context.sources} == {"harbor"}


@every
def test_days_confine_the_evidence(workspace: jam.Workspace, strategy: str):
    context = jam.recall(workspace, PORT, strategy=strategy, since="2026-06-01", until="2026-08-31", save=False)
    days = {item.at[:10] for item in context.evidence if item.at}
    assert days
    assert "2026-06-01" <= min(days) <= max(days) <= "2026-08-31"


def test_search_takes_one_call_and_research_goes_in_rounds(contexts: Contexts):
    assert contexts["updated-port", "search"].usage.tool_calls == 1
    assert contexts["updated-port", "research"].usage.rounds >= 2
    assert contexts["updated-port", "research"].usage.model_calls == 0
