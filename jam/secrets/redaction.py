"""A text without its secrets."""

from __future__ import annotations

from collections import Counter

from jam.secrets.finding import find_secrets

_ROUNDS = 8


def redact(text: str) -> tuple[str, Counter[str]]:
    """The text with a mark for each secret, and how many there were of each kind. Done again it changes nothing."""
    counts: Counter[str] = Counter()
    for _ in range(_ROUNDS):  # with a secret gone, what stands beside it may be seen for one
        found = find_secrets(text)
        if not found:
            break
        parts: list[str] = []
        place = 0
        for secret in found:
            counts[secret.kind] += 1
            parts += (text[place : secret.start], secret.mark)
            place = secret.end
        text = "".join(parts) + text[place:]
    return text, counts
