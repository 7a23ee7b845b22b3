"""What is said to a chat model and what it says: plain data, in the shape of the OpenAI API."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jam.errors import ModelError

ChatMessage = Mapping[str, Any]
"""`{"role": "system"|"user"|"assistant"|"tool", "content": str}`; an assistant's may have `tool_calls` ([{"id", "name",
"arguments": str}]), a tool's has `tool_call_id`."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn. `None` leaves it to the server."""

    temperature: float | None = 0.0
    top_p: float | None = None
    thinking: bool | None = None
    """Whether the model should reason at length first, where the server's chat template has such a switch."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call of a chat model."""

    messages: tuple[ChatMessage, ...]
    max_output_tokens: int
    sampling: Sampling = Sampling()
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply, where the server can hold it to one."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Functions that the reply may call: `{"name", "description", "parameters"}`."""

    def digest(self, identity: Mapping[str, Any]) -> str:
        """Names this request to this model: everything that the reply depends on."""
        data = {"model": identity, **asdict(self), "version": 1}
        return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def text(self) -> str:
        """All that is said, as one text: for estimates of its length."""
        said = [str(message.get("content") or "") for message in self.messages]
        said += [json.dumps(message["tool_calls"]) for message in self.messages if message.get("tool_calls")]
        return "\n".join([*said, *(json.dumps(tool) for tool in self.tools)])


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call as the model made it; `arguments` is the raw text, which may be no JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back, with what it cost."""

    text: str
    thinking: str = ""
    """Reasoning that the server has set apart from the text."""
    tool_calls: tuple[CalledTool, ...] = ()
    finish: str = "stop"
    """`stop`, `tool_calls`, or `length` where the reply was cut off."""
    input_tokens: int = 0
    output_tokens: int = 0
    reused_tokens: int = 0
    """Prompt tokens that the server says it had in its prefix cache."""
    seconds: float = 0.0
    attempts: int = 1
    estimated: bool = False
    """Whether the tokens were counted here, since the server's counts can't be right."""
    stored: bool = False
    """Whether it was answered from memory: nothing was spent now."""

    def to_dict(self) -> dict[str, Any]:
        data = asdict(self)
        data["tool_calls"] = [asdict(call) for call in self.tool_calls]
        del data["stored"]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ChatReply:
        """Reads what `to_dict` wrote. Raises `KeyError`, `TypeError` for anything else."""
        texts, numbers = ("text", "thinking", "finish"), ("input_tokens", "output_tokens", "seconds", "attempts")
        if not all(isinstance(data[name], str) for name in texts):
            raise TypeError("a text is missing")
        if not all(isinstance(data[name], int | float) for name in numbers):
            raise TypeError("a number is missing")
        calls = tuple(CalledTool(**call) for call in data["tool_calls"])
        return cls(**{**data, "tool_calls": calls, "stored": True})


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its reply, or with what went wrong: a line of a trajectory."""

    purpose: str
    """The job it was made for: `memo`, `place`, `think`, `browse`, …"""
    key: str
    request: ChatRequest
    reply: ChatReply | None
    error: ModelError | None = None


def assistant(reply: ChatReply, limit: int = 20_000) -> dict[str, Any]:
    """The reply as a message of the conversation that goes on."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text[:limit]}
    if reply.tool_calls:
        message["tool_calls"] = [asdict(call) for call in reply.tool_calls]
    return message


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}
