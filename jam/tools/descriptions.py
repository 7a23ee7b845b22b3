"""The tools as they are described to a model: names, what they do, parameters as JSON schema."""

from __future__ import annotations

from typing import Any

_PATH = {"type": "string", "maxLength": 300}
_QUERY = {"type": "string", "maxLength": 300}

TOOLS: dict[str, dict[str, Any]] = {
    "search": {
        "name": "search",
        "description": "Finds the sessions that bear on a query, by words and by meaning, with their best messages.",
        "parameters": {
            "type": "object",
            "properties": {"query": {**_QUERY, "description": "what to search for"}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    "browse": {
        "name": "browse",
        "description": "Reads one file for one question and gives the passages that matter.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {**_PATH, "description": "the file"},
                "query": {**_QUERY, "description": "what exactly to read it for"},
            },
            "required": ["path", "query"],
            "additionalProperties": False,
        },
    },
    "open": {
        "name": "open",
        "description": "Shows a folder: its README and the list of what is in it.",
        "parameters": {
            "type": "object",
            "properties": {"path": {**_PATH, "description": "the folder"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
}
"""By name, in the order they are shown."""

ARGUMENTS = ("path", "query", "scope", "since", "until")
"""What any call may have; a search may be confined to a folder and to days."""


def parameters_in_words(name: str) -> str:
    """`query (what to search for)`."""
    properties = TOOLS[name]["parameters"]["properties"]
    return ", ".join(f"{key} ({value['description']})" for key, value in properties.items())
