"""How the index grows: workspaces of any number of sessions, indexed, asked, and added to.

The sessions are recombined from a history's own sentences, with invented names and numbers in them, so that the
vocabulary grows as that of people does. Raw files are written as the Memorizer writes them, without memos. Each step
runs in a process of its own, whose peak memory is its own.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from jam.context import Budget
from jam.errors import UsageError
from jam.evaluation.product.processes import measured
from jam.evaluation.product.speed import example_history
from jam.evaluation.report.measures import percentile
from jam.index.store import open_index, refresh
from jam.memorizer.build import build
from jam.memorizer.progress import Progress
from jam.session import Message, Session
from jam.text import sentences
from jam.workspace.raw_file import Kept, raw_of, render
from jam.workspace.store import Workspace, is_workspace

SIZES = (100, 1_000, 10_000)
_HIDDEN = 100
"""Sentences that are hidden among the others, and asked for."""
_QUESTIONS = 200
_WORDS, _EXCHANGED = 60_000, 0.1
"""Invented words there are, and the share of the longer words that give way to one."""
_SYLLABLES = [c + v for c in "b c d f g h k l m n p r s t v br tr st ch sh".split() for v in "a e i o u ai ou".split()]
_LONGER = re.compile(r"[^\W\d_]{4,}")
_BEGAN = datetime(2016, 1, 4, 8, tzinfo=UTC)
_ADDED = "The lighthouse keeper's parrot is called Wolframina Quillfeather."
_ASKED = "What is the lighthouse keeper's parrot called?"


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sentence in one of the sessions, and the question that it answers."""

    question: str
    answer: str


def write_workspace(place: Path, sources: Sequence[Session], sessions: int, progress: Progress) -> list[Hidden]:
    """A workspace of so many sessions made of the sentences of others; the same call makes the same one."""
    workspace = Workspace.create(place)
    maker = _Maker(sources, sessions)
    progress.stage("sessions", sessions)
    for number, session in enumerate(maker.sessions(), 1):
        write_session(workspace, session)
        progress.advance(number, sessions)
    return maker.hidden


def write_session(workspace: Workspace, session: Session) -> None:
    """Puts a raw file into the folder of its month."""
    day = (session.started or "")[:10]
    folder = workspace.root / day[:7]
    folder.mkdir(exist_ok=True)
    raw = raw_of(session, [Kept.of(message) for message in session.messages])
    (folder / f"{day} {session.id}.md").write_text(render(raw), encoding="utf-8")


class _Maker:
    """Makes sessions."""

    def __init__(self, sources: Sequence[Session], count: int) -> None:
        self._random = random.Random(count)
        self._count = count
        self._shapes = [session for session in sources if session.messages]
        self._texts = [sentences(message.text)[:40] for session in self._shapes for message in session.messages]
        self._texts = [found for found in self._texts if found]
        if not self._texts:
            raise UsageError("there is no text to make sessions of")
        self._words = ["".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4))) for _ in range(_WORDS)]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(_WORDS)))
        self.hidden: list[Hidden] = []

    def sessions(self) -> Iterator[Session]:
        every = max(1, self._count // _HIDDEN)
        for number in range(self._count):
            shape = self._random.choice(self._shapes)
            at = _BEGAN + timedelta(hours=number * 80_000 // self._count, minutes=self._random.randint(0, 50))
            messages = [
                Message(old.role, self._text(), speaker=old.speaker, at=(at + timedelta(minutes=place)).isoformat())
                for place, old in enumerate(shape.messages[:40])
            ]
            if number % every == every // 2 and len(self.hidden) < _HIDDEN:
                chosen = self._random.randrange(len(messages))
                messages[chosen] = replace(messages[chosen], text=f"{messages[chosen].text} {self._hide()}")
            yield Session(f"session-{number:06d}", tuple(messages), at=at.isoformat())

    def _text(self) -> str:
        found = self._random.choice(self._texts)
        start = self._random.randrange(len(found))
        text = " ".join(found[start : start + self._random.randint(1, 4)])[:1_200]
        return _LONGER.sub(self._exchanged, text)

    def _exchanged(self, match: re.Match[str]) -> str:
        return self._word() if self._random.random() < _EXCHANGED else match[0]

    def _word(self) -> str:
        return self._random.choices(self._words, cum_weights=self._weights)[0]

    def _hide(self) -> str:
        name = self._random.choice(self._words).capitalize() + self._random.choice(_SYLLABLES)
        answer = f"{self._random.randrange(10_000):04d}-{self._random.randrange(100):02d}"
        self.hidden.append(Hidden(f"What is the mooring number of {name}?", answer))
        return f"The mooring number of {name} is {answer}."


def measure_scale(place: Path, source: Path | None, sizes: Sequence[int], progress: Progress) -> dict[str, Any]:
    """The figures of each size. `place` is a folder for all the workspaces; without a source it is the examples."""
    place.mkdir(parents=True, exist_ok=True)
    sources = _sources(source or example_history(), place / "source.jam", progress)
    rows = []
    for size in sizes:
        workspace = place / f"{size}.jam"
        began = time.perf_counter()
        hidden = write_workspace(workspace, sources, size, progress)
        row: dict[str, Any] = {"sessions": size, "written_seconds": time.perf_counter() - began}
        (place / "hidden.json").write_text(json.dumps([asdict(each) for each in hidden]), encoding="utf-8")
        progress.stage(f"{size:,} sessions: index and questions", 0)
        row["index"] = _process("index", workspace)
        row["index"]["megabytes"] = _size(workspace / ".jam" / "index") / 1e6
        row["ask"] = _process("ask", workspace, place / "hidden.json")
        row["add"] = _process("add", workspace)
        rows.append(row)
    return {"sizes": rows}


def _sources(source: Path, place: Path, progress: Progress) -> list[Session]:
    workspace = Workspace.open(source) if is_workspace(source) else build(source, place, progress=progress)[0]
    return list(workspace.sessions())


def _process(step: str, *arguments: Path) -> dict[str, Any]:
    done = measured(["-m", "jam.evaluation.product.scale", step, *map(str, arguments)])
    return {**json.loads(done.output), "peak_megabytes": done.peak_megabytes}


def _index(place: Path) -> dict[str, Any]:
    began = time.perf_counter()
    workspace = Workspace.open(place)
    refresh(workspace)
    return {"seconds": time.perf_counter() - began, "messages": len(open_index(workspace))}


def _ask(place: Path, asked: Path) -> dict[str, Any]:
    """Opens an index that is there, and asks."""
    from jam.api import recall

    hidden = [Hidden(**each) for each in json.loads(asked.read_text(encoding="utf-8"))]
    workspace = Workspace.open(place)
    began = time.perf_counter()
    index = open_index(workspace)
    opened = time.perf_counter() - began
    seconds, found = [], 0
    for number in range(_QUESTIONS):
        each = hidden[number % len(hidden)]
        question = each.question if number < len(hidden) else f"{each.question} Tell me."
        began = time.perf_counter()
        context = recall(workspace, question, strategy="search", budget=Budget(), save=False)
        seconds.append(time.perf_counter() - began)
        found += each.answer in context.context
    return {
        "opened_seconds": opened,
        "segments": len(index.collection.segments),
        "first_seconds": seconds[0],
        "p50_seconds": percentile(seconds, 50),
        "p95_seconds": percentile(seconds, 95),
        "found": found / _QUESTIONS,
    }


def _add(place: Path) -> dict[str, Any]:
    """Opens an index, adds a session, and asks for it: the seconds from the raw file being there to its being found."""
    from jam.api import recall

    workspace = Workspace.open(place)
    open_index(workspace)
    time.sleep(1.1)  # an open index is taken to be fresh for a second
    new = Session("added", (Message("user", _ADDED, at="2026-01-05T10:00:00"),), at="2026-01-05T10:00:00")
    began = time.perf_counter()
    write_session(workspace, new)
    context = recall(workspace, _ASKED, strategy="search", budget=Budget(), save=False)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "found": _ADDED in context.context}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def render_scale(data: dict[str, Any]) -> str:
    """The figures as a table, and the growth of a question's time as a plot."""
    head = "sessions | messages | index, s | memory, MB | on disk, MB | open, s | memory, MB | p50, ms | p95, ms"
    lines = [f"| {head} | found | one more, s |", "|" + "---|" * 11]
    for row in data["sizes"]:
        index, ask, add = row["index"], row["ask"], row["add"]
        cells = [
            f"{row['sessions']:,}",
            f"{index['messages']:,}",
            f"{index['seconds']:.1f}",
            _megabytes(index),
            f"{index['megabytes']:.1f}",
            f"{ask['opened_seconds']:.2f}",
            _megabytes(ask),
            f"{ask['p50_seconds'] * 1000:.0f}",
            f"{ask['p95_seconds'] * 1000:.0f}",
            f"{ask['found']:.0%}",
            f"{add['seconds']:.2f}" + ("" if add["found"] else " (not found)"),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_plot(data)])


def _megabytes(figures: dict[str, Any]) -> str:
    return "" if figures["peak_megabytes"] is None else f"{figures['peak_megabytes']:.0f}"


def _plot(data: dict[str, Any]) -> Iterator[str]:
    """A bar a size: `#` up to the median of a question's time, `-` up to the 95th percentile."""
    longest = max(row["ask"]["p95_seconds"] for row in data["sizes"])
    yield "a question, p50 (#) and p95 (-)"
    for row in data["sizes"]:
        half, most = (round(50 * row["ask"][name] / longest) for name in ("p50_seconds", "p95_seconds"))
        yield f"{row['sessions']:>9,} {'#' * half}{'-' * (most - half)} {row['ask']['p95_seconds'] * 1000:.0f} ms"


def _main() -> None:
    """A step of `measure_scale`, in this process."""
    step, *arguments = sys.argv[1:]
    steps: dict[str, Callable[..., dict[str, Any]]] = {"index": _index, "ask": _ask, "add": _add}
    sys.stdout.write(json.dumps(steps[step](*map(Path, arguments))))


if __name__ == "__main__":
    _main()
