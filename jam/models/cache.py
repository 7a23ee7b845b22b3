"""Stored replies. A reply is on disk before it is used, so that what was paid for survives a crash.

Derived data (`.jam/replies/`): without it the same calls are made again. Nothing but replies is kept, no prompts.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from jam.models.messages import ChatReply
from jam.workspace import files

_log = logging.getLogger(__name__)
REPLIES = "replies"
"""The folder of stored replies, below a workspace's derived data."""


class ReplyCache(Protocol):
    """Replies by the digest of their request and model."""

    def get(self, key: str) -> ChatReply | None: ...

    def put(self, key: str, reply: ChatReply) -> None: ...


class NoCache:
    """Remembers nothing."""

    def get(self, key: str) -> ChatReply | None:
        return None

    def put(self, key: str, reply: ChatReply) -> None: ...


class FileCache:
    """A file a reply. One that can't be read is asked for again; a folder that can't be written costs only money."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> ChatReply | None:
        try:
            return ChatReply.from_dict(json.loads(self._path(key).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            _log.warning("a stored reply is damaged and is asked for again: %s: %s", self._path(key), error)
            return None

    def put(self, key: str, reply: ChatReply) -> None:
        data: Mapping[str, Any] = reply.to_dict()
        if not self.folder.parent.parent.is_dir():
            return  # the workspace was moved or deleted; it is not made again for this
        try:
            files.write_atomic(self._path(key), json.dumps(data, ensure_ascii=True).encode())
        except OSError as error:
            _log.warning("a reply could not be stored: %s", error)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
