"""The formats that JAM reads: short name → reader class, imported when it is first needed.

A package adds a format with an entry point in the group `jam.readers`; the built-in names can't be taken over.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points, requires
from typing import cast

from jam.errors import UsageError
from jam.history.reader import Reader, SourceFile

READERS = {
    "claude_code": "jam.history.readers.agents.claude_code.reader:ClaudeCode",
    "codex": "jam.history.readers.agents.codex.reader:Codex",
    "gemini_cli": "jam.history.readers.agents.gemini_cli.reader:GeminiCli",
    "swe_agent": "jam.history.readers.agents.swe_agent.reader:SweAgent",
    "openhands": "jam.history.readers.agents.openhands.reader:OpenHands",
    "locomo": "jam.history.readers.benchmarks.locomo:Locomo",
    "longmemeval": "jam.history.readers.benchmarks.longmemeval:LongMemEval",
    "hotpotqa": "jam.history.readers.benchmarks.hotpotqa:HotpotQA",
    "telegram": "jam.history.readers.people.telegram.reader:Telegram",
    "discord": "jam.history.readers.people.discord.reader:Discord",
    "slack": "jam.history.readers.people.slack.reader:Slack",
    "chatgpt": "jam.history.readers.assistants.chatgpt.reader:ChatGPT",
    "claude_ai": "jam.history.readers.assistants.claude_ai.reader:ClaudeAI",
    "sharegpt": "jam.history.readers.assistants.sharegpt.reader:ShareGPT",
    "langchain": "jam.history.readers.assistants.langchain.reader:LangChain",
    "openai_messages": "jam.history.readers.assistants.openai_messages.reader:OpenAIMessages",
    "mail": "jam.history.readers.people.mail.reader:MailReader",
    "whatsapp": "jam.history.readers.people.whatsapp.reader:WhatsApp",
    "subtitles": "jam.history.readers.people.subtitles.reader:Subtitles",
    "html": "jam.history.readers.documents.html:Html",
    "pdf": "jam.history.readers.documents.pdf:Pdf",
    "docx": "jam.history.readers.documents.docx:Docx",
    "epub": "jam.history.readers.documents.epub:Epub",
    "notebook": "jam.history.readers.documents.notebook:Notebook",
    "obsidian": "jam.history.readers.documents.obsidian:Obsidian",
    "specstory": "jam.history.readers.documents.specstory:SpecStory",
    "markdown": "jam.history.readers.documents.markdown:Markdown",
    "plain_text": "jam.history.readers.documents.plain_text:PlainText",
}
"""In the order that decides between readers which are equally sure."""

ENTRY_POINTS = "jam.readers"
_log = logging.getLogger(__name__)


_REQUIREMENT = re.compile(r"([\w.-]+).*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")


@dataclass(frozen=True, slots=True)
class Format:
    """A history format, for people."""

    name: str
    description: str
    """What its files are and how they are recognised."""
    package: str | None = None
    """The package that adds it; `None` for those that come with JAM."""
    extra: str | None = None
    """The extra of JAM that it needs."""
    ready: bool = True
    """Whether that extra is installed."""


def formats() -> list[Format]:
    """All formats, in the order of their names' list. Raises `UsageError` where one can't be loaded."""
    found = []
    for name in reader_names():
        reader = get_reader(name)
        point = _plugins().get(name)
        package = point.dist.name if point and point.dist else None
        extra = getattr(reader, "extra", None)
        found.append(Format(name, reader.description, package, extra, extra is None or has_extra(extra)))
    return found


@cache
def has_extra(extra: str) -> bool:
    """Whether the packages of an extra of JAM are installed."""
    try:
        wanted = [
            found[1]
            for line in requires("jam-memory") or ()
            if (found := _REQUIREMENT.match(line)) and found[2] == extra
        ]
        for package in wanted:
            distribution(package)
    except PackageNotFoundError:
        return False
    return True


def reader_names() -> list[str]:
    """The short names of all readers, the built-in ones first."""
    return [*READERS, *_plugins()]


def get_reader(name: str) -> Reader:
    """The reader of a short name, or of a path `package.module:Class`. Raises `UsageError` for an unknown one."""
    if name in READERS:
        return _load(READERS[name])
    if name in _plugins():
        return _load(_plugins()[name].value)
    if ":" in name:
        return _load(name)
    raise UsageError(f"no history format {name!r}: choose from {', '.join(reader_names())}")


def detect(file: SourceFile, formats: Sequence[str] | None = None) -> Reader | None:
    """The reader that is surest that the file is its own; the first of them where several are equally sure."""
    best: Reader | None = None
    highest = 0.0
    for name in reader_names() if formats is None else formats:
        reader = get_reader(name)
        confidence = _confidence(reader, file)
        if confidence > highest:
            best, highest = reader, confidence
    return best


def _confidence(reader: Reader, file: SourceFile) -> float:
    """How sure a reader is. Every reader looks at every file: no fault in one may cost the others' files."""
    try:
        return reader.recognises(file)
    except Exception as error:  # noqa: BLE001 - a file is foreign data, and a reader may be a plugin
        _log.warning("the reader %s failed to look at %s (%s); please report it", reader.name, file.name, error)
        return 0.0


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in READERS}


@cache
def _load(path: str) -> Reader:
    module, _, attribute = path.partition(":")
    try:
        return cast(Reader, getattr(import_module(module), attribute)())
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"the history reader {path!r} can't be loaded ({error}): install or remove it") from error
