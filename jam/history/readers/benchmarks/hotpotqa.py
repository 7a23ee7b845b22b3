"""HotpotQA, 2WikiMultihopQA and MuSiQue: questions over some paragraphs of Wikipedia; and pools of such paragraphs.

The paragraphs of one question are a group of small documents. Which of them the answer needs, the question and the
answer are no part of a history and are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.jsontext import compact_json, kind_name
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.benchmarks.rows import Row, first_rows, free_name, own_id, rows
from jam.session import Message, Session

_POOL = frozenset({"title", "text", "id", "_id", "idx", "url", "metadata"})
_QUESTION = frozenset({"question", "supporting_facts", "answer", "_id", "id"})


class HotpotQA:
    """See the module."""

    name = "hotpotqa"
    description = "HotpotQA, 2WikiMultihopQA, MuSiQue (JSON or JSON lines), recognised by titled paragraphs"

    def recognises(self, file: SourceFile) -> float:
        """Sure of a question's paragraphs; less so of bare paragraphs, each a title and a text."""
        first = first_rows(file)
        if any(_is_question(row) for row in first):
            return 0.95
        return 0.6 if sum(_is_pooled(row) for row in first) > len(first) / 2 else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """Every paragraph, as a document of one message."""
        yield from _File(file).read()


def _is_question(row: Mapping[str, Any]) -> bool:
    context = row.get("context")
    if isinstance(context, dict):
        return "title" in context and "sentences" in context
    if isinstance(context, list) and context and _QUESTION & row.keys():
        first = context[0]
        return isinstance(first, list) and bool(first) and isinstance(first[0], str)
    return any(isinstance(each, dict) and "paragraph_text" in each for each in _listed(row.get("paragraphs")))


def _is_pooled(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("title"), str) and isinstance(row.get("text"), str) and row.keys() <= _POOL


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


class _File:
    """One file being read."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.names: set[str] = set()
        self.empty = 0

    def read(self) -> Iterator[Session | Skipped | Note]:
        for row in rows(self.file):
            if not isinstance(row, Row):
                yield row
            elif not isinstance(row.value, dict):
                yield Skipped(row.where, f"{kind_name(row.value)}, not an object")
            elif "context" in row.value or "paragraphs" in row.value:
                yield from self._question(row)
            else:
                yield from self._pooled(row)
        if self.empty:
            yield Note(f"{self.empty} empty paragraphs")

    def _question(self, row: Row) -> Iterator[Session | Skipped]:
        try:
            paragraphs = _paragraphs(row.value)
        except ValueError as error:
            yield Skipped(row.where, str(error))
            return
        name = self._name(row)
        for number, (title, text) in enumerate(paragraphs, 1):
            where = f"{row.where}, paragraph {number}"
            yield from self._document(f"{name}/{number}", (name,), title, text, where)

    def _pooled(self, row: Row) -> Iterator[Session | Skipped]:
        if "text" not in row.value:
            yield Skipped(row.where, "no paragraphs in it")
            return
        title, text = row.value.get("title"), row.value["text"]
        yield from self._document(self._name(row), self.file.folders, title, text, row.where)

    def _name(self, row: Row) -> str:
        """The record's own id, else its place in the file."""
        own = own_id(row.value.get("_id")) or own_id(row.value.get("id"))
        return free_name(own or f"{self.file.name}#{row.number}", self.names)

    def _document(
        self, session_id: str, group: tuple[str, ...], title: object, text: object, where: str
    ) -> Iterator[Session | Skipped]:
        try:
            joined = _joined(text)
        except ValueError as error:
            yield Skipped(where, str(error))
            return
        if not joined.strip():
            self.empty += 1
            return
        yield Session(
            id=session_id,
            messages=(Message(role="user", text=joined),),
            title=own_id(title),
            format=HotpotQA.name,
            origin=self.file.name,
            group=group,
            kind="document",
        )


def _paragraphs(row: Mapping[str, Any]) -> list[tuple[object, object]]:
    """The titles and texts of a question. Raises `ValueError` where there are none."""
    context = row.get("context")
    if isinstance(context, dict):
        titles, texts = _listed(context.get("title")), _listed(context.get("sentences"))
        found = [(titles[n] if n < len(titles) else None, text) for n, text in enumerate(texts)]
    elif isinstance(context, list):
        found = [_pair(each) for each in context]
    else:
        found = [_pair(each) for each in _listed(row.get("paragraphs"))]
    if not found:
        raise ValueError("no paragraphs in it")
    return found


def _pair(paragraph: object) -> tuple[object, object]:
    """A paragraph's title and text, each of any type."""
    if isinstance(paragraph, list):
        title, text, *_ = [*paragraph, None, None]
        return title, text
    if isinstance(paragraph, dict):
        keys = ("paragraph_text", "sentences", "text")
        return paragraph.get("title"), next((paragraph[key] for key in keys if key in paragraph), None)
    return None, paragraph


def _joined(text: object) -> str:
    """A paragraph's text: its sentences, with a blank between two that have none. Raises `ValueError`."""
    parts: list[str] = []
    for sentence in text if isinstance(text, list) else [text]:
        said = _said(sentence)
        if parts and said and not (parts[-1][-1].isspace() or said[0].isspace()):
            parts.append(" ")
        parts += [said] if said else []
    return "".join(parts)


def _said(sentence: object) -> str:
    if isinstance(sentence, str):
        return sentence
    if isinstance(sentence, int | float):
        return compact_json(sentence)
    raise ValueError("no text in it" if sentence is None else f"{kind_name(sentence)}, not a text")
