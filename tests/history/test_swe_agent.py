from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import check

SYSTEM = {"role": "system", "content": "You are a programmer.", "agent": "main", "message_type": "system_prompt"}
DEMO = {"role": "user", "content": "A demonstration", "is_demo": True, "agent": "main"}
TASK = {"role": "user", "content": "Fix the bug", "agent": "main"}


def reply(text, action, **fields):
    return {"role": "assistant", "content": text, "thought": text, "action": action, "agent": "main", **fields}


def step(text, action, observation, **fields):
    return {"action": action, "observation": observation, "thought": text, "response": text, **fields}


def run(history, trajectory, **fields):
    return json.dumps({"environment": "main", "trajectory": trajectory, "history": history, "info": {}, **fields})


REPLIES = [reply("Look\n```\nls\n```", "ls\n"), reply("Submit", "submit")]
STEPS = [step("Look\n```\nls\n```", "ls\n", "a.py"), step("Submit", "submit", "diff")]
ANSWER = {"role": "user", "content": "a.py\nbash-$", "agent": "main", "message_type": "observation"}


def told(result):
    return [(m.role, m.kind, m.text) for m in result.session.messages]


@pytest.fixture
def one(make, read):
    return lambda text, name="runs/x__y-1.traj": read(make({name: text}))


def test_a_run_is_read_once(one):
    info = {"exit_status": "submitted", "model_stats": {"api_calls": 2}}
    result = one(run([SYSTEM, DEMO, TASK, REPLIES[0], ANSWER, REPLIES[1]], STEPS, info=info))
    session = result.session
    assert (session.id, session.title, session.group) == ("runs/x__y-1.traj", "x__y-1", ("runs",))
    assert session.meta == {"environment": "main", "exit_status": "submitted"}
    assert told(result) == [
        ("system", "notice", "You are a programmer."),
        ("user", "notice", "A demonstration"),
        ("user", "message", "Fix the bug"),
        ("assistant", "message", "Look\n```\nls\n```"),
        ("tool", "tool_result", "a.py\nbash-$"),
        ("assistant", "message", "Submit\n\n[tool_use command] submit"),
    ]
    assert all(m.at is None and m.id is None and m.thread is None for m in session.messages)


def test_calls_and_reasoning(one):
    call = {"id": "c", "type": "function", "function": {"name": "create", "arguments": '{"filename":"a"}'}}
    answers = [
        reply("Make", "create a", tool_calls=[call], thinking_blocks=[{"type": "thinking", "thinking": "Hm."}]),
        {"role": "tool", "content": [{"type": "text", "text": "made"}], "tool_call_ids": ["c"], "agent": "main"},
        reply("", "ls", reasoning_content="So."),
    ]
    assert told(one(run([SYSTEM, TASK, *answers], STEPS)))[2:] == [
        ("assistant", "message", '[thinking]\nHm.\n\nMake\n\n[tool_use create] {"filename":"a"}'),
        ("tool", "tool_result", "made"),
        ("assistant", "tool_call", "[thinking]\nSo.\n\n[tool_use command] ls"),
    ]


@pytest.mark.parametrize("history", [[], None, [SYSTEM, TASK], [SYSTEM, TASK, REPLIES[0], ANSWER]])
def test_the_trajectory_where_the_history_is_shorter(one, history):
    before = [text["content"] for text in (history or [])[:2]]
    assert [text for _, _, text in told(one(run(history, STEPS)))] == [
        *before,
        "Look\n```\nls\n```",
        "a.py",
        "Submit\n\n[tool_use command] submit",
        "diff",
    ]


def test_other_attempts_are_threads(one):
    first, second = [TASK, REPLIES[0]], [TASK, REPLIES[1]]
    attempts = [{"history": first, "trajectory": STEPS[:1]}, {"history": second, "trajectory": STEPS[1:]}]
    result = one(run(second, STEPS[1:], attempts=attempts))
    assert [m.thread for m in result.session.messages] == [None, None, "attempt-1", "attempt-1"]


MINI = [
    {"role": "system", "content": "Reply with one block."},
    {"role": "user", "content": "Solve this"},
    {"role": "assistant", "content": "THOUGHT\n```bash\nls\n```", "extra": {"timestamp": 1_760_000_000.5}},
    {"role": "user", "content": "<returncode>0</returncode>", "timestamp": "2025-10-09T08:53:21Z"},
    {"role": "exit", "content": "diff --git"},
]


@pytest.mark.parametrize("bare", [True, False])
def test_mini_runs(one, bare):
    info = {"mini_version": "2.0", "config": {"model": {"model_name": "m"}}, "exit_status": "Submitted"}
    whole = {"info": info, "messages": MINI, "trajectory_format": "mini-swe-agent-1.1", "instance_id": "x-1"}
    result = one(json.dumps(MINI if bare else whole), "a.traj.json")
    assert (result.session.id, result.session.title) == ("a.traj.json", "a")
    assert [(role, kind) for role, kind, _ in told(result)] == [
        ("system", "notice"),
        ("user", "message"),
        ("assistant", "message"),
        ("tool", "tool_result"),
        ("system", "notice"),
    ]
    assert result.session.messages[3].at == "2025-10-09T08:53:21+00:00"
    assert result.session.messages[2].at.startswith("2025-10-09T08:53:20")
    if not bare:
        assert (result.session.meta["instance_id"], result.session.meta["model"]) == ("x-1", "m")


def test_mini_runs_by_responses(one):
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Look"}]},
        {"type": "function_call", "name": "bash", "arguments": '{"command":"ls"}', "call_id": "c"},
    ]
    messages = [
        *MINI[:2],
        {"object": "response", "output": output, "extra": {"timestamp": 1_760_000_000}},
        {"type": "function_call_output", "call_id": "c", "output": "a.py"},
    ]
    result = one(json.dumps({"info": {"mini_version": "2"}, "messages": messages}), "b.json")
    assert told(result)[2:] == [
        ("assistant", "thinking", "Hm."),
        ("assistant", "message", "Look"),
        ("assistant", "tool_call", '[tool_use bash] {"command":"ls"}'),
        ("tool", "tool_result", "a.py"),
    ]


def test_odd_messages(one):
    odd = [
        7,
        None,
        {"role": "user"},
        {"role": "user", "content": 7},
        {"content": "no role"},
        {"role": "user", "content": ""},
    ]
    result = one(run([TASK, REPLIES[0], *odd, REPLIES[1]], STEPS))
    assert len(result.session.messages) == 3
    assert [s.where for s in result.row.records_skipped] == [f"message {n}" for n in range(3, 8)]
    assert result.row.ignored == 1


def test_a_cut_file_gives_what_is_whole(one):
    text = json.dumps({"info": {}, "history": [SYSTEM, TASK, *REPLIES]})
    result = one(text[: text.index("Submit")])
    assert [text for _, _, text in told(result)][:3] == ["You are a programmer.", "Fix the bug", "Look\n```\nls\n```"]
    assert result.row.skipped_count == 1


def test_others_are_not_claimed(make, read):
    others = {
        "a.json": json.dumps({"messages": MINI, "info": {}}),
        "b.json": json.dumps(MINI),
        "c.json": json.dumps({"trajectory": [{"source": "user", "action": "message", "observation": "x"}]}),
        "d.traj": json.dumps({"x": 1}),
    }
    assert not [s for s in read(make(others)).sessions if s.format == "swe_agent"]


def test_real_files(data, read):
    folder = data / "formats/swe_agent_openhands"
    if not folder.is_dir():
        pytest.skip("no runs in the test data")
    sessions = [s for s in read(folder).sessions if s.format == "swe_agent"]
    assert len(sessions) == sum("traj" in path.name for path in folder.iterdir())
    for session in sessions:
        value = json.loads(Path(folder / session.origin).read_text("utf-8"))
        messages = value if isinstance(value, list) else value["history"]
        assert len(session.messages) == len(messages)
        for message, source in zip(session.messages, messages, strict=True):
            assert source["content"] in message.text
            assert (message.role == "assistant") == (source["role"] == "assistant")


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)


@given(TEXT, st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5), st.booleans())
def test_messages_come_back(tmp_path_factory, task, turns, mini):
    path = tmp_path_factory.mktemp("h") / "a.traj.json"
    messages = [{"role": "user", "content": task}]
    for said, answer in turns:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": answer}]
    path.write_text(json.dumps(messages if mini else {"history": messages, "trajectory": []}))
    result = read_all(path)
    assert [m.text for m in result.session.messages] == [m["content"] for m in messages]
    assert [m.kind for m in result.session.messages] == ["message", *["message", "tool_result"] * len(turns)]


KEYS = (
    "role content thought action observation response tool_calls function arguments thinking_blocks extra output type"
)
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "assistant", "message"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)


@given(st.lists(SHAPES, max_size=6), SHAPES)
def test_no_shape_of_records_breaks_it(tmp_path_factory, records, other):
    path = tmp_path_factory.mktemp("h") / "a.traj"
    path.write_text(run([TASK, *records, REPLIES[1]], [], info=other, attempts=other, environment=other))
    result = read_all(path)
    assert all("reader failed" not in skipped.reason for skipped in result.row.records_skipped)
    assert [result.texts[0], result.texts[-1]] == ["Fix the bug", "Submit\n\n[tool_use command] submit"]


SEEDS = [run([SYSTEM, TASK, *REPLIES], STEPS).encode(), json.dumps(MINI).encode()]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(["a.json", "a.traj", "a.traj.json"]), st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
