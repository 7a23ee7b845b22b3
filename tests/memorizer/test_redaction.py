"""Secrets and the workspace: none is written, what was written earlier goes, and a message stays the same message."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from pathlib import Path

import pytest

import jam
from jam.errors import NotAWorkspace
from jam.exposure import find_exposed
from jam.memorizer.build import build
from jam.memorizer.preview import preview
from jam.workspace.excerpts import LONGEST
from jam.workspace.layout import memo_path
from jam.workspace.memo_file import decode_memo, encode_memo
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.conftest import tree_digest
from tests.histories import write_chat

TOKEN = "ghp_Zk3vQ8xTn1LmW7rYb5Jd9sHc2Gf6Ea4Up0Kt"
PASSWORD = "Swordfish!2024"
ASKED = "I need a new password"
KEY = "sk_live_Qm7Zx2Lr9Vb4Kt8Wc1Hs6Np3"
TEXTS = [
    "Where is the winch?",
    f"In the shed. By the way, my password is {PASSWORD}",
    f"Use {TOKEN} for the repository, it is the same as in the shed.",
]


def rewind(path: Path) -> None:
    """The file looks changed to the next build."""
    os.utime(path, (1, 1))


def texts_of(workspace: Workspace, session_id: str = "s1") -> list[str]:
    return [m.text for s in workspace.sessions() if s.id == session_id for m in s.messages]


def holding(root: Path, *secrets: str) -> list[str]:
    """The files, of all there are, that hold one of the secrets in any form that a search finds."""
    needles = [
        n for s in secrets for n in (s.encode(), base64.b64encode(s.encode()).rstrip(b"="), s.encode("utf-16-le"))
    ]
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and any(needle in path.read_bytes() for needle in needles):
            found.append(path.relative_to(root).as_posix())
    return found


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A chat with secrets in its texts, its title, and payloads."""
    folder = tmp_path / "h"
    write_chat(folder / "a.json", TEXTS, id="s1", title=f"Shed and {TOKEN}")
    return folder


def test_no_secret_is_in_any_byte_of_the_workspace(history: Path, tmp_path: Path):
    workspace, report = build(history, tmp_path / "w")
    assert holding(workspace.root, TOKEN, PASSWORD) == []
    assert texts_of(workspace)[1:] == [
        "In the shed. By the way, my password is [redacted: password]",
        "Use [redacted: github token] for the repository, it is the same as in the shed.",
    ]
    assert report.history.redacted["password"] == 1
    assert report.history.redacted["github token"] >= 1
    assert report.cleaned == 0
    assert jam.recall(workspace, "What is my password?").evidence
    assert holding(workspace.root, TOKEN, PASSWORD) == []


def test_the_report_counts_by_file_and_kind(history: Path, tmp_path: Path):
    write_chat(history / "b.json", ["nothing here"], id="s2")
    _, report = build(history, tmp_path / "w")
    rows = {row.name: row.redacted for row in report.history.rows}
    assert rows["a.json"]["password"] == 1
    assert rows["b.json"] == {}
    data = report.history.to_dict()
    assert data["redacted"] == report.history.redacted
    assert data["rows"][0]["redacted"] == rows["a.json"]
    assert "1 password" in report.history.render()


def test_a_preview_counts_them_too(history: Path, tmp_path: Path):
    assert preview(history).history.redacted["password"] == 1
    assert preview(history, redact=False).history.redacted == {}
    build(history, tmp_path / "w", redact=False)
    assert preview(history, workspace=tmp_path / "w").history.redacted == {}


def test_building_twice_changes_nothing_with_redaction_on_or_off(history: Path, tmp_path: Path):
    for name, redact in (("on", True), ("off", False)):
        workspace, _ = build(history, tmp_path / name, redact=redact)
        before = tree_digest(workspace.root)
        rewind(history / "a.json")
        _, report = build(history, workspace.root)
        assert tree_digest(workspace.root) == before
        assert (report.new, report.grown, report.cleaned, report.memos_written) == (0, 0, 0, 0)


def test_without_redaction_everything_is_kept_as_it_is(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w", redact=False)
    assert texts_of(workspace) == TEXTS
    assert workspace.last_build.history.redacted == {}  # type: ignore[union-attr]
    assert "redact: false" in (workspace.root / "jam.yaml").read_text()
    assert workspace.settings.redact is False


def test_later_builds_do_as_the_one_that_said_so(history: Path, tmp_path: Path):
    jam.build(history, tmp_path / "w", redact=False)
    write_chat(history / "b.json", [f"and {KEY}"], id="s2")
    workspace = asyncio.run(jam.abuild(history, tmp_path / "w"))
    assert texts_of(workspace, "s2") == [f"and {KEY}"]


def test_switched_on_it_replaces_what_was_kept_before(history: Path, tmp_path: Path):
    before = jam.build(history, tmp_path / "w", redact=False)
    assert "ghp" in before.entries()[0].path
    assert holding(before.root, TOKEN, PASSWORD) != []
    workspace, report = build(history, tmp_path / "w", redact=True)
    assert report.cleaned == 1
    assert report.new == report.grown == 0
    assert [entry.path for entry in workspace.entries()] == ["undated shed-and-redacted-github-token.md"]
    assert len(texts_of(workspace)) == 3
    assert holding(workspace.root, TOKEN, PASSWORD) == []
    digest = tree_digest(workspace.root)
    rewind(history / "a.json")
    _, report = build(history, tmp_path / "w")
    assert (report.cleaned, tree_digest(workspace.root)) == (0, digest)


def test_what_is_no_longer_in_the_history_is_replaced_too(history: Path, tmp_path: Path):
    jam.build(history, tmp_path / "w", redact=False)
    (history / "a.json").unlink()
    write_chat(history / "b.json", ["hello"], id="s2")
    workspace = jam.build(history, tmp_path / "w", redact=True)
    assert len(texts_of(workspace)) == 3
    assert holding(workspace.root, TOKEN, PASSWORD) == []


def test_a_workspace_of_before_redaction_is_redacted_by_the_next_build(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w", redact=False)
    settings = workspace.root / "jam.yaml"
    settings.write_text(settings.read_text().replace("redact: false\n", ""))
    _, report = build(history, tmp_path / "w")
    assert report.cleaned == 1
    assert holding(workspace.root, TOKEN, PASSWORD) == []


def test_without_its_derived_data_a_clean_workspace_stays_byte_for_byte(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    before = tree_digest(workspace.root)
    (workspace.derived / "redacted").unlink()
    (workspace.derived / "ledger.json").unlink()
    _, report = build(history, tmp_path / "w")
    assert tree_digest(workspace.root) == before
    assert report.cleaned == 0


def test_switched_off_a_redacted_message_is_still_the_same_message(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w")
    raw = {path: digest for path, digest in tree_digest(workspace.root).items() if path != "jam.yaml"}
    rewind(history / "a.json")
    workspace, report = build(history, tmp_path / "w", redact=False)
    assert (report.new, report.grown) == (0, 0)
    after = {path: digest for path, digest in tree_digest(workspace.root).items() if path != "jam.yaml"}
    assert after == raw


def test_switched_off_a_session_grows_by_what_is_new_only(history: Path, tmp_path: Path):
    redacted = texts_of(jam.build(history, tmp_path / "w"))
    write_chat(history / "a.json", [*TEXTS, f"and {KEY}", "bye"], id="s1", title=f"Shed and {TOKEN}")
    workspace, report = build(history, tmp_path / "w", redact=False)
    assert report.grown == 1
    assert texts_of(workspace) == [*redacted, f"and {KEY}", "bye"]
    digest = tree_digest(workspace.root)
    rewind(history / "a.json")
    build(history, tmp_path / "w")
    assert tree_digest(workspace.root) == digest
    workspace, report = build(history, tmp_path / "w", redact=True)
    assert report.cleaned == 1
    assert texts_of(workspace) == [*redacted, "and [redacted: stripe key]", "bye"]


def test_equal_messages_stay_as_many_as_they_are(tmp_path: Path):
    texts = [f"it is {TOKEN}", "no", f"it is {TOKEN}", "no", f"it is {TOKEN}"]
    write_chat(tmp_path / "h" / "a.json", texts, id="s1")
    jam.build(tmp_path / "h", tmp_path / "w")
    rewind(tmp_path / "h" / "a.json")
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=False)
    assert (report.new, report.grown, len(texts_of(workspace))) == (0, 0, 5)


def test_a_note_that_was_redacted_is_not_replaced_by_itself(tmp_path: Path):
    note = tmp_path / "h" / "note.md"
    note.parent.mkdir()
    note.write_text(f"# Router\n\nThe wifi password: {PASSWORD}\n", encoding="utf-8")
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    before = tree_digest(workspace.root)
    rewind(note)
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=False)
    assert (report.new, report.grown) == (0, 0)
    assert {k: v for k, v in tree_digest(workspace.root).items() if k != "jam.yaml"} == {
        k: v for k, v in before.items() if k != "jam.yaml"
    }


def chat_with_file(path: Path, payload: bytes, name: str) -> None:
    """A chat with a file in base64."""
    data = f"data:text/plain;base64,{base64.b64encode(payload).decode()}"
    content = [{"type": "text", "text": "see"}, {"type": "file", "file": {"file_data": data, "filename": name}}]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": "s1", "messages": [{"role": "user", "content": content}]}), encoding="utf-8")


def test_text_attachments_are_kept_without_their_secrets(tmp_path: Path):
    chat_with_file(tmp_path / "h" / "a.json", f"DB_PASSWORD={PASSWORD}\n".encode(), "prod.env")
    for redact in (False, True):  # what was kept before is replaced, too
        workspace = jam.build(tmp_path / "h", tmp_path / "w", redact=redact)
    (attachment,) = [a for s in workspace.sessions() for m in s.messages for a in m.attachments]
    payload = workspace.attachments.read(attachment.sha256)
    assert payload == b"DB_PASSWORD=[redacted: password]\n"
    assert attachment.size == len(payload)
    assert [path.name for path in (workspace.root / "attachments").iterdir()] == [attachment.sha256]
    assert holding(workspace.root, PASSWORD) == []
    before = tree_digest(workspace.root)
    rewind(tmp_path / "h" / "a.json")
    build(tmp_path / "h", tmp_path / "w")
    assert tree_digest(workspace.root) == before


def write_named(path: Path, *, at: int) -> None:
    """A chat with a token in its own id, in its messages' ids and in the name of one who speaks."""
    said = [("user", "Where is the winch?"), ("assistant", "In the shed.")]
    messages = [
        {"role": role, "name": f"Ann {TOKEN}", "id": f"{number}-{TOKEN}", "content": text}
        for number, (role, text) in enumerate(said)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": f"chat-{at}-{TOKEN}", "title": f"Plans {at}", "messages": messages}))


def test_no_secret_stays_in_ids_and_names_of_speakers(tmp_path: Path):
    for number in (1, 2):
        write_named(tmp_path / "h" / f"{number}.json", at=number)
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert holding(workspace.root, TOKEN) == []
    assert find_exposed(workspace).secrets == ()
    sessions = list(workspace.sessions())
    assert len({session.id for session in sessions}) == 2
    assert len({message.id for message in sessions[0].messages}) == 2
    before = tree_digest(workspace.root)
    rewind(tmp_path / "h" / "1.json")
    workspace, report = build(tmp_path / "h", tmp_path / "w")
    assert (tree_digest(workspace.root), report.new, report.grown) == (before, 0, 0)


def test_ids_and_names_that_were_kept_before_are_redacted_too(tmp_path: Path):
    for number in (1, 2):
        write_named(tmp_path / "h" / f"{number}.json", at=number)
    wanted = tree_digest(jam.build(tmp_path / "h", tmp_path / "clean").root)
    workspace = jam.build(tmp_path / "h", tmp_path / "w", redact=False)
    raw = workspace.entries()[0].path
    named = {(secret.path, secret.message) for secret in find_exposed(workspace).secrets}
    assert {(raw, None), (raw, 1), (raw, 2), (memo_path(raw), None)} <= named
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=True)
    assert (report.cleaned, report.new, report.grown) == (2, 0, 0)
    assert holding(workspace.root, TOKEN) == []
    assert find_exposed(workspace).secrets == ()
    assert {name: digest for name, digest in tree_digest(workspace.root).items() if name != "jam.yaml"} == {
        name: digest for name, digest in wanted.items() if name != "jam.yaml"
    }


def test_names_of_files_are_no_passwords(tmp_path: Path):
    """Of two sessions with one title the second file gets an ending that looks like one."""
    for number in (1, 2, 3):
        write_chat(
            tmp_path / "h" / f"{number}.json", ["Where is the winch?", "In the shed."], id=f"s{number}", title=ASKED
        )
    workspace = jam.build(tmp_path / "h", tmp_path / "w", redact=False)
    assert any("~" in entry.path for entry in workspace.entries())
    assert find_exposed(workspace).secrets == ()
    before = tree_digest(workspace.root)
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=True)
    assert (report.cleaned, report.memos_written, report.moved) == (0, 0, 0)
    after = tree_digest(workspace.root)
    assert {**after, "jam.yaml": before["jam.yaml"]} == before


def test_very_long_texts_are_kept_without_their_secrets(tmp_path: Path):
    text = "line of a log\n" * (LONGEST // 10) + f"the password is {PASSWORD}\n" + "more of it\n" * 2000
    write_chat(tmp_path / "h" / "a.json", [text, "hm"], id="s1")
    for redact in (False, True):
        workspace = jam.build(tmp_path / "h", tmp_path / "w", redact=redact)
    assert texts_of(workspace) == [text.replace(PASSWORD, "[redacted: password]"), "hm"]
    assert holding(workspace.root, PASSWORD) == []
    rewind(tmp_path / "h" / "a.json")
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=False)
    assert (report.new, report.grown) == (0, 0)


def test_a_session_in_parts_is_redacted_in_all_of_them(tmp_path: Path):
    texts = [f"message {n}: token={TOKEN} " + "tide " * 200 for n in range(40)]
    write_chat(tmp_path / "h" / "a.json", texts, id="s1")
    Workspace.create(tmp_path / "w", Settings(part_tokens=2000, redact=False))
    workspace = jam.build(tmp_path / "h", tmp_path / "w")
    assert len(workspace.entries()) > 3
    workspace, report = build(tmp_path / "h", tmp_path / "w", redact=True)
    assert report.cleaned == 1
    assert texts_of(workspace) == [text.replace(TOKEN, "[redacted: github token]") for text in texts]
    assert holding(workspace.root, TOKEN) == []


def test_a_memo_that_a_person_edited_is_left_and_named(history: Path, tmp_path: Path):
    workspace = jam.build(history, tmp_path / "w", redact=False)
    memo = workspace.root / memo_path(workspace.entries()[0].path)
    file = decode_memo(memo.read_bytes(), "memo")
    edited = encode_memo(file).replace(file.memo.gist.encode(), f"My own note: {KEY}".encode())
    memo.write_bytes(edited)
    workspace = jam.build(history, tmp_path / "w", redact=True)
    path = memo_path(workspace.entries()[0].path)
    assert KEY in (workspace.root / path).read_text(encoding="utf-8")
    exposed = find_exposed(workspace).secrets
    assert {(path, "stripe key"), ("README.md", "stripe key")} <= {(secret.path, secret.kind) for secret in exposed}


@pytest.mark.parametrize("line", ["redact: maybe", "redact: 1", "redact: 'true'"])
def test_the_setting_is_true_or_false(tmp_path: Path, line: str):
    workspace = Workspace.create(tmp_path / "w")
    settings = workspace.root / "jam.yaml"
    settings.write_text(settings.read_text().replace("redact: true", line))
    with pytest.raises(NotAWorkspace, match="redact must be true or false"):
        Workspace.open(tmp_path / "w")


def test_the_setting_is_changed_and_all_else_in_the_file_stays(history: Path, tmp_path: Path):
    workspace = Workspace.create(tmp_path / "w")
    settings = workspace.root / "jam.yaml"
    mine = "# mine\r\nformat: 1\r\nredact:   yes  # as you like\r\nkeep_runs: 7\r\n"
    settings.write_bytes(mine.encode())
    build(history, tmp_path / "w", redact=False)
    assert settings.read_bytes().decode() == mine.replace("redact:   yes", "redact: false")
    build(history, tmp_path / "w", redact=True)
    assert settings.read_bytes().decode() == mine.replace("redact:   yes", "redact: true")


def test_a_session_whose_id_was_redacted_is_still_the_same_without_redaction(tmp_path: Path):
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    chat = tmp_path / "history" / "chat.json"
    chat.parent.mkdir()
    chat.write_text(json.dumps({"id": f"key {token}", "messages": [{"role": "user", "content": "Tides?"}]}))
    jam.build(chat.parent, tmp_path / "w.jam")
    place = jam.build(chat.parent, tmp_path / "w.jam", redact=False)
    chat.write_text(chat.read_text() + " ")
    place = jam.build(chat.parent, tmp_path / "w.jam")
    assert len(list(place.sessions())) == 1
