"""A run as a conversation with its model: the constant part first, then only additions, for a server's prefix cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jam.engines.llm.data import as_data
from jam.engines.llm.pieces import fitting
from jam.jobs import Observation, Trail, Turn
from jam.models.messages import ChatMessage, user

_LINE_CHARS = 400
_LEFT_OUT = "(shown earlier; left out here for want of space)"
Render = Callable[..., str]


def conversation(
    head: Sequence[ChatMessage], trail: Trail, render: Render, tokens: int, forgotten: int = 0
) -> list[ChatMessage]:
    """The messages of a run so far. `render` fills the prompt's parts; an observation takes `tokens` at most.

    The observations of the first `forgotten` rounds are left out, where the window doesn't hold all.
    """
    messages = list(head)
    for turn in trail.turns:
        messages += turn.said
        seen = [item for item in trail.observations if item.round == turn.round]
        texts = [
            _LEFT_OUT if turn.round <= forgotten else observation_text(item, tokens, _is_shown(item, trail, forgotten))
            for item in seen
        ]
        left = trail.rounds_left + trail.rounds - turn.round
        messages += _results(turn, seen, texts, left, trail.calls_per_round, render)
    return messages


def _is_shown(observation: Observation, trail: Trail, forgotten: int) -> bool:
    """Whether what a repeated call gave when it was first made still stands in the conversation."""
    first = next((item.round for item in trail.observations if item.call == observation.call), 0)
    return first > forgotten


def observation_text(observation: Observation, tokens: int, shown: bool = True) -> str:
    """What a call gave back, cut to a length between lines; `shown` tells that of a repeat it stands there already."""
    repeated = observation.error == "repeated"
    if repeated and shown:
        return "You made this very call before; its result is above."
    if observation.error and not repeated:
        return f"error {observation.error}: {as_data(observation.text)}"
    lines = [f"{line[:_LINE_CHARS]}…" if len(line) > _LINE_CHARS else line for line in observation.text.split("\n")]
    kept = fitting([as_data(line) for line in lines], tokens)
    if len(kept) < len(lines):
        kept.append(f"… {len(lines) - len(kept)} more lines")
    return "\n".join(kept)


def _results(
    turn: Turn, seen: Sequence[Observation], texts: Sequence[str], left: int, most: int, render: Render
) -> list[ChatMessage]:
    """The messages that bring a round's results: one for each native call, else one for all."""
    made = _native_calls(turn)
    if made:
        answered = [
            {"role": "tool", "tool_call_id": call["id"], "content": text}
            for call, text in zip(made, [*texts, *[_not_made(most)] * len(made)], strict=False)
        ]
        return [*answered, user(render("results", rounds_left=left))]
    if not seen:
        return []
    results = [{"tool": item.call.tool, "text": text} for item, text in zip(seen, texts, strict=True)]
    dropped = max(0, turn.calls - len(seen))
    return [user(render("results", results=results, dropped=dropped, calls_per_round=most, rounds_left=left))]


def _native_calls(turn: Turn) -> list[Mapping[str, Any]]:
    return list(turn.said[-1].get("tool_calls") or []) if turn.said else []


def _not_made(most: int) -> str:
    return f"error: not carried out, at most {most} calls a round"
