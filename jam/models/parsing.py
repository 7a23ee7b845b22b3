"""Reading what a model wrote: thinking set apart, JSON found and mended. Tolerant, and bounded in what it looks at."""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 200_000
"""Characters of a reply that are looked at; no honest one is longer."""
_SEARCHED = 20_000
"""Characters within which an object must begin."""
_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"^```[\w-]*\s*$", re.MULTILINE)


def split_thinking(text: str) -> tuple[str, str]:
    """What the model thought, and what it said after that.

    A closing tag without an opening one ends the thought (chat templates open it in the prompt); a thought that is
    never closed is all there is.
    """
    text = text[:LONGEST]
    closings = list(_CLOSE.finditer(text))
    if closings:
        close = closings[-1]  # models think about tags too
        head = text[: close.start()]
        first = _OPEN.search(head)
        before = head[: first.start()] if first else ""
        return head[first.end() if first else 0 :].strip(), (before + text[close.end() :]).strip()
    first = _OPEN.search(text)
    if first:
        return text[first.end() :].strip(), text[: first.start()].strip()
    return "", text.strip()


def json_objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, in their order; after them what a broken or cut-off one was meant to be."""
    text = _FENCE.sub("", text[:LONGEST])
    found, position, broken = [], 0, False
    decoder = json.JSONDecoder(strict=False)
    while (start := text.find("{", position)) >= 0 and position < _SEARCHED:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position, broken = start + 1, True
            continue
        found.append(value)
    return [*found, *(_mended(text) if broken or not found else [])]


def _mended(text: str) -> list[dict[str, Any]]:
    """What a broken or cut-off object was meant to be."""
    start = text.find("{")
    if start < 0:
        return []
    import json_repair

    try:
        value = json_repair.loads(text[start : start + 50_000], skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return []
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict) and item]
