"""Browse with a chat model: a file is read in overlapping windows, side by side, and what is quoted is checked.

A quote that is not verbatim is brought to the nearest passage that is; one that is nowhere is dropped, and counted. A
window that can't be read by the model is read by the fallback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.data import as_data, numbered
from jam.engines.llm.pieces import cut
from jam.engines.llm.role import LlmRole
from jam.errors import ModelError
from jam.jobs import BrowseReader, Excerpt, Gleaned
from jam.models.chat import ChatModel
from jam.models.parallel import side_by_side
from jam.models.structured import ask_structured
from jam.models.tokens import estimate
from jam.quotes import find_quote
from jam.session import Message
from jam.text import shorten

_LONGEST_STRETCH = 0.6
"""No message takes more than this share of a window; a longer one is shown a stretch to each window it reaches into."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a file: its messages' numbers (from 1), and them as they are shown."""

    numbers: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Read:
    """What one window gave."""

    summary: str
    quotes: tuple[tuple[int | None, str], ...]


class LlmBrowseReader:
    """Reads a file for one question."""

    def __init__(self, role: RoleCard, model: ChatModel, fallback: BrowseReader) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "browse"))
        self.most_quotes = int(role.setting("most_quotes", 6))
        self.fallback = fallback

    def read(self, path: str, messages: Sequence[Message], query: str, ranked: Sequence[Excerpt]) -> Gleaned:
        """Where the model gives nothing at all, what the fallback finds."""
        computed = self.fallback.read(path, messages, query, ranked)
        limit = self.role.scaled("\n".join(message.text for message in messages), self._window_tokens())
        all_windows = windows(messages, limit, self._overlap())
        shown = self._chosen(all_windows, ranked)
        done = list(side_by_side(shown, lambda window: self._read(path, window, query), len(shown)))
        for failed in (item.error for item in done if item.error):
            raise failed
        found = {id(item.item): item.result for item in done}
        read = [item for window in shown for item in [found[id(window)]] if item]
        if not read:
            return computed
        gleaned = self._gleaned(messages, read, computed, {excerpt.message: excerpt.score for excerpt in ranked})
        if len(read) == len(all_windows):
            return gleaned
        left_out = f"Only {len(read)} of the file's {len(all_windows)} stretches were read."
        return replace(gleaned, remarks=f"{gleaned.remarks} {left_out}".strip())

    def _read(self, path: str, window: Window, query: str) -> _Read | None:
        """What the model takes from a window; `None` where it gives nothing that can be used."""
        request = self.role.ask(
            self.prompt, path=as_data(path), text=window.text, query=as_data(query), most=self.most_quotes
        )
        try:
            return ask_structured(self.role.model, request, "browse", _reader).value
        except ModelError:
            return None  # the exchange is recorded with its error; the file is read without the model

    def _gleaned(
        self, messages: Sequence[Message], read: Sequence[_Read], computed: Gleaned, scores: Mapping[int, float]
    ) -> Gleaned:
        """The quoted messages, in the order the model gave them; what it quotes of none, the fallback finds."""
        texts = [message.text for message in messages]
        chosen: dict[int, Excerpt] = {}
        repaired = dropped = 0
        least = min(scores.values(), default=0.0)
        for number, quote in (quote for window in read for quote in window.quotes):
            passage = find_quote(quote, texts, None if number is None else number - 1)
            if passage is None:
                dropped += 1
                continue
            repaired += not passage.exact
            found = passage.text + 1
            verbatim = texts[passage.text][passage.start : passage.end]
            chosen.setdefault(found, Excerpt(found, scores.get(found, least), verbatim))
        remarks = " ".join(dict.fromkeys(window.summary for window in read if window.summary))
        if not chosen:
            return Gleaned(computed.excerpts, remarks, repaired=repaired, dropped=dropped)
        return Gleaned(tuple(chosen.values()), shorten(remarks, 1000), True, repaired, dropped)

    def _chosen(self, all_windows: Sequence[Window], ranked: Sequence[Excerpt]) -> list[Window]:
        """The windows to read: all, or of a very long file those that hold the best-ranked messages."""
        most = max(1, int(self.role.card.setting("most_windows", 8)))
        if len(all_windows) <= most:
            return list(all_windows)
        ranks = {excerpt.message: rank for rank, excerpt in enumerate(ranked)}
        first = [min((ranks.get(n, len(ranks)) for n in window.numbers), default=0) for window in all_windows]
        best = sorted(range(len(all_windows)), key=lambda position: (first[position], position))[:most]
        return [all_windows[position] for position in sorted(best)]

    def _window_tokens(self) -> int:
        return min(int(self.role.card.setting("window_tokens", 3000)), self.role.input_tokens)

    def _overlap(self) -> int:
        return max(0, int(self.role.card.setting("overlap_messages", 2)))


def windows(messages: Sequence[Message], limit: int, overlap: int) -> list[Window]:
    """The messages in windows of at most `limit` tokens; each begins with the last `overlap` messages of the one
    before.

    A message that is longer than a window is shown to several, a stretch of it to each, with the end of the one before.
    """
    lines = [line for number, message in enumerate(messages, 1) for line in _stretches(number, message, limit)]
    sizes = [estimate(text) + 1 for _, text in lines]
    out, begin = [], 0
    while begin < len(lines):
        end, size = begin, 0
        while end < len(lines) and (end == begin or size + sizes[end] <= limit):
            size += sizes[end]
            end += 1
        chosen = lines[begin:end]
        out.append(Window(tuple(dict.fromkeys(n for n, _ in chosen)), "\n".join(text for _, text in chosen)))
        if end >= len(lines):
            break
        begin = max(begin + 1, end - overlap)
    return out


def _stretches(number: int, message: Message, limit: int) -> list[tuple[int, str]]:
    parts = cut(numbered(number, message), int(limit * _LONGEST_STRETCH))
    ends = [cut(part[len(part) * 9 // 10 :], limit // 4)[-1] for part in parts]
    later = [f"{number}. …{end}{part}" for end, part in zip(ends, parts[1:], strict=False)]
    return [(number, text) for text in [parts[0], *later]]


def _reader(data: Mapping[str, Any]) -> _Read:
    summary, rows = data.get("summary"), data.get("quotes")
    if not isinstance(summary, str) and not isinstance(rows, list):
        raise ValueError('"summary" and "quotes" are missing')
    quotes = []
    for row in rows if isinstance(rows, list) else ():
        quote = row if isinstance(row, str) else row.get("quote") if isinstance(row, Mapping) else None
        number = row.get("message") if isinstance(row, Mapping) else None
        if isinstance(quote, str) and quote.strip():
            right = isinstance(number, int) and not isinstance(number, bool) and number > 0
            quotes.append((number if right else None, quote))
    return _Read(shorten(summary if isinstance(summary, str) else "", 600), tuple(quotes))
