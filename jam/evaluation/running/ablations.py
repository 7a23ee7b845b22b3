"""Rankings with something left out: the weights of `jam.index.asked` without some of its features."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jam.index.asked import Feature
from jam.index.passages import SESSION

Weights = Mapping[Feature, float]

ABLATIONS: dict[str, Callable[[Feature], bool]] = {
    "without BM25": lambda feature: feature[0] in ("lexical", "rarest"),
    "without dense": lambda feature: feature[0] in ("dense", "soft", "encoded"),
    "without hierarchy": lambda feature: feature[1] == SESSION,
    "without dates": lambda feature: feature[0] in ("period", "day"),
    "without neighbours": lambda feature: feature[1] in (1, 3) or feature[0] == "answers",
}
"""Name → which features are left out. What is known of dates is known of sessions: the third leaves it out as well."""


def without(name: str, weights: Weights) -> dict[Feature, float]:
    """The weights that an ablation leaves. Raises `KeyError` for a name that is none of `ABLATIONS`."""
    left_out = ABLATIONS[name]
    return {feature: weight for feature, weight in weights.items() if not left_out(feature)}
