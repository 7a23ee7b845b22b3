"""What it costs to cut long texts: each is counted about once, however it is written."""

from __future__ import annotations

import pytest

from jam.engines.llm import pieces as module
from jam.engines.llm.pieces import pieces, sized_pieces
from jam.models.tokens import estimate

LONG = {
    "one letter": "x" * 60_000,
    "no blanks": "海风吹过旧港口的灯塔" * 1_500,
    "words": "the keel and the mast " * 2_000,
    "first thin, then dense": "x" * 30_000 + "港" * 5_000,
    "first dense, then thin": "港" * 5_000 + "x" * 30_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_line_is_counted_about_once(monkeypatch: pytest.MonkeyPatch, text: str):
    counted = 0

    def counting(part: str) -> int:
        nonlocal counted
        counted += len(part)
        return estimate(part)

    monkeypatch.setattr(module, "estimate", counting)
    found = pieces([text], 500)
    assert "".join(found).replace("\n", "") == text
    assert counted < 1.6 * len(text) + 12 * 500


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_pieces_fit_and_come_with_their_lengths(text: str):
    found = sized_pieces([text, "", "end"], 300)
    assert max(estimate(piece) for piece, _ in found) <= 300
    assert all(estimate(piece) <= size + 1 for piece, size in found)
    assert len(found) < 2.5 * estimate(text) / 300 + 3
