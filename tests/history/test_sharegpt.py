from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import NAMES, RELAXED, check

HELLO = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("x/a.json", json.dumps([{"id": "s1", "conversations": HELLO}]), ["s1"]),
        ("x/a.json", json.dumps([{"conversations": HELLO}, {"conversations": HELLO}]), ["x/a.json#1", "x/a.json#2"]),
        ("x/a.json", json.dumps([{"id": 1, "conversation": HELLO}]), ["x/a.json#1"]),
        ("x/a.json", json.dumps({"conversations": HELLO}, indent=1), ["x/a.json"]),
        ("x/a.json", json.dumps([{"id": "s1", "items": HELLO}]), ["s1"]),
        ("x/a.json", json.dumps(HELLO), ["x/a.json"]),
        ("x/a.jsonl", lines({"conversations": HELLO}, {"id": "b", "conversations": HELLO}), ["x/a.jsonl#1", "b"]),
        ("x/a.jsonl", lines({"conversations": HELLO}), ["x/a.jsonl#1"]),
        ("x/a.jsonl", lines(*HELLO), ["x/a.jsonl"]),
    ],
)
def test_shapes(make, read, name, content, ids):
    result = read(make({name: content}))
    assert [session.id for session in result.sessions] == ids
    for session in result.sessions:
        assert [(m.role, m.text, m.kind, m.at) for m in session.messages] == [
            ("user", "hi", "message", None),
            ("assistant", "hello", "message", None),
        ]
        assert (session.format, session.group) == ("sharegpt", ("x",))


@pytest.fixture
def turn(make, read):
    def one(**fields):
        rows = [{"conversations": [HELLO[0], fields]}]
        return read(make({"a.json": json.dumps(rows)})).session.messages[1]

    return one


@pytest.mark.parametrize(
    ("who", "value", "expected"),
    [
        ("system", "be brief", ("system", "message", "be brief")),
        ("chatgpt", "x", ("assistant", "message", "x")),
        ("user", "x", ("user", "message", "x")),
        (
            "function_call",
            '{"name": "f", "arguments": {"x": 1}}',
            ("assistant", "tool_call", '[tool_use f] {"x":1}'),
        ),
        (
            "function_call",
            '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": "y"}]',
            ("assistant", "tool_call", "[tool_use f] {}\n\n[tool_use g] y"),
        ),
        ("function_call", {"name": "f", "arguments": {}}, ("assistant", "tool_call", "[tool_use f] {}")),
        ("function_call", "not JSON", ("assistant", "tool_call", "[tool_use ?] not JSON")),
        ("observation", "7 degrees", ("tool", "tool_result", "7 degrees")),
        ("tool", "7", ("tool", "tool_result", "7")),
        ("gpt", [{"type": "text", "text": "a"}], ("assistant", "message", "a")),
        ("gpt", 5, ("assistant", "message", "5")),
    ],
)
def test_who_says_what(turn, who, value, expected):
    found = turn(**{"from": who, "value": value})
    assert (found.role, found.kind, found.text) == expected
    assert found.speaker is None


def test_roles_in_place_of_names(make, read):
    rows = [{"conversations": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}]
    result = read(make({"a.json": json.dumps(rows)}))
    assert [(m.role, m.text) for m in result.session.messages] == [("user", "hi"), ("assistant", "hello")]


def test_unknown_names_are_speakers(turn):
    found = turn(**{"from": "Alice", "value": "x"})
    assert (found.role, found.speaker) == ("user", "Alice")


def test_prompt_and_tools_beside_the_turns(make, read):
    tools = json.dumps([{"name": "weather", "parameters": {}}, {"function": {"name": "time"}}, 5])
    row = {"id": "s", "system": "Be brief", "tools": tools, "conversations": HELLO, "source": "web", "title": "T"}
    session = read(make({"a.json": json.dumps([row])})).session
    assert (session.messages[0].role, session.messages[0].text) == ("system", "Be brief")
    assert session.title == "T"
    assert session.meta == {"tools": ["weather", "time"], "source": "web"}


def test_preference_pairs(make, read):
    row = {"conversations": HELLO[:1], "chosen": HELLO[1], "rejected": {"from": "gpt", "value": "go away"}}
    session = read(make({"a.json": json.dumps([row])})).session
    assert [(m.text, m.thread) for m in session.messages] == [("hi", None), ("hello", None), ("go away", "rejected")]


def test_pictures_beside_the_file(make, read):
    row = {
        "conversations": [{"from": "human", "value": "<image>What, and <image>?"}, HELLO[1]],
        "images": ["pictures/1.jpg", "pictures/2.jpg"],
    }
    result = read(make({"x/a.json": json.dumps([row]), "x/pictures/1.jpg": b"\xff\xd8\xff1"}))
    first = result.session.messages[0]
    assert first.text == "<image>What, and <image>?"
    assert [(a.media_type, a.name) for a in first.attachments] == [("image/jpeg", "1.jpg")]
    outside = {**row, "images": ["../secret.jpg", "/etc/passwd"]}
    assert read(make({"y/a.json": json.dumps([outside])})).sessions[-1].messages[0].attachments == ()


def test_the_same_id_twice(make, read):
    other = [{"from": "human", "value": "other"}]
    rows = [{"id": "a", "conversations": turns} for turns in (HELLO, HELLO, other)]
    result = read(make({"a.json": json.dumps(rows)}))
    assert [session.id for session in result.sessions] == ["a", "a~2"]
    assert result.row.ignored == 1


def test_bad_records_cost_themselves_only(make, read):
    turns = [
        *HELLO,
        {"from": "human"},
        {"value": "x"},
        5,
        {"from": "gpt", "value": None},
        {"from": "gpt", "value": " "},
    ]
    rows = [{"conversations": turns}, 5, {"conversations": []}, {"other": 1}, {"conversations": None}]
    row = read(make({"a.json": json.dumps(rows)})).row
    assert [skipped.where for skipped in row.records_skipped] == [
        *(f"record 1, message {n}" for n in range(3, 7)),
        *(f"record {n}" for n in range(2, 6)),
    ]
    assert (row.sessions, row.messages, row.ignored) == (1, 2, 1)


def test_a_cut_file_keeps_what_came_before(make, read):
    text = json.dumps([{"id": f"s{n}", "conversations": HELLO} for n in range(3)])
    row = read(make({"a.json": text[:-20]})).row
    assert (row.status, row.sessions, row.skipped_count) == ("ingested", 2, 1)


@pytest.mark.parametrize(
    "content",
    ['{"conversations": [{"chat_messages": []}]}', '{"conversations": [1]}', '[{"items": [{"a": 1}]}]', "[]"],
)
def test_other_json_is_not_claimed(make, read, content):
    assert read(make({"a.json": content})).row.format != "sharegpt"


def test_real_files(data, read):
    rows = read(data / "formats" / "sharegpt").report.rows
    assert {row.name: (row.sessions, row.messages, row.skipped_count) for row in rows} == {
        "fastchat_dummy_conversation.json": (500, 2000, 0),
        "llamafactory_glaive_toolcall_en_demo.json": (300, 1914, 0),
    }


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)
TURNS = st.lists(st.tuples(st.sampled_from(["human", "gpt", "system"]), TEXT), min_size=1, max_size=6)
ROLES = {"human": "user", "gpt": "assistant", "system": "system"}


@given(st.lists(TURNS, min_size=1, max_size=4), st.booleans())
def test_conversations_come_back(tmp_path_factory, conversations, in_lines):
    path = tmp_path_factory.mktemp("h") / ("a.jsonl" if in_lines else "a.json")
    rows = [
        {"id": f"s{number}", "conversations": [{"from": who, "value": text} for who, text in turns]}
        for number, turns in enumerate(conversations)
    ]
    path.write_text(lines(*rows) if in_lines else json.dumps(rows))
    assert [[(m.role, m.text) for m in s.messages] for s in read_all(path).sessions] == [
        [(ROLES[who], text) for who, text in turns] for turns in conversations
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
ROW_FIELDS = ["id", "conversations", "system", "tools", "images", "chosen", "rejected", "title", "created"]


@RELAXED
@given(
    st.dictionaries(st.sampled_from(["from", "value", "role", "content", "id", "name", "timestamp"]), JSON),
    st.dictionaries(st.sampled_from(ROW_FIELDS), JSON),
)
def test_any_value_anywhere(tmp_path_factory, fields, row_fields):
    folder = tmp_path_factory.mktemp("h")
    odd = {"conversations": [*HELLO, {"from": "human", "value": "<image>", **fields}], "images": ["a"], **row_fields}
    (folder / "a.json").write_text(json.dumps([{"id": "good", "conversations": HELLO}, odd]))
    check(folder)
    assert [m.text for s in read_all(folder).sessions if s.id == "good" for m in s.messages][:2] == ["hi", "hello"]


SEEDS = [
    json.dumps([{"id": "a", "conversations": HELLO, "tools": "[]", "system": "s"}]).encode(),
    lines({"conversations": HELLO}, {"conversations": HELLO}).encode(),
]


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
