"""What breaks agent memories in the field, a test for each kind of fault in reading histories."""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from jam.cli.tools import toolbox
from jam.memorizer.build import build
from jam.session import Session
from jam.workspace.layout import memo_path
from tests.transcripts import chat, said, session_id, tool_result, tool_use, write_transcript


def sessions_of(workspace: jam.Workspace) -> dict[str, Session]:
    return {session.id: session for session in workspace.sessions()}


def texts_of(session: Session, thread: str | None = None) -> list[str]:
    return [message.text for message in session.messages if message.thread == thread]


def node(id: str, parent: str | None, role: str, text: str, at: object) -> dict[str, Any]:
    message = {
        "id": id,
        "author": {"role": role},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
    }
    return {"id": id, "parent": parent, "children": [], "message": message}


def conversation(id: str, *nodes: dict[str, Any], **fields: object) -> dict[str, Any]:
    """A conversation as ChatGPT exports it."""
    mapping = {each["id"]: each for each in nodes}
    for each in nodes:
        if each["parent"] in mapping:
            mapping[each["parent"]]["children"].append(each["id"])
    return {"conversation_id": id, "title": id, "create_time": 1767225600.0, "mapping": mapping, **fields}


def test_a_null_title_or_a_missing_time_stops_nothing(make, read):
    good = conversation("c1", node("n1", None, "user", "hello", None), title=None, create_time=None)
    bad = {**conversation("c2", node("n2", None, "user", "hi", 1767225600)), "mapping": "lost"}
    del good["create_time"]
    more = conversation("c3", node("n3", None, "user", "still here", "not a time"), title=["a", "list"])
    result = read(make({"conversations.json": json.dumps([good, bad, 7, more])}))
    assert [(session.id, session.title, session.at) for session in result.sessions][:1] == [("c1", None, None)]
    assert [session.messages[0].text for session in result.sessions] == ["hello", "still here"]
    assert all(message.at is None for session in result.sessions for message in session.messages)
    assert result.row.name == "conversations.json"
    assert result.row.skipped_count == 2
    assert [re.search(r"\d+|c2", skipped.where) is not None for skipped in result.row.records_skipped] == [True, True]
    assert all(skipped.reason for skipped in result.row.records_skipped)


def test_a_line_of_megabytes_is_read_and_its_payload_spilled_and_a_bad_file_stops_no_other(make, read):
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + os.urandom(1_500_000)).decode()
    shown = [
        {"type": "text", "text": "Look at this chart."},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}},
    ]
    lines = [said(1, "user", shown, session_id(1)), said(2, "assistant", "long " * 600_000, session_id(1))]
    folder = make(
        {
            "big.jsonl": "".join(json.dumps(record) + "\n" for record in lines),
            "broken.json": b'{"messages": [{"role": "user", "content": "lo',
            "also.json": json.dumps({"messages": [{"role": "user", "content": "fine"}]}),
        }
    )
    result = read(folder)
    big = next(session for session in result.sessions if session.id == session_id(1))
    assert picture[:1000] not in big.messages[0].text
    assert "Look at this chart." in big.messages[0].text
    assert base64.b64encode(result.spilled[big.messages[0].attachments[0].sha256]).decode() == picture
    assert len(big.messages[1].text) == 3_000_000
    assert {row.name: row.status for row in result.report.rows} == {
        "also.json": "ingested",
        "big.jsonl": "ingested",
        "broken.json": "skipped",
    }


def test_a_line_that_is_still_being_written_is_left_for_next_time(tmp_path: Path):
    file = tmp_path / "h" / "p" / f"{session_id(1)}.jsonl"
    write_transcript(file, chat(session_id(1), ["first", "second"]))
    whole = json.dumps(said(3, "user", "third, written slowly", session_id(1)))
    with file.open("a", encoding="utf-8") as stream:
        stream.write(whole[:80])
    workspace, report = build(tmp_path / "h", tmp_path / "w")
    assert report.complete
    assert texts_of(sessions_of(workspace)[session_id(1)]) == ["first", "second"]
    with file.open("a", encoding="utf-8") as stream:
        stream.write(whole[80:] + "\n")
    workspace, report = build(tmp_path / "h", tmp_path / "w")
    assert (report.grown, report.history.records_skipped) == (1, 0)
    assert texts_of(sessions_of(workspace)[session_id(1)]) == ["first", "second", "third, written slowly"]


def test_every_file_ends_up_in_exactly_one_row(make, read):
    files = {
        "empty.jsonl": "",
        "tiny.md": "a",
        "huge.md": "# Big\n\n" + "word " * 400_000,
        "picture.png": b"\x89PNG\r\n\x1a\n\x00",
        "chat.json": json.dumps({"messages": [{"role": "user", "content": "hi"}]}),
        "a/b/c/deep.txt": "deep down",
        "strange.xyz": b"\x00\x01\x02",
    }
    report = read(make(files)).report
    assert sorted(row.name for row in report.rows) == sorted(files)
    assert report.found == len(files) == report.ingested + report.unchanged + report.skipped
    assert {row.name for row in report.rows if row.status == "skipped"} == {"empty.jsonl", "picture.png", "strange.xyz"}


def test_two_files_with_one_session_id_are_merged_by_message(tmp_path: Path):
    trunk = chat(session_id(1), ["one", "two"])
    left = [*trunk, said(3, "user", "left", session_id(1))]
    right = [*trunk, said(13, "user", "right", session_id(1), minute=4)]
    write_transcript(tmp_path / "h" / "p" / "a.jsonl", left)
    write_transcript(tmp_path / "h" / "p" / "b.jsonl", right)
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert list(sessions_of(workspace)) == [session_id(1)]
    assert texts_of(sessions_of(workspace)[session_id(1)]) == ["one", "two", "left", "right"]


def test_of_a_transcript_that_is_sent_again_only_what_is_new_is_added(tmp_path: Path):
    file = tmp_path / "h" / "p" / f"{session_id(1)}.jsonl"
    records: list[dict[str, Any]] = []
    for stop in range(1, 6):
        records += chat(session_id(1), [f"question {stop}", f"answer {stop}"], first=2 * stop - 1)
        write_transcript(file, [*records, *records])  # a tool that appends the whole of it each time
        workspace = jam.build(tmp_path / "h", tmp_path / "w")
    expected = [f"{word} {stop}" for stop in range(1, 6) for word in ("question", "answer")]
    assert texts_of(sessions_of(workspace)[session_id(1)]) == expected


def test_what_a_resumed_session_copies_is_not_kept_twice(tmp_path: Path):
    write_transcript(tmp_path / "h" / "p" / f"{session_id(1)}.jsonl", chat(session_id(1), ["one", "two"]))
    resumed = [*chat(session_id(2), ["one", "two"]), said(3, "user", "three", session_id(2))]
    write_transcript(tmp_path / "h" / "p" / f"{session_id(2)}.jsonl", resumed)
    found = sessions_of(jam.build(tmp_path / "h", tmp_path / "w"))
    assert texts_of(found[session_id(1)]) == ["one", "two"]
    assert texts_of(found[session_id(2)]) == ["three"]
    assert found[session_id(2)].meta["continues"] == session_id(1)


def test_what_the_user_never_said_keeps_its_kind_and_search_tells_it_apart(tmp_path: Path):
    session = session_id(1)
    records = [
        said(1, "user", "Where is the lavender winch?", session),
        said(2, "assistant", tool_use("grep -r winch"), session),
        said(3, "user", tool_result("winch.txt: the lavender winch is in the shed"), session),
        said(4, "user", "The user asked for the lavender winch.", session, isCompactSummary=True),
        said(5, "user", "<system-reminder>lavender winch</system-reminder>", session, isMeta=True),
        said(6, "assistant", "lavender winch: found by the helper", session, isSidechain=True),
        said(7, "assistant", [{"type": "thinking", "thinking": "the lavender winch, hm"}], session),
    ]
    write_transcript(tmp_path / "h" / "p" / f"{session}.jsonl", records)
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    kept = sessions_of(workspace)[session].messages
    kinds = ["message", "tool_call", "tool_result", "summary", "notice", "message", "thinking"]
    assert [message.kind for message in kept] == kinds
    assert [message.thread is None for message in kept] == [True] * 5 + [False, True]
    (hit,) = toolbox(workspace.root).search("lavender winch").files
    told = {quote.message: quote.kind for quote in hit.quotes}
    assert told == {number: kinds[number - 1] for number in told}
    assert 5 not in told


def test_branches_of_an_export_are_not_interleaved(make, read):
    tree = conversation(
        "c1",
        node("a", None, "user", "Name a boat.", 1),
        node("b1", "a", "assistant", "Avocet", 2),
        node("b2", "a", "assistant", "Bittern", 3),
        node("c1", "b1", "user", "Another?", 4),
        node("c2", "b2", "user", "Good one.", 5),
        current_node="c2",
    )
    session = read(make({"conversations.json": json.dumps([tree])})).session
    assert texts_of(session) == ["Name a boat.", "Bittern", "Good one."]
    beside = [message for message in session.messages if message.thread is not None]
    assert [message.text for message in beside] == ["Avocet", "Another?"]
    assert len({message.thread for message in beside}) == 1


def test_what_the_memory_recalled_is_kept_but_not_remembered_again(tmp_path: Path):
    write_transcript(
        tmp_path / "h" / "p" / f"{session_id(1)}.jsonl",
        chat(session_id(1), ["Where is the lavender winch?", "The lavender winch is in the boathouse."]),
    )
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    context = jam.recall(workspace, "Where is the lavender winch?", save=False).render()
    prompt = f"{context}\n\nAnd the oars?"
    write_transcript(tmp_path / "h" / "p" / f"{session_id(2)}.jsonl", [said(50, "user", prompt, session_id(2))])
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert texts_of(sessions_of(workspace)[session_id(2)]) == [prompt]
    again = jam.recall(workspace, "Where is the lavender winch?", save=False)
    assert [item.text for item in again.evidence if "boathouse" in item.text] == [
        "The lavender winch is in the boathouse."
    ]
    memos = [workspace.read_memo(entry.path) for entry in workspace.entries() if entry.session_id == session_id(2)]
    assert all(memo is not None and "boathouse" not in memo.memo.descriptor() for memo in memos)


def test_a_message_keeps_its_own_time_and_an_unknown_one_stays_unknown(tmp_path: Path):
    history = tmp_path / "h"
    dated = [said(1, "user", "Yesterday we bought the mast.", session_id(1))]
    write_transcript(history / "p" / f"{session_id(1)}.jsonl", dated)
    (history / "undated.json").write_text(
        json.dumps({"messages": [{"role": "user", "content": "Yesterday it rained."}]})
    )
    os.utime(history / "undated.json", (1_000_000_000, 1_000_000_000))
    workspace = jam.build(history, tmp_path / "w")
    found = sessions_of(workspace)
    assert found[session_id(1)].messages[0].at == "2026-03-01T09:01:00.000+00:00"
    assert (found["undated.json"].started, found["undated.json"].messages[0].at) == (None, None)
    paths = {entry.session_id: entry.path for entry in workspace.entries()}
    assert "2026-03-01 09:01" in workspace.file(paths[session_id(1)]).read_text(encoding="utf-8")
    assert paths["undated.json"].rpartition("/")[2].startswith("undated ")
    for name, path in paths.items():
        memo = workspace.read_memo(path)
        assert memo is not None
        assert memo.memo.dates == (() if name == "undated.json" else ("2026-03-01",))
        assert "2001" not in (workspace.root / memo_path(path)).read_text(encoding="utf-8")
    context = jam.recall(workspace, "When was the mast bought, and when did it rain?", strategy="search", save=False)
    assert re.findall(r"^\[\d\].*$", context.render(), re.MULTILINE) == ["[1]", "[2] 1 Mar 2026"]


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("bom.md", "\ufeff# Café\n\nFünf Bögen".encode(), "Fünf Bögen"),
        ("utf16.md", "# Café\n\nFünf Bögen".encode("utf-16"), "Fünf Bögen"),
        ("crlf.md", "# Café\r\n\r\nFünf Bögen\r\nund mehr".encode(), "Fünf Bögen"),
        ("windows.md", "# Café\n\nFünf Bögen kosten 20 € – sagte er".encode("cp1252"), "20 € – sagte"),
        ("surrogate.json", b'{"messages": [{"role": "user", "content": "half \\ud83d here"}]}', "half \ud83d here"),
    ],
)
def test_any_encoding_is_read_without_loss_and_can_be_printed(tmp_path: Path, name: str, data: bytes, text: str):
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / name).write_bytes(data)
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    (session,) = workspace.sessions()
    assert text in "".join(message.text for message in session.messages)
    for command in (["ask", "What does it say?"], ["open", workspace.entries()[0].path], ["tree"]):
        result = CliRunner().invoke(cli, [command[0], str(workspace.root), *command[1:]])
        assert (result.exit_code, result.exception) == (0, None)


def test_names_are_portable_and_ids_come_back(tmp_path: Path):
    ids = ["a:b/c\\d", "CON", "Same", "same", "x" * 300, "naïve • 議事録", "..", "tail. "]
    titles = ["Plan: A/B?", "Con", "Ähre", "ähre", "x" * 300, "議事録", "..", "NUL."]
    for number, (own, title) in enumerate(zip(ids, titles, strict=True)):
        data = {"id": own, "title": title, "messages": [{"role": "user", "content": f"note {number}"}]}
        (tmp_path / "h").mkdir(exist_ok=True)
        (tmp_path / "h" / f"{number}.json").write_text(json.dumps(data), encoding="utf-8")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert sorted(sessions_of(workspace)) == sorted(ids)
    paths = [entry.path for entry in workspace.entries()]
    names = [part for path in paths for part in path.split("/")]
    assert not [name for name in names if re.search(r'[<>:"|?*\\\x00-\x1f]|[. ]$', name) or len(name.encode()) > 255]
    assert len({path.casefold() for path in paths}) == len(paths)
    assert any("議事録" in name for name in names)
    assert not [name for name in names if re.fullmatch(r"(?i)(con|nul|prn|aux)(\..*)?", name)]
