"""Turns of conversations that were written down as text, and who the names before them are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jam.session import Kind

ROLES = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt"), "user"),
    **dict.fromkeys(("assistant", "ai", "agent", "bot", "model", "response", "chatgpt", "gpt", "claude"), "assistant"),
    **dict.fromkeys(("gemini", "copilot", "github copilot", "cursor", "llm"), "assistant"),
    "system": "system",
    "tool": "tool",
}
"""What the names of people and programs in saved chats mean."""

HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn."""

    text: str
    role: str = "user"
    speaker: str | None = None
    at: str | None = None
    meta: dict[str, str] = field(default_factory=dict)
    kind: Kind = "message"


def role_of(who: str) -> str:
    """The role of a program or of its user; a name that nobody knows is that of a program."""
    name = who.strip().lower()
    return ROLES.get(name) or ROLES.get(re.split(r"[ :-]", name, maxsplit=1)[0], "assistant")


def wrapped(text: str, opening: str, closing: str) -> bool:
    """Whether a text is nothing but one or more elements of a kind."""
    at, found = 0, False
    while text.startswith(opening, at):
        end = text.find(closing, at)
        if end < 0:
            return False
        at, found = end + len(closing), True
        while at < len(text) and text[at].isspace():
            at += 1
    return found and at == len(text)
