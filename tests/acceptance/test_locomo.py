"""The main job on a real benchmark file; skipped where the file is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.evaluation.benchmarks.locomo import load_locomo
from jam.evaluation.benchmarks.places import Places
from jam.evaluation.benchmarks.question import share
from jam.evaluation.report.measures import recall as recall_of
from jam.memorizer.progress import Silent
from tests.conftest import benchmark_file

SUPPORT_GROUP = "When did Caroline go to the LGBTQ support group?"


@pytest.fixture(scope="module")
def conversations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of the conversations, in a file of their own."""
    rows = json.loads(benchmark_file("locomo8.json").read_text(encoding="utf-8"))[:2]
    path = tmp_path_factory.mktemp("locomo") / "locomo2.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def workspace(conversations: Path, tmp_path_factory: pytest.TempPathFactory) -> jam.Workspace:
    return jam.build(conversations, tmp_path_factory.mktemp("built") / "locomo.jam", progress=Silent())


def test_a_question_of_a_history_gets_the_gold_message_with_its_date(
    conversations: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["ask", str(conversations), SUPPORT_GROUP, "--json", "-q"])
    assert result.exit_code == 0
    gold = [item for item in json.loads(result.stdout)["evidence"] if item["id"] == "D1:3"]
    assert [(item["speaker"], item["at"], item["message"]) for item in gold] == [("Caroline", "2023-05-08T13:56:00", 3)]
    assert "yesterday" in gold[0]["text"]
    assert gold[0]["path"].startswith("conv-26/")


def test_conversations_are_kept_apart(workspace: jam.Workspace):
    for entry in workspace.entries():
        assert entry.path.split("/")[0] == entry.session_id.split("/")[0].lower()
    context = jam.recall(workspace, SUPPORT_GROUP, scope="conv-30")
    assert all(path.startswith("conv-30/") for path in context.sources)


@pytest.mark.parametrize(
    ("strategy", "tokens", "least"), [("search", 500, 0.68), ("search", 2000, 0.81), ("research", 2000, 0.81)]
)
def test_the_gold_is_in_the_context(
    workspace: jam.Workspace, conversations: Path, strategy: str, tokens: int, least: float
):
    questions = [q for q in load_locomo(conversations).questions if q.answerable and q.gold][::3]
    places = Places(workspace)
    shares = []
    for question in questions:
        budget = jam.Budget(context_tokens=tokens)
        context = jam.recall(
            workspace, question.text, strategy=strategy, scope=question.conversation, budget=budget, save=False
        )
        assert jam.verify_context(workspace, context) == []
        assert context.usage.context_tokens <= tokens
        found = {places.name(item.path, item.message) for item in context.evidence}
        shares.append(share(question.gold, found) or 0.0)
    assert recall_of(shares).all >= least
