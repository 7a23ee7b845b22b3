"""What servers of vectors and scores reply, read with suspicion. Raises `UnusableReply` and nothing else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.encoding import Vectors
from jam.errors import UnusableReply

_SHOWN = 200


def read_vectors(reply: Any, count: int, where: str) -> Vectors:
    """The vectors of a reply of `/v1/embeddings`, `count` x dimensions, brought to length 1."""
    rows = _in_order(_rows(reply, ("data",), where), count, where, needs_index=False)
    vectors = [_numbers(row.get("embedding"), where) for row in rows]
    lengths = sorted({len(vector) for vector in vectors})
    if len(lengths) != 1 or lengths[0] == 0:
        raise UnusableReply(f"{where} sent vectors of different dimensions: {', '.join(map(str, lengths))}")
    return unit_vectors(np.stack(vectors), where)


def unit_vectors(vectors: NDArray[Any], where: str) -> Vectors:
    """The vectors brought to length 1, if each of them points somewhere."""
    exact = vectors.astype(np.float64)
    if not np.isfinite(exact).all():
        raise UnusableReply(f"{where} gave a vector with numbers that are none (NaN); half precision may be too coarse")
    largest = np.abs(exact).max(axis=1, keepdims=True)
    if not largest.all():
        raise UnusableReply(f"{where} gave a vector of zeros; is it a model for embeddings?")
    exact /= largest  # so that no square is too large or too small
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    unit: Vectors = exact.astype(np.float32)
    return unit


def read_scores(reply: Any, count: int, where: str) -> Vectors:
    """The scores of a reply of `/rerank`, in the order of the texts that were sent."""
    rows = _in_order(_rows(reply, ("results", "data"), where), count, where, needs_index=True)
    scores = _numbers([row.get("relevance_score", row.get("score")) for row in rows], where)
    return finite_scores(scores, where)


def finite_scores(scores: NDArray[Any], where: str) -> Vectors:
    """The scores, if they are numbers that can be compared."""
    largest = np.finfo(np.float32).max
    if np.isnan(scores).any():
        raise UnusableReply(f"{where} gave scores that are no numbers (NaN); half precision may be too coarse")
    finite: Vectors = np.clip(scores, -largest, largest).astype(np.float32)
    return finite


def _rows(reply: Any, names: Sequence[str], where: str) -> list[Mapping[str, Any]]:
    for name in names:
        rows = reply.get(name) if isinstance(reply, Mapping) else None
        if isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
            return rows
    raise UnusableReply(f"{where} replied without a list `{names[0]}`: {_shown(reply)}")


def _in_order(
    rows: list[Mapping[str, Any]], count: int, where: str, *, needs_index: bool
) -> Sequence[Mapping[str, Any]]:
    """The rows in the order of what was asked; a server may send them in any."""
    if len(rows) != count:
        raise UnusableReply(f"{where} sent {len(rows)} results for {count} texts")
    numbers = [row.get("index") for row in rows]
    if not needs_index and all(number is None for number in numbers):
        return rows
    placed = {number: row for number, row in zip(numbers, rows, strict=True) if type(number) is int}
    if set(placed) != set(range(count)):
        raise UnusableReply(f"{where} numbers its {count} results {_shown(numbers)}")
    return [placed[number] for number in range(count)]


def _numbers(value: Any, where: str) -> NDArray[np.float64]:
    """A row of numbers, written out or as base64 of little-endian float32."""
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float64)
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise UnusableReply(f"{where} sent what is no row of numbers: {_shown(value)}") from None
    if numbers.ndim != 1:
        raise UnusableReply(f"{where} sent what is no row of numbers: {_shown(value)}")
    return numbers


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
