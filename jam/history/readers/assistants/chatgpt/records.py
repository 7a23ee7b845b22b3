"""What one message of a ChatGPT export says, and what kind of thing it is. Nothing here knows about files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.content import call_text
from jam.history.parsing.fields import as_object, first_id, first_text, objects
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.readers.assistants.chatgpt.assets import Assets
from jam.history.readers.assistants.chatgpt.content import CONTEXT, MessageContent
from jam.history.readers.assistants.openai_messages.records import ROLES
from jam.session import Kind, Message

_NOBODY = frozenset({"all", "assistant", "user", ""})
_MOST_SOURCES = 20
_FACTS = {
    "model": ("default_model_slug", "model_slug"),
    "gizmo_id": ("gizmo_id",),
    "voice": ("voice",),
    "origin": ("conversation_origin",),
}


def session_id_of(row: Mapping[str, Any]) -> str | None:
    """A conversation's own id."""
    return first_id(row, "conversation_id", "id", "uuid")


def session_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """What else a conversation says of itself."""
    facts: dict[str, Any] = {key: first_text(row, *names) for key, names in _FACTS.items()}
    facts["updated"] = iso_time(row.get("update_time"))
    for key in ("is_archived", "is_starred", "is_do_not_remember"):
        facts[key.removeprefix("is_")] = True if row.get(key) is True else None
    return facts


def project_of(row: Mapping[str, Any]) -> str | None:
    """The project that a conversation is filed in: a template of its own kind."""
    values = (first_text(row, key) for key in ("conversation_template_id", "gizmo_id"))
    return next((value for value in values if value and value.startswith("g-p-")), None)


def read_message(message: Any, node_id: str | None, conversation: str, assets: Assets) -> Message | None:
    """The message of a node; `None` where it says nothing. Raises `ValueError`, with the reason, for what is none."""
    if not isinstance(message, dict):
        raise ValueError(f"its message is {kind_name(message)}, not an object")
    metadata = as_object(message.get("metadata"))
    found = _content(message, metadata, conversation, assets)
    role, speaker = _author(message, metadata)
    kind = _kind(message, metadata, role, found)
    text = found.content.text
    if not text.strip():
        return None
    recipient = first_text(message, "recipient")
    return Message(
        role=role,
        text=call_text({"name": recipient, "arguments": text}) if kind == "tool_call" else text,
        id=first_id(message, "id") or node_id,
        at=iso_time(message.get("create_time")),
        speaker=speaker,
        kind=kind,
        attachments=tuple(found.content.attachments),
        meta=_meta(message, metadata),
    )


def read_group_message(message: Any) -> Message | None:
    """A message of a chat of several people; `None` where it is blank."""
    if not isinstance(message, dict):
        raise ValueError(f"{kind_name(message)}, not an object")
    text = first_text(message, "text", "content")
    if text is None:
        return None
    role = ROLES.get(str(message.get("role")).lower())
    return Message(
        role=role or "user",
        text=text,
        id=first_id(message, "id"),
        at=iso_time(message.get("created_at")),
        speaker=first_text(message, "author_name", "user_name", "name", "author_id", "user_id"),
    )


def _content(
    message: Mapping[str, Any], metadata: Mapping[str, Any], conversation: str, assets: Assets
) -> MessageContent:
    """The uploads, which ChatGPT shows first, and what was said; a file that is shown there is not named twice."""
    found = MessageContent(lambda pointer, label: assets.find(pointer, label, conversation))
    found.add(message.get("content"))
    if not found.content.parts:
        found.add(list(_instructions(metadata)))
    for output in objects(as_object(metadata.get("aggregate_result")).get("messages")):
        if pointer := first_text(output, "image_url"):
            found.show(pointer, "image")
    said, found.content.parts = found.content.parts, []
    for upload in objects(metadata.get("attachments")):
        name, upload_id = first_text(upload, "name", "file_name"), first_id(upload, "id", "file_id")
        if (name or upload_id) and upload_id not in found.assets:
            asset = assets.find(upload_id or "", "file", conversation, name)
            found.content.add("message", asset.mark)
            found.content.attachments += [asset.attachment] if asset.attachment is not None else []
    found.content.parts += said
    return found


def _instructions(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Custom instructions as old exports have them: beside an empty message."""
    data = as_object(metadata.get("user_context_message_data"))
    for key in ("about_user_message", "about_model_message"):
        if text := first_text(data, key):
            yield text


def _author(message: Mapping[str, Any], metadata: Mapping[str, Any]) -> tuple[str, str | None]:
    """The role, and the name of who is no plain user or assistant."""
    author = message.get("author")
    given = author.get("role") if isinstance(author, dict) else author if isinstance(author, str) else None
    given = given if isinstance(given, str) and given else first_text(message, "role")
    name = first_text(as_object(author), "name")
    if given is None:
        return ("assistant" if isinstance(metadata.get("model_slug"), str) else "user"), name
    role = ROLES.get(given.lower())
    return role or "user", name or (None if role else given)


def _kind(message: Mapping[str, Any], metadata: Mapping[str, Any], role: str, found: MessageContent) -> Kind:
    name = as_object(message.get("content")).get("content_type")
    kind = found.content.kind
    if role == "tool":
        kind = "tool_result"
    elif kind == "message" and role == "assistant":
        if (first_text(message, "recipient") or "").lower() not in _NOBODY:
            return "tool_call"
        if message.get("channel") == "analysis":
            kind = "thinking"
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    if kind == "message" and (hidden or metadata.get("is_user_system_message") is True or name == "system_error"):
        return "notice"
    return "notice" if isinstance(name, str) and name in CONTEXT else kind


def _meta(message: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if model := first_text(metadata, "model_slug"):
        meta["model"] = model
    if gizmo := first_text(metadata, "gizmo_id"):
        meta["gizmo_id"] = gizmo
    status = first_text(message, "status")
    if status and not status.startswith("finished"):
        meta["status"] = status
    if sources := _sources(metadata):
        meta["sources"] = sources
    return meta


def _sources(metadata: Mapping[str, Any]) -> list[dict[str, str]]:
    """The pages that an answer refers to: title and address, each once."""
    shown = as_object(metadata.get("_cite_metadata"))
    cited = [as_object(citation.get("metadata")) for citation in objects(metadata.get("citations"))]
    references = objects(metadata.get("content_references"))
    inner = [item for reference in references for item in objects(reference.get("items"))]
    found: dict[str, dict[str, str]] = {}
    for source in [*cited, *references, *inner, *objects(shown.get("metadata_list"))]:
        url = first_text(source, "url")
        if url and url not in found and len(found) < _MOST_SOURCES:
            title = first_text(source, "title")
            found[url] = {"title": title, "url": url} if title else {"url": url}
    return list(found.values())
