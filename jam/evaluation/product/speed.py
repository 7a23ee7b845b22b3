"""How fast JAM is on this machine: whole commands as a person runs them, and questions within one process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jam.context import Budget
from jam.errors import UsageError
from jam.evaluation.report.measures import percentile
from jam.memorizer.build import build
from jam.memorizer.progress import Progress
from jam.workspace.store import Workspace

_QUESTIONS = 100
_WARM_UP = 5


def measure(workspace: Path | None, runs: int, progress: Progress) -> dict[str, Any]:
    """All figures, in seconds. Without a workspace the example history of a checkout is built for it."""
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as temporary:
        data: dict[str, Any] = {}
        if workspace is None:
            history = example_history()
            place, report = build(history, Path(temporary) / "examples.jam", progress=progress)
            data["build"] = {"sessions": report.sessions, "messages": report.messages, "seconds": report.seconds}
        else:
            place = Workspace.open(workspace)
        queries = _queries(place)
        progress.stage("commands", 3 * runs)
        commands = {
            "jam --help": ["--help"],
            "jam search": ["search", str(place.root), queries[0]],
            "jam ask --strategy research": ["ask", str(place.root), queries[0]],
        }
        data["sessions"] = len(place.by_session())
        data["commands"] = {name: _spread(_process(arguments, runs, progress)) for name, arguments in commands.items()}
        data["questions"] = {name: _spread(_in_process(place, name, queries)) for name in ("search", "research")}
        return data


def example_history() -> Path:
    """The example history of a checkout. Raises `UsageError` where there is none."""
    history = Path(__file__).resolve().parents[3] / "examples" / "history"
    if not history.is_dir():
        raise UsageError("the example history comes with a checkout only; name a workspace")
    return history


def _queries(place: Workspace) -> list[str]:
    """Questions made of what the memos say: each session's title, gist and keywords."""
    memos = [file.memo for entry in place.entries() for file in [place.read_memo(entry.path)] if file]
    queries = [text for memo in memos for text in (memo.gist, memo.title, " ".join(memo.keywords[:4])) if text.strip()]
    if not queries:
        raise UsageError(f"{place.root} has no memos to make questions of; run jam build first")
    return [queries[number % len(queries)] for number in range(_QUESTIONS)]


def _process(arguments: list[str], runs: int, progress: Progress) -> list[float]:
    seconds = []
    for number in range(runs + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "jam", *arguments], check=True, capture_output=True)
        if number:  # the first run fills the caches of the system
            seconds.append(time.perf_counter() - began)
        progress.advance(number, runs)
    return seconds


def _in_process(place: Workspace, strategy: str, queries: list[str]) -> list[float]:
    from jam.api import recall

    ask: Callable[[str], Any] = lambda query: recall(place, query, strategy=strategy, budget=Budget(), save=False)  # noqa: E731
    for query in queries[:_WARM_UP]:
        ask(query)
    seconds = []
    for query in queries:
        began = time.perf_counter()
        ask(f"{query}?")  # not the question of the warm-up, which would be answered from memory
        seconds.append(time.perf_counter() - began)
    return seconds


def _spread(seconds: list[float]) -> dict[str, float]:
    return {"p50": percentile(seconds, 50), "p95": percentile(seconds, 95), "runs": len(seconds)}


def render(data: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [f"{data['sessions']} sessions"]
    if "build" in data:
        own = data["build"]
        lines[0] += f", built in {own['seconds']:.2f} s ({own['messages']} messages)"
    lines += ["", "| | p50 | p95 | runs |", "|---|---|---|---|"]
    for name, row in data["commands"].items():
        lines.append(f"| `{name}`, whole process | {row['p50']:.2f} s | {row['p95']:.2f} s | {row['runs']} |")
    for name, row in data["questions"].items():
        lines.append(
            f"| {name}, in process | {row['p50'] * 1000:.1f} ms | {row['p95'] * 1000:.1f} ms | {row['runs']} |"
        )
    return "\n".join(lines)
