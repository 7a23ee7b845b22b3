"""Attachments: payloads too large or too binary for a raw file, each kept once under its digest."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from jam.errors import DamagedFile, UsageError, WorkspaceError
from jam.session import Attachment
from jam.workspace.files import write_atomic

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class AttachmentStore:
    """The folder `attachments/` of a workspace."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "attachments"

    def spill(self, payload: bytes, media_type: str, name: str | None = None) -> Attachment:
        """Keeps the payload, once however often it comes, and gives what a message says of it.

        Raises `WorkspaceError` where the folder is a link: nothing is written outside the workspace.
        """
        if self._folder.is_symlink():
            raise WorkspaceError(f"{self._folder} is a link; put a folder in its place")
        digest = hashlib.sha256(payload).hexdigest()
        write_atomic(self.path(digest), payload)
        return Attachment(digest, media_type, len(payload), name)

    def keep_text(self, text: str) -> None:
        """Keeps a text under its digest, see `jam.session.text_digest`."""
        self.spill(text.encode("utf-8", "surrogatepass"), "text/plain")

    def read(self, sha256: str) -> bytes:
        """The payload, proved by its digest."""
        path = self.path(sha256)
        try:
            payload = path.read_bytes()
        except FileNotFoundError as error:
            raise DamagedFile(
                f"attachments/{sha256} is missing; restore it, or build again from the history"
            ) from error
        if hashlib.sha256(payload).hexdigest() != sha256:
            raise DamagedFile(f"attachments/{sha256} has been altered; remove it and build again from the history")
        return payload

    def path(self, sha256: str) -> Path:
        """Where the payload with this digest lies, or would."""
        if not _DIGEST.fullmatch(sha256):
            raise UsageError(f"{sha256!r} is not the digest of an attachment: 64 digits of 0-9 and a-f")
        return self._folder / sha256
