"""The benchmark of retrieval, on a small invented file of LongMemEval's shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.errors import HistoryError
from jam.evaluation.benchmarks.longmemeval import load_longmemeval
from jam.evaluation.benchmarks.places import Places
from jam.evaluation.running.run import Plan, run_benchmark
from jam.memorizer.progress import Silent


def said(role: str, content: object, gold: bool | None = None) -> dict[str, Any]:
    return {"role": role, "content": content} | ({} if gold is None else {"has_answer": gold})


KAYAK = [said("user", "  "), said("user", "My kayak is called Heron.", True), said("assistant", "A fine name.", False)]
BREAD = [said("user", "How long does rye bread take?"), said("assistant", "About an hour.")]
CHESS = [said("user", "I joined the chess club on Tuesday."), said("assistant", 64, True)]
HERON: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "What is my kayak called?",
    "answer": "Heron",
    "answer_session_ids": ["s2", "lost"],
    "haystack_dates": ["2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 10:00", "2023/05/02 (Tue) 10:00", "2023/05/03"],
    "haystack_session_ids": ["s1", "s2", "s2", "s3"],
    "haystack_sessions": [BREAD, KAYAK, KAYAK, []],
}
CLUB: dict[str, Any] = {
    "question_id": "q2_abs",
    "question_type": "multi-session",
    "question": "When did I join the fencing club?",
    "answer": "never",
    "answer_session_ids": ["s1"],
    "haystack_dates": ["2023/06/01 (Thu) 09:00"],
    "haystack_session_ids": ["s1"],
    "haystack_sessions": [CHESS],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hay.json"
    path.write_text(json.dumps([HERON, CLUB]), encoding="utf-8")
    return path


def test_gold_turns_and_sessions(file: Path):
    heron, club = load_longmemeval(file).questions
    assert (heron.gold, heron.gold_sessions, heron.broken) == (("q1/s2#1",), ("q1/s2",), ("lost",))
    assert (heron.answerable, heron.category, heron.answer) == (True, "single-session-user", "Heron")
    assert (club.gold, club.gold_sessions, club.answerable) == (("q2_abs/s1#2",), ("q2_abs/s1",), False)


@pytest.mark.parametrize(
    ("date", "asked_at"), [("2023/05/30 (Tue) 23:40", "2023-05-30T23:40"), (None, None), ("some day", None)]
)
def test_the_date_of_a_question(tmp_path: Path, date: str | None, asked_at: str | None):
    (tmp_path / "dated.json").write_text(json.dumps([{**HERON, "question_date": date}]), encoding="utf-8")
    assert load_longmemeval(tmp_path / "dated.json").questions[0].asked_at == asked_at


@pytest.mark.parametrize(("date", "session"), [("2023/03/15 (Wed) 09:00", "s1"), ("2023/05/16 (Tue) 09:00", "s2")])
def test_a_question_counts_from_its_own_date(tmp_path: Path, date: str, session: str):
    dates = ["2023/03/01 (Wed) 10:00", *HERON["haystack_dates"][1:]]
    asked = {**HERON, "question": "What did we talk about two weeks ago?", "haystack_dates": dates}
    (tmp_path / "dated.json").write_text(json.dumps([{**asked, "question_date": date}]), encoding="utf-8")
    plan = Plan(strategies=("search",), budgets=(500,))
    run = run_benchmark(load_longmemeval(tmp_path / "dated.json"), plan, tmp_path, None, Silent(), None)
    ranked = run.predictions[0].outcome.ranked
    assert ranked is not None
    assert ranked.sessions[0] == f"q1/{session}"


def test_gold_names_are_those_of_the_built_messages(file: Path, tmp_path: Path):
    workspace = jam.build(file, tmp_path / "w.jam")
    places = Places(workspace)
    texts = {
        places.name(path, number): message.text
        for path in places.paths("")
        for number, message in enumerate(workspace.read_raw(path).session.messages, 1)
    }
    heron, club = load_longmemeval(file).questions
    assert [texts[name] for name in (*heron.gold, *club.gold)] == ["My kayak is called Heron.", "64"]
    assert sorted(places.paths("q1")) == sorted(path for path in places.paths("") if path.startswith("q1/"))
    assert (places.scope("q1"), places.scope("")) == ("q1", "")
    assert places.around("q1/s2#1", 2) == ["q1/s2#1", "q1/s2#2"]
    assert [places.has(f"q1/s2#{number}") for number in (0, 1, 2, 3)] == [False, True, True, False]
    with pytest.raises(HistoryError, match="q9"):
        places.scope("q9")


def test_lines_of_json_are_read_too(file: Path):
    file.write_text(f"{json.dumps(HERON)}\n\n{json.dumps(CLUB)}\n", encoding="utf-8")
    assert [question.conversation for question in load_longmemeval(file).questions] == ["q1", "q2_abs"]


@pytest.mark.parametrize(
    ("record", "wrong"),
    [
        ({**CLUB, "question": 7}, "record 2: 'question' must be a text, not 7"),
        ({**CLUB, "answer_session_ids": "s1"}, "record 2: 'answer_session_ids' must be a list"),
        ({"question": "Who?"}, "record 2: .*`haystack_sessions`"),
    ],
)
def test_a_broken_record_is_named_by_its_place(file: Path, record: dict[str, Any], wrong: str):
    file.write_text(json.dumps([HERON, record]), encoding="utf-8")
    with pytest.raises(HistoryError, match=rf"hay\.json, {wrong}"):
        load_longmemeval(file)


def test_a_broken_line_is_named_by_its_place(file: Path):
    file.write_text(f"{json.dumps(HERON)}\n{{oops}}\n", encoding="utf-8")
    with pytest.raises(HistoryError, match=r"hay\.json, line 2: not JSON"):
        load_longmemeval(file)


def test_each_question_is_asked_of_its_own_haystack(file: Path, tmp_path: Path):
    arguments = ["bench", "longmemeval", str(file), "--budget", "300", "--strategy", "search", "-q"]
    result = CliRunner().invoke(cli, [*arguments, "--json", "--out", str(tmp_path / "out")], catch_exceptions=False)
    data = json.loads(result.stdout)
    assert data["questions"]["asked"] == 2
    search = data["strategies"]["search"]
    ranking = data["rankings"]["the whole ranking"]
    assert search["recall"]["all"]["300"]["questions"] == ranking["session_questions"] == 1
    assert search["recall"]["all"]["300"]["all"] == ranking["any@5"] == ranking["all@10"] == 1.0
    assert (search["absent"]["answerable"], search["absent"]["unanswerable"]["true"]) == (1, 1)
    assert sorted(row["any@5"] for row in data["published"].values()) == [0.862, 0.952]
    lines = (tmp_path / "out" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert set(first["ranked"]["sessions"]) == {"q1/s1", "q1/s2"}
    assert all(name.startswith("q1/") for answer in first["answers"] for name in answer["found"])
    table = (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
    assert "| BM25 (published by others; 470 of all 500 questions) |" in table
