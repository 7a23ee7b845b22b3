"""What every player of the llm engine has: its card, its model, and how a request is made of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from jam.cards import RoleCard
from jam.errors import BudgetSpent
from jam.models.chat import ChatModel
from jam.models.messages import ChatMessage, ChatRequest, Sampling, system, user
from jam.models.tokens import estimate
from jam.prompts import prompt_digest, render_prompt

_HELD_BACK = 300
"""Tokens of the context window that are left alone: templates, and estimates that are off."""


class LlmRole:
    """A role's card and the model that plays it."""

    def __init__(self, card: RoleCard, model: ChatModel) -> None:
        self.card = card
        self.model = model

    @property
    def max_output_tokens(self) -> int:
        return int(self.card.setting("max_output_tokens", 500))

    @property
    def input_tokens(self) -> int:
        """How long the text that is given may be: as the card says, as far as the context window reaches."""
        window = self.model.endpoint.context_tokens - self.max_output_tokens - _HELD_BACK
        return max(200, min(int(self.card.setting("input_tokens", window)), window))

    def check_budget(self) -> None:
        """Raises `BudgetSpent` where no call can be made any more: before work that only prepares one."""
        if self.model.meter.exhausted():
            raise BudgetSpent("the budget is spent")

    def scaled(self, text: str, limit: int) -> int:
        """A limit in the model's own tokens as one in estimated ones, for texts like this: where the server counts
        tokens on request, one count of the text tells how far the estimate is off.
        """
        ours = estimate(text)
        if ours <= limit // 2 or not self.model.counter.exact:
            return limit  # the estimate is careful: what is far from the limit needs no exact count
        return max(200, limit * ours // max(1, self.model.counter.count(text)))

    def fingerprint(self, *prompts: str) -> str:
        """Names the model, the card and the wording of the prompts."""
        settings = json.dumps(self.card.settings, sort_keys=True, default=str)
        texts = [prompt_digest(prompt, ("system", "user")) for prompt in prompts]
        return hashlib.sha256("\x1f".join([self.model.fingerprint, settings, *texts]).encode()).hexdigest()[:12]

    def ask(self, prompt: str, **data: Any) -> ChatRequest:
        """The request of a prompt with a system and a user part."""
        messages = [system(render_prompt(prompt, "system", **data)), user(render_prompt(prompt, "user", **data))]
        return self.request(messages, schema=self.card.setting("output", {}) or None)

    def request(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> ChatRequest:
        """A request at the card's length and sampling."""
        thinking = self.card.settings.get("thinking")
        top_p = self.card.setting("top_p", 1.0) if "top_p" in self.card.settings else None
        sampling = Sampling(
            temperature=float(self.card.setting("temperature", 0.0)),
            top_p=None if top_p is None else float(top_p),
            thinking=thinking if isinstance(thinking, bool) else None,
        )
        return ChatRequest(tuple(messages), self.max_output_tokens, sampling, schema, tuple(tools))
