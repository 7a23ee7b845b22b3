"""The second dense look, by an encoder of the user's own: which one it is, and what it gives for a question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jam.encoding import DenseEncoder, load_encoder, same_encoder
from jam.index.attempts import Attempts
from jam.workspace.store import Workspace

_ENCODER = "encoder"
_KEPT = 256
"""Questions whose vectors are kept in memory."""
_NOT_ALL = "The embedder was not used: its vectors of some messages are missing; `jam build` adds them."
_ANOTHER = "The embedder was not used: the index has the vectors of another one; `jam build` makes them anew."


def encoder_of(workspace: Workspace) -> DenseEncoder | None:
    """The encoder that `jam.yaml` names, kept with the workspace; None where it names none. Nothing is loaded yet."""
    given = dict(workspace.settings.embedder)
    if not given:
        return None
    if _ENCODER not in workspace.kept:
        workspace.kept[_ENCODER] = load_encoder(given.pop("spec"), given)
    encoder: DenseEncoder = workspace.kept[_ENCODER]
    return encoder


class Look:
    """An encoder, asked for the vectors of questions to an index whose segments have these fingerprints."""

    def __init__(self, encoder: DenseEncoder, fingerprints: Sequence[str]) -> None:
        self.encoder = encoder
        self._fingerprints = frozenset(fingerprints)
        self._attempts = Attempts("embedder")
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def vector(self, query: str) -> tuple[NDArray[np.float32] | None, str]:
        """The question's unit vector; or None, and a sentence that says why."""
        if not all(self._fingerprints):
            return None, _NOT_ALL
        known = self._known.get(query)
        if known is not None:
            return known, ""
        own, failure = self._attempts.make(lambda: self.encoder.fingerprint)
        if own is None:
            return None, failure
        if not all(same_encoder(own, other) for other in self._fingerprints):
            return None, _ANOTHER
        vectors, failure = self._attempts.make(lambda: self.encoder.encode([query], query=True))
        if vectors is None:
            return None, failure
        self._known[query] = vectors[0]
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return vectors[0], ""
