"""Commands in processes of their own: what they print, how long they take, how much memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """A command that has ended well."""

    output: bytes
    seconds: float
    peak_megabytes: float | None
    """At most, where the system tells. A process begins with what the one that started it had at most: measure before
    anything large is held."""

    def figures(self) -> dict[str, float | None]:
        """Time and memory."""
        return {"seconds": self.seconds, "peak_megabytes": self.peak_megabytes}


def measured(arguments: Sequence[str]) -> Measured:
    """Runs this Python with some arguments. Raises `CalledProcessError` where it ends with an error."""
    command = [sys.executable, *arguments]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    if not hasattr(os, "wait4"):
        code, peak = process.wait(), None
    else:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        peak = usage.ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000_000 / 1024)
    if code:
        raise subprocess.CalledProcessError(code, command, output)
    return Measured(output, time.perf_counter() - began, peak)
