"""Agent cards: which class plays which role for an engine. YAML files in `agents/`, overridable by a user's own.

A card in the folder that `JAM_AGENTS` names comes before the shipped one of the same name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from jam.assets import asset_folder
from jam.errors import UsageError

ROLES = ("memo_writer", "organizer", "folder_summarizer", "research_policy", "browse_reader", "judge")


@dataclass(frozen=True, slots=True)
class Card:
    """An engine's card."""

    engine: str
    roles: Mapping[str, str]
    """Role → `module:class`."""

    def cast(self, role: str, *arguments: Any) -> Any:
        """An instance of the class that plays a role. Raises `UsageError` where there is none."""
        module, _, name = self.roles[role].partition(":")
        try:
            return getattr(import_module(module), name)(*arguments)
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"agents/{self.engine}.yaml: {role}: {self.roles[role]!r} can't be used: {error}"
            ) from error


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
    own = os.environ.get("JAM_AGENTS")
    return [*([Path(own).expanduser()] if own else []), asset_folder("agents")]


def _read(path: Path, name: str) -> Card:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error
    roles = data.get("roles") if isinstance(data, Mapping) else None
    if not isinstance(roles, Mapping) or set(roles) != set(ROLES):
        raise UsageError(f"{path}: `roles` must give a module:class for each of {', '.join(ROLES)}")
    return Card(name, {str(role): str(player) for role, player in roles.items()})
