"""Claude Code's folders as a whole: rewound branches, copied pasts, large tool results, and what else lies there."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.history import gather
from jam.memorizer.merge import merge

from .conftest import read_all
from .test_claude_code import SID, lines, record
from .test_robustness import check

OTHER = "99999999-2222-3333-4444-555555555555"


def turn(uuid, parent, kind="user", content=None, /, **fields):
    return record(kind, content or uuid, uuid=uuid, parentUuid=parent, **fields)


def answer(uuid, parent, name, /, *blocks, **fields):
    """A part of the reply `name`."""
    message = {"role": "assistant", "id": name, "content": list(blocks) or [{"type": "text", "text": uuid}]}
    return {**turn(uuid, parent, "assistant"), "message": message, **fields}


def result(uuid, parent, call, text="ok"):
    return turn(uuid, parent, "user", [{"type": "tool_result", "tool_use_id": call, "content": text}])


def use(call):
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": call}}


@pytest.fixture
def threads(make, read):
    def of(*records):
        return {m.id: m.thread for m in read(make({"a.jsonl": lines(*records)})).session.messages if m.thread}

    return of


LINEAR = [turn("u1", None), answer("a1", "u1", "m1"), turn("u2", "a1"), answer("a2", "u2", "m2")]


def test_a_rewound_turn_is_a_branch(threads):
    assert threads(*LINEAR) == {}
    assert threads(*LINEAR, turn("u3", "a1"), answer("a3", "u3", "m3")) == {"u2": "branch-1", "a2": "branch-1"}
    again = [turn("u3", "a1"), answer("a3", "u3", "m3"), turn("u4", "a1")]
    assert threads(*LINEAR, *again) == {
        **dict.fromkeys(("u2", "a2"), "branch-1"),
        **dict.fromkeys(("u3", "a3"), "branch-2"),
    }


def test_a_branch_within_a_branch(threads):
    inner = [turn("u3", "a2"), answer("a3", "u3", "m3"), turn("u4", "a2"), answer("a4", "u4", "m4")]
    found = threads(*LINEAR, *inner, turn("u5", "a1"))
    assert found == {**dict.fromkeys(("u2", "a2", "u4", "a4"), "branch-1"), **dict.fromkeys(("u3", "a3"), "branch-2")}


def test_another_answer_to_the_same_prompt(threads):
    assert threads(turn("u1", None), answer("a1", "u1", "m1"), answer("a2", "u1", "m2")) == {"a1": "branch-1"}


@pytest.mark.parametrize(
    "records",
    [
        [  # calls side by side: a result hangs on its own call
            turn("u1", None),
            answer("a1", "u1", "m1"),
            answer("a2", "a1", "m1", use("t1")),
            answer("a3", "a2", "m1", use("t2")),
            result("r1", "a2", "t1"),
            result("r2", "a3", "t2"),
            answer("a4", "r2", "m2"),
        ],
        [  # the reply goes on from the result that came first
            turn("u1", None),
            answer("a2", "u1", "m1", use("t1")),
            answer("a3", "a2", "m1", use("t2")),
            result("r2", "a3", "t2"),
            result("r1", "a2", "t1"),
            answer("a4", "r1", "m2"),
        ],
        [  # the parts of one reply may have one parent
            turn("u1", None),
            answer("a1", "u1", "m1"),
            answer("a2", "u1", "m1", use("t1")),
            result("r1", "a2", "t1"),
            answer("a3", "r1", "m2"),
        ],
        [  # a failed call of the model, and the next
            turn("u1", None),
            answer("e1", "u1", "m1", isApiErrorMessage=True),
            answer("a1", "u1", "m2"),
        ],
        [  # a compaction begins a new tree, which hangs on the old one
            *LINEAR,
            {"type": "system", "subtype": "compact_boundary", "content": "Compacted", "uuid": "b", "parentUuid": None,
             "logicalParentUuid": "a2", "sessionId": SID},
            turn("s", "b", isCompactSummary=True),
            answer("a3", "s", "m3"),
        ],
        [*LINEAR, turn("u9", "unknown"), answer("a9", "u9", "m9")],  # its parent is in another file
        [*LINEAR, turn("u9", None), answer("a9", "u9", "m9")],  # a second root
        [turn("u1", "a2"), answer("a1", "u1", "m1"), turn("u2", "a1"), answer("a2", "u2", "m2")],  # a circle
        [*LINEAR, turn("n", "a1", "user", "<local-command-stdout>x</local-command-stdout>"), turn("u3", "a2")],
        [*LINEAR, turn("x", "u1", isSidechain=True, agentId="abc")][:4],
    ],
)  # fmt: skip
def test_what_is_no_branch(threads, records):
    assert threads(*records) == {}


def test_branches_through_records_that_say_nothing(threads):
    hook = {"type": "attachment", "uuid": "h", "parentUuid": "a1", "sessionId": SID, "attachment": {"type": "hook"}}
    assert threads(*LINEAR, hook, turn("u3", "h")) == {"u2": "branch-1", "a2": "branch-1"}


def test_what_was_handed_out_is_put_on_its_branch_later(make, read, monkeypatch):
    monkeypatch.setattr(gather, "MAX_MESSAGES", 4)
    first, last = read(make({"a.jsonl": lines(*LINEAR, turn("u3", "a1"))})).sessions
    assert [m.id for m in (*first.messages, *last.messages)] == ["u1", "a1", "u2", "a2", "u3"]
    assert last.threads == {"u2": "branch-1", "a2": "branch-1"}


def test_a_forked_session_leaves_the_past_to_its_origin(make, read):
    past = LINEAR[:2]
    copies = [{**r, "sessionId": OTHER, "forkedFrom": {"sessionId": SID, "messageUuid": r["uuid"]}} for r in past]
    files = {
        f"p/{SID}.jsonl": lines(*LINEAR),
        f"p/{OTHER}.jsonl": lines(*copies, turn("u9", "a1", sessionId=OTHER)),
    }
    by_id = {}
    for session in read(make(files)).sessions:
        by_id[session.id] = merge(by_id[session.id], session) if session.id in by_id else session
    assert [m.id for m in by_id[SID].messages] == ["u1", "a1", "u2", "a2"]
    assert [m.id for m in by_id[OTHER].messages] == ["u9"]


def test_titles(make, read):
    records = [
        {"type": "ai-title", "aiTitle": "Shop", "sessionId": SID},
        {"type": "custom-title", "customTitle": "My shop", "sessionId": SID},
        *LINEAR,
        {"type": "ai-title", "aiTitle": "Shop again", "sessionId": SID},
        {"type": "last-prompt", "lastPrompt": "u2", "leafUuid": "a2", "sessionId": SID},
        {"type": "ai-title", "aiTitle": ["odd"], "sessionId": 3},
    ]
    found = read(make({"a.jsonl": lines(*records)}))
    assert found.session.title == "My shop"
    assert (found.row.messages, found.row.ignored) == (4, 5)
    assert read(make({"b/a.jsonl": lines(records[0], *records[2:])}) / "b").session.title == "Shop again"


def queued(prompt, **fields):
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **fields}
    return {"type": "attachment", "uuid": "q", "parentUuid": "a1", "sessionId": SID, "attachment": attachment}


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        (queued("And the tests"), ("user", "message", "And the tests")),
        (queued([{"type": "text", "text": "And"}]), ("user", "message", "And")),
        (queued("x", commandMode="task-notification"), ("user", "notice", "x")),
        (queued("<task-notification>x</task-notification>"), ("user", "notice", None)),
        (turn("n", "a1", origin={"kind": "task-notification"}), ("user", "notice", "n")),
        (turn("n", "a1", origin={"kind": "human"}), ("user", "message", "n")),
        (
            {"type": "tool_use", "name": "bash", "input": {"x": 1}, "uuid": "t", "sessionId": SID},
            ("assistant", "tool_call", '[tool_use bash] {"x":1}'),
        ),
        ({"type": "tool_result", "output": "a\nb", "uuid": "t", "sessionId": SID}, ("tool", "tool_result", "a\nb")),
    ],
)
def test_further_records_that_are_messages(make, read, extra, expected):
    message = read(make({"a.jsonl": lines(*LINEAR, extra)})).session.messages[-1]
    assert (message.role, message.kind) == expected[:2]
    assert expected[2] in (None, message.text)
    assert message.thread is None


@pytest.mark.parametrize("prompt", [None, 7, "", " ", {"type": "image"}])
def test_queued_prompts_that_say_nothing(make, read, prompt):
    found = read(make({"a.jsonl": lines(*LINEAR, queued(prompt), {**queued("x"), "attachment": prompt})}))
    assert found.row.messages + found.row.ignored == 6


def named(name):
    return f"<persisted-output>\nOutput too large. Full output saved to: /home/ann/p/{SID}/tool-results/{name}\n\nabc"


def test_large_results_are_messages_of_their_session(make, read):
    agent = result("x1", None, "t9", named("agent.txt"))
    files = {
        f"shop/{SID}.jsonl": lines(
            *LINEAR[:2],
            answer("c1", "a1", "m2", use("t1")),
            result("r1", "c1", "t1", named("big.txt")),
            result("r2", "r1", "t2", "short"),
            result("r3", "r2", "t3", named("gone.txt")),
        ),
        f"shop/{SID}/subagents/agent-abc.jsonl": lines({**agent, "isSidechain": True, "agentId": "abc"}),
        f"shop/{SID}/tool-results/big.txt": "everything\r\n",
        f"shop/{SID}/tool-results/agent.txt": "of the agent",
        f"shop/{SID}/tool-results/t2.txt": "short",
        f"shop/{SID}/tool-results/alone.json": '{"a": 1}',
        f"shop/{SID}/tool-results/page.png": b"\x89PNG\r\n\x1a\n\x00\x00",
    }
    found = read(make(files))
    by_origin = {session.origin: session for session in found.sessions}
    assert set(by_origin) == {f"shop/{SID}.jsonl", f"shop/{SID}/subagents/agent-abc.jsonl"}
    messages = by_origin[f"shop/{SID}.jsonl"].messages
    assert [m.id for m in messages] == ["u1", "a1", "c1", "r1", "big.txt", "r2", "r3", "alone.json", "page.png"]
    big = messages[4]
    assert (big.text, big.role, big.kind, big.thread) == ("everything\r\n", "tool", "tool_result", None)
    assert big.at == messages[3].at
    assert messages[7].at is None
    assert messages[8].text == "[image: image/png, 10 bytes]"
    assert list(found.spilled.values()) == [b"\x89PNG\r\n\x1a\n\x00\x00"]
    of_agent = by_origin[f"shop/{SID}/subagents/agent-abc.jsonl"]
    assert (of_agent.id, [(m.id, m.thread) for m in of_agent.messages]) == (SID, [("x1", "abc"), ("agent.txt", "abc")])
    assert {row.status for row in found.report.rows} == {"ingested"}


def test_results_without_their_transcript(make, read):
    files = {
        f"-home-ann-shop/{SID}/tool-results/big.txt": "everything",
        f"-home-ann-shop/{SID}/tool-results/empty.txt": "",
        "code/tool-results/readme.txt": "a folder of that name",
    }
    found = read(make(files))
    sessions = {session.origin: session for session in found.sessions}
    session = sessions[f"-home-ann-shop/{SID}/tool-results/big.txt"]
    assert (session.id, session.group, session.format) == (SID, ("-home-ann-shop",), "claude_code")
    assert (session.messages[0].id, session.messages[0].kind) == ("big.txt", "tool_result")
    assert sessions["code/tool-results/readme.txt"].format == "plain_text"


def test_agents_of_workflows(make, read):
    place = f"shop/{SID}/subagents/workflows/wf_1"
    files = {
        f"{place}/agent-abc.jsonl": lines(
            turn("x", None, isSidechain=True, agentId="abc", sessionId="agent-abc", cwd=None)
        ),
        f"{place}/agent-abc.meta.json": '{"agentType": "x"}',
        f"{place}/journal.jsonl": '{"type": "started"}\n',
    }
    found = read(make(files))
    assert (found.session.id, found.session.group, found.session.messages[0].thread) == (SID, ("shop",), "abc")
    assert {row.status for row in found.report.rows} == {"ingested"}


PROMPTS = '{"display":"Go","pastedContents":{},"timestamp":1760000000000,"project":"/home/ann/shop"}\n'
HOME = {
    "history.jsonl": PROMPTS,
    "settings.json": "{}",
    "todos/x.json": "[]",
    "statsig/statsig.cached": "{}",
    "shell-snapshots/snapshot.sh": "export A=1",
    "plans/brave-fox.md": "# A plan",
    "plugins/market/README.md": "# A plugin",
    "projects/-home-ann-shop/memory/MEMORY.md": "# Notes",
    "projects/-home-ann-shop/sessions-index.json": '{"version": 1, "entries": [{"sessionId": "s"}]}',
}


@pytest.mark.parametrize("home", [".claude", "copy of it"])
def test_what_else_lies_in_the_home(make, read, home):
    files = {f"{home}/{name}": text for name, text in HOME.items() if home == ".claude" or "settings" not in name}
    files[f"{home}/projects/-home-ann-shop/{SID}.jsonl"] = lines(*LINEAR)
    files[f"{home}/CLAUDE.md"] = "# What I like"
    found = read(make(files))
    formats = {row.name: row.format for row in found.report.rows}
    assert formats.pop(f"{home}/CLAUDE.md") == "markdown"
    assert set(formats.values()) == {"claude_code"}
    assert len([s for s in found.sessions if s.format == "claude_code"]) == 1
    assert all(row.status == "ingested" for row in found.report.rows)
    assert all(row.note for row in found.report.rows if row.name in formats and not row.sessions)


def test_ordinary_folders_are_not_the_home(make, read):
    names = ["plans/a.md", "logs/a.txt", "memory/b.md", "todos/c.md", "projects/x/memory/d.md", "cache/e.txt"]
    found = read(make(dict.fromkeys(names, "# Text\n\nOf mine")))
    assert {row.format for row in found.report.rows} == {"markdown", "plain_text"}


def test_a_history_that_merely_lies_in_such_a_home(tmp_path):
    folder = tmp_path / ".claude" / "plans" / "history"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# Text")
    assert read_all(folder).session.format == "markdown"
    assert read_all(tmp_path / ".claude").report.rows[0].format == "claude_code"


@given(st.lists(st.integers(-1, 8), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_the_last_message_is_on_the_main_line(tmp_path_factory, parents, random):
    """Any tree: nothing is lost, and the way from the last message to the root is no branch."""
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    records = [turn(f"u{n}", f"u{p}" if p >= 0 else None) for n, p in enumerate(parents)]
    path.write_text(lines(*records))
    messages = {m.id: m for m in read_all(path).session.messages}
    assert set(messages) == {f"u{n}" for n in range(len(parents))}
    at, seen = len(parents) - 1, set()
    while 0 <= at < len(parents) and at not in seen:
        assert messages[f"u{at}"].thread is None
        seen.add(at)
        at = parents[at]


SEEDS = [lines(*LINEAR, turn("u3", "a1"), queued("x"), result("r", "a1", "t", named("b.txt"))).encode()]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from([f"{SID}.jsonl", f"{SID}/tool-results/b.txt"]), st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


KEYS = "type uuid parentUuid logicalParentUuid attachment prompt origin kind forkedFrom sessionId aiTitle output"
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["attachment", "queued_command"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)
TYPES = st.sampled_from(["attachment", "tool_use", "tool_result", "ai-title", "custom-title", "user", "system"])


@given(st.lists(st.tuples(TYPES, SHAPES), max_size=6))
def test_no_shape_of_records_breaks_it(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    odd = [dict.fromkeys(KEYS.split()[1:], value) | {"type": kind} for kind, value in records]
    path.write_text(lines(record(), *odd, *(value for _, value in records), record(uuid="u9")))
    found = read_all(path)
    assert all("reader failed" not in skipped.reason for skipped in found.row.records_skipped)
    ids = {m.id for session in found.sessions for m in session.messages}
    assert {"u1", "u9"} <= ids


def test_no_shape_of_types_breaks_the_recognition(make, read):
    text = json.dumps({"type": ["user"], "sessionId": 1}) + "\n"
    assert "reader failed" not in (read(make({"a.jsonl": text * 2})).row.reason or "")
