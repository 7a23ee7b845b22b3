"""The benchmark of retrieval, on a small invented file of LoCoMo's shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.errors import HistoryError
from jam.evaluation.benchmarks.locomo import load_locomo
from jam.evaluation.benchmarks.question import sample


def turn(session: int, number: int, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text, **more}


ANN = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        turn(1, 1, "Ann", "I bought a lavender zeppelin in Rome."),
        turn(1, 2, "Bo", ""),
        turn(1, 3, "Ann", "It cost nine hundred euros."),
    ],
    "session_2_date_time": "12:05 pm on 1 March, 2024",
    "session_2": [
        turn(2, 1, "Bo", "My sister plays the cello in Oslo."),
        turn(2, 2, "Ann", "", blip_caption="a concert hall in the snow"),
    ],
}
CLEO = {
    "speaker_a": "Cleo",
    "speaker_b": "Dan",
    "session_1_date_time": "9:00 am on 2 June, 2023",
    "session_1": [turn(1, 1, "Cleo", "Our vineyard lost half its grapes to hail.")],
}
QUESTIONS = [
    {"question": "Where did Ann buy the zeppelin?", "answer": "Rome", "evidence": ["D1:1"], "category": 4},
    {"question": "What does Bo's sister play?", "answer": "cello", "evidence": ["D2:1; D2:2", "D9:9"], "category": 1},
    {"question": "What did it cost?", "answer": 900, "evidence": ["D1:03", "D", "D1:2"], "category": 2},
    {"question": "What is Bo's shoe size?", "evidence": [], "category": 5},
]
HAIL = {"question": "What did hail do to the vineyard?", "answer": "it halved the harvest", "evidence": ["D1:1"]}
SAMPLES = [
    {"sample_id": "Conv-1", "conversation": ANN, "qa": QUESTIONS},
    {"sample_id": "Conv-2", "conversation": CLEO, "qa": [{**HAIL, "category": 3}]},
]


EVERYTHING = ["--strategy", "search", "--strategy", "research", "--budget", "60", "--budget", "500", "--ablations"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SAMPLES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The figures of a run with everything, and where it was saved."""
    folder = tmp_path_factory.mktemp("locomo")
    (folder / "small.json").write_text(json.dumps(SAMPLES), encoding="utf-8")
    return bench(
        "locomo", str(folder / "small.json"), *EVERYTHING, "--out", str(folder / "out"), "--contexts"
    ), folder / "out"


def bench(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["bench", *arguments, "--json", "-q"], catch_exceptions=False)
    assert result.exit_code == 0
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def predictions(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]


def test_questions_have_the_gold_that_exists(file: Path):
    questions = load_locomo(file).questions
    assert [(question.conversation, question.number) for question in questions] == [
        *(("Conv-1", number) for number in (1, 2, 3, 4)),
        ("Conv-2", 1),
    ]
    assert [question.gold for question in questions] == [
        ("Conv-1/session_1#1",),
        ("Conv-1/session_2#1", "Conv-1/session_2#2"),
        (),
        (),
        ("Conv-2/session_1#1",),
    ]
    assert [question.broken for question in questions] == [(), ("D9:9",), ("D1:03", "D", "D1:2"), (), ()]
    assert [question.answer for question in questions][:4] == ["Rome", "cello", "900", None]
    assert [question.answerable for question in questions] == [True, True, True, False, True]
    assert [question.category for question in questions][:2] == ["single-hop", "multi-hop"]


def test_an_empty_turn_is_no_message_and_moves_the_others(file: Path):
    sample = {**SAMPLES[0], "qa": [{"question": "How much?", "evidence": ["D1:3"], "category": 4}]}
    file.write_text(json.dumps(sample), encoding="utf-8")
    assert load_locomo(file).questions[0].gold == ("Conv-1/session_1#2",)


@pytest.mark.parametrize("text", ["", "[]", "[1]", '{"conversation": {}}', "not JSON"])
def test_another_file_is_refused(tmp_path: Path, text: str):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(HistoryError, match=r"x\.json"):
        load_locomo(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("question", "wrong"),
    [({**QUESTIONS[0], "category": 9}, "category"), ({"category": 1}, "'question'"), ("Where?", "an object")],
)
def test_a_broken_question_is_named_by_its_place(file: Path, question: object, wrong: str):
    file.write_text(json.dumps([SAMPLES[1], {**SAMPLES[0], "qa": [QUESTIONS[0], question]}]), encoding="utf-8")
    with pytest.raises(HistoryError, match=rf"small\.json, record 2: question 2.*{wrong}"):
        load_locomo(file)


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(HistoryError):
        load_locomo(tmp_path / "absent.json")


def test_every_prediction_is_saved_with_the_settings(measured: tuple[dict[str, Any], Path]):
    data, out = measured
    rows = predictions(out)
    settings = json.loads((out / "settings.json").read_text(encoding="utf-8"))
    methods = [*settings["strategies"], *settings["ablations"], *settings["baselines"]]
    asked = [("Conv-1", 1), ("Conv-1", 2), ("Conv-1", 3), ("Conv-1", 4), ("Conv-2", 1)]
    assert [(row["conversation"], row["number"], row["method"]) for row in rows] == [
        (*place, method) for place in asked for method in methods
    ]
    strategies = [row for row in rows if row["method"] in ("search", "research")]
    answers = [answer for row in strategies for answer in row["answers"]]
    assert [answer["budget"] for answer in answers] == [60, 500] * 10
    assert all(answer["context_tokens"] <= answer["budget"] and answer["verified"] for answer in answers)
    assert (settings["data"], settings["budgets"], settings["build"]["sessions"]) == ("small.json", [60, 500], 3)
    assert data["settings"]["weights"] == settings["weights"]
    assert all(answer["text"].startswith("[jam memory") or answer["verdict"] == "absent" for answer in answers)
    assert (out / "tradeoff.svg").read_text(encoding="utf-8").count("research @500") == 2
    contexts = (out / "contexts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(contexts) == 5 * 2 * 7
    assert jam.MemoryContext.from_dict(json.loads(contexts[0])).query == QUESTIONS[0]["question"]


def test_recall_is_over_the_questions_with_gold(measured: tuple[dict[str, Any], Path]):
    search = measured[0]["strategies"]["search"]
    assert measured[0]["questions"] == {
        "asked": 5,
        "answerable": 4,
        "with_gold": 3,
        "with_gold_sessions": 3,
        "with_broken_gold": 2,
    }
    assert {group: row["500"]["questions"] for group, row in search["recall"].items()} == {
        "all": 3,
        "multi-hop": 1,
        "open-domain": 1,
        "single-hop": 1,
    }
    assert (search["recall"]["all"]["500"]["all"], search["recall"]["all"]["500"]["mean"]) == (1.0, 1.0)
    assert (search["verified"], search["contexts"]) == (10, 10)
    ranking = measured[0]["rankings"]["the whole ranking"]
    assert ranking["near_all"] == ranking["all@5"] == ranking["any@10"] == 1.0


def test_the_oracle_is_the_gold_and_the_full_history_is_everything(measured: tuple[dict[str, Any], Path]):
    baselines = measured[0]["baselines"]
    for name in ("oracle", "full history"):
        assert (baselines[name]["all"], baselines[name]["mean"]) == (1.0, 1.0)
    assert 0 < baselines["oracle"]["context_tokens"] < baselines["full history"]["context_tokens"]
    # Fewer messages than are asked for: a store gives all that it has.
    assert baselines["plain RAG top-50"]["context_tokens"] == baselines["full history"]["context_tokens"]
    assert baselines["bm25 top-20"]["all"] == 1.0
    # Whole sessions: more than the gold, and of conversations of one session everything.
    assert baselines["oracle sessions"]["all"] == baselines["top-30 sessions, distilled"]["all"] == 1.0
    assert (
        baselines["oracle"]["context_tokens"]
        <= baselines["oracle sessions"]["context_tokens"]
        <= baselines["full history"]["context_tokens"]
    )


def test_an_ablation_ranks_by_the_rest(measured: tuple[dict[str, Any], Path]):
    ablations = measured[0]["ablations"]
    names = ["BM25", "dense", "hierarchy", "dates", "neighbours"]
    assert list(ablations) == [f"search without {name}" for name in names]
    assert list(measured[0]["rankings"])[1:] == list(ablations)
    assert all(row["recall"]["all"]["500"]["questions"] == 3 for row in ablations.values())


def test_each_question_is_also_asked_of_the_next_conversation(measured: tuple[dict[str, Any], Path]):
    data, out = measured
    absent = data["strategies"]["search"]["absent"]
    assert (absent["answerable"], absent["unanswerable"]["true"], absent["elsewhere"]["true"]) == (4, 1, 5)
    told = [row for row in predictions(out) if row["method"] == "search" and row["elsewhere"] == "absent"]
    assert absent["elsewhere"]["recall"] == len(told) / 5 > 0
    assert {row["elsewhere"] for row in predictions(out) if row["method"] not in ("search", "research")} == {None}


def test_the_same_settings_give_the_same_table(measured: tuple[dict[str, Any], Path], file: Path, tmp_path: Path):
    data, out = measured
    again = bench("locomo", str(file), *EVERYTHING, "--out", str(tmp_path / "again"))
    assert again["settings"] == data["settings"]
    table = (tmp_path / "again" / "table.md").read_bytes()
    assert table == (out / "table.md").read_bytes()
    assert b"| search without dense | 3 |" in table


def test_a_limit_spreads_over_each_conversation(file: Path):
    questions = load_locomo(file).questions
    chosen = [(question.conversation, question.number) for question in sample(questions, 2)]
    assert chosen == [("Conv-1", 1), ("Conv-1", 3), ("Conv-2", 1)]
    assert sample(questions, 9) == sample(questions, None) == list(questions)


def test_only_so_many_questions_are_asked(file: Path):
    data = bench("locomo", str(file), "--limit", "1", "--budget", "100", "--strategy", "search")
    assert data["questions"]["asked"] == 2
    assert list(data["strategies"]) == ["search"]
    assert data["ablations"] == {}


def test_the_table_has_times_apart(file: Path):
    arguments = ["bench", "locomo", str(file), "--limit", "1", "--budget", "1000", "--strategy", "search", "-q"]
    printed = CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout
    assert printed.startswith("# locomo: small.json\n")
    assert "|  | n | @1,000 |" in printed
    assert "| search | 2, 0 | 2 (synthetic: asked of another conversation) |" in printed
    assert "- search, a context: p50 " in printed


def test_an_unknown_strategy_is_refused_before_anything_is_built(file: Path, tmp_path: Path):
    arguments = ["bench", "locomo", str(file), "--strategy", "guess", "-w", str(tmp_path / "w.jam")]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2 or isinstance(result.exception, jam.JamError)
    assert not (tmp_path / "w.jam").exists()
