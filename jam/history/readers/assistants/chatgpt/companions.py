"""The other files of a ChatGPT export: what they are, and the chats of several people that one of them may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.decoding import looks_binary
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile
from jam.history.readers.assistants.chatgpt.assets import ASSET_NAME
from jam.history.readers.assistants.chatgpt.records import read_group_message
from jam.history.readers.assistants.rows import Row, read_rows
from jam.session import Session

_CONVERSATIONS = ("conversations.json", "conversations-000.json", "conversations-0.json", "conversations-1.json")
_GROUP_CHATS = "group_chats.json"
_COMPANIONS = {
    "chat.html": "the conversations once more, as a web page",
    "user.json": "the account of the export",
    "user_settings.json": "settings",
    "message_feedback.json": "ratings of answers",
    "model_comparisons.json": "comparisons of answers",
    "shared_conversations.json": "a list of shared links",
    "shopping.json": "shopping lists",
    "sora.json": "a list of generated videos",
    "export_manifest.json": "a list of the export's files",
    "conversation_asset_file_names.json": "the names of the export's files",
    "library_files.json": "a list of uploaded files",
    _GROUP_CHATS: "chats of several people",
}
_ASSET = "kept with the message that shows it"


def is_companion(file: SourceFile) -> bool:
    """Whether a file is such, by its name and by the conversations beside or above it."""
    if _name(file) in _COMPANIONS:
        return _beside_conversations(file, ".")
    if ASSET_NAME.match(_name(file)) and looks_binary(file.sample):
        return any(_beside_conversations(file, folder) for folder in (".", "..", "../.."))
    return False


def read_companion(file: SourceFile) -> Iterator[Session | Skipped | Note]:
    """What the file is, and its chats where it has any."""
    if _name(file) == _GROUP_CHATS:
        for row in read_rows(file, ("chats",)):
            if not isinstance(row, Row):
                yield row
            elif isinstance(row.value, dict) and isinstance(row.value.get("messages"), list):
                yield from _group_chat(row.value, row.name, file)
    yield Note(f"of a ChatGPT export: {_COMPANIONS.get(_name(file), _ASSET)}", companion=True)


def _name(file: SourceFile) -> str:
    return file.name.rpartition("/")[2]


def _beside_conversations(file: SourceFile, folder: str) -> bool:
    # Asked for by name: an export may hold ten thousand pictures, and each of them asks.
    return any(file.beside(f"{folder}/{name}") is not None for name in _CONVERSATIONS)


def _group_chat(chat: Mapping[str, Any], otherwise: str, file: SourceFile) -> Iterator[Session | Skipped | Note]:
    gathering = Gathering("chatgpt", file.name)
    draft = gathering.draft(first_id(chat, "id") or otherwise)
    draft.title, draft.group = first_text(chat, "name", "title"), file.folders
    draft.at = iso_time(chat.get("created_at"))
    for number, value in enumerate(chat["messages"], 1):
        try:
            message = read_group_message(value)
        except ValueError as error:
            yield Skipped(f"session {draft.id}, message {number}", str(error))
            continue
        if message is not None:
            gathering.add(draft.id, message)
    yield from gathering.take()
    yield Note(ignored=gathering.repeated)
