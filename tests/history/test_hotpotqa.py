from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_longmemeval import JSON, TEXT
from .test_robustness import RELAXED, check

HOTPOT = {
    "_id": "5a7",
    "question": "GOLD?",
    "answer": "yes",
    "supporting_facts": [["Ann", 0]],
    "context": [["Ann", ["Ann is a person.", " She lives."]], ["Bo", ["Bo is none."]]],
}
COLUMNS = {**HOTPOT, "context": {"title": ["Ann", "Bo"], "sentences": [["Ann is.", " So."], ["Bo is none."]]}}
MUSIQUE = {
    "id": "2hop__1_2",
    "paragraphs": [
        {"idx": 0, "title": "Ann", "paragraph_text": "Ann is a person.", "is_supporting": True},
        {"idx": 1, "title": "Ann", "paragraph_text": "Ann is a person.", "is_supporting": False},
    ],
    "question": "GOLD?",
    "question_decomposition": [{"id": 1, "question": "GOLD", "answer": "GOLD"}],
    "answer": "GOLD",
}
POOL = [{"title": "Ann", "text": "Ann is a person."}, {"title": "Bo", "text": "Bo is none."}]
SEEDS = [
    json.dumps([HOTPOT]).encode(),
    json.dumps(MUSIQUE).encode() + b"\n" + json.dumps(COLUMNS).encode() + b"\n",
    json.dumps(POOL).encode(),
]


def test_hotpotqa(make, read):
    result = read(make({"x/h.json": json.dumps([HOTPOT, {**HOTPOT, "_id": "6"}])}))
    first, second, *others = result.sessions
    assert (first.id, first.title, first.group, first.kind, first.at) == ("5a7/1", "Ann", ("5a7",), "document", None)
    assert [(m.role, m.text, m.id) for m in first.messages] == [("user", "Ann is a person. She lives.", None)]
    assert (second.id, second.title) == ("5a7/2", "Bo")
    assert [session.id for session in others] == ["6/1", "6/2"]
    assert result.row.format == "hotpotqa"


def test_columns_and_bare_sentences(make, read):
    bare = {**HOTPOT, "_id": "b", "context": [["Ann", ["One.", "Two.", "", "Three."]]]}
    result = read(make({"h.jsonl": json.dumps(COLUMNS) + "\n" + json.dumps(bare) + "\n"}))
    assert [(s.id, s.title, s.messages[0].text) for s in result.sessions] == [
        ("5a7/1", "Ann", "Ann is. So."),
        ("5a7/2", "Bo", "Bo is none."),
        ("b/1", "Ann", "One. Two. Three."),
    ]


@pytest.mark.parametrize(
    ("name", "text"), [("m.json", json.dumps([MUSIQUE])), ("m.jsonl", json.dumps(MUSIQUE)), ("m", json.dumps(MUSIQUE))]
)
def test_musique(make, read, name, text):
    result = read(make({name: text}))
    assert [(s.id, s.group, s.title, s.messages[0].text) for s in result.sessions] == [
        ("2hop__1_2/1", ("2hop__1_2",), "Ann", "Ann is a person."),
        ("2hop__1_2/2", ("2hop__1_2",), "Ann", "Ann is a person."),
    ]


def test_nothing_of_the_question_is_read(make, read):
    result = read(make({"h.json": json.dumps([HOTPOT, MUSIQUE])}))
    assert "GOLD" not in repr(result.sessions)
    assert "supporting" not in repr(result.sessions)


def test_a_pool(make, read):
    result = read(make({"x/p.json": json.dumps([*POOL, {"_id": "own", "title": "", "text": "Nameless."}])}))
    assert [(s.id, s.title, s.group, s.kind) for s in result.sessions] == [
        ("x/p.json#1", "Ann", ("x",), "document"),
        ("x/p.json#2", "Bo", ("x",), "document"),
        ("own", None, ("x",), "document"),
    ]


def test_what_merely_looks_like_it(make, read):
    files = {
        "a.json": json.dumps([{"title": "t", "text": "x", "author": "y"}]),
        "b.json": json.dumps([{"title": "t", "text": ["x"]}]),
        "c.json": json.dumps({"context": "x", "question": "y"}),
        "d.json": json.dumps([{"title": "t", "context": [["a", ["b"]]]}]),
        "e.json": json.dumps({"title": "t", "paragraphs": [{"context": "x", "qas": []}]}),
    }
    assert {row.format for row in read(make(files)).report.rows} == {None}


def test_odd_records(make, read):
    context = [["A", None], ["B", ["", " "]], [], 5, ["C", [1, " x"]], {"title": "D", "text": "d"}, [7, "e"]]
    records = [{**HOTPOT, "context": context}, {"_id": "x", "context": []}, "junk", {"a": 1}, {**HOTPOT, "_id": None}]
    result = read(make({"h.json": json.dumps([HOTPOT, *records])}))
    assert [(s.id, s.title, s.messages[0].text) for s in result.sessions[2:]] == [
        ("5a7~2/4", None, "5"),
        ("5a7~2/5", "C", "1 x"),
        ("5a7~2/6", "D", "d"),
        ("5a7~2/7", "7", "e"),
        ("h.json#6/1", "Ann", "Ann is a person. She lives."),
        ("h.json#6/2", "Bo", "Bo is none."),
    ]
    assert [(s.where, s.reason) for s in result.row.records_skipped] == [
        ("record 2, paragraph 1", "no text in it"),
        ("record 2, paragraph 3", "no text in it"),
        ("record 3", "no paragraphs in it"),
        ("record 4", "a text, not an object"),
        ("record 5", "no paragraphs in it"),
    ]
    assert result.row.note == "1 empty paragraphs"


@RELAXED
@given(
    st.lists(
        st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["pairs", "columns", "paragraphs"]),
    st.booleans(),
)
def test_what_is_written_is_read(tmp_path_factory, questions, shape, as_lines):
    records = []
    for number, paragraphs in enumerate(questions):
        record = {"id": f"q{number}", "question": "?"}
        if shape == "pairs":
            record["context"] = [[title, sentences] for title, sentences in paragraphs]
        elif shape == "columns":
            record["context"] = {"title": [t for t, _ in paragraphs], "sentences": [s for _, s in paragraphs]}
        else:
            record["paragraphs"] = [{"title": t, "paragraph_text": "".join(s)} for t, s in paragraphs]
        records.append(record)
    folder = tmp_path_factory.mktemp("h")
    lines = "\n".join(json.dumps(record) for record in records)
    (folder / "a.jsonl").write_text(lines if as_lines else json.dumps(records, ensure_ascii=False), "utf-8")
    read = [(s.id, s.title, "".join(s.messages[0].text.split())) for s in read_all(folder).sessions]
    assert read == [
        (f"q{n}/{m}", title, "".join("".join(sentences).split()))
        for n, paragraphs in enumerate(questions)
        for m, (title, sentences) in enumerate(paragraphs, 1)
    ]


@RELAXED
@given(st.sampled_from(["_id", "context", "paragraphs", "title", "text", "pair"]), JSON)
def test_any_value_in_any_place(tmp_path_factory, key, value):
    odd = {"context": [value, ["t", value], [value, ["s", value]]]} if key == "pair" else {key: value}
    for number, good in enumerate((HOTPOT, MUSIQUE, {**POOL[0], "_id": "p"})):
        folder = tmp_path_factory.mktemp("h")
        last = {**good, "_id": "last", "id": "last"}
        (folder / "a.json").write_text(json.dumps([good, {**good, **odd, "id": "odd"}, last]), "utf-8")
        check(folder)
        ids = [session.id for session in read_all(folder).sessions]
        assert ids[0] == ("5a7/1", "2hop__1_2/1", "p")[number]
        assert ids[-1].split("/")[0] == "last"


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
    path = data / "hotpotqa"
    if not path.exists():
        pytest.skip("no HotpotQA in the test data")
    result = read(path)
    counts = {row.name: (row.sessions, row.messages, row.skipped_count) for row in result.report.rows}
    assert counts == {
        "distractor_pool.json": (12614, 12614, 0),
        "hotpotqa_train_distractor_100.json": (994, 994, 0),
        "musique_train_100.json": (2000, 2000, 0),
    }
    assert len({session.group for session in result.sessions}) == 201
    assert all(session.title for session in result.sessions)
