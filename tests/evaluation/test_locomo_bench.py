"""The benchmark, on a small invented file of LoCoMo's shape."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.errors import HistoryError
from jam.evaluation.locomo import load_questions
from jam.evaluation.measures import Recall, percentile, recall, share


def turn(session: int, number: int, speaker: str, text: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text}


TALK = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        turn(1, 1, "Ann", "I bought a lavender zeppelin in Rome."),
        turn(1, 2, "Bo", "Nice, mine is green."),
        turn(1, 3, "Ann", "It cost nine hundred euros."),
    ],
    "session_2_date_time": "12:05 pm on 1 March, 2024",
    "session_2": [
        turn(2, 1, "Bo", "My sister plays the cello in Oslo."),
        turn(2, 2, "Ann", "How lovely, does she tour?"),
    ],
}
QUESTIONS = [
    {"question": "Where did Ann buy the zeppelin?", "answer": "Rome", "evidence": ["D1:1"], "category": 4},
    {"question": "What does Bo's sister play?", "answer": "cello", "evidence": ["D2:1; D2:2", "D9:9"], "category": 1},
    {"question": "What did it cost?", "answer": 900, "evidence": ["D1:03", "D"], "category": 2},
    {"question": "What is Bo's shoe size?", "evidence": [], "category": 5},
]
SAMPLE = {"sample_id": "Conv-1", "conversation": TALK, "qa": QUESTIONS}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return path


def test_questions_have_the_gold_that_exists(file: Path):
    questions = load_questions(file)
    assert [question.number for question in questions] == [1, 2, 3, 4]
    assert [question.gold for question in questions] == [("D1:1",), ("D2:1", "D2:2"), (), ()]
    assert [question.broken for question in questions] == [(), ("D9:9",), ("D1:03", "D"), ()]
    assert [question.answer for question in questions] == ["Rome", "cello", "900", None]
    assert {question.conversation for question in questions} == {"Conv-1"}


def test_one_conversation_alone_can_be_loaded(tmp_path: Path):
    (tmp_path / "one.json").write_text(json.dumps(SAMPLE), encoding="utf-8")
    assert len(load_questions(tmp_path / "one.json")) == 4


@pytest.mark.parametrize("text", ["", "[]", "[1]", '{"conversation": {}}', "not JSON"])
def test_another_file_is_refused(tmp_path: Path, text: str):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(HistoryError, match=r"x\.json"):
        load_questions(tmp_path / "x.json")


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(HistoryError):
        load_questions(tmp_path / "absent.json")


def test_the_share_of_the_gold_that_was_found():
    assert share(("a", "b", "c", "d"), {"a", "c", "x"}) == 0.5


def test_recall_is_a_mean_and_a_count_of_the_complete():
    assert recall([1.0, 0.5, 0.0, 1.0]) == Recall(mean=0.625, all=0.5, questions=4)
    assert math.isnan(recall([]).mean)


def test_percentiles():
    assert percentile([1.0, 2.0, 3.0], 50) == 2.0
    assert math.isnan(percentile([], 95))


def test_the_benchmark_saves_what_it_measured(file: Path, tmp_path: Path):
    out = tmp_path / "out"
    arguments = ["bench", "locomo", str(file), "--budget", "60", "--budget", "500", "--out", str(out), "--contexts"]
    result = CliRunner().invoke(cli, [*arguments, "--json", "-q"], catch_exceptions=False)
    assert result.exit_code == 0
    data = json.loads(result.output)
    rows = [json.loads(line) for line in (out / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["strategy"], row["number"]) for row in rows] == [
        (name, number) for name in ("search", "research") for number in (1, 2, 3, 4)
    ]
    assert [[answer["tokens"] for answer in row["answers"]] for row in rows] == [[60, 500]] * 8
    assert all(answer["context_tokens"] <= answer["tokens"] for row in rows for answer in row["answers"])
    assert all(answer["verified"] for row in rows for answer in row["answers"])
    settings = json.loads((out / "settings.json").read_text(encoding="utf-8"))
    assert (settings["data"], settings["budgets"], settings["strategies"]) == (
        "small.json",
        [60, 500],
        ["search", "research"],
    )
    assert settings["build"]["sessions"] == 2
    table = (out / "table.md").read_text(encoding="utf-8")
    assert "## search" in table
    assert "all@500" in table
    search = data["strategies"]["search"]
    assert search["recall"]["all"]["500"] == pytest.approx(
        {"mean": 1.0, "all": 1.0, "questions": 2, "context_tokens": search["recall"]["all"]["500"]["context_tokens"]}
    )
    assert (search["questions"], search["without_gold"], search["verified"]) == (4, 1, "8/8")
    contexts = (out / "contexts.jsonl").read_text(encoding="utf-8").splitlines()
    assert [jam.MemoryContext.from_dict(json.loads(line)).query for line in contexts[:2]] == [
        QUESTIONS[0]["question"]
    ] * 2


def test_a_limit_asks_the_first_questions_only(file: Path):
    arguments = ["bench", "locomo", str(file), "--limit", "1", "--budget", "100", "--strategy", "search", "--json"]
    result = CliRunner().invoke(cli, [*arguments, "-q"], catch_exceptions=False)
    assert json.loads(result.stdout)["strategies"]["search"]["questions"] == 1
