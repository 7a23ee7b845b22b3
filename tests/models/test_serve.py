"""`jam model serve`: the command for each family, and a server's life from start to end, with a stand-in for vLLM."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from jam.errors import MissingExtra, ModelUnavailable, UsageError
from jam.models.serving.vllm import ModelServer, Serving

STAND_IN = """\
#!{python}
import http.server, os, signal, subprocess, sys, time
if sys.argv[1] == "-c":
    sys.exit({vllm})  # asked whether vLLM is there
print("loading", " ".join(sys.argv[1:]), flush=True)
{body}
"""
SERVES = """\
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
began = time.monotonic()
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        ready = self.path == "/health" and time.monotonic() - began > 0.5
        self.send_response(200 if ready else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.ThreadingHTTPServer(("127.0.0.1", port), Health).serve_forever()
"""
DIES = "print('ValueError: max_model_len (32768) is greater than the model allows', flush=True); sys.exit(7)"
SLEEPS = "time.sleep(60)"
STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"


@pytest.fixture
def stand_in(tmp_path: Path):
    def write(body: str, vllm: int = 0) -> str:
        path = tmp_path / "python"
        body = body.format(pids=str(tmp_path / "pids")) if body is SERVES else body
        path.write_text(STAND_IN.format(python=sys.executable, vllm=vllm, body=body))
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(*pids: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def jam(*words: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jam", "model", "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


@pytest.mark.parametrize(
    ("model", "tools", "thoughts"),
    [
        ("Qwen/Qwen3.5-4B", "qwen3_coder", "qwen3"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder", None),
        ("Qwen/Qwen3-8B", "hermes", "qwen3"),
        ("Qwen/Qwen3-4B-Instruct-2507", "hermes", None),
        ("Qwen/Qwen3-4B-Thinking-2507", "hermes", "deepseek_r1"),
        ("Qwen/Qwen2.5-7B-Instruct", "hermes", None),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3_json", None),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes", None),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral", None),
        ("mistralai/Magistral-Small-2509", "mistral", "mistral"),
        ("google/gemma-3-4b-it", None, None),
        ("google/gemma-4-26B-A4B-it", "gemma4", "gemma4"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", None, "deepseek_r1"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", None, "deepseek_r1"),
        ("openai/gpt-oss-20b", "openai", "openai_gptoss"),
        ("someone/unheard-of", None, None),
    ],
)
def test_a_model_gets_the_parsers_of_its_family(model: str, tools: str | None, thoughts: str | None):
    serving = Serving(model)
    command = serving.command()
    assert value_of(command, "--tool-call-parser") == tools
    assert value_of(command, "--reasoning-parser") == thoughts
    assert ("--enable-auto-tool-choice" in command) == (tools is not None)
    assert {"--enable-prefix-caching", "--enable-prompt-tokens-details"} <= set(command)
    assert value_of(command, "--max-model-len") == "32768"
    assert (serving.remark() is None) == (tools is not None)


def value_of(command: list[str], flag: str) -> str | None:
    return command[command.index(flag) + 1] if flag in command else None


def test_the_name_of_a_folder_tells_the_family(tmp_path: Path):
    folder = tmp_path / "Qwen3-4B"
    folder.mkdir()
    serving = Serving(str(folder), port=8123)
    assert value_of(serving.command(), "--tool-call-parser") == "hermes"
    assert serving.spec == "openai:Qwen3-4B@http://127.0.0.1:8123/v1"


def test_a_flag_after_the_dashes_takes_the_place_of_ours():
    flags = ("--tool-call-parser=pythonic", "--no-enable-prefix-caching", "--max_model_len", "auto")
    command = Serving("google/gemma-3-4b-it", flags=flags).command()
    assert command[-4:] == list(flags)
    assert "--enable-prefix-caching" not in command
    assert "--max-model-len" not in command
    assert "--enable-auto-tool-choice" in command


def test_a_flag_that_the_address_depends_on_is_refused_after_the_dashes():
    with pytest.raises(UsageError, match="--port: give it to `jam model serve` itself"):
        Serving("x", flags=("--port", "9000")).command()


@pytest.mark.parametrize(
    ("host", "root"), [("0.0.0.0", "http://127.0.0.1:8000"), ("::1", "http://[::1]:8000"), ("gpu", "http://gpu:8000")]
)
def test_the_spec_names_an_address_that_can_be_called(host: str, root: str):
    assert Serving("Qwen/Qwen3-4B", host=host).spec == f"openai:Qwen/Qwen3-4B@{root}/v1"


def test_a_dry_run_shows_the_command_and_starts_nothing():
    done = jam("Qwen/Qwen3.5-4B", "--dry-run", "--data-parallel-size", "2", "--", "--seed", "1")
    assert done.returncode == 0
    assert done.stdout.endswith(" --language-model-only --seed 1\n")
    assert "-m vllm.entrypoints.openai.api_server --model Qwen/Qwen3.5-4B" in done.stdout
    assert "--data-parallel-size 2" in done.stdout


def test_without_vllm_it_says_how_to_get_it_and_what_else_would_do(stand_in, port: int):
    done = jam("Qwen/Qwen3-4B", "--python", stand_in(SERVES, vllm=3), "--port", str(port))
    assert done.returncode == 1
    assert "pip install 'jam-memory[vllm]'" in done.stderr
    assert "--python" in done.stderr
    assert "any other OpenAI-compatible server" in done.stderr


def test_an_interpreter_that_is_none_is_named(port: int, tmp_path: Path):
    with pytest.raises(UsageError, match=r"--python .*nowhere"):
        ModelServer(Serving("x", python=str(tmp_path / "nowhere"), port=port)).start()


def test_an_interpreter_without_vllm_is_recognised(port: int):
    with pytest.raises(MissingExtra):
        ModelServer(Serving("x", port=port)).start()


def test_a_port_in_use_is_told_before_anything_starts(stand_in, port: int, tmp_path: Path):
    python = stand_in(SERVES)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        done = jam("Qwen/Qwen3-4B", "--python", python, "--port", str(port))
    assert done.returncode == 2
    assert f"can't listen on port {port}" in done.stderr
    assert "--port" in done.stderr
    assert not (tmp_path / "pids").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_until_it_is_told_to_stop_and_leaves_no_process(stand_in, port: int, tmp_path: Path, number: int):
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("run where this signal is ignored, as under nohup")
    command = [sys.executable, "-m", "jam", "model", "serve", "Qwen/Qwen3-4B", "--python", stand_in(SERVES)]
    with subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == f"openai:Qwen/Qwen3-4B@http://127.0.0.1:{port}/v1\n"
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert all(alive(pid) for pid in pids)
        process.send_signal(number)
        assert process.wait(20) == 0
        assert "stopped" in process.stderr.read()
    assert gone(*pids)


def test_detached_it_goes_on_after_the_command_has_returned(stand_in, port: int, tmp_path: Path):
    log = tmp_path / "vllm.log"
    done = jam(
        *("Qwen/Qwen3-4B", "--python", stand_in(SERVES), "--port", str(port), "--detach", "--json"),
        *("--log", str(log)),
    )
    data = json.loads(done.stdout)
    try:
        assert data["model"] == f"openai:Qwen/Qwen3-4B@http://127.0.0.1:{port}/v1"
        assert data["url"] == f"http://127.0.0.1:{port}/v1"
        assert data["log"] == str(log)
        assert "--tool-call-parser" in data["command"]
        assert alive(data["pid"])
        assert "--served-model-name Qwen/Qwen3-4B" in log.read_text()
    finally:
        os.killpg(data["pid"], signal.SIGKILL)
    assert gone(data["pid"])


def test_one_that_dies_shows_what_it_said_last_and_what_to_do(stand_in, port: int):
    done = jam("Qwen/Qwen3-4B", "--python", stand_in(DIES), "--port", str(port))
    assert done.returncode == 1
    assert "the server ended (exit 7): give a smaller --max-model-len" in done.stderr
    assert "ValueError: max_model_len (32768)" in done.stderr
    assert "Its log is " in done.stderr


def test_one_that_never_gets_ready_is_ended_after_the_time_allowed(stand_in, port: int, tmp_path: Path):
    server = ModelServer(Serving("Qwen/Qwen3-4B", python=stand_in(SLEEPS), port=port), tmp_path / "log")
    server.start()
    try:
        with pytest.raises(ModelUnavailable, match=r"isn't ready after 0.5 s; give it longer with --wait"):
            server.wait_until_ready(0.5)
    finally:
        server.stop()
    assert gone(server.pid)


def test_one_that_ends_while_it_serves_is_noticed(stand_in, port: int, tmp_path: Path):
    server = ModelServer(Serving("Qwen/Qwen3-4B", python=stand_in(SERVES), port=port), tmp_path / "log")
    server.start()
    try:
        server.wait_until_ready(20)
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(ModelUnavailable, match="the server ended"):
            server.wait()
    finally:
        server.stop()
    assert gone(*(int(pid) for pid in (tmp_path / "pids").read_text().split()))


def test_one_that_is_deaf_to_requests_is_ended_for_certain(stand_in, port: int, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("jam.models.serving.vllm._GRACE_SECONDS", 0.3)
    server = ModelServer(Serving("Qwen/Qwen3-4B", python=stand_in(STUBBORN), port=port), tmp_path / "log")
    server.start()
    deadline = time.monotonic() + 10
    while "deaf" not in (tmp_path / "log").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    server.stop()
    assert gone(server.pid)
