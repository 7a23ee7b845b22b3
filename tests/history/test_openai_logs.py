from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import NAMES, RELAXED, check

ASKED = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
ANSWER = {"role": "assistant", "content": "hello"}
ITEMS = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]
ANSWERED = [{"id": "i2", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hello"}]}]
CREATED = {"created": 1_700_000_000}
AT = "2023-11-14T22:13:20+00:00"


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize(
    ("row", "texts", "at"),
    [
        ({"messages": ASKED, "tools": []}, ["be brief", "hi"], None),
        ({"messages": ASKED, "choices": [{"message": ANSWER}]}, ["be brief", "hi", "hello"], None),
        ({"request": {"messages": ASKED}, "response": {"choices": [{"message": ANSWER}], **CREATED}},
         ["be brief", "hi", "hello"], AT),
        ({"request": {"body": {"messages": ASKED}}, "response": {"body": {"choices": [{"message": ANSWER}]}}},
         ["be brief", "hi", "hello"], None),
        ({"custom_id": "r", "method": "POST", "body": {"messages": ASKED, "model": "m"}}, ["be brief", "hi"], None),
        ({"id": "b", "custom_id": "r", "response": {"body": {"choices": [{"message": ANSWER}], **CREATED}}},
         ["hello"], AT),
        ({"object": "chat.completion", "choices": [{"index": 0, "message": ANSWER}], **CREATED}, ["hello"], AT),
        ({"instructions": "be brief", "input": ITEMS, "output": ANSWERED, "created_at": 1_700_000_000},
         ["be brief", "hi", "hello"], AT),
        ({"input": "hi", "output": ANSWERED}, ["hi", "hello"], None),
        ({"system": "be brief", "messages": ASKED[1:], "response": ANSWER}, ["be brief", "hi", "hello"], None),
        ({"params": {"messages": ASKED}, "custom_id": "r"}, ["be brief", "hi"], None),
    ],
)  # fmt: skip
def test_exchanges(make, read, row, texts, at):
    for content in (json.dumps([row]), lines(row, row | {"id": "other"})):
        result = read(make({"a.jsonl" if content.count("\n") else "a.json": content}))
        session = result.sessions[0]
        assert [m.text for m in session.messages] == texts
        assert session.messages[-1].at == at
        assert (session.at, session.format) == (at, "openai_messages")


def test_ids_of_batches(make, read):
    requests = [{"custom_id": f"r{n}", "body": {"messages": ASKED, "model": "m"}} for n in range(2)]
    result = read(make({"x/in.jsonl": lines(*requests)}))
    assert [s.id for s in result.sessions] == ["x/in.jsonl#r0", "x/in.jsonl#r1"]
    assert result.sessions[0].meta == {"model": "m"}
    answers = [
        {"id": f"batch_{n}", "custom_id": "r", "response": {"body": {"choices": [{"message": ANSWER}]}}} for n in (1, 2)
    ]
    result = read(make({"x/in.jsonl": "", "x/out.jsonl": lines(*answers, {"custom_id": "r", "response": None})}))
    assert [s.id for s in result.sessions] == ["batch_1", "batch_2"]
    row = next(row for row in result.report.rows if row.name == "x/out.jsonl")
    assert [skipped.where for skipped in row.records_skipped] == ["line 3"]


def test_several_choices_are_threads(make, read):
    row = {"messages": ASKED, "choices": [{"message": ANSWER}, {"message": {**ANSWER, "content": "hey"}}]}
    session = read(make({"a.json": json.dumps([row])})).session
    assert [(m.text, m.thread) for m in session.messages][2:] == [("hello", None), ("hey", "choice-2")]


PICTURE = base64.b64encode(b"12345").decode()


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "function_call", "name": "f", "arguments": '{"x": 1}', "call_id": "c"},
            ("assistant", "tool_call", '[tool_use f] {"x": 1}'),
        ),
        ({"type": "function_call_output", "call_id": "c", "output": "7"}, ("tool", "tool_result", "7")),
        (
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "7"}]},
            ("tool", "tool_result", "7"),
        ),
        ({"type": "custom_tool_call", "name": "sh", "input": "ls"}, ("assistant", "tool_call", "[tool_use sh] ls")),
        ({"type": "custom_tool_call_output", "output": "a"}, ("tool", "tool_result", "a")),
        (
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "x"},
            ("assistant", "thinking", "hm"),
        ),
        (
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
            ("assistant", "thinking", "hm"),
        ),
        (
            {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "q"}},
            ("assistant", "tool_call", '[tool_use web_search] {"action":{"query":"q"}}'),
        ),
        (
            {"type": "mcp_call", "name": "f", "arguments": "{}", "output": "7"},
            ("assistant", "tool_call", "[tool_use f] {}\n\n7"),
        ),
        (
            {"type": "image_generation_call", "result": PICTURE},
            ("assistant", "message", "[tool_use image_generation] {}\n\n[image: image/png, 5 bytes]"),
        ),
    ],
)
def test_items(make, read, item, expected):
    for content in (json.dumps({"input": [*ITEMS, item]}), json.dumps([*ITEMS, item])):
        found = read(make({"a.json": content})).session.messages[1]
        assert (found.role, found.kind, found.text) == expected


def test_what_items_never_say(make, read):
    silent = [{"type": "reasoning", "summary": [], "encrypted_content": "x"}, {"type": "item_reference", "id": "i"}]
    row = read(make({"a.json": json.dumps({"input": [*ITEMS, *silent, {"type": "function_call_output"}]})})).row
    assert (row.messages, row.ignored, row.skipped_count) == (1, 2, 1)


@pytest.mark.parametrize("key", ["conversations", "chats", "data"])
def test_sessions_under_a_name(make, read, key):
    rows = [{"id": f"s{n}", "title": "T", "messages": ASKED} for n in range(2)]
    result = read(make({"a.json": json.dumps({"version": 1, key: [*rows, 5]})}))
    assert [s.id for s in result.sessions] == ["s0", "s1"]
    assert [skipped.where for skipped in result.row.records_skipped] == ["record 3"]


def test_tools_are_named(make, read):
    tools = [{"type": "function", "function": {"name": "f"}}, {"type": "web_search"}, {"name": "g", "input_schema": {}}]
    session = read(make({"a.json": json.dumps({"messages": ASKED, "tools": tools})})).session
    assert session.meta == {"tools": ["f", "web_search", "g"]}


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)


@given(st.lists(TEXT, min_size=1, max_size=5), TEXT)
def test_exchanges_come_back(tmp_path_factory, asked, answer):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    body = {"messages": [{"role": "user", "content": text} for text in asked]}
    path.write_text(lines({"request": body, "response": {"choices": [{"message": {**ANSWER, "content": answer}}]}}))
    assert [m.text for m in read_all(path).session.messages] == [*asked, answer]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["function_call", "function_call_output", "reasoning", "image_generation_call", "message", "x_call"]
)
ITEM_FIELDS = st.sampled_from(["name", "arguments", "output", "summary", "content", "role", "result", "id", "call_id"])
ROW_FIELDS = st.sampled_from(
    ["request", "response", "choices", "output", "body", "messages", "instructions", "created"]
)


@RELAXED
@given(KINDS, st.dictionaries(ITEM_FIELDS, JSON), st.dictionaries(ROW_FIELDS, JSON))
def test_any_value_anywhere(tmp_path_factory, kind, fields, row_fields):
    folder = tmp_path_factory.mktemp("h")
    odd = {"input": [*ITEMS, {"type": kind, **fields}], "output": [{"type": kind, **fields}], **row_fields}
    (folder / "a.jsonl").write_text(lines({"id": "good", "messages": ASKED}, odd))
    check(folder)
    assert [m.text for s in read_all(folder).sessions if s.id == "good" for m in s.messages][:2] == ["be brief", "hi"]


SEEDS = [
    lines({"custom_id": "r", "body": {"messages": ASKED}}, {"custom_id": "s", "body": {"messages": ASKED}}).encode(),
    json.dumps({"input": ITEMS, "output": ANSWERED, "instructions": "x"}, indent=1).encode(),
]


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
