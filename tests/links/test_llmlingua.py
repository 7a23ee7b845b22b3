"""Transitions by an encoder's attention, with a tiny random model; skipped where the `bge` extra is not installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from jam.errors import MissingExtra, ModelNotLoaded
from jam.links.llmlingua import LlmLinguaCohesion
from jam.links.transitions import Talk

installed = all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))
needs_transformers = pytest.mark.skipif(not installed, reason="transformers is missing (pip install 'jam-memory[bge]')")
pytestmark = pytest.mark.filterwarnings("default")  # those of torch and transformers are not ours
TEXTS = ["the ferry leaves at seven", "nobody has paid the invoice", "", "we moved the meeting " * 200, "lone \ud800"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.encoders.tiny_bge import tiny_m3

    return tiny_m3(tmp_path_factory.mktemp("tiny"))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'jam-memory\[bge\]'"):
        LlmLinguaCohesion("some/model").between("one", "other")


@needs_transformers
def test_what_is_no_model_is_named(tmp_path: Path):
    with pytest.raises(ModelNotLoaded, match="can't be loaded"):
        LlmLinguaCohesion(str(tmp_path)).between("one", "other")


@needs_transformers
def test_each_message_is_compared_with_the_next(tiny: Path):
    cohesion = LlmLinguaCohesion(str(tiny), max_length=32)
    scores = cohesion.scores(Talk(np.zeros((len(TEXTS), 4), np.float32), lambda: TEXTS))
    assert (scores.shape, scores.dtype) == ((len(TEXTS) - 1,), np.float32)
    assert scores.tolist() == pytest.approx(
        [cohesion.between(TEXTS[place], TEXTS[place + 1]) for place in range(len(TEXTS) - 1)]
    )
    assert scores[1] == scores[2] == 0.0  # nothing is said there
    assert ((scores >= 0) & (scores <= 1)).all()
    assert 0 < scores[0] != pytest.approx(cohesion.between(TEXTS[1], TEXTS[0]))


@needs_transformers
def test_the_attention_is_the_models(tiny: Path):
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    model = AutoModel.from_pretrained(tiny, attn_implementation="eager").eval()
    one, other = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in TEXTS[:2])
    ids = [tokenizer.cls_token_id, *one, tokenizer.sep_token_id, *other, tokenizer.sep_token_id]
    with torch.inference_mode():
        layers = model(torch.tensor([ids]), output_attentions=True).attentions
    values = [
        sum(layer[0, head, 1 + place, 2 + len(one) + target].item() for target in range(len(other)))
        for layer in layers
        for head in range(layer.shape[1])
        for place in range(len(one))
    ]
    found = LlmLinguaCohesion(str(tiny)).between(*TEXTS[:2])
    assert found == pytest.approx(sum(values) / len(values), abs=1e-5)


@needs_transformers
def test_another_model_has_another_fingerprint(tiny: Path, tmp_path: Path):
    from tests.encoders.tiny_bge import tiny_m3

    other = tiny_m3(tmp_path / "other", seed=2)
    names = [LlmLinguaCohesion(str(tiny)).fingerprint, LlmLinguaCohesion(str(other)).fingerprint]
    names += [LlmLinguaCohesion(str(tiny), max_length=64).fingerprint, LlmLinguaCohesion("some/model").fingerprint]
    assert len(set(names)) == 4
    assert LlmLinguaCohesion(str(tiny)).fingerprint == names[0]
