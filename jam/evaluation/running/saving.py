"""What a run leaves in its folder: settings, predictions as they are made, the table, the curve."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from jam.evaluation.baselines.plain import FULL
from jam.evaluation.benchmarks.prediction import BenchRun, Prediction
from jam.evaluation.running.asking import KeepContext

CONTEXTS, PREDICTIONS = "contexts.jsonl", "predictions.jsonl"
KeepPrediction = Callable[[Prediction], Prediction]
"""Keeps a prediction, and gives back what the figures are made of."""


@contextmanager
def contexts_sink(out: Path | None) -> Iterator[KeepContext]:
    """Where contexts go: a line each into a file of the folder, or nowhere."""
    if out is None:
        yield lambda context: None
        return
    with _opened(out / CONTEXTS) as file:
        yield lambda context: _write(file, context.to_dict())


@contextmanager
def predictions_sink(out: Path | None) -> Iterator[KeepPrediction]:
    """Where predictions go: a line each into a file of the folder, or nowhere. Their contexts are kept there alone;
    the full history, which is the same for every question, not even there.
    """
    if out is None:
        yield Prediction.without_texts
        return
    with _opened(out / PREDICTIONS) as file:

        def keep(prediction: Prediction) -> Prediction:
            bare = prediction.without_texts()
            _write(file, (bare if prediction.method == FULL else prediction).to_dict())
            return bare

        yield keep


def save_run(run: BenchRun, table: str, curve: str, out: Path) -> None:
    """`settings.json`, `table.md` and `tradeoff.svg` in the folder `out`, where `predictions.jsonl` is already."""
    out.mkdir(parents=True, exist_ok=True)
    settings = {**run.settings, "build": run.build.to_dict()}
    (out / "settings.json").write_text(json.dumps(settings, indent=2, ensure_ascii=True) + "\n", encoding="utf-8")
    (out / "table.md").write_text(table, encoding="utf-8")
    (out / "tradeoff.svg").write_text(curve, encoding="utf-8")


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", buffering=1) as file:  # line by line: a run may be broken off
        yield file


def _write(file: TextIO, data: Mapping[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=True), file=file)
