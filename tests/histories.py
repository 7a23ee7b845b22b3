"""Small invented histories for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

import jam
from tests.conftest import EXAMPLES

PORT = "Which port did we settle on?"
BLOOD = "What is the user's blood type?"
STRATEGIES = ("search", "lazy", "defer", "research", "auto")


@lru_cache(maxsize=1)
def example_questions() -> list[dict[str, Any]]:
    """The questions that come with the example history."""
    data = yaml.safe_load((EXAMPLES / "questions.yaml").read_text(encoding="utf-8"))
    questions: list[dict[str, Any]] = data["questions"]
    return questions


def write_chat(path: Path, texts: Sequence[str], **fields: object) -> None:
    """A chat in which the user and the assistant speak in turn."""
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(texts)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**fields, "messages": messages}), encoding="utf-8")


def small_workspace(folder: Path, **chats: Sequence[str]) -> jam.Workspace:
    """A workspace of a few chats, made in `folder`."""
    for name, texts in chats.items():
        write_chat(folder / "small" / f"{name}.json", texts, id=name)
    return jam.build(folder / "small", folder / "small.jam")


def lasting(context: jam.MemoryContext) -> dict[str, Any]:
    """All of a context but what differs from run to run."""
    data = context.to_dict()
    del data["run_id"], data["usage"]["seconds"]
    return data
