"""An llm build that is killed, at any moment: the next one completes it and pays for nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import jam
from jam.doctor import check
from jam.memorizer.build import build
from tests.llm.scripts import sensible
from tests.servers import Act, ScriptedServer

KILLS = 50
SESSIONS = 14


def history(folder: Path) -> Path:
    folder.mkdir()
    for number in range(SESSIONS):
        text = f"# Note {number}\n\nThe buoy number {number} is {'red' if number % 2 else 'green'}.\n"
        (folder / f"note {number:02}.md").write_text(text, encoding="utf-8")
    return folder


def killed_after(seconds: float, source: Path, place: Path, spec: str) -> bool:
    """Whether a build, run as a command, was still at work when it was killed."""
    command = [
        sys.executable,
        "-m",
        "jam",
        "build",
        str(source),
        "-w",
        str(place),
        "--engine",
        "llm",
        "--model",
        spec,
        "-q",
    ]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        return True
    return False


def test_fifty_kills_lose_nothing_and_pay_for_nothing_twice(tmp_path: Path):
    """Whenever a build dies, the same build goes on. The moments are spread over its whole life by chance."""
    rng = random.Random(4)
    source = history(tmp_path / "h")
    stored: Counter[str] = Counter()
    lock = threading.Lock()

    def script(request: dict, number: int) -> Act:
        time.sleep(0.03)
        with lock:
            stored[json.dumps(request, sort_keys=True)] += 1
        return sensible(request, number)

    kills = number = 0
    with ScriptedServer(script) as server:
        begun = time.monotonic()
        place = tmp_path / "timed"
        assert not killed_after(120, source, place, server.spec)
        life = time.monotonic() - begun
        while kills < KILLS:
            number += 1
            place = tmp_path / f"w{number}"
            stored.clear()
            dead = 0
            for _ in range(5):  # the same build, killed again and again
                dead += killed_after(rng.uniform(0.35, 1.0) * life, source, place, server.spec)
            kills += dead
            before_last = (
                {path.name for path in (place / ".jam" / "replies").rglob("*.json")} if place.exists() else set()
            )
            asked_before = sum(stored.values())
            workspace, report = build(source, place, engine="llm", model=_model(server.spec))
            assert report.complete, report.failed
            assert len(list(workspace.sessions())) == SESSIONS
            assert {
                memo.memo.engine for e in workspace.entries() for memo in [workspace.read_memo(e.path)] if memo
            } == {"llm"}
            assert check(workspace).sound
            # A call may be made again only where the kill came between reply and storing: never more often than kills.
            extra = sum(count - 1 for count in stored.values())
            assert extra <= dead * 8, (extra, dead)
            assert len(before_last) <= asked_before
            after = len(list((place / ".jam" / "replies").rglob("*.json")))
            assert sum(stored.values()) - asked_before == after - len(before_last)  # nothing stored was asked again
    jam.Workspace.open(place)


def _model(spec: str):
    from jam.models.chat import ChatModel
    from jam.models.spec import read_model

    return ChatModel.of(read_model(spec))
