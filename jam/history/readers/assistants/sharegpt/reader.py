"""ShareGPT conversations: `conversations` of turns with `from` and `value`, in an array, in JSON lines, or one alone.

The system prompt beside the turns is their first message, and pictures that a row names are kept where they lie beside
the file. Of a preference pair the chosen answer goes on, the rejected one is a thread of its own.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.fields import first_id, first_text, text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.assistants.openai_messages.records import first_time, session_facts
from jam.history.readers.assistants.rows import Ids, Row, read_rows, sample_rows
from jam.history.readers.assistants.sharegpt.records import is_turn, read_turn, turns_of
from jam.session import Attachment, Message, Session

_IDS = ("id", "conversation_id", "conversation_hash", "uuid")
_PROMPTS = ("system", "system_prompt")
_MEDIA = {"<image>": ("images", "image"), "<video>": ("videos", "video"), "<audio>": ("audios", "audio")}
_LARGEST_MEDIUM = 256 * 1024 * 1024
_ROLES = frozenset({"user", "assistant", "human", "gpt"})
_MARK = re.compile("|".join(_MEDIA))


class ShareGPT:
    """See the module."""

    name = "sharegpt"
    description = "ShareGPT conversations (JSON or JSON lines), recognised by turns with from and value"

    def recognises(self, file: SourceFile) -> float:
        """Sure of conversations whose turns have `from` and `value`; fairly sure of roles in their place."""
        rows = sample_rows(file)
        if any(is_turn(turn) for row in rows for turn in (turns_of(row) or [])[:10]):
            return 0.93
        if any(_has_role(turn) for row in rows for turn in (turns_of(row) or [])[:10]):
            return 0.7
        return 0.85 if any(map(is_turn, rows)) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """A session for each row; loose turns of a file make one session."""
        yield from _File(file, spill).read()


def _has_role(turn: Any) -> bool:
    return isinstance(turn, dict) and text_field(turn, "role") in _ROLES and ("content" in turn or "value" in turn)


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self.file = file
        self.spill = spill
        self.ids = Ids(file.name)
        self.loose = Gathering(ShareGPT.name, file.name)
        self.ignored = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        self.loose.draft(self.file.name).group = self.file.folders
        for row in read_rows(self.file):
            if not isinstance(row, Row):
                yield row
            elif turns_of(row.value) is not None:
                yield from self._conversation(row)
            elif isinstance(row.value, dict):
                skipped = self._add(self.loose, self.file.name, row.value, row.where, None)
                if skipped:
                    yield skipped
            else:
                yield Skipped(row.where, f"{kind_name(row.value)}, not an object")
        yield from self.loose.take()
        yield Note(ignored=self.ignored + self.loose.repeated)

    def _conversation(self, row: Row) -> Iterator[Session | Skipped | Note]:
        value, turns = row.value, turns_of(row.value) or []
        prompt = first_text(value, *_PROMPTS)
        answers = [value.get("chosen"), value.get("rejected")]
        own = self.ids.own(first_id(value, *_IDS)) or row.name
        session_id = self.ids.unique(own, (prompt, turns, answers))
        if session_id is None:
            yield Note(ignored=1)
            return
        gathering = Gathering(ShareGPT.name, self.file.name)
        draft = gathering.draft(session_id)
        draft.title, draft.at, draft.group = first_text(value, "title", "name"), first_time(value), self.file.folders
        draft.describe({key: fact for key, fact in session_facts(value).items() if key not in (*_IDS, *_PROMPTS)})
        if prompt:
            gathering.add(session_id, Message(role="system", text=prompt))
        media = _Media(self.file, self.spill, value)
        for number, turn in enumerate(turns, 1):
            skipped = self._add(gathering, session_id, turn, f"{row.where}, message {number}", media)
            if skipped:
                yield skipped
        for name, answer in zip(("chosen", "rejected"), answers, strict=True):
            thread = "rejected" if name == "rejected" else None
            if isinstance(answer, dict):
                skipped = self._add(gathering, session_id, answer, f"{row.where}, {name} answer", media, thread)
                if skipped:
                    yield skipped
        if not draft.messages:
            yield Skipped(row.where, "no messages in it")
        yield from gathering.take()
        yield Note(ignored=gathering.repeated)

    def _add(
        self,
        gathering: Gathering,
        session_id: str,
        turn: Any,
        where: str,
        media: _Media | None,
        thread: str | None = None,
    ) -> Skipped | None:
        try:
            message = read_turn(turn, self.spill)
        except ValueError as error:
            return Skipped(where, str(error))
        except RecursionError:
            return Skipped(where, "nested too deeply")
        if message is None:
            self.ignored += 1
            return None
        attachments = (*message.attachments, *(media.shown_in(message.text) if media else ()))
        gathering.add(session_id, replace(message, thread=thread, attachments=attachments))
        return None


class _Media:
    """The pictures, videos and recordings that a row names, in the order in which its turns show them."""

    def __init__(self, file: SourceFile, spill: Spill, row: Mapping[str, Any]) -> None:
        self._file = file
        self._spill = spill
        self._names = {mark: list(_named(row, keys)) for mark, keys in _MEDIA.items()}

    def shown_in(self, text: str) -> Iterator[Attachment]:
        """The files behind the marks of a turn; those that don't lie beside the file are left out."""
        for found in _MARK.finditer(text):
            names = self._names[found[0]]
            kept = self._keep(names.pop(0)) if names else None
            if kept is not None:
                yield kept

    def _keep(self, name: str) -> Attachment | None:
        if not name or "\0" in name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            return None
        file = self._file.beside(name)
        if file is None or file.size > _LARGEST_MEDIUM:
            return None
        try:
            payload = file.read_bytes()
        except OSError:
            return None
        media = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return self._spill(payload, media, PurePosixPath(name).name)


def _named(row: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = row.get(key)
        yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))
