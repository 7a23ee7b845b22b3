from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.parsing import jsonitems, lines
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import BadJson, complete_json, parse_json, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def source(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return SourceFile(path, path.name, len(data), data)


def items(tmp_path: Path, data: bytes) -> list[object]:
    return list(json_records(source(tmp_path / "a.jsonl", data)))


def test_odd_values():
    assert parse_json('{"a": NaN, "b": -Infinity, "c": 1e999}') == {"a": "NaN", "b": "-Infinity", "c": "1e999"}
    huge = "9" * 10_000
    assert parse_json(huge) == huge
    assert parse_json('"a\tb"') == "a\tb"
    assert parse_json(r'"\ud800"') == "\ud800"


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "", "{", "nul", '{"a": 1} x'])
def test_bad_json_is_one_error(text):
    with pytest.raises(BadJson):
        parse_json(text)


def test_lines_with_all_kinds_of_ends(tmp_path):
    assert items(tmp_path, b'\xef\xbb\xbf{"a":1}\r\n\n  \n[2]\n3') == [
        Record(1, {"a": 1}),
        Record(4, [2]),
        Record(5, 3),
    ]


def test_a_cut_last_line_is_left_for_next_time(tmp_path):
    found = items(tmp_path, b'{"a":1}\n{"a":')
    assert found[0] == Record(1, {"a": 1})
    assert isinstance(found[1], Note)
    assert "line 2" in found[1].text


def test_a_damaged_line_in_the_middle_is_skipped(tmp_path):
    found = items(tmp_path, b'{"a":1}\n{"a":\n{"a":2}\n')
    assert [type(item) for item in found] == [Record, Skipped, Record]
    assert found[1].where == "line 2"


def test_deep_nesting_costs_one_record(tmp_path):
    found = items(tmp_path, b'{"a":1}\n' + b"[" * 100_000 + b"\n2\n")
    assert [type(item) for item in found] == [Record, Skipped, Record]


def test_wide_encodings_and_zero_bytes(tmp_path):
    assert items(tmp_path, '{"a":"é"}\n{"b":2}'.encode("utf-16")) == [Record(1, {"a": "é"}), Record(2, {"b": 2})]
    assert items(tmp_path, b'{"a":1}\n\0\0\0\0\n{"b":2}\n') == [Record(1, {"a": 1}), Record(3, {"b": 2})]


def test_code_page_in_one_line(tmp_path):
    assert items(tmp_path, b'{"a":"caf\xe9"}\n{"b":"\xc3\xa9"}\n') == [Record(1, {"a": "café"}), Record(2, {"b": "é"})]


def test_an_endless_line_is_skipped_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 100)
    found = items(tmp_path, b'{"a":1}\n"' + b"x" * 1000 + b'"\n{"b":2}\n')
    assert [type(item) for item in found] == [Record, Skipped, Record]
    assert found[2] == Record(3, {"b": 2})


@given(VALUES)
def test_complete_json_is_the_same_for_whole_texts(value):
    if isinstance(value, dict | list):
        assert complete_json(json.dumps(value)) == value


@given(VALUES, st.data())
def test_cut_json_never_raises(value, data):
    text = json.dumps(value)
    complete_json(text[: data.draw(st.integers(0, len(text)))])


def test_cut_json_keeps_the_beginning():
    assert complete_json('{"a": [{"b": 1, "c": "xy') == {"a": [{"b": 1, "c": "xy"}]}
    assert complete_json('{"a": [{"b": 1, "c') == {"a": [{"b": 1}]}
    assert complete_json("not json") is None


def test_shapes(tmp_path):
    def shape(name: str, data: str) -> str | None:
        sample = sample_json(source(tmp_path / name, data.encode()))
        return sample.shape if sample else None

    assert shape("a.jsonl", '{"a":1}\n{"a":2}\n') == "lines"
    assert shape("a.jsonl", '{"a":1}') == "lines"
    assert shape("a.json", '{"a":1}') == "document"
    assert shape("a.json", '{\n "a": 1,\n "b": [\n {"c": 1},\n {"c": 2}\n ]\n}') == "document"
    assert shape("a.jsonl", 'damaged\n{"a":1}\n{"a":2}\n') == "lines"
    assert shape("a.txt", "hello") is None


@given(st.lists(VALUES, max_size=5))
def test_values_come_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    data = "".join(json.dumps(value) + "\n" for value in values).encode()
    found = list(json_records(source(path, data)))
    assert [item.value for item in found] == values


def records(tmp_path: Path, data: bytes, *keys: str) -> list[object]:
    return [
        item.value if isinstance(item, Item) else item.where
        for item in json_items(source(tmp_path / "a.json", data), keys)
    ]


@given(st.lists(VALUES, max_size=8), st.sampled_from([None, 0, 2]))
def test_records_of_an_array(tmp_path_factory, values, indent):
    data = json.dumps(values, indent=indent).encode()
    assert records(tmp_path_factory.mktemp("j"), data) == values


@given(st.lists(VALUES, max_size=6), st.integers(0, 200))
def test_a_cut_array_gives_what_is_whole(tmp_path_factory, values, cut):
    data = json.dumps(values).encode()[:-1]
    data = data[: max(0, len(data) - cut)]
    found = records(tmp_path_factory.mktemp("j"), data)
    whole = [value for value in found if not isinstance(value, str) or not value.startswith(("record", "after"))]
    assert whole[:-1] == values[: len(whole)][:-1]


def test_a_damaged_record_costs_itself_only(tmp_path):
    assert records(tmp_path, b'[{"a": 1}, {"a": nil, "b": ["]"]}, {"a": 3}]') == [{"a": 1}, "record 2", {"a": 3}]
    assert records(tmp_path, b'[{"a": 1}, ' + b"[" * 100_000) == [{"a": 1}, "record 2"]


def test_the_array_under_a_key(tmp_path):
    data = b'\xef\xbb\xbf {"version": 2, "conversations": [{"a": 1}, 2], "more": 3}'
    assert records(tmp_path, data, "chats", "conversations") == [{"a": 1}, 2]
    assert records(tmp_path, data) == [{"version": 2, "conversations": [{"a": 1}, 2], "more": 3}]
    assert records(tmp_path, b'{"a": [1]}', "conversations") == [{"a": [1]}]


def test_a_large_array_is_streamed(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonitems, "_HELD_WHOLE", 100)
    monkeypatch.setattr(jsonitems, "_CHUNK", 7)
    values = [{"id": n, "text": "ü😀" * n, "n": 12345678901234567890} for n in range(60)]
    assert records(tmp_path, json.dumps(values, ensure_ascii=False, indent=1).encode()) == values
    strange = b'["caf\xe9", "' + b"x" * 200 + b'"]'
    assert records(tmp_path, strange) == ["café", "x" * 200]


def test_a_record_that_is_too_long_is_stepped_over(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonitems, "_HELD_WHOLE", 100)
    monkeypatch.setattr(jsonitems, "_CHUNK", 64)
    monkeypatch.setattr(jsonitems, "MAX_RECORD", 1000)
    long = {"inner": [{"n": n, "text": 'say "]" \\ ' + "x" * 40} for n in range(100)]}
    data = json.dumps([{"a": 1}, long, {"a": 3}]).encode()
    assert records(tmp_path, data) == [{"a": 1}, "record 2", {"a": 3}]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"[}", ["record 1"]),
        (b'[{"a":1}},{"b":2}]', [{"a": 1}, "record 2", {"b": 2}]),
        (b'[{"a":1},' + b":," * 100_000, [{"a": 1}, *(f"record {n}" for n in range(2, 202)), "after record 201"]),
    ],
)
def test_stray_marks_end(tmp_path, data, found):
    assert records(tmp_path, data) == found
