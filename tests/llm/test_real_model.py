"""A real (tiny) model on a real server (llama.cpp), from the first command to a replay. It needn't be clever."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jam
from jam.doctor import check
from tests.conftest import EXAMPLES, REPOSITORY
from tests.histories import PORT
from tests.servers import llama  # noqa: F401 - a fixture

SHORT = {
    "max_output_tokens: 500": "max_output_tokens: 48",
    "max_output_tokens: 900": "max_output_tokens: 100",
    "max_output_tokens: 1500": "max_output_tokens: 100",
    "max_output_tokens: 600": "max_output_tokens: 70",
    "max_output_tokens: 400": "max_output_tokens: 70",
    "overview_tokens: 900": "overview_tokens: 200",
    "observation_tokens: 500": "observation_tokens: 300",
    "input_tokens: 4000": "input_tokens: 600",
}
"""A tiny model rambles to the end of what it is allowed: the card's lengths, and shorter ones for this test."""
SOME = (
    "notes/2026-06-16.md",
    "notes/harbor-design-notes.md",
    "notes/lisbon-trip.md",
    "chats/berth-plan.json",
    "chats/lisbon-flight.json",
    "claude-code/-home-mira-projects-harbor/8b273e34-ad71-4337-908d-aa3b7650c922.jsonl",
)
"""Of the examples' files: all of them take a tiny model minutes."""


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The llm engine's own card, but for the length of replies."""
    folder = tmp_path_factory.mktemp("cards")
    text = (REPOSITORY / "agents" / "llm.yaml").read_text(encoding="utf-8")
    for given, short in SHORT.items():
        assert given in text
        text = text.replace(given, short)
    (folder / "llm.yaml").write_text(text, encoding="utf-8")
    return folder


def run(*arguments: object, cards: Path) -> dict:
    import os

    command = [sys.executable, "-m", "jam", *map(str, arguments), "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "JAM_AGENTS": str(cards)}
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def built(llama: str, cards: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:  # noqa: F811
    folder = tmp_path_factory.mktemp("real")
    history, place = folder / "history", folder / "examples.jam"
    for name in SOME:
        (history / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(EXAMPLES / "history" / name, history / name)
    return place, run("build", history, "-w", place, "--engine", "llm", "--model", llama, cards=cards)


def test_every_session_gets_a_valid_memo(built: tuple[Path, dict]):
    place, report = built
    workspace = jam.Workspace.open(place)
    memos = [workspace.read_memo(entry.path) for entry in workspace.entries()]
    assert len(memos) == report["sessions"] == len(SOME)
    assert all(file is not None and file.memo.title and file.memo.gist for file in memos)
    assert report["complete"]
    assert report["spent"]["calls"] >= len(SOME)
    assert report["spent"]["doubtful"] == 0
    assert sum(file.memo.engine == "llm" for file in memos if file) > len(SOME) / 2
    assert check(workspace).sound


@pytest.mark.parametrize("protocol", ["text", "tools"])
def test_a_question_gets_a_context_that_verifies(built: tuple[Path, dict], llama: str, cards: Path, protocol: str):  # noqa: F811
    place, _ = built
    settings = place / "jam.yaml"
    models = f"models:\n  tiny:\n    spec: {llama}\n    protocol: {protocol}\n"
    settings.write_text(settings.read_text(encoding="utf-8").partition("models:")[0] + models, encoding="utf-8")
    data = run("ask", place, PORT, "--model", "tiny", "--rounds", 3, "--context-tokens", 400, cards=cards)
    context = jam.MemoryContext.from_dict(data)
    assert jam.verify_context(jam.Workspace.open(place), context) == []
    assert context.evidence or context.verdict in ("absent", "partial")
    assert context.usage.model_calls >= 1
    again = run("replay", context.run_id, "-w", place, cards=cards)
    assert again["same"]
