"""Memorize with a chat model: one call a session; a long one piece by piece, then once more from the pieces' cards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.data import as_data, session_lines
from jam.engines.llm.pieces import pieces, sized_pieces
from jam.engines.llm.role import LlmRole
from jam.errors import PromptTooLong
from jam.jobs import Cost, MemoWriter
from jam.memo import Memo
from jam.models.chat import ChatModel
from jam.models.messages import ChatRequest
from jam.models.structured import ask_structured
from jam.models.tokens import estimate
from jam.session import Session
from jam.text import shorten

_LISTS = {"keywords": 8, "people": 10, "things": 12}
_LIKELY_REPLY = 150
"""Tokens of a card, about."""
_SHORTEST = 200
_REDUCE_AT_ONCE = 12


class LlmMemoWriter:
    """Title, gist, summary, keywords and names from the model; dates, which can be computed, from the fallback."""

    name = "llm"

    def __init__(self, role: RoleCard, model: ChatModel, fallback: MemoWriter) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "memo"))
        self.reduce_prompt = str(role.setting("reduce_prompt", "reduce"))
        self.fallback = fallback

    @property
    def fingerprint(self) -> str:
        return f"llm-memo-{self.role.fingerprint(self.prompt, self.reduce_prompt)}"

    def write_memo(self, session: Session) -> Memo:
        """Raises `ModelError` where the model gave no reply; a useless reply gives the fallback's memo."""
        self.role.check_budget()
        base = self.fallback.write_memo(session)
        lines = session_lines(session.messages)
        limit = self.role.scaled("\n".join(lines), self.role.input_tokens)
        while True:
            try:
                memos = self._pieces(session, lines, limit, base)
                break
            except PromptTooLong:  # its tokenizer needs more than was thought, or its window is smaller than it says
                if limit <= _SHORTEST:
                    raise
                limit = max(_SHORTEST, limit // 2)
        return replace(self.reduce(memos), dates=base.dates)

    def reduce(self, memos: Sequence[Memo]) -> Memo:
        """One card from several; from more than fit a prompt, in steps."""
        limit = self.role.input_tokens
        while len(memos) > 1:
            groups = _groups(memos, limit)
            if len(groups) == len(memos):  # not even two fit: the first says what it is about
                return self.fallback.reduce(memos)
            try:
                memos = [self._reduced(group) for group in groups]
            except PromptTooLong:
                limit //= 2
        return memos[0]

    def _reduced(self, memos: Sequence[Memo]) -> Memo:
        if len(memos) == 1:
            return memos[0]
        request = self.role.ask(self.reduce_prompt, cards=[_card(memo) for memo in memos])
        return self._asked(request, "reduce", self.fallback.reduce(memos))

    def cost(self, session: Session) -> Cost:
        texts = sized_pieces(session_lines(session.messages), self.role.input_tokens)
        calls = len(texts) + (len(texts) > 1)
        frame = estimate(self._request(session, "", 1, 1).text())
        prompts = sum(tokens + frame for _, tokens in texts)
        prompts += _LIKELY_REPLY * len(texts) * (len(texts) > 1)
        return Cost(calls, prompts + calls * _LIKELY_REPLY)

    def _pieces(self, session: Session, lines: Sequence[str], limit: int, base: Memo) -> list[Memo]:
        """A memo for each piece of the session that fits a prompt."""
        texts = pieces(lines, limit)
        return [
            self._asked(self._request(session, text, number, len(texts)), "memo", base)
            for number, text in enumerate(texts, 1)
        ]

    def _request(self, session: Session, text: str, piece: int, count: int) -> ChatRequest:
        return self.role.ask(
            self.prompt,
            title=as_data(shorten(session.title, 200)) if session.title else "",
            started=(session.started or "")[:16].replace("T", " "),
            piece=piece if count > 1 else 0,
            pieces=count,
            text=text,
        )

    def _asked(self, request: ChatRequest, purpose: str, base: Memo) -> Memo:
        """The memo that a reply holds, over what the fallback knows; the fallback's alone where it holds none."""
        found = ask_structured(self.role.model, request, purpose, _read)
        if found.value is None:
            return base
        people = dict.fromkeys([*found.value.get("people", ()), *base.people])
        return replace(base, **{**found.value, "people": tuple(people)[: _LISTS["people"]]}, engine="llm")


def _groups(memos: Sequence[Memo], limit: int) -> list[list[Memo]]:
    """Neighbouring memos in groups whose cards fit a prompt."""
    groups: list[list[Memo]] = []
    size = 0
    for memo in memos:
        tokens = estimate(json.dumps(_card(memo), ensure_ascii=False))
        if groups and size + tokens <= limit and len(groups[-1]) < _REDUCE_AT_ONCE:
            groups[-1].append(memo)
            size += tokens
        else:
            groups.append([memo])
            size = tokens
    return groups


def _card(memo: Memo) -> dict[str, Any]:
    """A memo as it is put into a prompt."""
    card: dict[str, Any] = {key: as_data(getattr(memo, key)) for key in ("title", "gist", "summary")}
    return {**card, "keywords": [as_data(word) for word in memo.keywords]}


def _read(data: Mapping[str, Any]) -> dict[str, Any]:
    """A memo's fields as the model gave them, brought into shape. Raises `ValueError` without a title and a gist."""
    texts = {key: _line(data.get(key)) for key in ("title", "gist")}
    for key, value in texts.items():
        if not value:
            raise ValueError(f'"{key}" is missing')
    summary = data.get("summary")
    summary = "\n".join(map(str, summary)) if isinstance(summary, list) else summary
    found: dict[str, Any] = {
        "title": shorten(texts["title"], 80),
        "gist": shorten(texts["gist"], 240),
        "summary": str(summary or texts["gist"]).strip()[:1500],
    }
    for key, most in _LISTS.items():
        values = data.get(key)
        values = values.split(",") if isinstance(values, str) else values
        if isinstance(values, list):
            lines = [shorten(_line(value), 80) for value in values]
            found[key] = tuple(dict.fromkeys(line for line in lines if line))[:most]
    return found


def _line(value: Any) -> str:
    """A value as one line; empty where it is no text."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
