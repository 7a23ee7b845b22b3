"""The probes of `jam model check`: each asks a model one small thing and says what that proves.

They talk as JAM's jobs do, through `ChatModel`, and raise `ModelError` where no reply comes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from jam.errors import ModelRefused
from jam.models.chat import ChatModel
from jam.models.endpoint import get_json
from jam.models.messages import ChatReply, ChatRequest, Sampling, assistant, user
from jam.models.parsing import json_objects, split_thinking
from jam.models.tokens import estimate

_CALM = Sampling(thinking=False)
_KNOCK_SECONDS = 10.0
_AT_ONCE = 4
_LONG_TOKENS = 1000
"""Of the prompt that is sent twice."""
_WRITTEN_TOKENS = 96
"""Of the replies that are timed."""
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Found:
    """What a probe found."""

    ok: bool | None
    detail: str
    measures: Mapping[str, float] = field(default_factory=dict)


def reachable(model: ChatModel) -> Found:
    """Whether somebody answers there, and who."""
    import httpx

    settings = model.settings
    if settings.base_url is None:
        return Found(None, f"the provider's own server ({settings.provider}); the first call will tell")
    headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
    certified = not settings.base_url.startswith("http:")  # loading certificates takes long
    deadline = time.monotonic() + settings.timeout_seconds
    try:
        while True:
            answer = httpx.get(
                f"{settings.base_url}/models",
                headers=headers,
                timeout=_KNOCK_SECONDS,
                verify=certified,
                trust_env=not settings.is_local,
            )
            if answer.status_code != 503 or time.monotonic() > deadline:  # 503: it is loading its model
                break
            time.sleep(0.5)
    except httpx.HTTPError as error:
        return Found(
            False, f"nobody answers at {settings.base_url}: {str(error) or type(error).__name__}; is it running?"
        )
    if answer.status_code != 200:
        return Found(True, f"answers, but doesn't list its models ({answer.status_code})")
    names, kind = _names(answer), model.endpoint.facts.kind
    who = kind if kind != "other" else "an OpenAI-compatible server"
    if not names or settings.name in names or kind == "llama.cpp":  # which has one model, under any name
        return Found(True, who)
    listed = ", ".join(_short(name) for name in names[:5])
    return Found(False if kind == "vllm" else None, f"{who} has {listed}, and no {settings.name!r}")


def _names(answer: Any) -> list[str]:
    try:
        rows = answer.json().get("data")
        return [str(row["id"]) for row in rows]
    except (ValueError, AttributeError, TypeError, KeyError):
        return []


def chat(model: ChatModel) -> Found:
    """Whether it says anything. It is asked twice: the first call may wait for the server to warm up."""
    _ask(model, "Say hello.", 16)
    reply = _ask(model, "Say good morning.", 16)
    if not _said(reply) and reply.finish == "length":  # it may think where nobody sees it
        reply = _ask(model, "Say good morning.", 512)
    said = _said(reply)
    if not said:
        return Found(False, f"the reply is empty (finish: {reply.finish})")
    return Found(
        True, f"{_short(said)!r} after {reply.seconds:.2f} s", {"short_reply_seconds": round(reply.seconds, 3)}
    )


def _said(reply: ChatReply) -> str:
    return reply.text.strip() or reply.thinking.strip()


_KEYS = ["title", "kind", "salty", "coasts"]
_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "kind": {"enum": ["lake", "river", "sea"]},
        "salty": {"type": "boolean"},
        "coasts": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 20}},
    },
    "required": _KEYS,
    "additionalProperties": False,
}


def json_schema(model: ChatModel) -> Found:
    """Whether replies are held to a JSON schema. The question doesn't ask for JSON: only the server can bring it."""
    request = ChatRequest((user("Tell me of the North Sea."),), 200, _CALM, schema=_SCHEMA)
    try:
        reply = model.ask(request, "check")
    except ModelRefused as error:
        return Found(False, f"refused; replies are asked for in the prompt instead. {error}")
    _, said = split_thinking(reply.text)
    try:
        value = json.loads(said)
    except ValueError:
        if reply.finish == "length" and not said.lstrip().startswith("{"):
            return Found(None, f"no end in {reply.output_tokens} tokens: {_short(said or reply.thinking)!r}")
        how = "cut off" if reply.finish == "length" else "not held to the schema"
        return Found(False, f"{how}: {_short(said)!r}")
    wrong = _breach(value)
    return Found(not wrong, wrong or "held to the schema")


def _breach(value: Any) -> str:
    """How a value breaks `_SCHEMA`; empty where it doesn't."""
    if not isinstance(value, dict):
        return f"JSON, but no object: {_short(json.dumps(value))}"
    missing, further = [key for key in _KEYS if key not in value], sorted(set(value) - set(_KEYS))
    if missing:
        return f"JSON, but not held to the schema: {', '.join(missing)} missing"
    if further:
        return f"JSON, but further keys slipped in: {', '.join(further)}"
    texts = [value["title"], *(value["coasts"] if isinstance(value["coasts"], list) else [None])]
    good = (
        all(isinstance(text, str) and len(text) <= 40 for text in texts)
        and len(texts) <= 4
        and value["kind"] in ("lake", "river", "sea")
        and isinstance(value["salty"], bool)
    )
    return "" if good else f"JSON with the right keys, but values against the schema: {_short(json.dumps(value))}"


def thinking(model: ChatModel) -> Found:
    """Whether it reasons before it answers, and whether that can be switched off."""
    question = "What is 17 plus 25? Answer with the number alone."
    off = _ask(model, question, 96)
    if model.endpoint.facts.kind == "other":
        where = _thought(off)
        return Found(None, f"thinks ({where}); no switch is sent to this server" if where else "doesn't think")
    on = _ask(model, question, 96, Sampling(thinking=True))
    if _thought(off):
        return Found(False, f"thinks ({_thought(off)}) even when told not to: every call pays for its thoughts")
    if _thought(on):
        return Found(True, f"thinks when told to ({_thought(on)}), and not when told not to")
    return Found(None, "doesn't think")


def _thought(reply: ChatReply) -> str:
    """Where the reply holds reasoning; empty where it holds none."""
    if reply.thinking.strip():
        return "set apart by the server"
    return "within the text" if split_thinking(reply.text)[0] else ""


_TOOLS = (
    {
        "name": "search",
        "description": "Searches all notes for words.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "maxLength": 200}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    {
        "name": "open",
        "description": "Shows a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string", "maxLength": 200}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
)
_PATH = "notes/tuesday.md"


def tool_calls(model: ChatModel) -> Found:
    """Whether it calls the right tool with the right argument by itself, and takes the tool's answer."""
    asked = user(f"Open the file {_PATH} with the tool, and tell me which port it names.")
    try:
        reply = model.ask(ChatRequest((asked,), 256, _CALM, tools=_TOOLS), "check")
    except ModelRefused as error:
        return Found(False, f"refused; JAM talks text with it instead. {error}")
    if not reply.tool_calls:
        if _call_in(reply.text):
            return Found(False, f"the call is left in the text; its parser doesn't fit: {_short(reply.text)!r}")
        why = "; its chat template seems to leave tools out" if reply.estimated else ""  # too few tokens for them
        return Found(False, f"none made{why}: {_short(reply.text or reply.thinking)!r}")
    call = reply.tool_calls[0]
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return Found(False, f"arguments that are no JSON: {_short(call.arguments)!r}")
    if call.name != "open" or arguments != {"path": _PATH}:
        return Found(False, f"a wrong call: {call.name} {_short(call.arguments)}")
    answers = [
        {"role": "tool", "tool_call_id": each.id, "content": "The gateway listens on port 8443."}
        for each in reply.tool_calls
    ]
    try:
        last = model.ask(ChatRequest((asked, assistant(reply), *answers), 96, _CALM, tools=_TOOLS), "check")
    except ModelRefused as error:
        return Found(False, f"calls tools, but the answer of one is refused: {error}")
    if "8443" not in last.text and not last.tool_calls:
        return Found(True, f"right call; of the tool's answer it made {_short(last.text or last.thinking)!r}")
    return Found(True, "right tool, right arguments, and it takes the answer")


def _call_in(text: str) -> bool:
    """Whether a text holds a tool call that the server should have found."""
    signs = ("<tool_call", "<function=", "<|python_tag|>", "[TOOL_CALLS]", "<|tool")
    return any(sign in text for sign in signs) or any(value.get("name") == "open" for value in json_objects(text))


def context(model: ChatModel) -> Found:
    """How long its context window is, as the server says."""
    said, set_here = model.endpoint.facts.context_tokens, model.settings.context_tokens
    if said is None:
        told = f"{set_here:,} as set" if set_here else "8,192 are assumed: set context_tokens if it has more"
        return Found(None, f"the server doesn't say; {told}")
    if set_here and set_here > said:
        return Found(False, f"{said:,} tokens, and not {set_here:,} as set", {"context_tokens": said})
    return Found(True, f"{said:,} tokens", {"context_tokens": min(said, set_here or said)})


def tokenizer(model: ChatModel) -> Found:
    """Whether its server counts tokens on request; else they are estimated, with some room left unused."""
    texts = ["The gateway listens on port 8443 since Tuesday.", "Überraschung: naïve façades, 東京 and 🦊🦊."]
    if not model.counter.exact or all(model.counter.count(text) == estimate(text) for text in texts):
        return Found(None, "no /tokenize: tokens are estimated, carefully")
    return Found(True, "counts on request")


def prefix_cache(model: ChatModel) -> Found:
    """Whether the beginning of a prompt that it has seen is not read again. Measures how fast it reads, too."""
    length = min(_LONG_TOKENS, model.endpoint.context_tokens // 3)
    prompt = _long_prompt(length)
    short = _ask(model, "Say yes.", 4)
    first, second = _ask(model, prompt, 4), _ask(model, prompt, 4)
    measures: dict[str, float] = {}
    seconds, tokens = first.seconds - short.seconds, _unseen(first) - _unseen(short)
    read = "too fast to be measured"
    if seconds > 0.01 and tokens > length // 2:
        measures["prompt_tokens_per_second"] = round(tokens / seconds)
        read = f"reads {tokens / seconds:,.0f} tokens/s"
    times = f"{first.seconds:.2f} s, then {second.seconds:.2f} s"
    if second.reused_tokens:
        measures["reused_tokens"] = second.reused_tokens
        return Found(True, f"{second.reused_tokens} of {second.input_tokens} tokens reused ({times}); {read}", measures)
    if second.seconds < first.seconds / 2:
        return Found(None, f"not reported, but the same prompt was faster again ({times}); {read}", measures)
    return Found(None, f"no reuse reported ({times}); {read}", measures)


def _unseen(reply: ChatReply) -> int:
    """Tokens of the prompt that had to be read."""
    return reply.input_tokens - reply.reused_tokens


def _long_prompt(tokens: int) -> str:
    """A prompt of about so many tokens, which no one has sent before."""
    lines, number = [f"Log of {time.time_ns()}"], 0
    line = "{}. The ferry {} left the harbor and came back with {} crates of herring."
    each = estimate(line.format(100, 100, 100))
    while number < tokens // each:
        number += 1
        lines.append(line.format(number, number * 7 % 100, number * 13 % 100))
    return "\n".join([*lines, "How many lines are there? Answer with a number."])


def speed(model: ChatModel) -> Found:
    """How fast it writes, alone."""
    reply = _ask(model, _counting(0), _WRITTEN_TOKENS)
    if reply.output_tokens < _WRITTEN_TOKENS // 4:
        return Found(None, f"wrote only {reply.output_tokens} tokens in {reply.seconds:.2f} s: too few to time")
    rate = reply.output_tokens / reply.seconds
    return Found(True, f"writes {rate:,.0f} tokens/s alone", {"output_tokens_per_second": round(rate, 1)})


def at_once(model: ChatModel) -> Found:
    """How fast it writes several replies at a time."""
    calls = min(_AT_ONCE, model.settings.concurrency)
    measures: dict[str, float] = {}
    if model.endpoint.facts.kind == "llama.cpp":
        props = get_json(model.settings, "/props", root=True)
        slots = props.get("total_slots") if isinstance(props, Mapping) else None
        if isinstance(slots, int) and slots > 0:
            measures["slots"] = slots
    if calls < 2:
        return Found(None, "concurrency is set to 1: not probed", measures)
    began = time.monotonic()
    with ThreadPoolExecutor(calls) as pool:
        replies = list(pool.map(lambda number: _ask(model, _counting(number), _WRITTEN_TOKENS), range(1, calls + 1)))
    rate = sum(reply.output_tokens for reply in replies) / (time.monotonic() - began)
    measures |= {"output_tokens_per_second_at_once": round(rate, 1), "calls_at_once": calls}
    has = f"; it has {measures['slots']:.0f} slots" if "slots" in measures else ""
    return Found(True, f"writes {rate:,.0f} tokens/s with {calls} calls at once{has}", measures)


def _counting(number: int) -> str:
    return f"Count from {number * 100 + 1} to {number * 100 + 100}, in words, with commas between."


def _ask(model: ChatModel, text: str, tokens: int, sampling: Sampling = _CALM) -> ChatReply:
    return model.ask(ChatRequest((user(text),), tokens, sampling), "check")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
