"""Changes of what has been gathered of a Codex session: events that an item repeats, turns that were rolled back."""

from __future__ import annotations

from dataclasses import replace

from jam.session import Message

_NEARBY = 200
"""An event that an item repeats stands within so many messages of it."""


def take_back(messages: list[Message], events: list[Message]) -> list[int]:
    """Remove the messages of events, as far as they are near the end; gives the places where they stood."""
    wanted = {id(event) for event in events}
    places: list[int] = []
    for place in range(len(messages) - 1, max(0, len(messages) - _NEARBY) - 1, -1):
        if len(places) == len(wanted):
            break
        if id(messages[place]) in wanted:
            places.append(place)
            del messages[place]
    return places[::-1]


def roll_back(messages: list[Message], turns: int, line: str | None, branch: str) -> bool:
    """Make the last turns of a line a branch, each from what the user said on; what was handed out stays. False where
    there is nothing to roll back."""
    prompts = [
        place
        for place, message in enumerate(messages)
        if message.thread == line and message.role == "user" and message.kind == "message"
    ]
    if turns < 1 or not prompts:
        return False
    for place in range(prompts[max(0, len(prompts) - turns)], len(messages)):
        if messages[place].thread == line:
            messages[place] = replace(messages[place], thread=branch)
    return True
