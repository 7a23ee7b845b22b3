from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.registry import reader_names

from .conftest import read_all
from .test_robustness import RELAXED, check

QUESTION = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "GOLD?",
    "answer": 7,
    "question_date": "2023/06/01 (Thu) 10:00",
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/19 (Fri) 23:59"],
    "haystack_session_ids": ["s-a", "s-b"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hello", "has_answer": True}, {"role": "assistant", "content": "Hi\n"}],
        [{"role": "user", "content": "Later"}],
    ],
    "answer_session_ids": ["s-a"],
}
SEEDS = [json.dumps([QUESTION]).encode(), json.dumps(QUESTION).encode() + b"\n" + json.dumps(QUESTION).encode()]


def haystack(sessions, ids=None, dates=None, **more):
    ids = ids if ids is not None else [f"s{n}" for n in range(len(sessions))]
    dates = dates if dates is not None else ["2023/05/20 (Sat) 02:21"] * len(sessions)
    lists = {"haystack_sessions": sessions, "haystack_session_ids": ids, "haystack_dates": dates}
    return {"question_id": "q", **lists, **more}


def said(text, role="user"):
    return {"role": role, "content": text}


def test_sessions(make, read):
    result = read(make({"deep/l.json": json.dumps([QUESTION, {**QUESTION, "question_id": 12}])}))
    first, second, *others = result.sessions
    assert (first.id, first.group, first.at) == ("q1/s-a", ("q1",), "2023-05-20T02:21")
    assert [(m.role, m.text, m.id, m.at) for m in first.messages] == [
        ("user", "Hello", None, None),
        ("assistant", "Hi\n", None, None),
    ]
    assert (second.id, second.at) == ("q1/s-b", "2023-05-19T23:59")
    assert [session.id for session in others] == ["12/s-a", "12/s-b"]
    assert (result.row.format, result.row.skipped_count, result.row.ignored) == ("longmemeval", 0, 0)


def test_nothing_of_the_question_is_read(make, read):
    result = read(make({"l.json": json.dumps([QUESTION])}))
    kept = repr(result.sessions)
    assert "GOLD" not in kept
    assert "has_answer" not in kept
    assert "2023-06-01" not in kept


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one.json", json.dumps(QUESTION)),
        ("one.json", json.dumps(QUESTION, indent=2)),
        ("one.jsonl", json.dumps(QUESTION)),
        ("lines.jsonl", json.dumps(QUESTION) + "\n" + json.dumps({**QUESTION, "question_id": "q2"}) + "\n"),
        ("first.json", json.dumps([{"haystack_sessions": QUESTION["haystack_sessions"], **QUESTION}])),
    ],
)
def test_shapes(make, read, name, text):
    result = read(make({name: text}))
    assert result.row.format == "longmemeval"
    assert [s.id for s in result.sessions[:2]] == ["q1/s-a", "q1/s-b"]
    assert len(result.sessions) == 2 * text.count('"question_id"')


def test_a_doubled_session(make, read):
    sessions = [[said("one")], [said("one")], [said("two")], [said("one")], [said("three")]]
    dates = ["2023/05/20 (Sat) 02:21"] * 3 + ["2023/05/21 (Sun) 02:21"] * 2
    result = read(make({"l.json": json.dumps([haystack(sessions, ["s", "s", "s", "s", "s~2"], dates)])}))
    assert [(s.id, s.messages[0].text, s.at) for s in result.sessions] == [
        ("q/s", "one", "2023-05-20T02:21"),
        ("q/s~2", "two", "2023-05-20T02:21"),
        ("q/s~3", "one", "2023-05-21T02:21"),
        ("q/s~2~2", "three", "2023-05-21T02:21"),
    ]
    assert result.row.ignored == 1
    assert result.row.note == "1 sessions that stand there twice"


def test_a_doubled_question(make, read):
    result = read(make({"l.json": json.dumps([haystack([[said("a")]]), haystack([[said("b")]])])}))
    assert [(s.id, s.group) for s in result.sessions] == [("q/s0", ("q",)), ("q~2/s0", ("q~2",))]


def test_empty_sessions(make, read):
    result = read(make({"l.json": json.dumps([haystack([[], [said("x")], [said(" ")], []])])}))
    assert [s.id for s in result.sessions] == ["q/s1"]
    assert (result.row.note, result.row.ignored, result.row.skipped_count) == ("3 empty sessions", 1, 0)


def test_odd_turns(make, read):
    turns = [
        said(1999),
        said(2.5, "assistant"),
        said(None),
        5,
        {"role": "user"},
        {"content": "no role"},
        said("hm", "narrator"),
        said([{"type": "text", "text": "block"}]),
    ]
    record = haystack([turns, "none", None], dates=["soon", None, None])
    result = read(make({"l.json": json.dumps([record, "junk", {"question_id": "x"}])}))
    assert result.texts == ["1999", "2.5", "no role", "hm", "block"]
    assert [m.role for m in result.session.messages] == ["user", "assistant", "user", "user", "user"]
    assert result.session.messages[3].speaker == "narrator"
    assert (result.session.at, result.session.meta) == (None, {"date": "soon"})
    assert [s.where for s in result.row.records_skipped] == [
        "session q/s0, message 3",
        "session q/s0, message 4",
        "session q/s0, message 5",
        "session q/s1",
        "session q/s2",
        "record 2",
        "record 3",
    ]


def test_short_lists(make, read):
    result = read(make({"l.json": json.dumps([haystack([[said("a")], [said("b")]], ids=["s"], dates=None)])}))
    assert [s.id for s in result.sessions] == ["q/s", "q/2"]
    record = haystack([[said("a")]], ids=5, dates={})
    del record["question_id"]
    result = read(make({"l.json": json.dumps([record])}))
    assert [(s.id, s.at) for s in result.sessions] == [("l.json#1/1", None)]


def test_a_pretty_file_with_a_long_head(make, read):
    record = {"question": "x" * 40_000, **haystack([[said("a")]])}
    assert read(make({"l.json": json.dumps([record], indent=2)})).row.format == "longmemeval"


def test_a_cut_file_gives_what_is_whole(make, read):
    text = json.dumps([haystack([[said("a")]]), haystack([[said("b")]], question_id="q2")])
    result = read(make({"l.json": text[:-40]}))
    assert [s.id for s in result.sessions] == ["q/s0"]
    assert result.row.skipped_count == 1


TEXT = st.text(min_size=1).filter(str.strip)
TURNS = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXT), min_size=1, max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@RELAXED
@given(st.lists(st.lists(TURNS, min_size=1, max_size=3), min_size=1, max_size=3), st.booleans())
def test_what_is_written_is_read(tmp_path_factory, questions, as_lines):
    records = [
        haystack([[said(text, role) for role, text in turns] for turns in sessions], question_id=f"q{n}")
        for n, sessions in enumerate(questions)
    ]
    folder = tmp_path_factory.mktemp("h")
    lines = "\n".join(json.dumps(record) for record in records)
    (folder / "a.jsonl").write_text(lines if as_lines else json.dumps(records, ensure_ascii=False), "utf-8")
    result = read_all(folder)
    wanted = [(f"q{n}/s{m}", turns) for n, sessions in enumerate(questions) for m, turns in enumerate(sessions)]
    assert [(s.id, [(m.role, m.text) for m in s.messages]) for s in result.sessions] == wanted


@RELAXED
@given(st.sampled_from([*QUESTION, "role", "content"]), JSON)
def test_any_value_in_any_place(tmp_path_factory, key, value):
    broken = {**QUESTION, key: value, "question_id": value if key == "question_id" else "odd"}
    if key in ("role", "content"):
        broken["haystack_sessions"] = [[{"role": "user", "content": "x", key: value}], value, [value]]
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.json").write_text(json.dumps([QUESTION, broken, {**QUESTION, "question_id": "last"}]), "utf-8")
    check(folder)
    ids = [session.id for session in read_all(folder).sessions]
    assert ids[:2] == ["q1/s-a", "q1/s-b"]
    assert ids[-2:] == ["last/s-a", "last/s-b"]


@RELAXED
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 40))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.json").write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


def test_real(data, read):
    path = data / "longmemeval12.json"
    if not path.exists():
        pytest.skip("no LongMemEval in the test data")
    records = json.loads(path.read_text("utf-8"))
    filled = [turns for record in records for turns in record["haystack_sessions"] if turns]
    result = read(path)
    assert (len(filled), sum(map(len, filled))) == (549, 5671)
    assert (len(result.sessions), result.report.messages) == (549, 5671)
    assert len({session.id for session in result.sessions}) == 549
    assert [s.group[0] for s in result.sessions if s.at is None] == []
    assert (result.row.note, result.row.skipped_count, result.row.ignored) == ("11 empty sessions", 0, 0)


def test_it_is_registered():
    assert "longmemeval" in reader_names()
