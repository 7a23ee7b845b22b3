"""HotpotQA, 2WikiMultihopQA and MuSiQue: all questions' paragraphs in one pool, each asked of the whole.

The pool is a history of its own, without a hint of which paragraphs came with which question; a paragraph that
several questions have, or that the file of further ones has too, is in it once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jam.errors import HistoryError
from jam.evaluation.benchmarks.question import Benchmark, BenchQuestion, Paragraph, message_name
from jam.evaluation.benchmarks.records import Record, read_records

_Said = tuple[str, str]
"""A paragraph's title and text."""


def load_hotpotqa(path: Path, pool: Path | None = None, paragraphs: int | None = None) -> Benchmark:
    """All questions of the file, over their paragraphs and, with `pool`, further ones.

    `pool` is a file of objects with `title` and `text`; as many are taken as make the whole `paragraphs` long, or all.
    Raises `HistoryError` where a file is not what it should be, or the pool can't be made so small or so large.
    """
    rooms = _Pool()
    questions = tuple(
        _question(record, number, rooms) for number, record in enumerate(read_records(path, "HotpotQA", "question"), 1)
    )
    settings: dict[str, object] = {}
    if pool is not None:
        own = len(rooms.ids)
        rooms.fill(_further(pool), paragraphs)
        settings = {"pool": pool.name, "pool_sha256": hashlib.sha256(pool.read_bytes()).hexdigest(), "own": own}
    if paragraphs is not None and len(rooms.ids) != paragraphs:
        raise HistoryError(
            f"{path}: {paragraphs} paragraphs can't be had: it is {len(rooms.ids)} with what the pool adds"
        )
    settings["paragraphs"] = len(rooms.ids)
    return Benchmark("hotpotqa", path, questions, rooms.paragraphs(), settings=settings)


class _Pool:
    """All paragraphs, each once, with an id."""

    def __init__(self) -> None:
        self.ids: dict[_Said, str] = {}

    def add(self, said: _Said) -> str:
        """The id of a paragraph."""
        return self.ids.setdefault(said, f"paragraph-{len(self.ids) + 1}")

    def fill(self, further: Iterable[_Said], size: int | None) -> None:
        """Adds more, up to a size."""
        for said in further:
            if size is not None and len(self.ids) >= size:
                return
            self.add(said)

    def paragraphs(self) -> tuple[Paragraph, ...]:
        return tuple(Paragraph(own, title, text) for (title, text), own in self.ids.items())


def _further(pool: Path) -> Iterator[_Said]:
    for record in read_records(pool, "a pool of paragraphs", "title", "text"):
        title, text = record.value["title"], record.value["text"]
        if not isinstance(title, str) or not isinstance(text, str):
            raise record.fault("'title' and 'text' must be texts")
        if text.strip():
            yield title, text.strip()


def _question(record: Record, number: int, pool: _Pool) -> BenchQuestion:
    paragraphs = _paragraphs(record)
    if not paragraphs:
        raise record.fault("no paragraphs in it: 'context' or 'paragraphs' is expected")
    wanted, broken = _wanted(record, paragraphs)
    ids = [pool.add(said) if said[1] else "" for said in paragraphs]
    sessions = tuple(dict.fromkeys(ids[place] for place in wanted if ids[place]))
    return BenchQuestion(
        conversation="",
        number=number,
        text=record.text("question"),
        category=_category(record),
        answer=record.answer(),
        answerable=record.value.get("answerable") is not False,
        gold=tuple(message_name(session, 1) for session in sessions),
        gold_sessions=sessions,
        broken=broken,
        aliases=tuple(text for text in record.items("answer_aliases") if isinstance(text, str)),
    )


def _paragraphs(record: Record) -> list[_Said]:
    context = record.value.get("context")
    if isinstance(context, dict):
        titles, texts = context.get("title"), context.get("sentences")
        if not isinstance(titles, list) or not isinstance(texts, list):
            raise record.fault("'context' must have the lists 'title' and 'sentences'")
        pairs = list(zip(titles, texts, strict=False))
    elif context is not None:
        pairs = [(each[0], each[1]) if _is_pair(each) else (None, None) for each in record.items("context")]
    else:
        pairs = [_titled(each) for each in record.items("paragraphs")]
    return [_said(record, number, title, text) for number, (title, text) in enumerate(pairs, 1)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1


def _titled(paragraph: Any) -> tuple[Any, Any]:
    return (paragraph.get("title"), paragraph.get("paragraph_text")) if isinstance(paragraph, dict) else (None, None)


def _said(record: Record, number: int, title: Any, text: Any) -> _Said:
    sentences = text if isinstance(text, list) else [text]
    if not isinstance(title, str) or not all(isinstance(sentence, str) for sentence in sentences):
        raise record.fault(f"paragraph {number} must have a title and a text or a list of sentences")
    return title, " ".join(sentence.strip() for sentence in sentences).strip()


def _wanted(record: Record, paragraphs: list[_Said]) -> tuple[list[int], tuple[str, ...]]:
    """The places of the supporting paragraphs, and the titles that are named as such and aren't there."""
    facts = record.value.get("supporting_facts")
    if facts is None:
        marked = record.items("paragraphs") if record.value.get("context") is None else []
        marks = [isinstance(each, dict) and each.get("is_supporting") is True for each in marked]
        return [place for place, mark in enumerate(marks) if mark], ()
    named = facts.get("title") if isinstance(facts, dict) else facts
    if not isinstance(named, list):
        raise record.fault("'supporting_facts' must be a list of titles with the numbers of sentences")
    titles = dict.fromkeys(str(fact[0] if isinstance(fact, list) and fact else fact) for fact in named)
    wanted = [place for place, (title, _) in enumerate(paragraphs) if title in titles]
    return wanted, tuple(title for title in titles if title not in {said[0] for said in paragraphs})


def _category(record: Record) -> str:
    """The kind of a question: its type, else its hops."""
    kind, hops = record.value.get("type"), record.value.get("question_decomposition")
    if isinstance(kind, str) and kind:
        return kind
    return f"{len(hops)} hops" if isinstance(hops, list) and hops else "other"
