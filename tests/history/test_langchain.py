from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import NAMES, RELAXED, check

CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def dumped(kind, content, **fields):
    path = ["langchain", "schema", "messages", CLASSES[kind]]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": {"content": content, "type": kind, **fields}}


def paired(kind, content, **fields):
    return {"type": kind, "data": {"content": content, **fields}}


def plain(kind, content, **fields):
    return {"type": kind, "content": content, **fields}


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


FORMS = [dumped, paired, plain]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "wrap", "ids"),
    [
        ("x/a.json", lambda m: json.dumps(m), ["x/a.json"]),
        ("x/a.json", lambda m: json.dumps(m, indent=1), ["x/a.json"]),
        ("x/a.jsonl", lambda m: lines(*m), ["x/a.jsonl"]),
        ("x/a.json", lambda m: json.dumps({"messages": m}), ["x/a.json"]),
        ("x/a.json", lambda m: json.dumps({"messages": m, "thread_id": "t1"}), ["t1"]),
        ("x/a.json", lambda m: json.dumps([m, m]), ["x/a.json#1", "x/a.json#2"]),
        ("x/a.json", lambda m: json.dumps([{"messages": m}, {"messages": m}]), ["x/a.json#1", "x/a.json#2"]),
        ("x/a.json", lambda m: json.dumps([{"messages": m, "id": "s1"}]), ["s1"]),
        ("x/a.jsonl", lambda m: lines({"messages": m}, {"messages": m}), ["x/a.jsonl#1", "x/a.jsonl#2"]),
        ("x/a.json", lambda m: json.dumps({"values": {"messages": m}, "next": []}), ["x/a.json"]),
        ("x/a.json", lambda m: json.dumps({"v": 1, "id": "k", "channel_values": {"messages": m}}), ["x/a.json"]),
        ("x/a.json", lambda m: json.dumps({"chat_memory": {"messages": m}}), ["x/a.json"]),
        ("x/a.json", lambda m: json.dumps({"run_type": "llm", "id": "r", "inputs": {"messages": [m]}}), ["r"]),
    ],
)
def test_shapes(make, read, form, name, wrap, ids):
    messages = [form("system", "be brief"), form("human", "hi"), form("ai", "hello")]
    result = read(make({name: wrap(messages)}))
    assert [session.id for session in result.sessions] == ids
    for session in result.sessions:
        assert [(m.role, m.text, m.at) for m in session.messages] == [
            ("system", "be brief", None),
            ("user", "hi", None),
            ("assistant", "hello", None),
        ]
        assert (session.format, session.group) == ("langchain", ("x",))


@pytest.fixture(params=FORMS)
def message(make, read, request):
    def one(kind, content, **fields):
        messages = [request.param("human", "hi"), request.param(kind, content, **fields)]
        return read(make({"a.json": json.dumps(messages)})).session.messages[1]

    return one


CALL = {"name": "f", "args": {"x": 1}, "id": "c1", "type": "tool_call"}


@pytest.mark.parametrize(
    ("kind", "content", "fields", "expected"),
    [
        ("ai", "", {"tool_calls": [CALL]}, ("assistant", "tool_call", '[tool_use f] {"x":1}')),
        ("ai", None, {"tool_calls": [CALL]}, ("assistant", "tool_call", '[tool_use f] {"x":1}')),
        ("ai", "So", {"tool_calls": [CALL]}, ("assistant", "message", 'So\n\n[tool_use f] {"x":1}')),
        (
            "ai",
            [{"type": "text", "text": "So"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {"x": 1}}],
            {"tool_calls": [CALL]},
            ("assistant", "message", 'So\n\n[tool_use f] {"x":1}'),
        ),
        (
            "ai",
            "",
            {"additional_kwargs": {"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]}},
            ("assistant", "tool_call", "[tool_use f] {}"),
        ),
        (
            "ai",
            "",
            {"tool_calls": [CALL], "additional_kwargs": {"tool_calls": [{"id": "c1", "function": {"name": "f"}}]}},
            ("assistant", "tool_call", '[tool_use f] {"x":1}'),
        ),
        (
            "ai",
            "",
            {"invalid_tool_calls": [{"name": "f", "args": "{broken", "id": "c2"}]},
            ("assistant", "tool_call", "[tool_use f] {broken"),
        ),
        (
            "ai",
            "so",
            {"additional_kwargs": {"reasoning_content": "hm"}},
            ("assistant", "message", "[thinking]\nhm\n\nso"),
        ),
        ("tool", "7", {"tool_call_id": "c1"}, ("tool", "tool_result", "7")),
        ("tool", [{"type": "text", "text": "7"}], {}, ("tool", "tool_result", "7")),
        (
            "human",
            "Earlier: …",
            {"additional_kwargs": {"lc_source": "summarization"}},
            ("user", "summary", "Earlier: …"),
        ),
    ],
)
def test_messages(message, kind, content, fields, expected):
    found = message(kind, content, **fields)
    assert (found.role, found.kind, found.text) == expected


def test_facts(message):
    found = message(
        "tool", "7", id="m1", name="f", tool_call_id="c1", status="error", additional_kwargs={"timestamp": "2024-05-06"}
    )
    assert (found.id, found.speaker, found.at) == ("m1", "f", "2024-05-06")
    assert found.meta == {"tool_call_id": "c1", "is_error": True}
    found = message("ai", "x", response_metadata={"model_name": "m", "created_at": "2024-05-06T07:08:09Z"})
    assert (found.at, found.meta) == ("2024-05-06T07:08:09+00:00", {"model": "m"})


def test_removals_are_no_messages(make, read):
    removal = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "RemoveMessage"],
        "kwargs": {"content": "", "id": "m"},
    }
    messages = [dumped("human", "hi"), removal, {"type": "remove", "id": "m"}, dumped("ai", "")]
    row = read(make({"a.json": json.dumps(messages)})).row
    assert (row.messages, row.ignored, row.skipped_count) == (1, 3, 0)


def test_other_roles(make, read):
    chat = {"type": "chat", "data": {"role": "Captain", "content": "x"}}
    messages = [paired("human", "hi"), chat, {"role": "assistant", "content": "y"}, plain("AIMessageChunk", "z")]
    session = read(make({"a.json": json.dumps({"messages": messages})})).session
    assert [(m.role, m.speaker, m.text) for m in session.messages] == [
        ("user", None, "hi"),
        ("user", "Captain", "x"),
        ("assistant", None, "y"),
        ("assistant", None, "z"),
    ]


def snapshot(step, messages, thread="t1", **more):
    return {
        "values": {"messages": messages},
        "config": {"configurable": {"thread_id": thread, "checkpoint_id": str(step)}},
        "metadata": {"step": step},
        "created_at": f"2024-05-06T00:00:{step:02}Z",
        **more,
    }


TALK = [dumped("human", "hi", id="1"), dumped("ai", "hello", id="2"), dumped("human", "hi", id="3")]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("ids", [True, False])
def test_the_states_of_a_thread_are_one_session(make, read, order, ids):
    talk = TALK if ids else [dumped("human", "hi"), dumped("ai", "hello"), dumped("human", "hi")]
    states = [*[snapshot(n, talk[:n]) for n in range(1, 4)][::order], snapshot(1, talk[:1], thread="t2")]
    result = read(make({"a.json": json.dumps(states)}))
    assert [s.id for s in result.sessions] == ["t1", "t2"]
    assert [m.text for m in result.sessions[0].messages] == ["hi", "hello", "hi"]
    assert result.sessions[0].meta == {"saved": "2024-05-06T00:00:03+00:00"}
    assert (result.row.messages, result.row.ignored) == (4, 3)


def test_what_a_summary_replaced_is_kept_in_its_place(make, read):
    summary = dumped("human", "So far: …", id="s", additional_kwargs={"lc_source": "summarization"})
    states = [snapshot(2, [summary, TALK[2]]), snapshot(1, TALK[:2])]
    messages = read(make({"a.jsonl": lines(*states)})).session.messages
    assert [(m.text, m.kind) for m in messages] == [
        ("hi", "message"),
        ("hello", "message"),
        ("So far: …", "summary"),
        ("hi", "message"),
    ]


def test_checkpoints(make, read):
    rows = [
        {"thread_id": "t", "checkpoint": {"ts": f"2024-05-0{n}", "channel_values": {"messages": TALK[:n]}}}
        for n in (1, 2)
    ]
    result = read(make({"a.jsonl": lines(*rows)}))
    assert (result.session.id, len(result.session.messages)) == ("t", 2)


def test_parts_of_a_graph_are_threads(make, read):
    part = snapshot(1, [dumped("ai", "inner", id="9")])
    part["config"]["configurable"]["checkpoint_ns"] = "agent:1"
    messages = read(make({"a.json": json.dumps([part, snapshot(2, TALK[:1])])})).session.messages
    assert [(m.text, m.thread) for m in messages] == [("hi", None), ("inner", "agent:1")]


def test_traced_runs(make, read):
    run = {
        "id": "run1",
        "session_id": "project",
        "run_type": "llm",
        "inputs": {"messages": [[dumped("human", "hi")]]},
        "outputs": {"generations": [[{"text": "hello", "message": dumped("ai", "hello")}]]},
    }
    session = read(make({"a.jsonl": lines(run)})).session
    assert (session.id, [m.text for m in session.messages]) == ("run1", ["hi", "hello"])


def test_bad_records_cost_themselves_only(make, read):
    messages = [dumped("human", "hi"), 5, {"lc": 1}, dumped("ai", "hello"), {"type": "human"}]
    row = read(make({"a.json": json.dumps({"messages": messages})})).row
    assert [s.where for s in row.records_skipped] == [f"record 1, message {n}" for n in (2, 3, 5)]
    row = read(make({"a.json": json.dumps([{"messages": messages[:1]}, 5, {"messages": []}, {"a": 1}])})).row
    assert [s.where for s in row.records_skipped] == ["record 2", "record 3", "record 4"]
    assert row.sessions == 1


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([{"type": "user", "content": "x"}, {"type": "gemini", "content": "y"}]),
        lines({"type": "system", "content": "x", "sessionId": "s", "uuid": "u"}),
        json.dumps({"messages": [{"role": "user", "content": "x"}]}),
        json.dumps([{"lc": 1, "type": "constructor", "id": ["langchain", "Prompt"], "kwargs": {"a": 1}}]),
    ],
)
def test_other_json_is_not_claimed(make, read, content):
    assert read(make({"a.json": content})).row.format != "langchain"


def test_real_files(data, read):
    row = read(data / "formats" / "langchain").row
    assert (row.format, row.sessions, row.messages, row.skipped_count) == ("langchain", 1, 6, 0)


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)
TURNS = st.lists(st.tuples(st.sampled_from(sorted(ROLES)), TEXT), min_size=1, max_size=6)


@given(TURNS, st.sampled_from(FORMS), st.sampled_from(["list", "lines", "state", "states"]))
def test_messages_come_back(tmp_path_factory, turns, form, shape):
    path = tmp_path_factory.mktemp("h") / "a.json"
    messages = [form("human", "first"), *(form(kind, text) for kind, text in turns)]
    written = {
        "list": json.dumps(messages),
        "lines": lines(*messages),
        "state": json.dumps({"messages": messages}),
        "states": lines(*(snapshot(n, messages[:n]) for n in range(1, len(messages) + 1))),
    }
    path.write_text(written[shape])
    assert [(m.role, m.text) for m in read_all(path).session.messages] == [
        ("user", "first"),
        *((ROLES[kind], text) for kind, text in turns),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["content", "id", "name", "tool_calls", "additional_kwargs", "response_metadata", "invalid_tool_calls", "role"]
ROW_FIELDS = ["values", "config", "metadata", "created_at", "thread_id", "checkpoint", "messages", "outputs", "extra"]


@RELAXED
@given(
    st.dictionaries(st.sampled_from(FIELDS), JSON),
    st.dictionaries(st.sampled_from(ROW_FIELDS), JSON),
    st.sampled_from(FORMS),
    st.sampled_from(["human", "ai", "tool"]),
)
def test_any_value_anywhere(tmp_path_factory, fields, row_fields, form, kind):
    folder = tmp_path_factory.mktemp("h")
    odd = form(kind, "x")
    next((odd[key] for key in ("kwargs", "data") if key in odd), odd).update(fields)
    states = [{"messages": TALK, "id": "good"}, {**snapshot(1, [TALK[0], odd]), **row_fields}]
    (folder / "a.json").write_text(json.dumps(states))
    (folder / "b.json").write_text(json.dumps([TALK[0], odd]))
    check(folder)
    good = [m.text for s in read_all(folder).sessions if s.id == "good" for m in s.messages]
    assert good[:3] == ["hi", "hello", "hi"]


SEEDS = [json.dumps(TALK).encode(), lines(*(snapshot(n, TALK[:n]) for n in range(1, 4))).encode()]


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
