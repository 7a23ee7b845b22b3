"""DeferMem's constants, from the agent card of the engine that distils."""

from __future__ import annotations

from dataclasses import dataclass

from jam.cards import load_card
from jam.errors import UsageError


@dataclass(frozen=True, slots=True)
class DeferSettings:
    """How broad the candidates are."""

    messages: int = 50
    """k: messages whose segments, and the segments linked with those, are candidates."""
    candidate_tokens: int = 6590
    """Tokens of all candidates together at most."""


def defer_settings(engine: str) -> DeferSettings:
    """Raises `UsageError` naming the card for values that allow no candidates."""
    role = load_card(engine).roles["distiller"]
    default = DeferSettings()
    found = DeferSettings(
        messages=int(role.setting("messages", default.messages)),
        candidate_tokens=int(role.setting("candidate_tokens", default.candidate_tokens)),
    )
    if found.messages < 1 or found.candidate_tokens < 1:
        raise UsageError(
            f"agents/{role.engine}.yaml: distiller: messages and candidate_tokens must be at least 1, not "
            f"{found.messages} and {found.candidate_tokens}"
        )
    return found
