"""Agent cards: who plays which role for an engine, with which prompt and at what length. YAML files in `agents/`.

A card in the folder that `JAM_AGENTS` names comes before the shipped one of the same name. A role is `module:class`,
or a mapping with `player: module:class` and what that player wants to know (prompt, sampling, output schema, …).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from jam.assets import asset_folder
from jam.errors import UsageError
from jam.templating import own_folder

_JOBS = {
    "memo_writer": "write_memo",
    "organizer": "place",
    "folder_summarizer": "summarize",
    "research_policy": "decide",
    "browse_reader": "read",
    "judge": "judge",
    "window_editor": "edit",
    "distiller": "distill",
}
"""What a player of each role does."""
ROLES = tuple(_JOBS)
MEMORIZER_ROLES = ROLES[:3]
_LATER_ROLES = ROLES[6:]
"""A card without one of these is of an earlier version; the engine that steps in plays it."""


@lru_cache(maxsize=64)
def _parameters(player: type) -> frozenset[str]:
    """What a player is made with. Kept: every step of a research casts its roles."""
    return frozenset(inspect.signature(player).parameters)


@dataclass(frozen=True, slots=True)
class RoleCard:
    """A role of an engine: who plays it, and how."""

    engine: str
    role: str
    player: str
    """`module:class`."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def player_class(self) -> Any:
        """The class that plays the role. Raises `UsageError` where there is none."""
        module, _, name = self.player.partition(":")
        where = f"agents/{self.engine}.yaml: {self.role}: {self.player!r} can't be used"
        try:
            found = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise UsageError(f"{where}: {error}") from error
        if not isinstance(found, type):
            raise UsageError(f"{where}: it is no class, but {found!r:.60}")
        if not hasattr(found, _JOBS[self.role]):
            raise UsageError(f"{where}: a {self.role} needs a method {_JOBS[self.role]!r}, see jam/jobs.py")
        return found

    def wants(self, name: str) -> bool:
        """Whether the player is made with something of that name (`model`, `index`, …)."""
        return name in _parameters(self.player_class())

    def setting(self, name: str, default: Any) -> Any:
        """A setting of the role, of the type of its default. Raises `UsageError` for another type."""
        value = self.settings.get(name, default)
        kind = float if isinstance(default, float) else type(default)
        right = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if default is not None and (not right or (kind is not bool and isinstance(value, bool))):
            raise UsageError(f"agents/{self.engine}.yaml: {self.role}: {name} must be like {default!r}, not {value!r}")
        if isinstance(value, int | float) and value < 0:
            raise UsageError(f"agents/{self.engine}.yaml: {self.role}: {name} must not be below zero, not {value!r}")
        return value


@dataclass(frozen=True, slots=True)
class Card:
    """An engine's card."""

    engine: str
    roles: Mapping[str, RoleCard]
    fallback: str | None = None
    """The engine that steps in for a role whose player can't do its job."""

    def cast(self, role: str, **offers: Any) -> Any:
        """The player of a role, made with those of the offers that it asks for by name.

        A player may ask for `role` (its own card) and `fallback` (the other engine's player of the same role) too.
        """
        own = self.roles[role]
        given = {"role": own, **offers}
        if own.wants("fallback"):
            given["fallback"] = self._stand_in(role).cast(role, **offers)
        return own.player_class()(**{name: value for name, value in given.items() if own.wants(name)})

    def _stand_in(self, role: str) -> Card:
        """The card that steps in for a role. Raises `UsageError` where it would rely on this one in turn."""
        engines = [self.engine, self.fallback or "extractive"]
        first = last = load_card(engines[-1])
        while last.roles[role].wants("fallback"):
            if engines[-1] in engines[:-1]:
                raise UsageError(f"agents/{self.engine}.yaml: {role}: the fallbacks go in a circle: {engines}")
            engines.append(last.fallback or "extractive")
            last = load_card(engines[-1])
        return first

    def needs_model(self, roles: tuple[str, ...] = ROLES) -> bool:
        """Whether any of the roles is played by a chat model."""
        return any(self.roles[role].wants("model") for role in roles)


def card_names() -> list[str]:
    """The engines that have a card."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.yaml")})


def load_card(name: str) -> Card:
    """The card of an engine. Raises `UsageError` listing the choices, or naming what is wrong in the file."""
    for folder in _folders():
        path = folder / f"{name}.yaml"
        if name.isidentifier() and path.is_file():
            return _read(path, name)
    raise UsageError(f"there is no engine {name!r}; the engines are: {', '.join(card_names())}")


def _folders() -> list[Path]:
    own = own_folder("JAM_AGENTS")
    if own is not None and not own.is_dir():
        raise UsageError(f"there is no folder {str(own)!r} with agent cards; correct JAM_AGENTS, or unset it")
    return [*([own] if own else []), asset_folder("agents")]


def _read(path: Path, name: str) -> Card:
    try:
        data = _parsed(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error
    roles = data.get("roles") if isinstance(data, Mapping) else None
    if not isinstance(roles, Mapping) or not set(ROLES) - set(_LATER_ROLES) <= set(roles) <= set(ROLES):
        given = ", ".join(map(str, roles)) if isinstance(roles, Mapping) else repr(roles)
        raise UsageError(f"{path}: `roles` must give a module:class for each of {', '.join(ROLES)}; it has {given}")
    fallback = data.get("fallback")
    if fallback is not None and (not isinstance(fallback, str) or fallback == name):
        raise UsageError(f"{path}: `fallback` must name another engine, not {fallback!r}")
    own = {str(role): _role(path, name, str(role), given) for role, given in roles.items()}
    missing = [role for role in _LATER_ROLES if role not in own]
    if missing:
        other = load_card(fallback) if fallback else _read(asset_folder("agents") / "extractive.yaml", "extractive")
        own |= {role: other.roles[role] for role in missing}
    return Card(name, own, fallback)


@lru_cache(maxsize=32)
def _parsed(text: str) -> Any:
    """The YAML of a card. It is kept: every step of a research casts its roles, and parsing takes its time."""
    return yaml.safe_load(text)


def _role(path: Path, engine: str, role: str, given: Any) -> RoleCard:
    if isinstance(given, str):
        return RoleCard(engine, role, given)
    if isinstance(given, Mapping) and isinstance(given.get("player"), str):
        return RoleCard(engine, role, given["player"], {str(k): v for k, v in given.items() if k != "player"})
    raise UsageError(f"{path}: {role} must be a module:class, or a mapping with `player: module:class`")
