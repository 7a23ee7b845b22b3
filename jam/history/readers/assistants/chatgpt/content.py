"""What the content of a ChatGPT message says: its parts, by their `content_type`. Nothing here knows about files.

A type that is not known is read by the fields that hold texts in all of them; failing that, it is kept as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.content import Content
from jam.history.parsing.jsontext import compact_json
from jam.history.readers.assistants.chatgpt.assets import Asset, asset_id_of
from jam.session import Kind

_FIELDS = {
    "code": ("text",),
    "execution_output": ("text",),
    "system_error": ("name", "text"),
    "tether_quote": ("title", "url", "text"),
    "sonic_webpage": ("title", "url", "text"),
    "tether_browsing_display": ("summary", "result"),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context", "repo_summary"),
    "reasoning_recap": ("content",),
    "citable_code_output": ("output_str",),
}
_USUAL_FIELDS = ("title", "url", "text", "summary", "result", "content", "message", "output_str")
_THINKING = frozenset({"thoughts", "reasoning_recap"})
CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
"""Instructions and memories that ChatGPT puts before a conversation."""

Find = Callable[[str, str], Asset]
"""(pointer, label) → the file that it means."""


@dataclass(slots=True)
class MessageContent:
    """The content of one message, gathered part by part."""

    find: Find
    content: Content = field(default_factory=Content)
    assets: set[str] = field(default_factory=set)
    """The ids of the files that were shown."""

    def add(self, value: Any, kind: Kind = "message") -> None:
        """A text, a part, or a list of such; nothing where there is nothing in it."""
        if isinstance(value, str):
            self.content.add(kind, value)
        elif isinstance(value, list):
            for part in value:
                self.add(part, kind)
        elif isinstance(value, dict):
            self._add_part(value, kind)
        elif value is not None:
            self.content.add(kind, compact_json(value))

    def show(self, pointer: str, label: str) -> None:
        """The file that a pointer means, once."""
        if asset_id_of(pointer) not in self.assets:
            self.assets.add(asset_id_of(pointer))
            asset = self.find(pointer, label)
            self.content.add("message", asset.mark)
            if asset.attachment is not None:
                self.content.attachments.append(asset.attachment)

    def _add_part(self, part: Mapping[str, Any], kind: Kind) -> None:
        name = part.get("content_type")
        name = name if isinstance(name, str) else ""
        before = len(self.content.parts)
        if name == "thoughts" and isinstance(part.get("thoughts"), list):
            for thought in part["thoughts"]:
                self.content.add("thinking", _thought(thought))
            return
        self._show_files(part, name)
        if "parts" in part:
            self.add(part["parts"], kind)
        texts = list(_texts(part, _FIELDS.get(name, _USUAL_FIELDS)))
        if texts:
            self.content.add("thinking" if name in _THINKING else kind, "\n".join(texts))
        is_read = "parts" in part or "asset_pointer" in part or name in _FIELDS
        if len(self.content.parts) == before and not is_read and _says_more(part):
            self.content.add(kind, compact_json(part))

    def _show_files(self, part: Mapping[str, Any], name: str) -> None:
        """The file that a part points to, and those that its fields point to (a recording has several)."""
        pointer = part.get("asset_pointer")
        if isinstance(pointer, str) and pointer:
            self.show(pointer, _label(name))
            if prompt := _prompt(part):
                self.content.add("message", f"[prompt: {prompt}]")
        for value in (value for key, value in part.items() if key != "parts"):
            for inner in value if isinstance(value, list) else (value,):
                if isinstance(inner, dict) and isinstance(inner.get("asset_pointer"), str):
                    inner_name = inner.get("content_type")
                    self._show_files(inner, inner_name if isinstance(inner_name, str) else name)


def _texts(part: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    """The texts of these fields, the same one once."""
    seen: set[str] = set()
    for name in names:
        value = part.get(name)
        if isinstance(value, str) and value.strip() and value not in seen:
            seen.add(value)
            yield value


def _thought(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    return "\n".join(_texts(thought, ("summary", "content"))) if isinstance(thought, dict) else ""


def _says_more(part: Mapping[str, Any]) -> bool:
    """Whether a part holds anything beside its type."""
    return any(value not in (None, "", [], {}, False) for key, value in part.items() if key != "content_type")


def _label(name: str) -> str:
    return next((label for label in ("image", "audio", "video") if label in name), "file")


def _prompt(part: Mapping[str, Any]) -> str | None:
    """What a generated picture was asked to show."""
    metadata = part.get("metadata")
    dalle = metadata.get("dalle") if isinstance(metadata, dict) else None
    prompt = dalle.get("prompt") if isinstance(dalle, dict) else None
    return prompt if isinstance(prompt, str) and prompt.strip() else None
