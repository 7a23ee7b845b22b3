"""What is counted, and how it is averaged."""

from __future__ import annotations

from collections.abc import Sequence
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


@dataclass(frozen=True, slots=True)
class Detection:
    """How well a verdict tells questions that can't be answered from those that can."""

    precision: float
    """Of the questions that it says it of, the share of which it is true; NaN where it says it of none."""
    recall: float
    """Of the questions of which it is true, the share that it says it of; NaN where there are none."""
    told: int
    """Of how many it says it, rightly or not."""
    true: int
    """Of how many it is true."""


def recall(shares: Sequence[float]) -> Recall:
    """Recall over questions, from each one's share."""
    if not shares:
        return Recall(float("nan"), float("nan"), 0)
    return Recall(sum(shares) / len(shares), mean([value == 1.0 for value in shares]), len(shares))


def detection(said: Sequence[bool], said_wrongly: Sequence[bool]) -> Detection:
    """From what was said of each question of which it is true, and of each of which it is not."""
    right, wrong = sum(said), sum(said_wrongly)
    told = right + wrong
    return Detection(right / told if told else float("nan"), mean(said), told, len(said))


def mean(values: Sequence[float]) -> float:
    """The mean; NaN of none."""
    return sum(values) / len(values) if values else float("nan")


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which that percentage lies; NaN for none."""
    return float(np.percentile(values, percent)) if values else float("nan")
