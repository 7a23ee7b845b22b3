"""What every benchmark comes down to: questions, and the messages of a history that should be found for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A question with what should be found for it."""

    conversation: str
    """The part of the history that it is asked of: what the ids of its sessions begin with. Empty: the whole."""
    number: int
    """Counts from 1 within the conversation, or within the file where there are none."""
    text: str
    category: str
    answer: str | None
    answerable: bool
    """Whether the history holds the answer; if not, `absent` is right."""
    gold: tuple[str, ...]
    """Names of the gold messages that exist (`message_name`)."""
    gold_sessions: tuple[str, ...]
    """Ids of the gold sessions."""
    broken: tuple[str, ...] = ()
    """What the benchmark names as gold and doesn't have."""
    asked_at: str | None = None
    """When it is asked (ISO), where the benchmark says so; else it is on the last day of the history asked."""
    aliases: tuple[str, ...] = ()
    """Other answers that are as right as `answer`."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A document of one message, for a history that the benchmark makes itself."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Published:
    """What others report on the same benchmark, for comparison; not measured here."""

    name: str
    sessions: dict[str, float]
    """By measure of session recall, such as `any@5`."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Questions and where their history is."""

    name: str
    file: Path
    questions: tuple[BenchQuestion, ...]
    paragraphs: tuple[Paragraph, ...] = ()
    """The history, where it is not the file itself."""
    published: tuple[Published, ...] = ()
    settings: dict[str, object] = field(default_factory=dict)
    """What else the history was made of; part of a run's settings."""
    sessions: int = 10
    """How many whole sessions the baseline that distils is given."""


def message_name(session: str, number: int) -> str:
    """How a message is called in figures and predictions: its session's id, and its number there from 1."""
    return f"{session}#{number}"


def share(gold: Collection[str], found: Collection[str]) -> float | None:
    """The share of `gold` that is in `found`; `None` where there is no gold."""
    return sum(item in found for item in gold) / len(gold) if gold else None


def sample(questions: Sequence[BenchQuestion], limit: int | None) -> list[BenchQuestion]:
    """So many of each conversation, or of the file where they are numbered through, evenly spread over it.

    Benchmarks have their questions sorted by kind: the first ones would be of one kind.
    """
    groups: list[list[BenchQuestion]] = []
    for question in questions:
        if question.number == 1:
            groups.append([])
        groups[-1].append(question)
    return [question for group in groups for question in _spread(group, limit)]


def _spread(group: list[BenchQuestion], limit: int | None) -> list[BenchQuestion]:
    if limit is None or limit >= len(group):
        return group
    return [group[place * len(group) // limit] for place in range(limit)]
