"""The benchmark of retrieval, on small invented files of the shapes of HotpotQA and MuSiQue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from jam.cli.main import cli
from jam.errors import HistoryError
from jam.evaluation.benchmarks.hotpotqa import load_hotpotqa
from jam.evaluation.benchmarks.question import sample

TOVE = ["Tove Alm", ["Tove Alm is a glass blower.", " She was born in Lund."]]
LUND = ["Lund", ["Lund is a town in Scania."]]
REEF = ["Reef", ["A reef lies below the surface of the sea."]]
HOTPOT: list[dict[str, Any]] = [
    {
        "_id": "h1",
        "question": "In which region was the glass blower Tove Alm born?",
        "answer": "Scania",
        "type": "bridge",
        "supporting_facts": [["Tove Alm", 1], ["Lund", 0], ["Nowhere", 0]],
        "context": [REEF, TOVE, LUND],
    },
    {
        "_id": "h2",
        "question": "What lies below the surface of the sea?",
        "answer": "a reef",
        "type": "comparison",
        "supporting_facts": {"title": ["Reef"], "sent_id": [0]},
        "context": {"title": ["Reef", "Empty"], "sentences": [REEF[1], []]},
    },
]
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1",
    "question": "Who leads the town where the tin museum is?",
    "question_decomposition": [{"id": 1}, {"id": 2}],
    "answerable": False,
    "answer_aliases": ["Mayor Holm"],
    "paragraphs": [
        {"idx": 0, "title": "Tin museum", "paragraph_text": "The tin museum is in Oldby.", "is_supporting": True},
        {"idx": 1, "title": "Oldby", "paragraph_text": "Oldby has a harbour.", "is_supporting": False},
    ],
}
FURTHER = [
    {"title": "Reef", "text": "A reef lies below the surface of the sea."},
    *({"title": f"Hill {number}", "text": f"Hill number {number} is bare."} for number in range(5)),
]


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "hops.json", HOTPOT)


@pytest.fixture
def further(tmp_path: Path) -> Path:
    return write(tmp_path / "further.json", FURTHER)


def texts_of(benchmark: Any, place: int) -> list[str]:
    known = {paragraph.id: paragraph.text for paragraph in benchmark.paragraphs}
    return [known[session] for session in benchmark.questions[place].gold_sessions]


def test_the_supporting_paragraphs_are_gold_and_the_pool_has_each_once(file: Path):
    benchmark = load_hotpotqa(file)
    assert sorted(paragraph.title for paragraph in benchmark.paragraphs) == ["Lund", "Reef", "Tove Alm"]
    assert texts_of(benchmark, 0) == ["Tove Alm is a glass blower. She was born in Lund.", "Lund is a town in Scania."]
    assert texts_of(benchmark, 1) == ["A reef lies below the surface of the sea."]
    assert [question.broken for question in benchmark.questions] == [("Nowhere",), ()]
    assert [question.category for question in benchmark.questions] == ["bridge", "comparison"]


def test_musique_marks_its_paragraphs(tmp_path: Path):
    benchmark = load_hotpotqa(write(tmp_path / "m.json", [MUSIQUE]))
    assert texts_of(benchmark, 0) == ["The tin museum is in Oldby."]
    question = benchmark.questions[0]
    assert (question.answerable, question.category, question.conversation) == (False, "2 hops", "")
    assert question.aliases == ("Mayor Holm",)


def test_a_limit_spreads_over_the_file(file: Path):
    write(file, [{**HOTPOT[0], "question": f"Why {number}?"} for number in range(6)])
    assert [question.number for question in sample(load_hotpotqa(file).questions, 3)] == [1, 3, 5]


def test_a_pool_is_filled_up_to_a_size(file: Path, further: Path):
    benchmark = load_hotpotqa(file, further, 5)
    assert [paragraph.title for paragraph in benchmark.paragraphs][3:] == ["Hill 0", "Hill 1"]
    assert len(load_hotpotqa(file, further).paragraphs) == 8
    assert benchmark.settings["paragraphs"] == 5


@pytest.mark.parametrize("size", [2, 9])
def test_a_pool_of_another_size_is_refused(file: Path, further: Path, size: int):
    with pytest.raises(HistoryError, match=f"{size} paragraphs can't be had"):
        load_hotpotqa(file, further, size)


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        ({"question": "Why?"}, "record 3: no paragraphs"),
        ({"question": "Why?", "context": [["Lund"]]}, "record 3: paragraph 1 must have"),
        ({"question": "", "context": [LUND]}, "record 3: 'question' must be a text"),
        ({"context": [LUND]}, "record 3: .*`question`"),
    ],
)
def test_a_broken_record_is_named_by_its_place(file: Path, record: dict[str, Any], wrong: str):
    write(file, [*HOTPOT, record])
    with pytest.raises(HistoryError, match=rf"hops\.json, {wrong}"):
        load_hotpotqa(file)


def test_a_broken_pool_is_named_by_its_place(file: Path, tmp_path: Path):
    pool = write(tmp_path / "bad.json", [{"title": "Lund", "text": 7}])
    with pytest.raises(HistoryError, match=r"bad\.json, record 1"):
        load_hotpotqa(file, pool)


def test_every_question_is_asked_of_the_whole_pool(file: Path, further: Path):
    arguments = ["bench", "hotpotqa", str(file), "--pool", str(further), "--budget", "500", "--strategy", "search"]
    result = CliRunner().invoke(cli, [*arguments, "--paragraphs", "6", "--json", "-q"], catch_exceptions=False)
    data = json.loads(result.stdout)
    assert data["build"]["sessions"] == data["settings"]["paragraphs"] == 6
    search = data["strategies"]["search"]
    assert search["recall"]["all"]["500"]["questions"] == 2
    assert search["recall"]["bridge"]["500"]["mean"] >= 0.5
    assert data["baselines"]["full history"]["all"] == 1.0
    # One pool: there is no other conversation to ask, and nothing that can't be answered.
    assert search["absent"]["elsewhere"]["true"] == search["absent"]["unanswerable"]["true"] == 0
    assert search["absent"]["unanswerable"]["recall"] is None


def test_a_size_without_a_pool_is_used_wrongly(file: Path):
    result = CliRunner().invoke(cli, ["bench", "hotpotqa", str(file), "--paragraphs", "6"])
    assert result.exit_code == 2
    assert "--pool" in result.output
