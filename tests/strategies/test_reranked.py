"""A reranker in `jam.yaml`: the best messages reordered, read with their neighbours, and done without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jam
from tests.encoders.servers import Request, VectorServer
from tests.histories import STRATEGIES
from tests.index.encoded import served, set_line, write_history
from tests.servers import Fail

PAINT = "How many coats of paint does the hull need?"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return jam.build(write_history(tmp_path / "history"), tmp_path / "w.jam").root


def fond_of(word: str) -> Callable[[Request], dict[str, Any]]:
    """A reranker to which nothing counts but a word in the message itself, the middle line."""

    def reply(request: Request) -> dict[str, Any]:
        scores = [float(word in own_line(text)) for text in request.body["documents"]]
        return {"results": [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]}

    return reply


def own_line(text: str) -> str:
    lines = text.split("\n")
    return lines[1] if len(lines) == 3 else text


def ask(workspace: jam.Workspace, strategy: str, tokens: int = 2000) -> jam.MemoryContext:
    budget = jam.Budget(context_tokens=tokens)
    return jam.recall(workspace, PAINT, strategy=strategy, budget=budget, save=False)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_the_reranker_prefers_comes_first(place: Path, strategy: str):
    plain = ask(jam.Workspace.open(place), strategy, 40)
    assert not any("sourdough" in item.text for item in plain.evidence)
    with VectorServer(fond_of("sourdough")) as server:
        found = ask(set_line(place, *served("rerank", server.url)), strategy, 40)
    assert any("sourdough" in item.text for item in found.evidence)
    assert "reranker" not in found.notes


def test_a_message_is_read_between_its_neighbours_with_who_speaks(place: Path):
    with VectorServer(fond_of("sourdough")) as server:
        ask(set_line(place, *served("rerank", server.url)), "search")
    (request,) = server.requests
    assert request.body["query"] == PAINT
    documents = request.body["documents"]
    assert len(documents) == 8
    middle = (
        "user: My rye bread came out flat.\nassistant: Give the sourdough more time.\nuser: The crumb is dense, too."
    )
    assert middle in documents
    assert "user: The night train to Trieste is full.\nassistant: There is a coach at noon." in documents


def test_no_more_than_the_best_are_sent(tmp_path: Path):
    chats = {f"chat{n}": (f"Coat {n} of paint for the hull.", "Is the hull dry?") for n in range(30)}
    workspace = jam.build(write_history(tmp_path / "history", **chats), tmp_path / "w.jam")
    with VectorServer(fond_of("17")) as server:
        ask(set_line(workspace.root, *served("rerank", server.url, "batch_size: 100")), "search")
    (request,) = server.requests
    assert len(request.body["documents"]) == 50


def test_of_long_neighbours_the_near_ends_are_read(tmp_path: Path):
    texts = ("A. " + "The owl was quiet. " * 200, "Coat seven is of red paint.", "The kiln is cold. " * 200 + "Z.")
    workspace = jam.build(write_history(tmp_path / "history", long=texts), tmp_path / "w.jam")
    with VectorServer(fond_of("red")) as server:
        ask(set_line(workspace.root, *served("rerank", server.url)), "search")
    documents = server.requests[0].body["documents"]
    (read,) = [text for text in documents if own_line(text) == "assistant: Coat seven is of red paint."]
    before, _, after = read.split("\n")
    assert before.rstrip().endswith("The owl was quiet.")
    assert after.startswith("user: The kiln is cold. ")
    assert max(len(before), len(after)) < 600


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_reranker_that_is_down_is_done_without(place: Path, strategy: str):
    without = ask(jam.Workspace.open(place), strategy)
    with VectorServer([Fail(503)]) as server:
        found = ask(set_line(place, *served("rerank", server.url)), strategy)
    assert found.context == without.context
    assert "The reranker was not used: " in found.notes
    assert found.notes.count("The reranker") == 1


def test_what_is_down_is_left_in_peace(place: Path, monkeypatch: pytest.MonkeyPatch):
    with VectorServer([Fail(503)]) as server:
        workspace = set_line(place, *served("rerank", server.url))
        for _ in range(3):
            assert "reranker" in ask(workspace, "search").notes
        assert len(server.requests) == 1
        monkeypatch.setattr("jam.index.attempts._PEACE", 0.0)
        ask(workspace, "search")
        assert len(server.requests) == 2


def test_the_command_line_says_that_it_went_without(place: Path):
    with VectorServer([Fail(401)]) as server:
        set_line(place, *served("rerank", server.url))
        command = [sys.executable, "-m", "jam", "search", str(place), PAINT, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        quiet = subprocess.run([*command, "-q"], capture_output=True, text=True, check=False)
    assert (done.returncode, quiet.returncode) == (0, 0)
    assert done.stderr.startswith("The reranker was not used: ")
    assert json.loads(done.stdout)["notes"] == [done.stderr.strip()]
    assert quiet.stderr == ""


def test_a_wrong_line_is_told_by_the_command_line(place: Path):
    with pytest.raises(jam.JamError):
        set_line(place, "reranker: rerank:tiny")
    command = [sys.executable, "-m", "jam", "ask", str(place), PAINT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "jam.yaml: reranker: a reranker needs its server's URL" in done.stderr
    assert "Traceback" not in done.stderr
