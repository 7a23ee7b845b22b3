"""How much of the prompts a server with a prefix cache need not compute again: what each shares with one before it.

An upper bound: a cache that never forgets, and shares to the token. Servers share by blocks of some tokens (vLLM: 16).
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jam.engines import load_engine
from jam.errors import ModelError
from jam.index.embedder import static_embedder
from jam.models.messages import ChatMessage
from jam.models.unheard import unheard_model
from jam.runs.reading import list_runs
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Reuse:
    """Prompts, their tokens, and how many of these a prefix cache has already."""

    prompts: int = 0
    tokens: int = 0
    shared: int = 0

    @property
    def share(self) -> float:
        return self.shared / self.tokens if self.tokens else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {"prompts": self.prompts, "tokens": self.tokens, "shared": self.shared, "share": round(self.share, 4)}


def measure_prefixes(workspace: Workspace, engine: str = "llm") -> dict[str, Any]:
    """Of the memo prompts that a build would send, and of all prompts of the saved runs, by job."""
    found: dict[str, list[str]] = {"memo (a build)": [as_text(prompt) for prompt in memo_prompts(workspace, engine)]}
    for run in reversed(list(list_runs(workspace))):
        for exchange in run.exchanges:
            found.setdefault(f"{exchange['purpose']} (saved runs)", []).append(as_text(exchange["messages"]))
    return {name: reuse(texts).to_dict() for name, texts in found.items() if texts}


def memo_prompts(workspace: Workspace, engine: str) -> list[Sequence[ChatMessage]]:
    """The prompts for the memos of all sessions, made and sent to nobody."""
    sent: list[Sequence[ChatMessage]] = []
    writer = load_engine(engine, unheard_model(lambda request: sent.append(request.messages))).memo_writer
    for entry in workspace.entries():
        try:
            writer.write_memo(workspace.read_raw(entry.path).session)
        except ModelError:
            continue  # each call ends for want of budget, once its prompt has been caught
    return sent


def as_text(messages: Iterable[Mapping[str, Any]]) -> str:
    """A prompt as one text, as a chat template would join it."""
    return "\n".join(f"<{message['role']}>\n{message.get('content') or ''}" for message in messages)


def reuse(texts: Sequence[str]) -> Reuse:
    """Each prompt against all before it: the longest beginning that it shares with any of them."""
    before: list[str] = []
    total = shared = 0
    for text in texts:
        place = bisect.bisect_left(before, text)
        near = before[max(0, place - 1) : place + 1]  # in order, the neighbours share the longest beginning
        common = max((os.path.commonprefix([text, other]) for other in near), key=len, default="")  # noqa: RUF071 - characters are meant
        bisect.insort(before, text)
        whole, part = static_embedder().count_tokens([text, common])
        total += whole
        shared += part
    return Reuse(len(texts), total, shared)


def render_prefixes(data: Mapping[str, Any]) -> str:
    """The figures as Markdown."""
    lines = ["| prompts | n | tokens | could be reused |", "|---|---|---|---|"]
    for name, row in data.items():
        lines.append(f"| {name} | {row['prompts']} | {row['tokens']} | {row['share']:.1%} |")
    return "\n".join(lines)
