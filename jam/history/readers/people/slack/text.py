"""The text of a Slack message: as it was typed, or as layout blocks and attachments hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.fields import as_object, first_text, objects, text_field
from jam.history.readers.people.slack.directory import Directory

_PLACEHOLDER = "This content can't be displayed."


def said(record: Mapping[str, Any], directory: Directory) -> str:
    """The text of a message; where it has none of its own, that of its blocks and attachments."""
    text = text_field(record, "text") or ""
    if text and text != _PLACEHOLDER:
        return directory.readable(text)
    parts = [*_blocks(record.get("blocks"), directory), *_unfurled(record.get("attachments"), directory)]
    return "\n".join(parts) or text


def _unfurled(value: Any, directory: Directory) -> Iterator[str]:
    """What the attachments of a message say: a bot's report, a quoted message, the preview of a page."""
    for row in objects(value):
        lines = [text_field(row, key) for key in ("pretext", "author_name", "title", "text")]
        lines += [
            ": ".join(filter(None, (text_field(item, "title"), text_field(item, "value"))))
            for item in objects(row.get("fields"))
        ]
        lines += _blocks(row.get("blocks"), directory)
        readable = [directory.readable(line) for line in lines if line]
        fallback = text_field(row, "fallback")
        yield from readable or ([directory.readable(fallback)] if fallback else [])


def _blocks(value: Any, directory: Directory) -> Iterator[str]:
    """The texts of layout blocks, one each."""
    for block in objects(value):
        kind = block.get("type")
        if kind == "rich_text":
            text = "\n".join(filter(None, (_rich(part, directory) for part in objects(block.get("elements")))))
        elif kind in ("image", "video"):
            name = first_text(block, "alt_text", "image_url", "title_url") or text_field(
                as_object(block.get("title")), "text"
            )
            text = f"[{kind}: {name}]" if name else ""
        else:
            found = [block.get("text"), *objects(block.get("fields")), *objects(block.get("elements"))]
            text = "\n".join(filter(None, (_plain(item, directory) for item in found)))
        if text.strip():
            yield text


def _plain(item: Any, directory: Directory) -> str:
    """The text of a text object, of a picture in a line, or of a button."""
    if isinstance(item, str):
        return directory.readable(item)
    if not isinstance(item, dict):
        return ""
    text = item.get("text")
    if isinstance(text, dict):
        text = text.get("text")
    text = text if isinstance(text, str) else text_field(item, "alt_text")
    return directory.readable(text) if text else ""


def _rich(part: Mapping[str, Any], directory: Directory) -> str:
    """A piece of rich text. It is not escaped, unlike all other texts."""
    kind = part.get("type")
    if isinstance(part.get("elements"), list):
        inner = [_rich(element, directory) for element in objects(part["elements"])]
        return "\n".join(f"• {line}" for line in inner) if kind == "rich_text_list" else "".join(inner)
    if kind == "user":
        own = text_field(part, "user_id") or "?"
        return f"@{directory.people[own]}" if own in directory.people else f"<@{own}>"
    if kind == "link":
        url, label = text_field(part, "url") or "", text_field(part, "text")
        return f"<{url}|{label}>" if label else f"<{url}>"
    if kind == "channel":
        return f"<#{text_field(part, 'channel_id') or '?'}>"
    if kind == "usergroup":
        return f"<!subteam^{text_field(part, 'usergroup_id') or '?'}>"
    if kind == "broadcast":
        return f"<!{text_field(part, 'range') or 'here'}>"
    if kind == "emoji":
        return f":{text_field(part, 'name') or '?'}:"
    text = part.get("text")
    return text if isinstance(text, str) else text_field(part, "fallback") or ""
