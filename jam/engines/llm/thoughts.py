"""What a research policy reads from a reply: a thought, and calls or an answer. Two wire protocols, one result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from jam.engines.llm.answers import read_answer
from jam.jobs import Answer, ToolCall, ToolName
from jam.models.messages import ChatReply
from jam.models.parsing import json_objects, split_thinking
from jam.tools.descriptions import ARGUMENTS, TOOLS

_BLOCK = re.compile(
    r"<(?:tool_use|tool_call)>(.*?)(?=</(?:tool_use|tool_call)>|<(?:tool_use|tool_call|answer)>|\Z)", re.DOTALL
)
_ANSWER = re.compile(r"<answer>(.*?)(?=</answer>|\Z)", re.DOTALL)
_INVENTED = re.compile(r"(?:^|(?<=[>}]))[ \t]*<(?:tool_response|observation|result)s?\b", re.IGNORECASE | re.MULTILINE)
"""Such a tag within a line may be what a query or an answer is about."""
_GOES_ON = re.compile(r"(</(?:tool_use|tool_call)>)\s*<(?:tool_response|observation|result|think)", re.IGNORECASE)
_NAMES = ("tool", "name", "function", "tool_name")
_INNER = ("arguments", "parameters", "args", "input")


@dataclass(frozen=True, slots=True)
class Thought:
    """A reply, understood."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    answer: Answer | None = None
    problem: str = ""
    """Why the reply can't be used: it holds neither a call nor an answer."""


def read_text(reply: ChatReply) -> Thought:
    """A reply in the text protocol: `<think>`, then `<tool_use>` blocks or an `<answer>`.

    Calls count wherever they stand, be it within a thought that is never closed. Results that the model invents end
    what is read. A reply with both calls and an answer has not seen the results yet: the calls count.
    """
    text = one_round(reply.text)
    thinking, said = split_thinking(text)
    found = _marked(_before_invented(said))
    if not (found.calls or found.answer) and thinking:
        inside = _marked(_before_invented(text))
        found = inside if inside.calls or inside.answer else found
    if not (found.calls or found.answer) and reply.thinking:
        inside = _marked(_before_invented(reply.thinking))
        found = inside if inside.calls or inside.answer else found
    thought = thinking or reply.thinking
    problem = "there is nothing after the thought" if found.problem and thought and not said else found.problem
    return Thought(thought or found.text, found.calls, found.answer, problem)


def read_tools(reply: ChatReply) -> Thought:
    """A reply with native tool calls; without any it is the answer, as JSON or in prose."""
    thinking, said = split_thinking(reply.text)
    thought = reply.thinking or thinking
    if reply.tool_calls:
        return Thought(thought or said, tuple(_native(call.name, call.arguments) for call in reply.tool_calls))
    written = read_text(reply)
    if written.calls or written.answer:
        return written
    if not said:
        return Thought(thought, problem="the reply was empty" if not thought else "the thought never ended")
    return Thought(thought, answer=_answer(said))


def one_round(text: str) -> str:
    """The text up to where the model plays on by itself after its calls: with results, or its next thought."""
    found = _GOES_ON.search(text)
    return text[: found.end(1)] if found else text


def _before_invented(text: str) -> str:
    found = _INVENTED.search(text)
    return text[: found.start()] if found else text


def _marked(text: str) -> Thought:
    """Calls and answer of a text by their tags, or by their JSON where there are no tags."""
    blocks = [block for block in _BLOCK.findall(text) if block.strip()]
    calls = [call for block in blocks for call in _calls(json_objects(block))]
    if calls:
        return Thought("", tuple(calls))
    answer = _ANSWER.search(text)
    if answer and answer[1].strip():
        return Thought("", answer=_answer(answer[1]))
    objects = json_objects(text) if "{" in text else []
    calls = _calls(item for item in objects if _name(item) in TOOLS)
    if calls:
        return Thought("", tuple(calls))
    for item in objects:
        if "answer" in item:
            return Thought("", answer=read_answer(item))
    if blocks:
        return Thought("", problem='the <tool_use> block holds no JSON object with a "tool"')
    return Thought(
        text.strip()[:500], problem="it has neither a <tool_use> nor an <answer> block" if text else "it is empty"
    )


def _answer(text: str) -> Answer:
    for item in json_objects(text):
        if "answer" in item:
            return read_answer(item)
    return Answer(text.strip()[:4000])


def _calls(objects: Iterable[Mapping[str, Any]]) -> list[ToolCall]:
    return [ToolCall(cast(ToolName, _name(item)), _arguments(item)) for item in objects if _name(item)]


def _name(item: Mapping[str, Any]) -> str:
    for key in _NAMES:
        value = item.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()[:60]
    return ""


def _arguments(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, wherever the model put them."""
    holder = next((item[key] for key in _NAMES if isinstance(item.get(key), Mapping)), item)
    for key in _INNER:
        inner = holder.get(key)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = next(iter(json_objects(inner)), {})
        if isinstance(inner, Mapping) and inner:
            return _known(inner)
    return _known(holder)


def _known(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: arguments[key] for key in ARGUMENTS if arguments.get(key) is not None}


def _native(name: str, arguments: str) -> ToolCall:
    """A native call; arguments that are no JSON object are kept as they are, so that the model is told."""
    try:
        data = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        data = next(iter(json_objects(arguments)), None)
    if not isinstance(data, dict):
        return ToolCall(cast(ToolName, name), {"unparsed": arguments[:200]})
    return ToolCall(cast(ToolName, name), _known(data))
