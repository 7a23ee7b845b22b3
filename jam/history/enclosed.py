"""Files that lie beside an export and are named by its messages."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath

from jam.history.reader import SourceFile, Spill
from jam.session import Attachment

LARGEST_ATTACHMENT = 256 * 1024 * 1024
"""Bytes; what is larger stays where it is and is only named in the text."""
_TYPES = {
    ".heic": "image/heic",
    ".m4a": "audio/mp4",
    ".mp4": "video/mp4",
    ".opus": "audio/opus",
    ".vcf": "text/vcard",
    ".webm": "video/webm",
    ".webp": "image/webp",
}


def media_type(name: str) -> str:
    """The media type that a file's ending stands for, the same on every machine."""
    ending = PurePosixPath(name).suffix.lower()
    return _TYPES.get(ending) or _table().get(ending) or "application/octet-stream"


@cache
def _table() -> Mapping[str, str]:
    """The table that comes with Python; the functions of `mimetypes` also ask the operating system."""
    return mimetypes.MimeTypes().types_map[True]


def attach(file: SourceFile, relative: str, spill: Spill) -> Attachment | None:
    """Spill a file of the export that a message names, by its path from this file's folder.

    `None` where it isn't there, is empty or very large, or lies outside of the folder.
    """
    path = PurePosixPath(relative.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in relative or len(relative) > 1_000 or not path.name:
        return None
    if ":" in path.parts[0]:  # an address, or a drive of Windows
        return None
    return keep(file.beside(str(path)), spill)


def keep(found: SourceFile | None, spill: Spill) -> Attachment | None:
    """Spill a file of the export; `None` where it isn't there, is empty, very large or can't be read."""
    if found is None or not 0 < found.size <= LARGEST_ATTACHMENT:
        return None
    try:
        payload = found.read_bytes()
    except OSError:
        return None
    name = PurePosixPath(found.name).name
    return spill(payload, media_type(name), name)
