"""`jam model check` against scripted servers: good ones, ones that lack something, and none."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from jam.models.checking.check import Checkup, check
from jam.models.spec import read_model

Answer = tuple[int, dict[str, Any]]


class Server:
    """An OpenAI-compatible server that can be made worse, ability by ability, by overriding its methods."""

    kind = "vllm"
    context: int | None = 32_768
    name = "tiny"
    delay = 0.0

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def chat(self, body: dict[str, Any]) -> Answer:
        time.sleep(self.delay)
        if "response_format" in body:
            return self.schema(body)
        if "tools" in body:
            return self.tools(body)
        return self.said("A hundred and one, a hundred and two, and so on, and a day as good as yours.", body)

    def schema(self, body: dict[str, Any]) -> Answer:
        return self.said(json.dumps({"title": "North Sea", "kind": "sea", "salty": True, "coasts": ["Norway"]}), body)

    def tools(self, body: dict[str, Any]) -> Answer:
        if body["messages"][-1]["role"] == "tool":
            return self.said("It is port 8443.", body)
        return self.said("", body, [{"name": "open", "arguments": json.dumps({"path": "notes/tuesday.md"})}])

    def said(self, text: str, body: dict[str, Any], calls: Any = (), thinking: str | None = None) -> Answer:
        prompt = json.dumps(body["messages"])
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {"id": f"call_{number}", "type": "function", "function": call} for number, call in enumerate(calls)
            ]
        if thinking:
            message["reasoning"] = thinking
        tokens = len(prompt) // 4
        usage: dict[str, Any] = {"prompt_tokens": tokens, "completion_tokens": 30, "total_tokens": tokens + 30}
        if prompt in self.seen:
            usage["prompt_tokens_details"] = {"cached_tokens": tokens - 1}
        self.seen.add(prompt)
        finish = "tool_calls" if calls else "stop"
        return 200, {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": self.name,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }

    def handle(self, path: str, body: dict[str, Any] | None) -> Answer:
        if path == "/v1/models":
            return 200, {"data": [{"id": self.name, "owned_by": self.kind, "max_model_len": self.context}]}
        if path == "/tokenize":
            return 200, {"tokens": list(range(7))}
        if path == "/props":
            return 200, {"total_slots": 3, "default_generation_settings": {"n_ctx": 4096}}
        if path == "/v1/chat/completions" and body is not None:
            self.asked.append(body)
            return self.chat(body)
        return 404, {"error": {"message": "no such page"}}


@pytest.fixture
def running() -> Iterator[Callable[[Server], Server]]:
    servers: list[ThreadingHTTPServer] = []

    def start(script: Server) -> Server:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.reply(None)

            def do_POST(self) -> None:
                self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def reply(self, body: dict[str, Any] | None) -> None:
                status, data = script.handle(self.path, body)
                answer = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        script.url = f"openai:tiny@http://127.0.0.1:{server.server_address[1]}/v1"
        return script

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def checked(running: Callable[[Server], Server]) -> Callable[..., Checkup]:
    return lambda script, seconds=60: check(read_model(running(script).url), seconds)


def found(checkup: Checkup) -> dict[str, bool | None]:
    return {finding.name: finding.ok for finding in checkup.findings}


def detail(checkup: Checkup, name: str) -> str:
    return next(finding.detail for finding in checkup.findings if finding.name == name)


def test_a_good_server_is_found_good_and_its_settings_are_recommended(checked):
    script = Server()
    checkup = checked(script)
    assert found(checkup) == {
        "reachable": True,
        "chat": True,
        "json schema": True,
        "thinking": None,
        "tool calls": True,
        "context": True,
        "tokenizer": True,
        "prefix cache": True,
        "speed": True,
        "at once": True,
    }
    assert checkup.server == "vllm"
    assert detail(checkup, "thinking") == "doesn't think"
    block = checkup.block()
    assert block is not None
    settings = block["models"]["tiny"]
    assert (settings["protocol"], settings["structured"]) == ("tools", "json_schema")
    assert settings["context_tokens"] == 32_768
    assert read_model("tiny", block["models"]) == checkup.recommended
    assert checkup.spent["calls"] == len(script.asked) < 20
    assert all(body["max_tokens"] <= 256 for body in script.asked)


def test_every_string_of_the_schema_is_bounded(checked):
    script = Server()
    checked(script)
    schema = next(body for body in script.asked if "response_format" in body)["response_format"]["json_schema"][
        "schema"
    ]
    strings = [each for each in schema["properties"].values() if each.get("type") == "string"]
    assert strings
    assert all("maxLength" in each for each in strings)


class WithoutSchema(Server):
    def schema(self, body):
        return 400, {"error": {"message": "response_format is not supported", "type": "invalid_request_error"}}


class SchemaIgnored(Server):
    def schema(self, body):
        return self.said("The North Sea is a sea of the Atlantic.", body)


class KeysSlipIn(Server):
    def schema(self, body):
        return self.said('{"title": "North Sea", "kind": "sea", "salty": true, "coasts": [], "depth": 95}', body)


@pytest.mark.parametrize(
    ("script", "said"),
    [(WithoutSchema(), "refused"), (SchemaIgnored(), "not held to the schema"), (KeysSlipIn(), "slipped in: depth")],
)
def test_a_server_that_holds_to_no_schema_is_asked_in_the_prompt(checked, script: Server, said: str):
    checkup = checked(script)
    assert found(checkup)["json schema"] is False
    assert said in detail(checkup, "json schema")
    assert found(checkup)["tool calls"] is True
    assert checkup.recommended.structured == "prompt"
    assert checkup.recommended.protocol == "tools"


class ToolsRefused(Server):
    def tools(self, body):
        return 400, {"error": {"message": '"auto" tool choice requires --enable-auto-tool-choice'}}


class CallInText(Server):
    def tools(self, body):
        return self.said('<tool_call>{"name": "open", "arguments": {"path": "notes/tuesday.md"}}</tool_call>', body)


class WrongTool(Server):
    def tools(self, body):
        return self.said("", body, [{"name": "search", "arguments": '{"query": "port"}'}])


class BrokenArguments(Server):
    def tools(self, body):
        return self.said("", body, [{"name": "open", "arguments": '{"path": "notes/tues'}])


class AnswersRefused(Server):
    def tools(self, body):
        if body["messages"][-1]["role"] == "tool":
            return 400, {"error": {"message": "unexpected role: tool"}}
        return super().tools(body)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (ToolsRefused(), "--enable-auto-tool-choice"),
        (CallInText(), "left in the text"),
        (WrongTool(), "a wrong call: search"),
        (BrokenArguments(), "no JSON"),
        (AnswersRefused(), "unexpected role"),
    ],
)
def test_a_server_without_usable_tool_calls_is_talked_to_in_text(checked, script: Server, said: str):
    checkup = checked(script)
    assert found(checkup)["tool calls"] is False
    assert said in detail(checkup, "tool calls")
    assert found(checkup)["json schema"] is True
    assert checkup.recommended.protocol == "text"


class Thinks(Server):
    obeys = True

    def chat(self, body):
        wanted = body.get("chat_template_kwargs", {}).get("enable_thinking", True)
        if "17 plus 25" in body["messages"][0]["content"] and (wanted or not self.obeys):
            return self.said("42", body, thinking="17 and 25 …")
        return super().chat(body)


class AlwaysThinks(Thinks):
    obeys = False


@pytest.mark.parametrize(("script", "ok"), [(Thinks(), True), (AlwaysThinks(), False)])
def test_whether_thinking_can_be_switched_off_is_found_out(checked, script: Server, ok: bool):
    assert found(checked(script))["thinking"] is ok


class Hidden(Server):
    """Answers nobody but those who have a key."""

    def handle(self, path, body):
        return 401, {"error": {"message": "missing key"}}


def test_a_server_that_wants_a_key_is_reached_but_not_usable(checked, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    checkup = checked(Hidden())
    assert found(checkup)["reachable"] is True
    assert found(checkup)["chat"] is False
    assert "refuses the key (401)" in detail(checkup, "chat")
    assert found(checkup)["speed"] is None
    assert checkup.recommended is None


class Sparse(Server):
    """A plain OpenAI-compatible server: no context length, no tokenizer, no cache figures."""

    kind = "somebody"
    context = None

    def said(self, *given, **more):
        status, data = super().said(*given, **more)
        data["usage"].pop("prompt_tokens_details", None)
        return status, data


def test_what_a_server_does_not_say_is_left_open(checked):
    checkup = checked(Sparse())
    assert [found(checkup)[name] for name in ("context", "tokenizer", "prefix cache")] == [None, None, None]
    assert "set context_tokens" in detail(checkup, "context")
    assert checkup.recommended.context_tokens is None
    assert checkup.server == "other"


class LlamaCpp(Server):
    kind = "llamacpp"
    name = "some.gguf"
    context = None


def test_llama_cpp_is_known_by_its_slots(checked):
    checkup = checked(LlamaCpp())
    assert found(checkup)["reachable"] is True
    assert checkup.recommended.context_tokens == 4096
    assert checkup.recommended.concurrency == 3


class Loading(Server):
    """Is loading its model when it is first asked."""

    left = 2

    def handle(self, path, body):
        if self.left:
            self.left -= 1
            return 503, {"error": {"message": "Loading model"}}
        return super().handle(path, body)


def test_a_server_that_is_loading_its_model_is_waited_for(checked):
    checkup = checked(Loading())
    assert detail(checkup, "reachable") == "vllm"
    assert found(checkup)["context"] is True


class OtherModel(Server):
    name = "another"


def test_a_name_that_the_server_does_not_have_is_told_with_those_it_has(checked):
    checkup = checked(OtherModel())
    assert found(checkup)["reachable"] is False
    assert "vllm has another, and no 'tiny'" in detail(checkup, "reachable")
    assert checkup.recommended is None


class Failing(Server):
    def schema(self, body):
        return 500, {"error": {"message": "grammar"}}

    def tools(self, body):
        return 500, {"error": {"message": "template"}}

    def chat(self, body):
        if "17 plus 25" in body["messages"][0]["content"]:
            return 500, {"error": {"message": "kwargs"}}
        return super().chat(body)


def test_probes_that_fail_do_not_stop_the_others(checked):
    checkup = checked(Failing())
    assert [found(checkup)[name] for name in ("json schema", "thinking", "tool calls")] == [False] * 3
    assert [found(checkup)[name] for name in ("prefix cache", "speed", "at once")] == [True] * 3


class Slow(Server):
    def schema(self, body):
        time.sleep(1.5)
        return super().schema(body)


def test_what_takes_too_long_is_left_open_and_all_of_it_is_bounded(checked):
    began = time.monotonic()
    checkup = checked(Slow(), seconds=5)
    assert time.monotonic() - began < 8
    assert found(checkup)["json schema"] is None
    assert "no reply within 1 s" in detail(checkup, "json schema")
    assert checkup.recommended.structured == "auto"


class Sleepy(Server):
    delay = 0.5


def test_when_the_time_is_over_the_rest_is_not_probed(checked):
    checkup = checked(Sleepy(), seconds=3)
    assert found(checkup)["chat"] is True
    assert found(checkup)["at once"] is None
    assert "time allowed" in detail(checkup, "at once")


def test_a_dead_port_ends_it_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    checkup = check(read_model(f"openai:tiny@http://127.0.0.1:{port}/v1"))
    assert time.monotonic() - began < 5
    assert found(checkup)["reachable"] is False
    assert "is it running?" in detail(checkup, "reachable")
    assert set(found(checkup).values()) == {False, None}
    assert checkup.to_dict()["usable"] is False


def jam(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jam", "model", "check", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)


def test_the_command_prints_a_table_and_a_block_for_jam_yaml(running):
    script = running(Server())
    done = jam(script.url)
    assert done.returncode == 0, done.stderr
    assert "yes  tool calls" in done.stdout
    block = yaml.safe_load(done.stdout.partition("For jam.yaml:")[2])
    assert block["model"] == "tiny"
    assert read_model("tiny", block["models"]).base_url == script.url.partition("@")[2]


def test_the_command_prints_json_and_fails_where_nobody_answers():
    done = jam("openai:tiny@http://127.0.0.1:9/v1", "--json", "-q")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["recommended"] is None
    assert {"name", "ok", "detail", "seconds"} == set(data["findings"][0])
    assert done.stderr == ""


def test_a_name_of_a_workspace_is_looked_up_there(running, example_workspace: Path):
    script = running(Server())
    with (example_workspace / "jam.yaml").open("a", encoding="utf-8") as settings:
        settings.write(f"models:\n  mine:\n    spec: {script.url}\n    retries: 2\n")
    done = jam("mine", "-w", str(example_workspace), "--json", "-q")
    assert done.returncode == 0, done.stderr
    recommended = json.loads(done.stdout)["recommended"]
    assert recommended["model"] == "mine"
    assert recommended["models"]["mine"]["retries"] == 2
