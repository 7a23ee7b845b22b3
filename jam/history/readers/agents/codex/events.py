"""What Codex's events say (`event_msg`), and which of it the items of the conversation say as well.

Most events only repeat an item; where a file has the event alone, it is the message. Events of tools are never read:
their calls and results are items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from jam.history.parsing.content import read_content
from jam.history.parsing.fields import text_field
from jam.history.reader import Spill
from jam.history.readers.agents.codex.records import Said, is_notice
from jam.session import Kind, Message, text_digest

_SPOKEN: dict[str, tuple[str, Kind, tuple[str, ...]]] = {
    "user_message": ("user", "message", ("message",)),
    "agent_message": ("assistant", "message", ("message", "text")),
    "agent_reasoning": ("assistant", "thinking", ("text",)),
    "agent_reasoning_raw_content": ("assistant", "thinking", ("text",)),
    "error": ("system", "notice", ("message",)),
    "stream_error": ("system", "notice", ("message",)),
    "warning": ("system", "notice", ("message",)),
}
"""Event → role, kind, and where its text is."""
_PICTURE = "input_image"


def read_event(event: Mapping[str, Any], at: str | None, spill: Spill) -> Said | None:
    """What an event says; `None` where it says nothing. Raises `ValueError` where it can't be read."""
    name = text_field(event, "type") or ""
    if name in _SPOKEN:
        role, kind, keys = _SPOKEN[name]
        spoken = next(filter(None, (text_field(event, key) for key in keys)), "")
        return _said(role, kind, spoken, event.get("images"), at, spill)
    if name == "item_completed":
        item = event.get("item")
        plan = text_field(item, "text") if isinstance(item, dict) and item.get("type") == "Plan" else None
        return _said("assistant", "message", plan or "", None, at, spill)
    if name == "exited_review_mode":
        review = event.get("review_output")
        text = text_field(review, "overall_explanation") if isinstance(review, dict) else None
        return _said("assistant", "message", text or "", None, at, spill)
    return None


def _said(role: str, kind: Kind, text: str, pictures: Any, at: str | None, spill: Spill) -> Said | None:
    if not text.strip():
        return None
    blocks: list[dict[str, str]] = [{"type": "text", "text": text}]
    urls = pictures if isinstance(pictures, list) else []
    blocks += [{"type": _PICTURE, "image_url": url} for url in urls if isinstance(url, str) and url]
    content = read_content(blocks, spill)
    kind = "notice" if role == "user" and is_notice(text) else kind
    message = Message(role, content.text, at=at, kind=kind, attachments=tuple(content.attachments))
    return Said(message, (text,))


class Repeats:
    """What has been said already. Events and items join their parts differently, so blanks don't count."""

    def __init__(self) -> None:
        self._items: Counter[str] = Counter()
        self._events: dict[str, list[Message]] = {}

    def is_repeated(self, event: Said) -> bool:
        """Whether an item before it says what an event says; each item answers for one event."""
        for key in _keys(event):
            if self._items[key] > 0:
                self._items[key] -= 1
                return True
            self._events.setdefault(key, []).append(event.message)
        return False

    def replaced_by(self, item: Said) -> list[Message]:
        """The messages of events before it that say what an item says."""
        found: list[Message] = []
        for key in _keys(item):
            waiting = self._events.get(key)
            if waiting:
                found.append(waiting.pop(0))
            else:
                self._items[key] += 1
        return found


def _keys(said: Said) -> Iterable[str]:
    side = "thinking" if said.message.kind == "thinking" else said.message.role
    return dict.fromkeys(f"{side}\0{text_digest(''.join(text.split()))[:24]}" for text in said.texts)
