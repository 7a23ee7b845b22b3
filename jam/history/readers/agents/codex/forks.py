"""Forks of Codex sessions: a new file begins with a copy of the old one's past, with new times and without ids.

Where the old file is there as well, what was copied is left to it. The copy is known by its texts, in their order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from jam.history.source import SourceFile
from jam.session import Message, text_digest

_DAY_FOLDER = re.compile(r"\d{4}/\d{2}/\d{2}")
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def rollout_of(file: SourceFile, session_id: str, home: str | None = None) -> SourceFile | None:
    """The file of another session: in the same folder, or in the folder of the day on which its id was given."""
    for folder in (".", *_day_folders(file, session_id, home)):
        for name in file.neighbours(folder):
            if session_id in name and name.startswith("rollout-") and name.endswith((".jsonl", ".json")):
                return file.beside(f"{folder}/{name}")
    return None


def _day_folders(file: SourceFile, session_id: str, home: str | None) -> Iterator[str]:
    """Days in local time, which may be a day before or behind that of the id."""
    found = _UUID7.fullmatch(session_id)
    if home is None:
        inside = _DAY_FOLDER.fullmatch("/".join(file.place.parts[-4:-1]))
        sessions = "../../.." if inside else None
    else:
        sessions = f"{home}/sessions"
    if sessions is None or found is None:
        return
    try:
        given = datetime.fromtimestamp(int(found[1] + found[2], 16) / 1000, UTC)
        days = [given + timedelta(days=days) for days in (0, -1, 1)]
    except (OverflowError, ValueError, OSError):
        return  # no id of that kind after all
    for day in days:
        yield f"{sessions}/{day:%Y/%m/%d}"


class Past:
    """What another session says, to be compared with the beginning of its fork."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, message in enumerate(messages):
            self._places[_key(message)].append(place)
        self._reached = -1
        self._over = False

    def holds(self, message: Message) -> bool:
        """Whether a message of the fork was copied. The first one that is not ends the past; a notice may stand
        between."""
        if self._over:
            return False
        places = self._places.get(_key(message), [])
        following = bisect_right(places, self._reached)
        if following < len(places):
            self._reached = places[following]
            return True
        self._over = message.kind != "notice"
        return False


def _key(message: Message) -> str:
    return text_digest(f"{message.role}\0{message.kind}\0{message.text}")[:24]
