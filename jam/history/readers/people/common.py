"""What the readers of people's messages share: fields of any type, and the files that lie beside an export."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

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


def text_field(record: Mapping[str, Any], key: str) -> str | None:
    """A field that should be a text; anything else in it, and a blank one, is as good as nothing."""
    value = record.get(key)
    return value if isinstance(value, str) and value.strip() else None


def first_field(record: Mapping[str, Any], *keys: str) -> str | None:
    """The first of these fields that is a text."""
    return next((text for key in keys if (text := text_field(record, key))), None)


def id_field(record: Mapping[str, Any], key: str) -> str | None:
    """A field that should be an id: a text or a whole number."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def mapping_field(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A field that should be an object."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in what should be a list of objects."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


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
