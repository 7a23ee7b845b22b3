"""BGE-M3 and its rerankers on this machine, by FlagEmbedding (the `bge` extra). Loaded with the first text."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from jam.encoders.batches import in_batches, well_formed
from jam.encoders.folder import folder_digest
from jam.encoders.replies import finite_scores, unit_vectors
from jam.encoders.settings import EncoderSettings
from jam.encoding import Vectors, Weights
from jam.errors import MissingExtra, ModelNotLoaded, UsageError

_NOT_WANTED = ["onnx/*", "imgs/*", "flax_model.msgpack", "rust_model.ot", "tf_model.h5"]
"""Files of a model on the hub that are never read."""


class _Local:
    """A model of FlagEmbedding: where its files are, on what it runs, and what its failures are called."""

    def __init__(self, settings: EncoderSettings) -> None:
        self.settings = settings
        self._working = threading.Lock()
        """Its tokenizer can't be used by two threads at a time."""
        path = Path(settings.name).expanduser()
        if not path.is_dir() and (settings.name.startswith((".", "/", "~")) or settings.name.count("/") > 1):
            raise UsageError(f"{settings.used_as}: there is no folder {str(path)!r}")

    @property
    def batch_size(self) -> int:
        return self.settings.batch_size

    @property
    def where(self) -> str:
        return f"the model {self.settings.name!r}"

    @cached_property
    def folder(self) -> Path:
        """The model's files: as given, or those of the hub, which are fetched if they are not here yet."""
        path = Path(self.settings.name).expanduser()
        if path.is_dir():
            return path
        hub: Any = import_module("huggingface_hub")
        with suppress(Exception):  # whatever the hub's library raises: then it is to be fetched
            return Path(hub.snapshot_download(self.settings.name, local_files_only=True))
        try:
            return Path(hub.snapshot_download(self.settings.name, ignore_patterns=_NOT_WANTED))
        except Exception as error:  # the hub's library raises its own, httpx's and plain errors
            raise ModelNotLoaded(
                f"{self.where} is not on this machine and can't be fetched: {_first_line(error)}; fetch it where there "
                f"is a network, and give its folder: {self.settings.kind}:/path/to/folder"
            ) from error

    @cached_property
    def config(self) -> Mapping[str, Any]:
        path = self.folder / "config.json"
        try:
            config = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelNotLoaded(f"{self.where} can't be loaded: {path}: {error}") from error
        return config if isinstance(config, Mapping) else {}

    @cached_property
    def digest(self) -> str:
        return folder_digest(self.folder)

    def load(self, class_name: str, **options: Any) -> Any:
        """The model of a class of FlagEmbedding. Raises `MissingExtra`, `ModelNotLoaded`."""
        try:
            library, torch = import_module("FlagEmbedding"), import_module("torch")
        except ImportError as error:
            raise MissingExtra(
                f"`{self.settings.used_as}: {self.settings.spec}` needs FlagEmbedding: pip install 'jam-memory[bge]' "
                f"({_first_line(error)})"
            ) from error
        device = self.settings.device
        if device == "auto":
            device = "cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        half = device.startswith("cuda") if self.settings.fp16 is None else self.settings.fp16
        try:
            return getattr(library, class_name)(str(self.folder), use_fp16=half, devices=[device], **options)
        except Exception as error:  # torch, transformers and FlagEmbedding raise whatever they like
            raise ModelNotLoaded(f"{self.where} can't be loaded from {self.folder}: {_first_line(error)}") from error

    def run(self, work: Any, *given: Any, **options: Any) -> Any:
        """What a method of the model returns. Its batches are ours: a larger size keeps its progress bar away."""
        try:
            with self._working:
                return work(*given, batch_size=self.batch_size + 1, max_length=self.settings.max_length, **options)
        except Exception as error:  # torch raises whatever it likes, for want of memory and for all else
            raise ModelNotLoaded(
                f"{self.where} failed: {_first_line(error)}; a smaller batch_size or max_length takes less memory"
            ) from error


class BgeEncoder:
    """BGE-M3: vectors and token weights, from one pass where both are asked for."""

    def __init__(self, settings: EncoderSettings) -> None:
        self._local = _Local(settings)
        self._loading = threading.Lock()

    @property
    def batch_size(self) -> int:
        return self._local.batch_size

    @property
    def dimensions(self) -> int:
        size = self._local.config.get("hidden_size")
        if not isinstance(size, int):
            raise ModelNotLoaded(f"{self._local.where} can't be loaded: its config.json names no hidden_size")
        return size

    @cached_property
    def fingerprint(self) -> str:
        """Dimensions, how much of a text is read, and the digest of the model's files."""
        return f"bge-{self.dimensions}-{self._local.settings.max_length}-{self._local.digest}"

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return self._encoded(texts, sparse=False)[0]

    def encode_sparse(self, texts: Sequence[str]) -> list[Weights]:
        return self._encoded(texts, dense=False)[1]

    def encode_both(self, texts: Sequence[str]) -> tuple[Vectors, list[Weights]]:
        return self._encoded(texts)

    @cached_property
    def _model(self) -> Any:
        if not (self._local.folder / "sparse_linear.pt").is_file():  # FlagEmbedding would take random weights
            raise ModelNotLoaded(
                f"{self._local.where} is no BGE-M3: {self._local.folder} has no sparse_linear.pt; serve it and use "
                "openai:NAME@BASE_URL"
            )
        return self._local.load("BGEM3FlagModel")

    def _encoded(
        self, texts: Sequence[str], *, dense: bool = True, sparse: bool = True
    ) -> tuple[Vectors, list[Weights]]:
        filled = [number for number, text in enumerate(texts) if text.strip()]
        filled.sort(key=lambda number: -len(texts[number]))  # texts of like length share a batch: less padding
        vectors = np.zeros((len(texts), self.dimensions if dense else 0), np.float32)
        weights: list[Weights] = [{} for _ in texts]
        for numbers in in_batches(filled, self.batch_size):
            batch = [well_formed(texts[number]) for number in numbers]
            with self._loading:
                model = self._model
            found = self._local.run(model.encode, batch, return_dense=dense, return_sparse=sparse)
            if dense:
                vectors[numbers] = unit_vectors(found["dense_vecs"], self._local.where)
            if sparse:
                for number, own in zip(numbers, found["lexical_weights"], strict=True):
                    weights[number] = {int(token): float(weight) for token, weight in own.items()}
        return vectors, weights


class BgeReranker:
    """A BGE reranker of the encoder-only kind, such as bge-reranker-v2-m3; its scores are between 0 and 1."""

    def __init__(self, settings: EncoderSettings) -> None:
        self._local = _Local(settings)
        self._loading = threading.Lock()

    @property
    def batch_size(self) -> int:
        return self._local.batch_size

    @cached_property
    def fingerprint(self) -> str:
        return f"bge-reranker-{self._local.settings.max_length}-{self._local.digest}"

    @cached_property
    def _model(self) -> Any:
        return self._local.load("FlagReranker", normalize=True)

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        out = np.zeros(len(texts), np.float32)
        for numbers in in_batches(order, self.batch_size):
            pairs = [(well_formed(query), well_formed(texts[number])) for number in numbers]
            with self._loading:
                model = self._model
            found = self._local.run(model.compute_score, pairs)
            out[numbers] = finite_scores(np.array(found, np.float64), self._local.where)
        return out


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
