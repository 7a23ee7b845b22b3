"""Damaged files of every format, under names that fit and that don't: they are read, or refused with a reason.

`JAM_FUZZ_EXAMPLES` sets how many are tried.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import random
import re
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import get_args

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from jam.errors import JamError
from jam.history.parsing.times import iso_time
from jam.session import Kind, Message, Session

from .conftest import Result, read_all
from .fuzzing import damaged, smallest
from .seeds import SEEDS as OWN_SEEDS
from .seeds import Seed

EXAMPLES = int(os.environ.get("JAM_FUZZ_EXAMPLES", "400"))
SLOWEST = 5.0
"""Seconds of computing; a small file takes some milliseconds."""
ENDINGS = (
    *(
        ".json",
        ".jsonl",
        ".md",
        ".txt",
        ".vtt",
        ".srt",
        ".mbox",
        ".eml",
        ".html",
        ".pdf",
        ".docx",
        ".epub",
        ".traj",
        "",
    ),
    *(".log", ".csv", ".ndjson", ".xml", ".bin"),
)
FOLDERS = ("", "", "general/", "s/subagents/", "a.b/Übung/")
FAILED = re.compile("reader failed")


class Endless(BaseException):
    """Raised where a reading takes too much computing time; no fault that a reading may pass over."""


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Let nothing go on for ever, where the system can tell."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Endless

    if not hasattr(signal, "SIGVTALRM"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seeds() -> list[Seed]:
    """Those of the formats' own tests too: bytes, or names with bytes."""
    found = list(OWN_SEEDS)
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.stem == "test_fuzz":
            continue
        for seed in getattr(importlib.import_module(f"{__package__}.{path.stem}"), "SEEDS", []):
            name, data = seed if isinstance(seed, tuple) else ("a", seed)
            if isinstance(data, bytes | str):
                found.append((name, data if isinstance(data, bytes) else data.encode()))
    return found


SEEDS = seeds()


def place(chance: random.Random, name: str, data: bytes, folder: Path) -> str:
    """Write a file, perhaps under another name, in a folder, in an archive, or beside a good one."""
    if chance.random() < 0.5:
        stem = Path(name).stem if chance.random() < 0.5 else "a"
        name = stem + chance.choice(ENDINGS)
    name = chance.choice(FOLDERS) + name
    if chance.random() < 0.2 and not name.endswith(".zip"):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as packed:
            packed.writestr(zipfile.ZipInfo(name), data)
        name, data = "export.zip", stream.getvalue()
    if chance.random() < 0.2:
        other, good = chance.choice(SEEDS)
        write(folder, f"{chance.choice(FOLDERS)}{other}", good)
    write(folder, name, data)
    return name


def write(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def fault(folder: Path) -> str | None:
    """What is wrong with the reading of a folder, if anything."""
    try:
        with bounded(SLOWEST):
            result = read_all(folder)
    except JamError:
        return None
    except Endless:
        return f"no end after {SLOWEST} s"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"{type(error).__name__}: {error}"
    for row in result.report.rows:
        reasons = [row.reason or "", row.note or "", *(skipped.reason for skipped in row.records_skipped)]
        if any(FAILED.search(reason) for reason in reasons):
            return row.render() + str(row.records_skipped)
    return unsound(result)


def unsound(result: Result) -> str | None:
    """What no reader may give."""
    for session in result.sessions:
        flaw = flaw_of(session) or next(filter(None, map(flaw_in, session.messages)), None)
        if flaw:
            return f"{session.format}: {flaw}"
    return None


def flaw_of(session: Session) -> str | None:
    if not (isinstance(session.id, str) and session.id):
        return f"a session with the id {session.id!r}"
    if not all(isinstance(part, str) and part for part in session.group):
        return f"a session in the group {session.group!r}"
    if not (session.title is None or isinstance(session.title, str)):
        return f"a session with the title {session.title!r}"
    own = [message.id for message in session.messages if message.id is not None]
    if len(set(own)) != len(own):
        return f"a session with two messages of one id: {sorted(own)}"
    return flaw_of_time(session.at) or flaw_of_meta(session.meta)


def flaw_in(message: Message) -> str | None:
    if message.role not in ("user", "assistant", "system", "tool"):
        return f"a message with the role {message.role!r}"
    if message.kind not in get_args(Kind):
        return f"a message of the kind {message.kind!r}"
    if not isinstance(message.text, str) or not (message.text.strip() or message.attachments):
        return f"a message with the text {message.text!r}"
    for name in ("id", "speaker", "thread"):
        value = getattr(message, name)
        if not (value is None or (isinstance(value, str) and value)):
            return f"a message with the {name} {value!r}"
    return flaw_of_time(message.at) or flaw_of_meta(message.meta)


def flaw_of_time(at: object) -> str | None:
    return None if at is None or (isinstance(at, str) and iso_time(at) == at) else f"the time {at!r}"


def flaw_of_meta(meta: object) -> str | None:
    try:
        return None if isinstance(json.loads(json.dumps(meta, allow_nan=False)), dict) else f"meta {meta!r}"
    except (TypeError, ValueError) as error:
        return f"meta {meta!r}: {error}"


def faulty(folder: Path, number: int, name: str, data: bytes) -> str | None:
    """What is wrong with the reading of one file, placed as the number decides, if anything."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    place(random.Random(number), name, data, folder)
    return fault(folder)


# The examples are numbers, which are not worth shrinking: the failing input itself is made small.
@settings(
    suppress_health_check=list(HealthCheck),
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(st.sampled_from(SEEDS), st.integers(0, 2**40))
def test_damaged_files(tmp_path_factory, seed: Seed, number: int):
    name, data = seed
    broken = damaged(random.Random(number), data)
    folder = tmp_path_factory.mktemp("fuzz") / "history"
    wrong = faulty(folder, number, name, broken)
    if wrong is not None:
        small = smallest(broken, lambda shorter: faulty(folder, number, name, shorter) is not None)
        wrong = faulty(folder, number, name, small)
        files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        raise AssertionError(f"{wrong}\n{files}")


@settings(suppress_health_check=list(HealthCheck), max_examples=max(1, EXAMPLES // 10), deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(ENDINGS))
def test_good_files_under_any_name(tmp_path_factory, seed: Seed, ending: str):
    folder = tmp_path_factory.mktemp("h")
    write(folder, Path(seed[0]).stem + ending, seed[1])
    assert fault(folder) is None


def test_inputs_are_made_small():
    assert smallest(b"aaaaXaaaaaaYaa", lambda data: b"X" in data and b"Y" in data) == b"XY"
