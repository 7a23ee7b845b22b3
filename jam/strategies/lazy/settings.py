"""LazyMem's constants, from the agent card of the engine that edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jam.cards import RoleCard, load_card
from jam.errors import UsageError

Retrieval = Literal["ranking", "rrf"]


@dataclass(frozen=True, slots=True)
class LazySettings:
    """Defaults are the paper's (sections 3 and 4.1), but for `retrieval`."""

    messages: int = 50
    """n: messages of the pool."""
    width: int = 2
    """w: neighbours on either side of each."""
    longest: int = 8
    """L: messages of a window at most."""
    stride: int = 7
    """A window of a long stretch begins so many messages after the one before."""
    retrieval: Retrieval = "ranking"
    """`ranking`: JAM's own, no message of the pool within `width` of a better one. `rrf`: BM25 and dense vectors fused
    by their ranks, as in the paper."""


_NUMBERS = ("messages", "width", "longest", "stride")


def lazy_settings(engine: str) -> LazySettings:
    """Raises `UsageError` naming the card for values that make no windows."""
    role = load_card(engine).roles["window_editor"]
    default = LazySettings()
    numbers = {name: int(role.setting(name, getattr(default, name))) for name in _NUMBERS}
    found = LazySettings(**numbers, retrieval=_retrieval(role, default.retrieval))
    if found.messages < 1 or not 1 <= found.stride <= found.longest:
        raise UsageError(
            f"agents/{role.engine}.yaml: window_editor: messages must be at least 1, and stride from 1 to longest; "
            f"they are {found.messages}, {found.stride} and {found.longest}"
        )
    return found


def _retrieval(role: RoleCard, default: Retrieval) -> Retrieval:
    given = role.setting("retrieval", default)
    if given == "rrf":
        return "rrf"
    if given == "ranking":
        return "ranking"
    raise UsageError(f"agents/{role.engine}.yaml: window_editor: retrieval must be ranking or rrf, not {given!r}")
