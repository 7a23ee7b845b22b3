"""BGE-M3 and its rerankers by FlagEmbedding, with tiny random models; skipped where the `bge` extra isn't installed."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from jam.encoders.resolve import encoder, reranker
from jam.encoding import DenseSparseEncoder
from jam.errors import MissingExtra, ModelNotLoaded, UnusableReply

installed = importlib.util.find_spec("FlagEmbedding") is not None
needs_bge = pytest.mark.skipif(not installed, reason="FlagEmbedding is not installed (pip install 'jam-memory[bge]')")
pytestmark = pytest.mark.filterwarnings("default")  # those of torch and transformers are not ours
TEXTS = ["the ferry leaves at seven", "", "the invoice", "we moved the meeting " * 8, "lone \ud800", "the room"]


@pytest.fixture(scope="module")
def m3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.encoders.tiny_bge import tiny_m3

    return tiny_m3(tmp_path_factory.mktemp("m3"))


@pytest.fixture(scope="module")
def ranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.encoders.tiny_bge import tiny_reranker

    return tiny_reranker(tmp_path_factory.mktemp("reranker"))


@needs_bge
def test_vectors_and_weights_equal_those_of_the_library(m3):
    from FlagEmbedding import BGEM3FlagModel

    given = encoder(f"bge:{m3}", {"device": "cpu", "batch_size": 2})
    vectors, weights = given.encode_both(TEXTS)
    assert isinstance(given, DenseSparseEncoder)
    assert (vectors.shape, vectors.dtype, given.dimensions, given.batch_size) == ((6, 32), np.float32, 32, 2)
    assert (weights[1], vectors[1].any()) == ({}, False)
    library = BGEM3FlagModel(str(m3), use_fp16=False, devices=["cpu"])
    for number in (0, 2, 3, 5):
        alone = library.encode([TEXTS[number]], return_dense=True, return_sparse=True)
        np.testing.assert_allclose(vectors[number], alone["dense_vecs"][0], atol=1e-4)
        theirs = {int(token): weight for token, weight in alone["lexical_weights"][0].items()}
        assert weights[number] == pytest.approx(theirs, abs=1e-4)
    assert any(weights)


@needs_bge
def test_each_alone_equals_both_together(m3):
    given = encoder(f"bge:{m3}", {"device": "cpu"})
    vectors, weights = given.encode_both(TEXTS)
    np.testing.assert_allclose(given.encode(TEXTS, query=True), vectors, atol=1e-5)
    for own, both in zip(given.encode_sparse(TEXTS), weights, strict=True):
        assert own == pytest.approx(both, abs=1e-5)


@needs_bge
def test_no_texts_give_no_vectors(m3, ranker):
    given = encoder(f"bge:{m3}")
    assert given.encode([]).shape == (0, 32)
    assert given.encode_sparse([]) == []
    assert reranker(f"bge-reranker:{ranker}").scores("which?", []).shape == (0,)


@needs_bge
def test_what_is_beyond_the_length_is_not_read(m3):
    given = encoder(f"bge:{m3}", {"device": "cpu", "max_length": 8})
    one, other = given.encode(["the ferry leaves the harbour at seven " + end * 30 for end in ("march ", "room ")])
    np.testing.assert_allclose(one, other, atol=1e-5)


@needs_bge
def test_threads_may_share_an_encoder(m3):
    given = encoder(f"bge:{m3}", {"device": "cpu"})
    expected = given.encode(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: given.encode(TEXTS), range(8)):
            np.testing.assert_allclose(vectors, expected, atol=1e-5)


@needs_bge
def test_nothing_is_printed(m3, capfd):
    given = encoder(f"bge:{m3}", {"device": "cpu", "batch_size": 2})
    given.encode(TEXTS)
    capfd.readouterr()
    given.encode(TEXTS)
    assert capfd.readouterr() == ("", "")


@needs_bge
def test_scores_equal_those_of_the_library(ranker):
    from FlagEmbedding import FlagReranker

    given = reranker(f"bge-reranker:{ranker}", {"device": "cpu", "batch_size": 2})
    texts = [text for text in TEXTS if "\ud800" not in text]
    scores = given.scores("when does the ferry leave", texts)
    library = FlagReranker(str(ranker), use_fp16=False, devices=["cpu"])
    theirs = [library.compute_score([("when does the ferry leave", text)], normalize=True)[0] for text in texts]
    np.testing.assert_allclose(scores, theirs, atol=1e-4)
    assert len(given.scores("\ud800", ["\ud800"])) == 1


@needs_bge
def test_a_copy_has_the_same_fingerprint_and_another_model_another(m3, tmp_path):
    from tests.encoders.tiny_bge import tiny_m3

    copy, other = shutil.copytree(m3, tmp_path / "copy"), tiny_m3(tmp_path / "other", seed=2)
    first = encoder(f"bge:{m3}").fingerprint
    assert first == encoder(f"bge:{copy}", {"batch_size": 3, "device": "cpu"}).fingerprint
    assert first != encoder(f"bge:{other}").fingerprint
    assert first != encoder(f"bge:{m3}", {"max_length": 64}).fingerprint


@needs_bge
def test_a_model_of_the_hub_is_found_where_it_was_fetched_before(m3, tmp_path, monkeypatch):
    import huggingface_hub.constants

    kept = tmp_path / "models--someone--tiny-m3"
    shutil.copytree(m3, kept / "snapshots" / ("a" * 40))
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("a" * 40)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    named, local = encoder("bge:someone/tiny-m3", {"device": "cpu"}), encoder(f"bge:{m3}", {"device": "cpu"})
    assert named.fingerprint == local.fingerprint
    np.testing.assert_allclose(named.encode(TEXTS), local.encode(TEXTS), atol=1e-6)


@needs_bge
def test_a_model_without_token_weights_is_not_taken(m3, tmp_path):
    plain = shutil.copytree(m3, tmp_path / "plain")
    (plain / "sparse_linear.pt").unlink()
    with pytest.raises(ModelNotLoaded, match=r"is no BGE-M3.*sparse_linear\.pt"):
        encoder(f"bge:{plain}").encode(["a"])


@needs_bge
def test_damaged_files_are_named(m3, tmp_path):
    damaged = shutil.copytree(m3, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(ModelNotLoaded, match=f"can't be loaded from {damaged}"):
        encoder(f"bge:{damaged}", {"device": "cpu"}).encode(["a"])


@needs_bge
def test_a_device_that_is_not_there_is_named(m3):
    with pytest.raises(ModelNotLoaded, match=m3.name):
        encoder(f"bge:{m3}", {"device": "cuda:99", "fp16": False}).encode(["a"])


@needs_bge
def test_weights_that_overflow_are_named(m3, tmp_path):
    import torch
    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(m3, tmp_path / "broken")
    tensors = load_file(broken / "model.safetensors")
    save_file(
        {name: torch.full_like(tensor, float("nan")) for name, tensor in tensors.items()},
        broken / "model.safetensors",
        {"format": "pt"},
    )
    with pytest.raises(UnusableReply, match="half precision"):
        encoder(f"bge:{broken}", {"device": "cpu"}).encode(["a"])


def test_without_a_network_an_absent_model_is_named(monkeypatch, tmp_path):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    given = encoder("bge:someone/absent")
    with pytest.raises(ModelNotLoaded, match=r"'someone/absent' is not on this machine.*bge:/path/to/folder"):
        _ = given.fingerprint


def test_a_missing_extra_is_named_with_the_line_that_installs_it(tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text('{"hidden_size": 32}')
    (tmp_path / "sparse_linear.pt").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    with pytest.raises(MissingExtra, match=r"pip install 'jam-memory\[bge\]'"):
        encoder(f"bge:{tmp_path}").encode(["a"])
    with pytest.raises(MissingExtra, match=r"reranker: .*pip install 'jam-memory\[bge\]'"):
        reranker(f"bge-reranker:{tmp_path}").scores("a", ["b"])
