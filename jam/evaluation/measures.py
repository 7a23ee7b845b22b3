"""What is counted, and how it is averaged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Recall:
    """How much of the gold was found, over many questions."""

    mean: float
    """The share of gold messages found, averaged over questions."""
    all: float
    """The share of questions of which every gold message was found."""
    questions: int


def share(gold: Collection[str], found: Collection[str]) -> float:
    """The share of `gold` that is in `found`; `gold` is not empty."""
    return sum(item in found for item in gold) / len(gold)


def recall(shares: Sequence[float]) -> Recall:
    """Recall over questions, from each one's share."""
    if not shares:
        return Recall(float("nan"), float("nan"), 0)
    return Recall(sum(shares) / len(shares), sum(value == 1.0 for value in shares) / len(shares), len(shares))


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which that percentage lies; NaN for none."""
    return float(np.percentile(values, percent)) if values else float("nan")
