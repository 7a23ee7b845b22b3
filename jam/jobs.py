"""The jobs that an engine does for JAM: the seam between *what* is asked and *who* does it.

A job has a typed input and a typed output. The extractive engine computes it; a language-model engine renders a
prompt for it. The Memorizer and the Researcher know these protocols and no engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from jam.context import Evidence, Verdict
from jam.memo import Memo
from jam.session import Message, Session

ToolName = Literal["open", "search", "browse"]


class MemoWriter(Protocol):
    """Memorize: a session becomes its memo."""

    name: str
    """The engine that memos say they are from."""

    @property
    def fingerprint(self) -> str:
        """Changes when the same session would get another memo."""
        ...

    def write_memo(self, session: Session) -> Memo: ...

    def reduce(self, memos: Sequence[Memo]) -> Memo:
        """The memo of a session in parts, from its parts' memos. It stands beside the first part."""
        ...

    def cost(self, session: Session) -> Cost:
        """What `write_memo` will spend, estimated without asking anybody."""
        ...


@dataclass(frozen=True, slots=True)
class Cost:
    """Model calls and tokens, estimated."""

    calls: int = 0
    tokens: int = 0
    """Input and output together."""

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.calls + other.calls, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class Placeable:
    """A session to be filed, or one already filed, within the folder of its group."""

    session_id: str
    memo: Memo
    folder: str | None
    """Where it is now, relative to the group's folder ("" is directly in it); `None` is not filed yet."""
    fixed: bool = False
    """It stays where it is: a person moved it there, or a model was paid for that."""


class Organizer(Protocol):
    """Write: sessions find their folders."""

    @property
    def afresh(self) -> bool:
        """Whether it files all of a group anew each time, so that folders follow from the sessions alone."""
        ...

    def place(self, items: Sequence[Placeable], limit: int, depth: int) -> dict[str, str]:
        """Folders (relative, "" allowed) by session id, for every item that is new or should move; not for a fixed one.

        `limit` is how many sessions lie directly in one folder at most, `depth` how deep folders may go; a group
        that can't be divided further keeps a larger folder.
        """
        ...


@dataclass(frozen=True, slots=True)
class FolderDigest:
    """What a folder holds, as its README is made from it."""

    name: str
    memos: tuple[Memo, ...]
    """Of every session at and below the folder, by time."""
    started: str | None
    ended: str | None
    direct: tuple[Memo, ...] = ()
    """Of the sessions directly in it."""
    below: tuple[FolderBelow, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderBelow:
    """A subfolder, as the summary of the folder above it is made from it."""

    name: str
    sessions: int
    summary: str


class FolderSummarizer(Protocol):
    """The summary paragraph of a README."""

    name: str

    @property
    def fingerprint(self) -> str: ...

    def summarize(self, folder: FolderDigest) -> str: ...

    def without_model(self, folder: FolderDigest) -> str:
        """A summary in any case."""
        ...


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of `open` (path), `search` (query, optional scope/since/until) or `browse` (path, query)."""

    tool: ToolName
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call gave back."""

    round: int
    call: ToolCall
    text: str
    """As a reader sees it."""
    found: tuple[Found, ...] = ()
    """The messages it showed, best first."""
    files: tuple[str, ...] = ()
    """The raw files it named, best first."""
    error: str | None = None
    """The stable code of a call that failed."""
    picked: bool = False
    """Whether a reader chose the messages for what they say; else they are a ranking."""


@dataclass(frozen=True, slots=True)
class Found:
    """A message that a tool showed, with how well it matched (comparable within one run)."""

    path: str
    message: int
    score: float
    quote: str | None = None
    """The stretch of it that a reader chose."""


@dataclass(frozen=True, slots=True)
class Trail:
    """A run so far: all that a policy or a finalizer may know."""

    query: str
    scope: str
    observations: tuple[Observation, ...]
    rounds: int
    rounds_left: int
    calls_per_round: int
    context_tokens: int
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A round's thinking, as it was said."""

    round: int
    said: tuple[Mapping[str, Any], ...]
    """Chat messages that the policy exchanged with its model, in order; none where it has no model."""
    calls: int = 0
    """How many calls it asked for, those beyond the limit of a round among them."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote that an answer rests on, as it was given; whether it holds is checked elsewhere."""

    source: str
    quote: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a policy concludes."""

    text: str | None
    sources: tuple[str, ...] = ()
    quotes: tuple[Cited, ...] = ()
    notes: str = ""
    verdict: Verdict | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A round's thought: what to call next. No calls: the evidence suffices, or nothing is left to try."""

    thought: str
    calls: tuple[ToolCall, ...] = ()
    answer: Answer | None = None
    said: tuple[Mapping[str, Any], ...] = ()
    """What was exchanged with a model, as the conversation goes on from it."""
    last: bool = False
    """Whether the run ends once the calls are carried out."""
    notes: str = ""
    """What a caller should know of how the run went."""


class ResearchPolicy(Protocol):
    """Think: from what was seen to what is looked at next."""

    def decide(self, trail: Trail) -> Decision: ...


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A message that answers a question about a file, with how well."""

    message: int
    score: float
    quote: str | None = None
    """The verbatim stretch of it that a reader chose."""


@dataclass(frozen=True, slots=True)
class Gleaned:
    """What a reader took from a file."""

    excerpts: tuple[Excerpt, ...]
    """The messages worth reading, best first."""
    remarks: str = ""
    """What the reader says of them in its own words; not evidence."""
    picked: bool = False
    """Whether it chose the messages for what they say."""
    repaired: int = 0
    """Quotes that were not verbatim, and were brought to the nearest passage that is."""
    dropped: int = 0
    """Quotes that are nowhere in the file."""


class BrowseReader(Protocol):
    """Browse: read one file for one question."""

    def read(self, path: str, messages: Sequence[Message], query: str, ranked: Sequence[Excerpt]) -> Gleaned:
        """What bears on the question; `ranked` is how the index ranks the file's messages."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that may hold evidence, as an editor or a distiller is shown it."""

    path: str
    number: int
    """Of the message within its raw file, from 1."""
    message: Message
    at: str | None
    """Its own time, else its session's."""
    score: float = 0.0
    """How far below the best message of the scope the index ranks it, in log-odds; 0 is the best."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of a candidate: it is dropped or kept, whole or in other words."""

    keep: bool
    text: str | None = None
    """What is kept of it: a stretch of its own words, or a statement in words of the editor's; `None` is all of it."""
    reason: str = ""
    """Why, in the player's words; for people who look at what it does."""
    reworded: bool = False
    """Whether `text` is to be marked as edited, be it a part of the message's own words that may say the opposite."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What an editor made of some candidates."""

    edits: tuple[Edit, ...]
    """One a candidate, in their order."""
    asked_again: bool = False
    """Whether the first reply could not be used."""
    fell_back: bool = False
    """Whether no reply could be used: a window is kept word for word, candidates are chosen without a model."""
    mended: int = 0
    """Statements that were not faithful to their message, and gave way to its own words."""


class WindowEditor(Protocol):
    """Construct (LazyMem): what of a window of neighbouring messages bears on a question."""

    parallel: int
    """How many windows it is given at a time at most."""

    def edit(self, query: str, window: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        """A decision for every message, be there a reply of a model or not: then `fell_back` says so."""
        ...


class Distiller(Protocol):
    """Distil (DeferMem): which of all candidates are useful for a question, and what they say on it."""

    def distill(self, query: str, candidates: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        """A decision for every candidate, be there a reply of a model or not: then `fell_back` says so."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether the evidence answers the question, and why."""

    verdict: Verdict
    notes: str = ""
    missing: tuple[str, ...] = ()
    answer: str | None = None


class Judge(Protocol):
    """Reflect: how good is the evidence that was found?"""

    def judge(
        self,
        query: str,
        evidence: Sequence[Evidence],
        scope: str,
        answer: Answer | None = None,
        asked_at: str | None = None,
    ) -> Judgement:
        """`answer` is what the policy concluded, if it did; `asked_at` the date or time of the question."""
        ...
