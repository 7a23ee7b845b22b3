"""Fields that may be anything: what should be an object, or a list of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_object(value: Any) -> Mapping[str, Any]:
    """What should be an object; anything else is as good as an empty one."""
    return value if isinstance(value, dict) else {}


def objects_in(record: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in a field that should be a list of such; anything else in it is passed over."""
    values = record.get(key)
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
