"""Vectors as whole numbers: how far off they may be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jam.index import quantised
from jam.index.quantised import dot, quantise

numbers = st.floats(-(2.0**40), 2.0**40, width=32)
shapes = st.tuples(st.integers(0, 7), st.integers(1, 33))


@given(hnp.arrays(np.float32, shapes, elements=numbers))
def test_each_number_is_off_by_half_a_scale_at_most(vectors):
    codes, scales = quantise(vectors)
    assert (codes.dtype, codes.shape, scales.dtype, scales.shape) == (
        np.int8,
        vectors.shape,
        np.float32,
        vectors.shape[:1],
    )
    off = np.abs(codes.astype(np.float64) * scales[:, None].astype(np.float64) - vectors)
    largest = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    assert (off <= (largest / 127 / 2 * (1 + 1e-4))[:, None] + 1e-40).all()
    assert codes.min(initial=0) >= -127


@given(st.data())
def test_a_product_is_off_by_no_more_than_is_said(data):
    vectors = data.draw(hnp.arrays(np.float32, shapes, elements=st.floats(-1, 1, width=32)))
    vector = data.draw(hnp.arrays(np.float32, vectors.shape[1:], elements=st.floats(-1, 1, width=32)))
    codes, scales = quantise(vectors)
    found = dot(codes, scales, vector)
    assert found.dtype == np.float32
    exact = vectors.astype(np.float64) @ vector.astype(np.float64)
    magnitudes = np.abs(vector.astype(np.float64)).sum()
    assert (np.abs(found - exact) <= magnitudes * (scales / 2 + 1e-4 * scales + 1e-6) + 1e-30).all()


def test_the_order_of_unlike_vectors_survives():
    random = np.random.default_rng(3)
    vectors = random.standard_normal((500, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[7] + 0.6 * vectors[8]
    assert list(np.argsort(-dot(*quantise(vectors), query))[:2]) == [7, 8]
    np.testing.assert_allclose(dot(*quantise(vectors), query), vectors @ query, atol=0.01)


def test_mapped_arrays_give_the_same_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(4)
    vectors = random.standard_normal((1000, 24)).astype(np.float32)
    query = random.standard_normal(24).astype(np.float32)
    whole = quantise(vectors)
    np.save(tmp_path / "vectors.npy", vectors.astype(np.float16))
    np.save(tmp_path / "codes.npy", whole[0])
    monkeypatch.setattr(quantised, "_BLOCK", 24 * 7)
    for ours, theirs in zip(quantise(vectors), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    halves = quantise(np.load(tmp_path / "vectors.npy", mmap_mode="r"))
    np.testing.assert_allclose(dot(*halves, query), vectors @ query, atol=0.5)
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r")
    np.testing.assert_allclose(dot(mapped, whole[1], query), dot(*whole, query), rtol=1e-5, atol=1e-5)
