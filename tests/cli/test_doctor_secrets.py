"""`jam doctor --secrets` and `jam build --no-redact`: what they print, and what they never print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import cli
from tests.conftest import tree_digest
from tests.histories import write_chat

TOKEN = "ghp_Zk3vQ8xTn1LmW7rYb5Jd9sHc2Gf6Ea4Up0Kt"
PASSWORD = "Swordfish!2024"


@pytest.fixture
def exposed(tmp_path: Path) -> jam.Workspace:
    """A workspace with secrets in it."""
    texts = ["Where is the winch?", f"my password is {PASSWORD}", f"and {TOKEN}"]
    write_chat(tmp_path / "h" / "a.json", texts, id="s1", title="Winch")
    return jam.build(tmp_path / "h", tmp_path / "w", redact=False)


def run(*arguments: object):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_doctor_names_secrets_and_prints_none(exposed: jam.Workspace):
    before = tree_digest(exposed.root)
    result = run("doctor", exposed.root, "--secrets")
    assert result.exit_code == 1
    path = exposed.entries()[0].path
    assert f"{path}, message 2: password\n" in result.output
    assert f"{path}, message 3: github token (ghp_…)\n" in result.output
    assert "--redact" in result.output
    assert TOKEN[4:8] not in result.output
    assert PASSWORD[:4] not in result.output
    assert tree_digest(exposed.root) == before


def test_the_doctor_says_it_as_json(exposed: jam.Workspace):
    result = run("doctor", exposed.root, "--secrets", "--json", "-q")
    data = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (data["sound"], data["redact"]) == (False, False)
    path = exposed.entries()[0].path
    assert {"path": path, "message": 3, "kind": "github token", "shown": "ghp_…"} in data["secrets"]
    assert {"path": path, "message": 2, "kind": "password", "shown": ""} in data["secrets"]
    assert TOKEN[4:8] not in result.stdout


def test_the_doctor_looks_into_attachments_runs_and_other_files(exposed: jam.Workspace):
    (exposed.root / "mine.txt").write_text(f"token={TOKEN}", encoding="utf-8")
    attachment = exposed.attachments.spill(f"DB_PASSWORD={PASSWORD}".encode(), "text/plain", "prod.env")
    jam.recall(exposed, "What is my password?")
    data = json.loads(run("doctor", exposed.root, "--secrets", "--json").stdout)
    paths = {secret["path"] for secret in data["secrets"]}
    assert {"mine.txt", f"attachments/{attachment.sha256}"} <= paths
    assert any(path.startswith(".jam/runs/") for path in paths)


def test_the_doctor_looks_at_front_matter_and_headings(tmp_path: Path):
    message = {"role": "user", "name": f"Ann {TOKEN}", "content": "Where is the winch?"}
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "a.json").write_text(json.dumps({"id": f"s-{TOKEN}", "title": "Winch", "messages": [message]}))
    workspace = jam.build(tmp_path / "h", tmp_path / "w", redact=False)
    result = run("doctor", workspace.root, "--secrets")
    path = workspace.entries()[0].path
    assert result.exit_code == 1
    assert f"{path}: github token\n" in result.output
    assert f"{path}, message 1: github token\n" in result.output
    assert TOKEN[4:8] not in result.output


def test_a_build_with_redaction_heals_it(exposed: jam.Workspace, tmp_path: Path):
    result = run("build", tmp_path / "h", "-w", exposed.root, "--redact", "-q")
    assert "1 sessions that had been kept with secrets were redacted" in result.output
    result = run("doctor", exposed.root, "--secrets")
    assert (result.exit_code, "no secrets found" in result.output) == (0, True)
    assert run("doctor", exposed.root).exit_code == 0


def test_the_build_says_what_was_redacted(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", [f"my password is {PASSWORD}", f"and {TOKEN} or {TOKEN}"], id="s1")
    result = run("build", tmp_path / "h", "-w", tmp_path / "w", "-q")
    assert "3 secrets (2 github token, 1 password) redacted" in result.output
    result = run("build", tmp_path / "h", "-w", tmp_path / "x", "--no-redact", "-q")
    assert "redacted" not in result.output
    result = run("build", tmp_path / "h", "-w", tmp_path / "y", "--dry-run")
    assert "3 secrets (2 github token, 1 password) redacted" in result.output
    assert "redacted" not in run("build", tmp_path / "h", "-w", tmp_path / "y", "--dry-run", "--no-redact").output
    assert not (tmp_path / "y").exists()


def test_asking_a_history_does_as_its_workspace_says(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", [f"my password is {PASSWORD}"], id="s1")
    jam.build(tmp_path / "h", tmp_path / "w", redact=False)
    write_chat(tmp_path / "h" / "b.json", [f"the winch has the code {TOKEN}"], id="s2")
    run("ask", tmp_path / "h", "What code has the winch?", "-w", tmp_path / "w", "-q")
    assert any(TOKEN in m.text for s in jam.Workspace.open(tmp_path / "w").sessions() for m in s.messages)


def test_the_index_and_the_secrets_are_checked_apart(exposed: jam.Workspace):
    result = run("doctor", exposed.root, "--secrets", "--rebuild")
    assert result.exit_code == 2
