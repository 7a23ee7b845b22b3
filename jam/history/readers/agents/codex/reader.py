"""Codex CLI sessions ("rollouts"): `{timestamp, type, payload}` a line, and the two older shapes of them.

The items of the conversation (`response_item`) are the messages; an event counts only where no item says the same, and
the history that a compaction puts in place of what was said is not read a second time. A sub-agent's messages belong to
the session that started it, in a thread of their own. What a fork copied from a session that is there as well is left
to that one; turns that were rolled back stay as a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import JsonSample, kind_name, read_json, sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.agents.codex.prompts import read_index, read_prompts
from jam.history.readers.agents.codex.rollout import Rollout
from jam.history.readers.agents.codex.tools import CALLS, RESULTS
from jam.history.readers.agents.homes import parts_below
from jam.session import Session

_LINES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ITEMS = CALLS | RESULTS | {"reasoning"}
_HOME = ".codex"
_ASIDE = frozenset(
    {"auth.json", "config.json", "config.toml", "internal_storage.json", "models_cache.json", "version.json"}
)
_FOLDERS_ASIDE = frozenset({"cache", "log", "packages", "plugins", "shell_snapshots", "tmp", "vendor_imports"})


class Codex:
    """See the module."""

    name = "codex"
    description = "Codex CLI sessions (rollout-*.jsonl, older *.json), recognised by lines with type and payload"

    def recognises(self, file: SourceFile) -> float:
        """Certain of lines with a known `type` and a `payload`; sure of the older shapes."""
        if _is_aside(file):
            return 0.97
        sample = sample_json(file)
        if sample is None:
            return 0.0
        if sample.shape == "document":
            return 0.93 if _is_old_document(sample.values[0]) else 0.0
        if _is_index(sample) or _is_prompts(sample):
            return 0.93
        rows = [value for value in sample.values if isinstance(value, dict)]
        if any(text_field(row, "type") in _LINES and isinstance(row.get("payload"), dict) for row in rows):
            return 0.95
        return _old_lines(rows)

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The file's session; a list of prompts may hold several."""
        if _is_aside(file):
            yield Note("settings and working state of Codex", companion=True)
            return
        sample = sample_json(file)
        if sample is None or sample.shape == "document":
            yield from _read_old_document(file, spill)
        elif _is_index(sample):
            yield from read_index(file)
        elif _is_prompts(sample):
            yield from read_prompts(file)
        else:
            yield from _read_lines(file, spill)


def _is_aside(file: SourceFile) -> bool:
    below = parts_below(file, _HOME)
    return (len(below) == 1 and below[0] in _ASIDE) or (len(below) > 1 and below[0] in _FOLDERS_ASIDE)


def _is_old_document(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("session"), dict):
        return False
    items = value.get("items")
    if not isinstance(items, list):
        return False
    return not items or any(isinstance(item, dict) and ("type" in item or "role" in item) for item in items[:10])


def _old_lines(rows: list[dict[str, Any]]) -> float:
    """Items without an envelope: certain with the header that such a file begins with."""
    kinds = [(text_field(row, "type"), row) for row in rows]
    items = [row for kind, row in kinds if kind in _ITEMS or (kind == "message" and "role" in row)]
    header = bool(rows) and "type" not in rows[0] and {"id", "timestamp"} <= set(rows[0])
    if header and (items or "instructions" in rows[0]) and "messages" not in rows[0] and "role" not in rows[0]:
        return 0.9
    return 0.87 if any("call_id" in item and item["type"] != "message" for item in items) else 0.0


def _is_index(sample: JsonSample) -> bool:
    return any(isinstance(row, dict) and {"id", "thread_name", "updated_at"} <= set(row) for row in sample.values)


def _is_prompts(sample: JsonSample) -> bool:
    return any(isinstance(row, dict) and set(row) == {"session_id", "ts", "text"} for row in sample.values)


def _read_lines(file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
    rollout = Rollout(file, spill)
    for line in json_records(file):
        if not isinstance(line, Record):
            yield line
            continue
        if isinstance(line.value, dict):
            yield from rollout.take(line.value, f"line {line.number}")
        else:
            yield Skipped(f"line {line.number}", f"{kind_name(line.value)}, not an object")
        if rollout.gathering.full():
            yield from rollout.gathering.take()
    yield from rollout.end()


def _read_old_document(file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
    """A single `{session, items}`; of a damaged one, the items that can be read."""
    rollout = Rollout(file, spill)
    items: Any
    try:
        whole = read_json(file)
    except UnreadableFile:
        sample = sample_json(file)
        whole = sample.values[0] if sample else {}
        items = json_items(file, ("items",))
    else:
        found = whole.get("items") if isinstance(whole, dict) else None
        items = [Item(n, value) for n, value in enumerate(found, 1)] if isinstance(found, list) else []
    session = whole.get("session") if isinstance(whole, dict) else None
    if isinstance(session, dict):
        rollout.describe(session, session.get("timestamp"))
    for item in items:
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item.value, dict):
            yield from rollout.take_item(item.value, None, f"record {item.number}")
        else:
            yield Skipped(f"record {item.number}", f"{kind_name(item.value)}, not an object")
        if rollout.gathering.full():
            yield from rollout.gathering.take()
    yield from rollout.end()
