"""Conversations of OpenHands that are a folder: an event a file, and what else lies there."""

from __future__ import annotations

import re
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import BadJson, parse_json, read_whole
from jam.history.readers.agents.openhands.records import is_event
from jam.history.source import SourceFile

_EVENT_FILE = re.compile(r"(?:event-)?(\d{1,9})(?:-.+)?\.json")
_OWN_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


def is_repeated(file: SourceFile) -> bool:
    """Whether a file holds events again that lie beside it one by one."""
    return file.place.parent.name == "event_cache" and bool(file.neighbours("../events"))


def is_state(file: SourceFile) -> bool:
    """Whether a file lies beside the folder of events, with what else is kept of a conversation."""
    own = file.name.rpartition("/")[2]
    return own in ("metadata.json", "base_state.json", "TASKS.json", "TASKS.md") and any(
        _EVENT_FILE.fullmatch(name) for name in file.neighbours("events")
    )


def events_beside(file: SourceFile) -> list[str]:
    """The files of the folder that the event in this file is one of, in their order; none for any other file."""
    if not _EVENT_FILE.fullmatch(file.name.rpartition("/")[2]) or file.place.parent.name != "events":
        return []
    found = ((_EVENT_FILE.fullmatch(name), name) for name in file.neighbours())
    return [name for _, name in sorted((int(match[1]), name) for match, name in found if match)]


def conversation_of(file: SourceFile) -> str:
    """The id of the conversation: its folder's name, with the folders above where that alone is not unique."""
    folder = file.place.parent.parent.name
    inside = "/".join(file.name.split("/")[:-2])
    return folder if _OWN_ID.fullmatch(folder) or not inside else inside


def is_last_event(file: SourceFile, files: list[str]) -> bool:
    """Whether no file behind this one holds an event: the last one that can be read stands for all."""
    own = file.name.rpartition("/")[2]
    for name in reversed(files):
        if name == own:
            return True
        try:
            if is_event(read_beside(file, name)):
                return False
        except (BadJson, UnreadableFile, OSError):
            continue  # damaged, or still being written
    return True


def read_beside(file: SourceFile, name: str) -> Any:
    """The JSON value of a file beside another; nothing where there is none. Raises `BadJson`, `UnreadableFile` or
    `OSError`."""
    beside = file.beside(name)
    return parse_json(read_whole(beside)) if beside else None


def title_beside(file: SourceFile) -> str | None:
    """The conversation's title, in the file that stands for it."""
    try:
        facts = read_beside(file, "../metadata.json")
    except (BadJson, UnreadableFile, OSError):
        return None
    return text_field(facts, "title") if isinstance(facts, dict) else None
