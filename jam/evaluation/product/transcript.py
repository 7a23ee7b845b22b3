"""A very large transcript: is it built within bounded memory, and is everything in it found again?

An invented Claude Code transcript of any size, with lines of many megabytes: pictures in base64, long outputs of tools
with a sentence hidden in the middle, and ordinary messages. It is built in a process of its own, whose peak memory is
measured; then the hidden sentences are asked for.
"""

from __future__ import annotations

import base64
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from jam.context import Budget
from jam.evaluation.product.processes import measured
from jam.workspace.store import Workspace

MEGABYTES, LONGEST_LINE = 300, 20
"""Sizes, unless others are asked for."""
_MEGABYTE = 1_000_000
_PICTURES, _OUTPUTS = 0.25, 0.45
"""Shares of the file; the rest are ordinary messages."""
_HIDDEN = 10
"""Sentences that are hidden in ordinary messages."""
_WORDS = 40_000
_COMMON = "the of and to a in is that it was for on are as with they at be this from have or by one had not".split()
_SYLLABLES = [c + v for c in "b c d f g h k l m n p r s t v br tr st ch sh".split() for v in "a e i o u ai ou".split()]
_THINGS = (
    "mooring code of the ship",
    "sail number of the dinghy",
    "lock combination of the boathouse",
    "invoice number of the chandler",
    "telephone extension of the harbour master",
    "berth and pontoon of the trawler",
    "depth reading at the buoy",
    "licence plate of the boat trailer",
    "part number of the winch",
    "radio channel of the lifeboat",
    "customs stamp of the barge",
    "room key of the guest house",
)
_COMMANDS = {"build": "build", "build_again": "build again, all read anew", "ask": "ask", "search": "search"}
_BEGAN = datetime(2026, 3, 2, 8, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sentence in the transcript, and the question that it answers."""

    question: str
    answer: str
    long: bool
    """Whether it is in the middle of a very long message."""


@dataclass
class Written:
    """What is in a transcript."""

    bytes: int = 0
    longest_line: int = 0
    messages: int = 0
    payloads: int = 0
    hidden: list[Hidden] = field(default_factory=list)


def write_transcript(path: Path, megabytes: float, longest_line: float, seed: int = 0) -> Written:
    """Writes a transcript of about that size; the same seed gives the same file."""
    return _Writer(path, int(megabytes * _MEGABYTE), int(longest_line * _MEGABYTE), seed).write()


class _Writer:
    """A transcript while it is written."""

    def __init__(self, path: Path, size: int, longest: int, seed: int) -> None:
        self._path = path
        self._size = size
        self._longest = longest
        self._random = random.Random(seed)
        self._words = _vocabulary(self._random)
        self._weights = list(accumulate(1 / (rank + 5) for rank in range(len(self._words))))
        self._written = Written()

    def write(self) -> Written:
        large = [*self._sizes(_PICTURES, self._picture), *self._sizes(_OUTPUTS, self._output)]
        self._random.shuffle(large)
        room = self._size - sum(size for size, _ in large)
        ordinary = 0
        with self._path.open("wb") as file:
            for number in range(len(large) + 1):
                while ordinary < room * (number + 1) // (len(large) + 1):
                    hidden = sum(not each.long for each in self._written.hidden)
                    ordinary += self._put(file, self._ordinary(ordinary * _HIDDEN >= room * (hidden + 0.5)))
                if number < len(large):
                    size, make = large[number]
                    self._put(file, make(size))
        self._written.bytes = self._path.stat().st_size
        return self._written

    def _sizes(self, share: float, make: Any) -> list[tuple[int, Any]]:
        """Lines of a share of the file: the longest that there may be, and ever shorter ones."""
        found: list[tuple[int, Any]] = []
        left, size = int(self._size * share), self._longest
        while left > 10_000:
            found.append((min(size, left), make))
            left -= found[-1][0]
            size = max(size * 3 // 4, self._longest // 10)
        return found

    def _put(self, file: Any, content: Sequence[dict[str, Any]] | str) -> int:
        number = self._written.messages
        role = "user" if number % 2 == 0 or not isinstance(content, str) else "assistant"
        record = {
            "type": role,
            "message": {"role": role, "content": content},
            "uuid": f"00000000-0000-4000-8000-{number:012x}",
            "parentUuid": f"00000000-0000-4000-8000-{number - 1:012x}" if number else None,
            "sessionId": "00000000-0000-4000-8000-00000000beef",
            "cwd": "/home/someone/harbour",
            "timestamp": (_BEGAN + timedelta(seconds=20 * number)).isoformat().replace("+00:00", "Z"),
        }
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        file.write(line)
        self._written.messages += 1
        self._written.bytes += len(line)
        self._written.longest_line = max(self._written.longest_line, len(line))
        return len(line)

    def _ordinary(self, hide: bool) -> str:
        text = self._text(self._random.randint(80, 1_500))
        return f"{text} {self._hidden(long=False)} {self._text(200)}" if hide else text

    def _output(self, size: int) -> list[dict[str, Any]]:
        half = (size - 1_000) // 2
        text = f"{self._text(half, lines=True)}\n{self._hidden(long=True)}\n{self._text(half, lines=True)}"
        return [{"type": "tool_result", "tool_use_id": f"call-{self._written.messages}", "content": text}]

    def _picture(self, size: int) -> list[dict[str, Any]]:
        data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + self._random.randbytes(size * 3 // 4)).decode("ascii")
        self._written.payloads += 1
        if self._written.payloads % 2:
            source = {"type": "base64", "media_type": "image/png", "data": data}
            return [{"type": "image", "source": source}, {"type": "text", "text": self._text(300)}]
        return [{"type": "text", "text": f"{self._text(300)}\ndata:image/png;base64,{data}\n{self._text(300)}"}]

    def _hidden(self, long: bool) -> str:
        name = "".join(self._random.choices(_SYLLABLES, k=4)).capitalize()
        answer = f"{self._random.randrange(10_000):04d}-{self._random.randrange(100):02d}"
        thing = _THINGS[len(self._written.hidden) % len(_THINGS)]
        self._written.hidden.append(Hidden(f"What is the {thing} {name}?", answer, long))
        return f"The {thing} {name} is {answer}."

    def _text(self, size: int, lines: bool = False) -> str:
        """About that many characters of words, as they come, in sentences or in the lines of a log."""
        parts: list[str] = []
        length = 0
        while length < size:
            words = self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(6, 18))
            if lines and self._random.random() < 0.2:
                words.append(f"id={self._random.getrandbits(48):012x}")
            parts.append(" ".join(words).capitalize() + ("" if lines else "."))
            length += len(parts[-1]) + 1
        return ("\n" if lines else " ").join(parts)[:size]


def _vocabulary(source: random.Random) -> list[str]:
    made = {"".join(source.choices(_SYLLABLES, k=source.randint(2, 4))): None for _ in range(_WORDS)}
    return [*_COMMON, *made]


def measure_transcript(
    megabytes: float, longest_line: float, keep: Path | None = None, quiet: bool = True
) -> dict[str, Any]:
    """Writes a transcript, builds it twice and asks for what is hidden in it. `keep` is a folder for all that."""
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as temporary:
        folder = keep or Path(temporary)
        history = folder / "history"
        history.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        written = write_transcript(history / "transcript.jsonl", megabytes, longest_line)
        data: dict[str, Any] = {
            "megabytes": written.bytes / _MEGABYTE,
            "longest_line_megabytes": written.longest_line / _MEGABYTE,
            "messages": written.messages,
            "written_seconds": time.perf_counter() - began,
        }
        place = folder / "transcript.jam"
        data["build"] = _process(["build", str(history), "-w", str(place)], quiet)
        before = _state(place)
        (place / ".jam" / "ledger.json").unlink()
        data["build_again"] = _process(["build", str(history), "-w", str(place)], quiet)
        data["unchanged"] = _state(place) == before
        data["built_messages"] = sum(entry.front.count for entry in Workspace.open(place).entries())
        data["payloads"] = {"written": written.payloads, "spilled": _payloads(place)}
        data |= _asked(place, written.hidden, quiet)
        return data


def _process(arguments: Sequence[str], quiet: bool) -> dict[str, Any]:
    """A command of JAM's: how long it took, and its peak memory."""
    return dict(measured(["-m", "jam", *arguments, *(["-q"] if quiet else [])]).figures())


def _state(place: Path) -> list[tuple[str, int, int]]:
    """Every file of the tree, its size, and when it was changed."""
    found = (path for path in place.rglob("*") if path.is_file() and ".jam" not in path.relative_to(place).parts)
    return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found)


def _payloads(place: Path) -> int:
    return sum(_begins(path) == b"\x89PNG" for path in (place / "attachments").iterdir())


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _asked(place: Path, hidden: Sequence[Hidden], quiet: bool) -> dict[str, Any]:
    """Which hidden sentences are in the contexts of their questions, and how long one question takes."""
    from jam.api import recall

    question = hidden[-1].question
    commands = {verb: _process([verb, str(place), question], quiet) for verb in ("ask", "search")}
    workspace = Workspace.open(place)
    found = {"long": 0, "ordinary": 0}
    seconds: list[float] = []
    for each in hidden:
        began = time.perf_counter()
        context = recall(workspace, each.question, strategy="research", budget=Budget(), save=False)
        seconds.append(time.perf_counter() - began)
        found["long" if each.long else "ordinary"] += each.answer in context.context
    asked = {"long": sum(each.long for each in hidden), "ordinary": sum(not each.long for each in hidden)}
    return {
        "hidden": {kind: {"asked": asked[kind], "found": found[kind]} for kind in asked},
        "question_seconds": {"first": seconds[0], "longest": max(seconds), "mean": sum(seconds) / len(seconds)},
        **commands,
    }


def render_transcript(data: dict[str, Any]) -> str:
    """The figures as text."""
    return "\n".join(_lines(data))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    size, longest = data["megabytes"], data["longest_line_megabytes"]
    yield f"{size:.0f} MB, {data['messages']} messages, lines of up to {longest:.1f} MB"
    for key, name in _COMMANDS.items():
        peak = data[key]["peak_megabytes"]
        yield f"{name}: {data[key]['seconds']:.1f} s" + (f", {peak:.0f} MB of memory at most" if peak else "")
    yield f"messages kept: {data['built_messages']} of {data['messages']}"
    yield f"the second build changed {'nothing' if data['unchanged'] else 'files'}"
    yield f"payloads spilled: {data['payloads']['spilled']} of {data['payloads']['written']}"
    for kind, name in (("long", "very long messages"), ("ordinary", "ordinary messages")):
        own = data["hidden"][kind]
        yield f"hidden in {name}, found again: {own['found']} of {own['asked']}"
    times = data["question_seconds"]
    yield f"a question within one process: {times['mean']:.2f} s, {times['longest']:.2f} s at most"
