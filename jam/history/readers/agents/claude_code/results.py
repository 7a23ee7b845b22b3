"""Large tool results of Claude Code, which lie in files of their own beside the transcript.

A transcript shows such a result's beginning and names its file. Other results are kept there a second time under the
id of their call; those are not read again.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import looks_binary
from jam.history.parsing.jsontext import read_whole
from jam.history.reader import Skipped, SourceFile, Spill
from jam.history.readers.agents.claude_code.places import results_folder
from jam.history.source import SAMPLE_BYTES
from jam.session import Attachment, Message

_NAMED = re.compile(r"tool-results[/\\]+([\w.-]+)")
_NAMED_BYTES = re.compile(_NAMED.pattern.encode())


class ToolResults:
    """The files with the tool results of one transcript, as far as they are not in it."""

    def __init__(self, file: SourceFile, spill: Spill) -> None:
        self._file = file
        self._spill = spill
        self._folder = results_folder(file)
        self._waiting = dict.fromkeys(file.neighbours(self._folder))
        self._answered: set[str] = set()

    def named_in(self, message: Message, record: Mapping[str, Any]) -> Iterator[Message | Skipped]:
        """The results that a message names, in full, with its time and place."""
        if not self._waiting or message.kind != "tool_result":
            return
        self._answered.update(_calls_answered(record))
        for name in _NAMED.findall(message.text):
            if name in self._waiting:
                del self._waiting[name]
                yield from self._read(name, message.at, message.thread)

    def unnamed(self) -> Iterator[Message | Skipped]:
        """The results that nothing names: neither the transcript nor those of its sub-agents."""
        waiting = [name for name in self._waiting if name.rpartition(".")[0] not in self._answered]
        if not waiting:
            return
        elsewhere = self._named_by_subagents()
        for name in waiting:
            if name not in elsewhere:
                yield from self._read(name, None, None)

    def _read(self, name: str, at: str | None, thread: str | None) -> Iterator[Message | Skipped]:
        file = self._file.beside(f"{self._folder}/{name}")
        if file is not None:
            yield from result_message(file, self._spill, at, thread)

    def _named_by_subagents(self) -> set[str]:
        found: set[str] = set()
        folder = f"{self._file.stem}/subagents"
        for name in self._file.neighbours(folder):
            transcript = self._file.beside(f"{folder}/{name}") if name.endswith(".jsonl") else None
            if transcript is not None:
                with transcript.open() as stream:
                    for line in stream:
                        found.update(each.decode("ascii", "ignore") for each in _NAMED_BYTES.findall(line))
        return found


def result_message(
    file: SourceFile, spill: Spill, at: str | None = None, thread: str | None = None
) -> Iterator[Message | Skipped]:
    """The message that a file with a tool result stands for; nothing where it is blank."""
    own_name = file.name.rpartition("/")[2]
    attachments: tuple[Attachment, ...] = ()
    try:
        if looks_binary(file.read_bytes(SAMPLE_BYTES)):
            payload = file.read_bytes()
            media = mimetypes.guess_type(own_name)[0] or "application/octet-stream"
            attachments = (spill(payload, media, own_name),)
            text = f"[{media.partition('/')[0]}: {media}, {len(payload)} bytes]"
        else:
            text = read_whole(file)
    except (UnreadableFile, OSError) as error:
        yield Skipped(f"tool result {own_name}", str(error))
        return
    if text.strip():
        yield Message("tool", text, own_name, at, kind="tool_result", thread=thread, attachments=attachments)


def _calls_answered(record: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the calls that a record brings the results of."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("tool_use_id"), str):
            yield block["tool_use_id"]
