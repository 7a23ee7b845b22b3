"""What went wrong with a call: classified once, here, whatever the provider calls it.

Passing failures are tried again: overload, server errors, lost connections, timeouts; what the caller must change
isn't.
"""

from __future__ import annotations

import asyncio
import re
from email.utils import parsedate_to_datetime
from time import time

from jam.errors import KeyRefused, ModelError, ModelRefused, ModelTimeout, ModelUnavailable, PromptTooLong

_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,30}tokens|too long|too many tokens|exceed_context", re.IGNORECASE
)
_PASSING = (408, 409, 425, 429)
_WAIT_AT_MOST = 60.0
_SHORTEST_KEY = 8


class ReplyTooLarge(Exception):
    """The server sends more than any reply can be."""


def classify(error: BaseException, where: str, key: str = "") -> ModelError:
    """The error as the caller should see it: unavailable, refused, too long. The key is left out of what it says."""
    status = _status(error)
    said = _said(error, key)
    if isinstance(error, ModelError):
        return error
    if isinstance(error, asyncio.TimeoutError | TimeoutError) or "timeout" in type(error).__name__.lower():
        return ModelTimeout(f"{where} gave no reply in the time allowed")
    if status in _PASSING or (status is not None and status >= 500):
        return ModelUnavailable(f"{where} answers {status}: {said}")
    if status in (401, 403):
        return KeyRefused(f"{where} refuses the key ({status}): {said}; set the key in the environment")
    if status is not None and status >= 400:
        kind = PromptTooLong if status in (400, 413, 422) and _TOO_LONG.search(said) else ModelRefused
        return kind(f"{where} refuses the request ({status}): {said}")
    if any(isinstance(cause, ReplyTooLarge) for cause in _causes(error)):
        return ModelUnavailable(f"{where} sent a reply that is larger than any can be")
    return ModelUnavailable(f"{where} gave no reply: {type(error).__name__}: {said}")


def is_timeout(error: BaseException) -> bool:
    """Whether the call took too long."""
    return isinstance(error, TimeoutError) or "timeout" in type(error).__name__.lower()


def retry_after(error: BaseException) -> float:
    """Seconds that the server asks to wait; 0 where it doesn't say."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    said = headers.get("retry-after")
    if not said:
        return 0.0
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time()
        except (ValueError, OverflowError):
            return 0.0
    return min(max(0.0, seconds), _WAIT_AT_MOST)  # in this order, what is no number is 0


def _status(error: BaseException) -> int | None:
    for cause in _causes(error):
        status = getattr(cause, "status_code", None) or getattr(getattr(cause, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found and len(found) < 10:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _said(error: BaseException, key: str) -> str:
    text = " ".join(str(error).split())
    if len(key) >= _SHORTEST_KEY:
        text = text.replace(key, "…")
    return text[:300] or type(error).__name__
