"""Counting tokens as a model does: by its server's tokenizer where it has one, else by the shipped one, carefully."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from jam.index.embedder import static_embedder
from jam.models.endpoint import Endpoint, get_json

_CAREFUL = 1.25
"""Other tokenizers may need this many times the shipped one's tokens, and seldom more."""
_BYTES = 6
"""A token is seldom longer. The shipped tokenizer takes a word that it can't split (base64, Thai) for one token."""
_A_MESSAGE = 6
"""Tokens that a chat template adds to a message, about."""


class TokenCounter:
    """Counts for one model."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._exact = lru_cache(maxsize=4096)(self._asked)

    @property
    def exact(self) -> bool:
        """Whether the server's own tokenizer counts."""
        return self.endpoint.facts.tokenizes

    def count(self, text: str) -> int:
        """Tokens of a text."""
        if not text:
            return 0
        asked = self._exact(text) if self.exact else None
        return estimate(text) if asked is None else asked

    def count_prompt(self, texts: Sequence[str]) -> int:
        """Tokens of a prompt of so many messages, estimated: no call is made for this."""
        return sum(estimate(text) + _A_MESSAGE for text in texts)

    def _asked(self, text: str) -> int | None:
        settings = self.endpoint.settings
        clean = text.encode("utf-8", "replace").decode()
        if self.endpoint.facts.kind == "vllm":
            body = {"model": settings.name, "prompt": clean, "add_special_tokens": False}
        else:
            body = {"content": clean}
        answer = get_json(settings, "/tokenize", root=True, body=body)
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        return len(tokens) if isinstance(tokens, list) else None


def estimate(text: str) -> int:
    """Tokens a text may have for any model: the shipped tokenizer's and a quarter; at least a sixth of its bytes."""
    counted = static_embedder().count_tokens([text])[0] * _CAREFUL
    return math.ceil(max(counted, len(text.encode("utf-8", "replace")) / _BYTES))
