"""Static vectors from model2vec folders of every make."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from jam.encoders.resolve import encoder
from jam.errors import ModelNotLoaded
from jam.index.embedder import static_embedder

WORDS = ["harbour", "morning", "invoice", "march", "ferry", "hafen", "rechnung", "unpaid"]
SHIPPED = encoder(f"static:{static_embedder().folder}")
TEXTS = ["ferry harbour morning", "unpaid invoice march", "", "nothing known", "Rechnung MARCH march", "hafen " * 3000]


def word_level() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, **{word: n for n, word in enumerate(WORDS, 1)}}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.normalizer = normalizers.Lowercase()
    return tokenizer


def unigram() -> Tokenizer:
    pieces = [("<unk>", 0.0), *((word, -float(n)) for n, word in enumerate(WORDS, 1))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.normalizer = normalizers.Lowercase()
    return tokenizer


def model(tokenizer, *, dtype=np.float32, shared=False, weights=False, seed=1):
    model2vec = pytest.importorskip("model2vec")
    random = np.random.default_rng(seed)
    count = len(WORDS) + 1
    rows = 4 if shared else count
    vectors = random.standard_normal((rows, 16)) * (20 if dtype is np.int8 else 1)
    return model2vec.StaticModel(
        vectors.astype(dtype),
        tokenizer,
        normalize=True,
        weights=random.uniform(0.1, 2, count).astype(np.float32) if weights else None,
        token_mapping=random.integers(0, rows, count) if shared else None,
        max_length=None,
    )


@pytest.mark.parametrize("tokenizer", [word_level, unigram])
@pytest.mark.parametrize(
    "make",
    [
        {},
        {"dtype": np.float16},
        {"dtype": np.int8},
        {"shared": True},
        {"weights": True},
        {"shared": True, "weights": True},
    ],
    ids=["float32", "float16", "int8", "shared", "weighted", "shared and weighted"],
)
def test_vectors_equal_those_of_model2vec(tmp_path: Path, tokenizer, make):
    theirs = model(tokenizer(), **make)
    theirs.save_pretrained(tmp_path)
    ours = encoder(f"static:{tmp_path}")
    np.testing.assert_allclose(ours.encode(TEXTS), theirs.encode(TEXTS), atol=2e-3 if make.get("dtype") else 3e-5)
    assert ours.dimensions == 16


def test_the_shipped_folder_is_one_too():
    shipped = static_embedder()
    texts = ["Which port did we settle on?", "Das Vorspiel ist am Samstag.", "", "漢字 \ud800"]
    np.testing.assert_allclose(SHIPPED.encode(texts), shipped.encode(texts), atol=1e-6)


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=40), max_size=5))
def test_any_texts_have_vectors_of_length_one_or_zero(texts):
    lengths = np.linalg.norm(SHIPPED.encode(texts), axis=1)
    assert len(lengths) == len(texts)
    assert all(length == 0 or length == pytest.approx(1, abs=1e-5) for length in lengths)


def test_a_copy_has_the_same_fingerprint_and_another_model_another(tmp_path: Path):
    model(word_level()).save_pretrained(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    model(word_level(), seed=2).save_pretrained(tmp_path / "other")
    one, copy, other = (encoder(f"static:{tmp_path / name}").fingerprint for name in ("one", "copy", "other"))
    assert one == copy
    assert one != other


def test_a_large_model_is_told_from_another_by_looking_here_and_there(tmp_path: Path):
    rows, dimensions = 3000, 4000  # 48 million bytes
    header = {"embeddings": {"dtype": "F32", "shape": [rows, dimensions], "data_offsets": [0, 4 * rows * dimensions]}}
    prints = []
    for name, value in (("one", 1.0), ("two", 1.0), ("three", 2.0)):
        folder = tmp_path / name
        folder.mkdir()
        word_level().save(str(folder / "tokenizer.json"))
        start = json.dumps(header).encode()
        with (folder / "model.safetensors").open("wb") as file:
            file.write(len(start).to_bytes(8, "little") + start)
            np.full(rows * dimensions, value, np.float32).tofile(file)
        prints.append(encoder(f"static:{folder}").fingerprint)
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "nonsense", "list", "table"])
def test_damaged_vectors_are_named(tmp_path: Path, damage):
    model(word_level()).save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    match damage:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(path.read_bytes()[:200])
        case "nonsense":
            path.write_bytes(b"x" * 500)
        case "list":
            path.write_bytes((2).to_bytes(8, "little") + b"[]")
        case "table":
            path.write_bytes(path.read_bytes().replace(b"embeddings", b"embedded__"))
    with pytest.raises(ModelNotLoaded, match=r"model\.safetensors can't be loaded"):
        encoder(f"static:{tmp_path}").encode(["ferry"])


def test_a_vocabulary_larger_than_the_table_is_named(tmp_path: Path):
    model(word_level()).save_pretrained(tmp_path)
    larger = word_level()
    larger.add_tokens(["anchor"])
    larger.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ModelNotLoaded, match=r"10 tokens.*9 vectors"):
        encoder(f"static:{tmp_path}").encode(["anchor"])


def test_a_missing_tokenizer_is_named(tmp_path: Path):
    model(word_level()).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ModelNotLoaded, match=r"tokenizer\.json can't be loaded"):
        encoder(f"static:{tmp_path}").encode(["ferry"])
