"""What an encoder of the user's own gives for messages, written as bytes beside their static vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jam.encoding import DenseEncoder
from jam.errors import JamError
from jam.index.attempts import FAILURES
from jam.index.growing import Growing
from jam.index.quantised import Codes, Floats, quantise

CODE, SCALE = "code", "code_scale"
"""The names of the arrays: N x dimensions bytes, and a factor for each row; all zero where nothing is searched for."""
_BATCHES = 16
"""The encoder is given so many of its batches at a time, that it can work on them side by side."""


class CodeWriter:
    """The rows of code and scale, from the first message to the last, into two files."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._codes = Growing(folder / f"{CODE}.npy", np.int8, dimensions)
        self._scales = Growing(folder / f"{SCALE}.npy", np.float32)

    def put(self, codes: Codes, scales: Floats) -> None:
        """The next rows as they are kept."""
        self._codes.append(codes)
        self._scales.append(scales)

    def close(self) -> None:
        self._codes.close()
        self._scales.close()


class Encoding:
    """Has messages encoded while an index is made. A failure ends it: then there are no codes, but all else."""

    def __init__(self, encoder: DenseEncoder, folder: Path) -> None:
        self.encoder = encoder
        self.fingerprint = ""
        """The encoder's, once all is written; empty where it failed."""
        self.failure: JamError | None = None
        self._folder = folder
        self._writer: CodeWriter | None = None
        self._known = ""
        self._waiting: list[str] = []

    def add(self, texts: Sequence[str], title: str) -> None:
        """The texts of the next messages, each encoded with its session's title; an empty one is nothing."""
        self._waiting += [f"{title}\n{text}" if title and text else text for text in texts]
        most = _BATCHES * self.encoder.batch_size
        while len(self._waiting) >= most:
            self._encode(self._waiting[:most])
            del self._waiting[:most]

    def close(self) -> None:
        self._encode(self._waiting)
        if self._writer is not None:
            self._writer.close()
        if self.failure is None:
            self.fingerprint = self._known
            return
        for name in (CODE, SCALE):
            (self._folder / f"{name}.npy").unlink(missing_ok=True)

    def _encode(self, texts: Sequence[str]) -> None:
        if self.failure is not None:
            return
        try:
            self._known = self._known or self.encoder.fingerprint
            self._writer = self._writer or CodeWriter(self._folder, self.encoder.dimensions)
            self._writer.put(*quantise(self.encoder.encode(texts)))
        except FAILURES as error:
            self.failure = error
