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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jam.doctor import check
from jam.memorizer.build import build
from jam.models.chat import ChatModel
from jam.models.spec import read_model
from jam.workspace.store import Workspace
from tests.llm.scripts import sensible
from tests.servers import Act, ScriptedServer

KILLS = int(os.environ.get("JAM_KILLS", "20"))
KILLS_A_BUILD = 5
SESSIONS = 14
AT_ONCE = 8
"""Calls under way at one time: as many may be lost with a kill."""

_BUILDER = """
import os, sys
from jam.memorizer.build import build
from jam.models.resolve import chat_model
import jam.engines.llm.memo, jam.engines.llm.organizer, jam.engines.llm.folders, langchain_openai, rapidfuzz
print("ready", flush=True)
for line in sys.stdin:
    source, place, spec = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        build(source, place, engine="llm", model=chat_model(spec))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Makes a process for each build without paying for imports each time."""


class Builder:
    """Runs builds in processes of their own, and kills them."""

    def __init__(self, helper: subprocess.Popen[str]) -> None:
        self.helper = helper
        assert helper.stdout is not None
        assert helper.stdout.readline() == "ready\n"

    def run(self, source: Path, place: Path, spec: str, kill_after: float | None = None) -> int:
        """The exit code of a build; -9 if it was still at work when it was killed."""
        assert self.helper.stdin is not None
        assert self.helper.stdout is not None
        self.helper.stdin.write(f"{source}\t{place}\t{spec}\n")
        self.helper.stdin.flush()
        child = int(self.helper.stdout.readline())
        timer = threading.Timer(kill_after or 600.0, os.kill, (child, signal.SIGKILL))
        timer.start()
        code = int(self.helper.stdout.readline())
        timer.cancel()
        timer.join()
        return code


@contextmanager
def builder() -> Iterator[Builder]:
    command = [sys.executable, "-c", _BUILDER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as helper:
        try:
            yield Builder(helper)
        finally:
            helper.kill()


def history(folder: Path) -> Path:
    folder.mkdir()
    for number in range(SESSIONS):
        text = f"# Note {number}\n\nThe buoy number {number} is {'red' if number % 2 else 'green'}.\n"
        (folder / f"note {number:02}.md").write_text(text, encoding="utf-8")
    return folder


def stored(place: Path) -> set[str]:
    """The replies that are on disk."""
    return {path.name for path in (place / ".jam" / "replies").rglob("*.json")}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_lose_nothing_and_pay_for_nothing_twice(tmp_path: Path):
    """The moments are spread by chance over the whole life of a build; the same build is killed again and again."""
    rng = random.Random(4)
    source = history(tmp_path / "h")
    asked: Counter[str] = Counter()
    lock = threading.Lock()

    def script(request: dict, number: int) -> Act:
        time.sleep(0.02)
        with lock:
            asked[json.dumps(request, sort_keys=True)] += 1
        return sensible(request, number)

    kills = round_number = 0
    with ScriptedServer(script) as server, builder() as builds:
        begun = time.monotonic()
        assert builds.run(source, tmp_path / "undisturbed", server.spec) == 0
        life = time.monotonic() - begun
        while kills < KILLS:
            round_number += 1
            place = tmp_path / f"w{round_number}"
            asked.clear()
            codes = [
                builds.run(source, place, server.spec, rng.uniform(0.05, 1.0) * life) for _ in range(KILLS_A_BUILD)
            ]
            assert set(codes) <= {0, -signal.SIGKILL}
            dead = codes.count(-signal.SIGKILL)
            kills += dead
            kept, calls = stored(place), sum(asked.values())
            model = ChatModel.of(read_model(server.spec))
            workspace, report = build(source, place, engine="llm", model=model)
            assert report.complete, report.failed
            assert len(list(workspace.sessions())) == SESSIONS
            memos = [workspace.read_memo(entry.path) for entry in workspace.entries()]
            assert {file.memo.engine for file in memos if file} == {"llm"}
            assert check(Workspace.open(place)).sound
            # Of what was asked, only replies that a kill kept from being stored are asked for again.
            assert sum(asked.values()) - calls == len(stored(place) - kept)
            assert sum(count - 1 for count in asked.values()) <= dead * AT_ONCE
