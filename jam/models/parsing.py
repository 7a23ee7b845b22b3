"""Reading what a model wrote: thinking set apart, JSON found and mended. Tolerant, and bounded in what it looks at."""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 200_000
"""Characters of a reply that are looked at; no honest one is longer."""
_SEARCHED = 20_000
"""Characters within which an object must begin."""
_MENDED = 12_000
"""Characters of an object that are looked at to mend it: mending odd ones takes the square of their number."""
_DEEPEST = 50
_BRACE = re.compile(r"[{}]")
_LIST = re.compile(r"\[\s*\{")
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


def json_objects(text: str, mend: bool = True) -> list[dict[str, Any]]:
    """The JSON objects in a text, in their order; after them what a broken one was meant to be, unless `mend` is off.

    What one that the text's end cuts off was meant to be comes before the objects within it.
    """
    text = _FENCE.sub("", text[:LONGEST]).rstrip()
    found: list[dict[str, Any]] = []
    position, broken, cut = 0, False, None
    decoder = json.JSONDecoder(strict=False)
    while (start := text.find("{", position)) >= 0 and position < _SEARCHED:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            position, broken = start + 1, True
            if cut is None and _is_cut(error, len(text)):
                cut = start, len(found)
            continue
        found.append(value)
    if not mend:
        return found
    if cut is not None:
        start, before = cut
        return [*found[:before], *_mended(text[start:]), *found[before:]]
    return [*found, *(_mended(text) if broken or not found else [])]


def json_list(text: str, mend: bool = True) -> list[dict[str, Any]]:
    """The first JSON array of objects in a text, mended where it is broken unless `mend` is off; empty if none is."""
    text = _FENCE.sub("", text[:LONGEST]).rstrip()
    begin = _LIST.search(text, 0, _SEARCHED)
    if begin is None:
        return []
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, begin.start())
    except (ValueError, RecursionError):
        value = _repaired(text[begin.start() :]) if mend else None
    return value if isinstance(value, list) and all(isinstance(item, dict) for item in value) else []


def _is_cut(error: Exception, end: int) -> bool:
    """Whether an object was well-formed up to where the text ends."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= end or error.msg.startswith("Unterminated string")


def _mended(text: str) -> list[dict[str, Any]]:
    """What a broken or cut-off object was meant to be."""
    start = text.find("{")
    value = _repaired(text[start:]) if start >= 0 else None
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict) and item]


def _repaired(text: str) -> Any:
    """What a text that begins as JSON was meant to be; `None` where that can't be told."""
    import json_repair

    try:
        return json_repair.loads(_shallow(text[:_MENDED]), skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return None


def _shallow(text: str) -> str:
    """The text up to where more braces are open than in any honest reply: mending takes the square of their number."""
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace.group() == "{" else -1
        if depth > _DEEPEST:
            return text[: brace.start()]
    return text
