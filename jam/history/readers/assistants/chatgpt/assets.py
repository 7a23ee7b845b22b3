"""The pictures, recordings and other files of a ChatGPT export: found by the pointer that a message has to them.

A pointer is `file-service://file-…` or `sediment://file_…`; the file's own name begins with what stands behind the
`//`. It lies beside the conversations or in a folder for pictures or recordings. Nothing here knows about messages.
"""

from __future__ import annotations

import mimetypes
import re
from dataclasses import dataclass

from jam.errors import UnreadableFile
from jam.history.parsing.fields import first_text
from jam.history.parsing.jsontext import read_json
from jam.history.reader import SourceFile, Spill
from jam.session import Attachment

ASSET_NAME = re.compile(r"(file[-_][A-Za-z0-9]{6,})(?![A-Za-z0-9])")
"""How the name of such a file begins."""
LARGEST_ASSET = 256 * 1024 * 1024
"""Bytes; what is larger is named, not kept."""
_POINTER = re.compile(r"[a-z-]+://([^/?#\s]+)", re.IGNORECASE)
_FOLDER = re.compile(r"\.|[\w-]{1,100}(/audio)?")
_PICTURE_FOLDERS = (".", "dalle-generations", "images", "files", "assets")
_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that a message shows: what stands for it in the text, and where it was kept."""

    mark: str
    attachment: Attachment | None = None


class Assets:
    """The files beside a conversations file; looked for when the first of them is needed."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self._file = file
        self._spill = spill
        self._paths: dict[str, str] | None = None
        self._names: dict[str, str] = {}
        self._folders: set[str] = set()
        self._kept: dict[str, Asset] = {}

    def find(self, pointer: str, label: str, conversation: str, name: str | None = None) -> Asset:
        """The file that a pointer or an id means; where it isn't in the export, its mark alone."""
        asset_id = asset_id_of(pointer)
        if asset_id not in self._kept:
            path = self._path(asset_id, conversation)
            file = self._file.beside(path) if path else None
            if file is None:
                return Asset(f"[{label}: {name or pointer}]")
            self._kept[asset_id] = self._keep(file, label, name or self._names.get(file.name.rpartition("/")[2]))
        return self._kept[asset_id]

    def _keep(self, file: SourceFile, label: str, name: str | None) -> Asset:
        shown = name or file.name.rpartition("/")[2]
        if file.size > LARGEST_ASSET:
            return Asset(f"[{label}: {shown}, {file.size} bytes, too large to be kept]")
        try:
            payload = file.read_bytes()
        except OSError:
            return Asset(f"[{label}: {shown}, unreadable]")
        media = _media_type(shown, payload)
        return Asset(f"[{label}: {media}, {len(payload)} bytes]", self._spill(payload, media, shown))

    def _path(self, asset_id: str, conversation: str) -> str | None:
        if self._paths is None:
            self._paths = {}
            self._look_around()
        if asset_id not in self._paths:
            self._look_into(f"{conversation}/audio")
            self._look_into(conversation)
        return self._paths.get(asset_id)

    def _look_around(self) -> None:
        for folder in _PICTURE_FOLDERS:
            self._look_into(folder)
        user = self._companion("user.json")
        if isinstance(user, dict):
            self._look_into(first_text(user, "id") or "")
        names = self._companion("conversation_asset_file_names.json")
        if isinstance(names, dict):
            self._names = {key: value for key, value in names.items() if isinstance(value, str) and value}

    def _look_into(self, folder: str) -> None:
        if folder in self._folders or self._paths is None or not _FOLDER.fullmatch(folder):
            return
        self._folders.add(folder)
        for name in self._file.neighbours(folder):
            path = name if folder == "." else f"{folder}/{name}"
            self._paths.setdefault(name.rpartition(".")[0] or name, path)
            if found := ASSET_NAME.match(name):
                self._paths.setdefault(found[1], path)

    def _companion(self, name: str) -> object:
        file = self._file.beside(name)
        try:
            return read_json(file) if file else None
        except (UnreadableFile, OSError):
            return None


def asset_id_of(pointer: str) -> str:
    """The id in a pointer, which may be the bare id already."""
    found = _POINTER.match(pointer)
    return found[1] if found else pointer


def _media_type(name: str, payload: bytes) -> str:
    guessed = mimetypes.guess_type(name)[0]
    if guessed:
        return guessed
    if payload[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(payload[8:12], "application/octet-stream")
    return next((media for mark, media in _SIGNATURES if payload.startswith(mark)), "application/octet-stream")
