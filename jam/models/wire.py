"""Messages as the OpenAI API writes them: what no JSON can hold is replaced, what no template can render is wrapped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def wire_messages(messages: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API writes them."""
    out = []
    for message in messages:
        said = {**message, "content": str(message.get("content") or "")}
        if message.get("tool_calls"):
            said["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": _valid_arguments(call["arguments"])},
                }
                for call in message["tool_calls"]
            ]
        out.append(said)
    return out


def _valid_arguments(text: str) -> str:
    """Arguments that a chat template can render: what is no JSON object is shown within one."""
    try:
        given = json.loads(text)
        if isinstance(given, dict):
            return json.dumps(encodable(given), ensure_ascii=False)
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unparsed": text[:500]}, ensure_ascii=False)


def encodable(data: Any) -> Any:
    """The same JSON data, with a question mark for each lone surrogate, which can't be sent."""
    return json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
