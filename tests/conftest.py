"""What all tests share: the example history, a workspace built from it, and no network but loopback."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code. `HYPOTHESIS_PROFILE=jam-long` tries more.
settings.register_profile("jam", deadline=None, max_examples=25)
settings.register_profile("jam-long", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "jam"))

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = REPOSITORY / "examples"
DATA = Path(os.environ.get("JAM_TEST_DATA", REPOSITORY.parent / "shared" / "data"))


LONGEST = ("test_real_model.py", "test_misbehaviour.py", "test_crash.py", "test_build.py", "test_research.py")
"""Files of tests that take longest: begun first, so that no worker is left alone with one in the end."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.name, len(ranks)))


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def checked(self: socket.socket, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"a test tried to reach {address!r}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of the machine's reaches a test, and nothing of one test the next: `-q` hushes the whole process."""
    for name in ("JAM_WORKSPACE", "JAM_TEMPLATES", "JAM_AGENTS", "JAM_PROMPTS", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    interrupt = signal.getsignal(signal.SIGINT)
    yield
    logging.getLogger("jam").setLevel(logging.NOTSET)
    signal.signal(signal.SIGINT, interrupt)


@pytest.fixture(scope="session")
def built_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of the example history. Not to be changed: take `example_workspace` for that."""
    import jam

    place = tmp_path_factory.mktemp("examples") / "examples.jam"
    jam.build(EXAMPLES / "history", place)
    return place


@pytest.fixture
def example_workspace(built_examples: Path, tmp_path: Path) -> Path:
    """A workspace of the example history, to do with as one likes."""
    return Path(shutil.copytree(built_examples, tmp_path / "examples.jam"))


@pytest.fixture
def example_history(tmp_path: Path) -> Path:
    """A copy of the example history."""
    return Path(shutil.copytree(EXAMPLES / "history", tmp_path / "history"))


def benchmark_file(name: str) -> Path:
    """A file of real data; the test is skipped where it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the real data file {name} is not here (set JAM_TEST_DATA)")
    return path


def tree_digest(root: Path) -> dict[str, str]:
    """Every file of a workspace but what is derived, with its digest."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".jam" not in path.relative_to(root).parts
    }
