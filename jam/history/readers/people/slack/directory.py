"""Who and what the ids of a Slack export stand for: users.json and the lists of channels beside the day files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.fields import as_object, first_text, id_field, objects, text_field
from jam.history.parsing.jsontext import read_json
from jam.history.reader import SourceFile

CHANNEL_FILES = ("channels.json", "groups.json", "mpims.json", "dms.json")
_ENTITY = re.compile(r"&(lt|gt|amp);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
_MENTION = re.compile(r"<@([A-Z0-9]{2,30})(?:\|([^<>]{1,100}))?>|&(lt|gt|amp);")
_GROUP_CHAT = re.compile(r"mpdm-(.+?)(?:-\d+)?")
_ID = re.compile(r"[CDG][A-Z0-9]{7,}")


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or a conversation of a few."""

    id: str
    title: str


@dataclass(slots=True)
class Directory:
    """The names in one export."""

    people: dict[str, str] = field(default_factory=dict)
    bots: dict[str, str] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    """By name and by id: day files lie in folders named by either."""

    def channel(self, folder: str, otherwise: str) -> Channel:
        """The channel of a folder; where the export doesn't list it, `otherwise` is its id."""
        known = self.channels.get(folder)
        if known is not None:
            return known
        group = _GROUP_CHAT.fullmatch(folder)
        if group is not None:
            return Channel(otherwise, ", ".join(group[1].split("--")))
        return Channel(otherwise, folder if _ID.fullmatch(folder) else f"#{folder}")

    def readable(self, text: str) -> str:
        """A text with names for the ids of people, and `<`, `>` and `&` as they were typed; all else as it stands."""
        return _MENTION.sub(self._resolve, text)

    def _resolve(self, found: re.Match[str]) -> str:
        if found[3]:
            return _ENTITIES[found[3]]
        name = self.people.get(found[1]) or (unescaped(found[2]) if found[2] else None)
        return f"@{name}" if name else found[0]


def unescaped(text: str) -> str:
    """The three signs that Slack escapes, as they were typed."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)


def lists_of(file: SourceFile) -> dict[str, SourceFile]:
    """The lists of the export that a day file belongs to: one folder up, or in its own."""
    found: dict[str, SourceFile] = {}
    for name in ("users.json", *CHANNEL_FILES):
        listed = file.beside(f"../{name}") or file.beside(name)
        if listed is not None:
            found[name] = listed
    return found


def read_directory(lists: Mapping[str, SourceFile]) -> Directory:
    """All names of an export; a list that is missing or damaged leaves its ids as they are."""
    directory = Directory()
    for user in _rows(lists, "users.json"):
        _add_user(directory, user)
    for name in CHANNEL_FILES:
        for row in _rows(lists, name):
            _add_channel(directory, row)
    return directory


def _rows(lists: Mapping[str, SourceFile], name: str) -> Iterator[Mapping[str, Any]]:
    if name in lists:
        try:
            yield from objects(read_json(lists[name]))
        except (OSError, UnreadableFile):
            return  # its own row in the report says so


def _add_user(directory: Directory, user: Mapping[str, Any]) -> None:
    own = id_field(user, "id")
    profile = as_object(user.get("profile"))
    name = person_name(profile) or first_text(user, "real_name", "name")
    if own and name:
        directory.people[own] = unescaped(name)
    bot = text_field(profile, "bot_id")
    if bot and name:
        directory.bots[bot] = unescaped(name)


def person_name(profile: Mapping[str, Any]) -> str | None:
    """The name in a profile: the one shown, else the real one."""
    return first_text(profile, "display_name", "real_name")


def _add_channel(directory: Directory, row: Mapping[str, Any]) -> None:
    own, name = id_field(row, "id"), text_field(row, "name")
    members = row.get("members")
    people = [directory.people.get(m, m) for m in members if isinstance(m, str)] if isinstance(members, list) else []
    if not own:
        return
    between_people = name is None or _GROUP_CHAT.fullmatch(name) is not None
    title = ", ".join(people) if between_people and people else f"#{name}" if name else own
    channel = Channel(own, title)
    directory.channels[own] = channel
    if name:
        directory.channels.setdefault(name, channel)
