"""A README's summary with a chat model: from its cards and its subfolders' summaries, within a bounded prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.data import as_data
from jam.engines.llm.pieces import spread
from jam.engines.llm.role import LlmRole
from jam.jobs import FolderDigest, FolderSummarizer
from jam.models.chat import ChatModel
from jam.models.structured import ask_structured
from jam.text import shorten

_CARD_CHARS = 240
_BELOW_CHARS = 300


class LlmFolderSummarizer:
    """Counts and dates are computed; what it is about is the model's."""

    name = "llm"

    def __init__(self, role: RoleCard, model: ChatModel, fallback: FolderSummarizer) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "folder"))
        self.at_least = int(role.setting("at_least", 3))
        self.fallback = fallback

    @property
    def fingerprint(self) -> str:
        return f"llm-folder-{self.role.fingerprint(self.prompt)}"

    def summarize(self, folder: FolderDigest) -> str:
        """Raises `ModelError` where the model gave no reply."""
        computed = self.without_model(folder)
        if len(folder.memos) < self.at_least:
            return computed
        below = [as_data(f"{f.name} ({f.sessions}): {shorten(f.summary, _BELOW_CHARS)}") for f in folder.below]
        cards = [as_data(shorten(f"{memo.title} — {memo.gist}", _CARD_CHARS)) for memo in folder.direct]
        half = self.role.input_tokens // 2
        folders, shown = spread(below, half), spread(cards, half)
        request = self.role.ask(
            self.prompt,
            name=as_data(folder.name),
            folders=folders,
            folders_left_out=len(below) - len(folders),
            cards=shown,
            cards_left_out=len(cards) - len(shown),
        )
        found = ask_structured(self.role.model, request, "folder", _read)
        return computed if found.value is None else f"{computed.partition('.')[0]}. {found.value}"

    def without_model(self, folder: FolderDigest) -> str:
        return self.fallback.summarize(folder)


def _read(data: Mapping[str, Any]) -> str:
    text = data.get("summary")
    line = " ".join(text.split()) if isinstance(text, str) else ""
    if not line:
        raise ValueError('"summary" is missing')
    return shorten(line, 600)
