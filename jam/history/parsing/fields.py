"""Fields of foreign records, each of which may be missing or of any type: what is not as it should be is as good as
nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def text_field(record: Mapping[str, Any], key: str) -> str | None:
    """A field that should be a text; a blank one is as good as none."""
    value = record.get(key)
    return value if isinstance(value, str) and value.strip() else None


def first_text(record: Mapping[str, Any], *keys: str) -> str | None:
    """The first of these fields that is a text."""
    return next((text for key in keys if (text := text_field(record, key))), None)


def id_field(record: Mapping[str, Any], key: str) -> str | None:
    """A field that should be an id: a text or a whole number."""
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def first_id(record: Mapping[str, Any], *keys: str) -> str | None:
    """The first of these fields that can be an id."""
    return next((own for key in keys if (own := id_field(record, key))), None)


def as_object(value: Any) -> Mapping[str, Any]:
    """What should be an object; anything else is as good as an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """What should be a list; anything else is as good as an empty one."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in what should be a list of objects."""
    return [item for item in as_list(value) if isinstance(item, dict)]
