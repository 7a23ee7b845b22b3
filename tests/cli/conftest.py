"""The `jam` program, run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from jam.cli.main import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The whole `jam` program, in this process."""

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["jam", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        caught = capsys.readouterr()
        return Result(stopped.value.code or 0, caught.out, caught.err)

    return call
