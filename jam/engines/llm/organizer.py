"""Filing with a chat model: batches of cards against the folders that are there, applied one by one.

A group that fits one folder is not divided, and costs nothing. What the model leaves out, or puts nowhere, stays
directly in the folder; where its replies can't be used, or a folder stays too full, the fallback files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.data import as_data
from jam.engines.llm.pieces import fitting
from jam.engines.llm.role import LlmRole
from jam.errors import PromptTooLong
from jam.jobs import Organizer, Placeable
from jam.models.chat import ChatModel
from jam.models.structured import ask_structured
from jam.text import shorten
from jam.workspace.names import folded, slug

_CARD_CHARS = 240


class LlmOrganizer:
    """Files sessions by what the model makes of their memos."""

    afresh = False

    def __init__(self, role: RoleCard, model: ChatModel, fallback: Organizer) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "place"))
        self.batch = max(1, int(role.setting("batch", 40)))
        self.most = max(2, int(role.setting("most_folders", 12)))
        self.fallback = fallback

    def place(self, items: Sequence[Placeable], limit: int, depth: int) -> dict[str, str]:
        ordered = sorted(items, key=lambda item: (item.memo.dates[:1], item.session_id))
        filing = _Filing({item.session_id: item.folder for item in ordered})
        new = [item for item in ordered if item.folder is None]
        there = any(item.folder for item in ordered)
        if there and new and depth > 0:
            self._sort(filing, "", new)
        for item in new:
            filing.default(item.session_id)
        self._divide(filing, "", {item.session_id: item for item in ordered}, limit, depth)
        return {item.session_id: filing.folders[item.session_id] or "" for item in ordered if filing.moved(item)}

    def _divide(self, filing: _Filing, folder: str, items: Mapping[str, Placeable], limit: int, depth: int) -> None:
        """Sorts what lies directly in a folder into subfolders until none holds more than the limit."""
        inside = [items[i] for i in items if filing.folders[i] == folder]
        level = folder.count("/") + 1 if folder else 0
        if len(inside) > limit and level < depth:
            self._sort(filing, folder, inside)
            if len(left := [item for item in inside if filing.folders[item.session_id] == folder]) > limit:
                self._fall_back(filing, folder, left, limit, depth - level)
        for name in filing.below(folder):
            self._divide(filing, name, items, limit, depth)

    def _sort(self, filing: _Filing, folder: str, inside: Sequence[Placeable]) -> None:
        """Asks for the subfolders of a folder, a batch at a time; each batch is told what the ones before it made."""
        prefix = f"{folder}/" if folder else ""
        made: dict[str, list[str]] = {}
        left, most = list(inside), self.batch
        while left:
            known = [name[len(prefix) :] for name in filing.below(folder)] + [name for name in made if name]
            cards = [as_data(shorten(f"{item.memo.title} — {item.memo.gist}", _CARD_CHARS)) for item in left[:most]]
            cards = fitting(cards, self.role.input_tokens // 2) or cards[:1]
            folders = fitting([as_data(name) for name in dict.fromkeys(known)], self.role.input_tokens // 4)
            request = self.role.ask(self.prompt, folders=folders, cards=cards, most=self.most)
            try:
                found = ask_structured(self.role.model, request, "place", _reader(len(cards)))
            except PromptTooLong:
                most = len(cards) // 2
                if most:
                    continue
                break  # not even one fits: the fallback files
            for number, name in (found.value or {}).items():
                made.setdefault(_same(name, [*known, *made]), []).append(left[number - 1].session_id)
            left = left[len(cards) :]
        self._apply(filing, folder, made, len(inside))

    def _apply(self, filing: _Filing, folder: str, made: Mapping[str, Sequence[str]], count: int) -> None:
        """Carries out what makes sense: folders that are there, and new ones for two sessions or more."""
        prefix = f"{folder}/" if folder else ""
        there = set(filing.below(folder))
        largest = sorted(made, key=lambda name: (-len(made[name]), name))
        new = [name for name in largest if prefix + name not in there and len(made[name]) > 1]
        for name in [*(name for name in largest if prefix + name in there), *new[: max(0, self.most - len(there))]]:
            if len(made[name]) < count or prefix + name in there:  # all in one subfolder divides nothing
                for session_id in made[name]:
                    filing.folders[session_id] = prefix + name

    def _fall_back(self, filing: _Filing, folder: str, left: Sequence[Placeable], limit: int, depth: int) -> None:
        """Files by likeness what the model has not filed."""
        prefix = f"{folder}/" if folder else ""
        placed = self.fallback.place([replace(item, folder=None) for item in left], limit, depth)
        for session_id, name in placed.items():
            filing.folders[session_id] = (prefix + name).rstrip("/")


@dataclass
class _Filing:
    """Where sessions lie, while they are being filed."""

    folders: dict[str, str | None]

    def default(self, session_id: str) -> None:
        if self.folders[session_id] is None:
            self.folders[session_id] = ""

    def moved(self, item: Placeable) -> bool:
        return self.folders[item.session_id] != item.folder

    def below(self, folder: str) -> list[str]:
        """The subfolders directly in a folder."""
        prefix = f"{folder}/" if folder else ""
        paths = {path for path in self.folders.values() if path and path.startswith(prefix) and path != folder}
        return sorted({prefix + path[len(prefix) :].partition("/")[0] for path in paths})


def _reader(count: int) -> Any:
    """Reads a reply: a folder name for each session's number that has one."""

    def read(data: Mapping[str, Any]) -> dict[int, str]:
        rows = data.get("folders")
        if not isinstance(rows, list):
            raise ValueError('"folders" must be a list')
        placed: dict[int, str] = {}
        for row in rows:
            name = row.get("name") if isinstance(row, Mapping) else None
            numbers = row.get("sessions") if isinstance(row, Mapping) else None
            if not isinstance(name, str) or not isinstance(numbers, list) or not name.strip():
                continue
            for number in numbers:
                if isinstance(number, int) and 1 <= number <= count and number not in placed:
                    placed[number] = slug(name.replace("/", " "), 40)
        if not placed:
            raise ValueError(f"no folder names any session from 1 to {count}")
        return placed

    return read


def _same(name: str, known: Sequence[str]) -> str:
    """A folder's name as it is written already, if it is."""
    return next((other for other in known if folded(other) == folded(name)), name)
