"""A sentence in the middle of a very long message: found, quoted, shown, proved, and quickly."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

import jam
from jam.index.embedder import count_tokens
from jam.index.store import open_index
from jam.index.stretch import stretch
from jam.quotes import find_quote
from jam.strategies.question import extractive_roles
from jam.text import around, densest, stems
from jam.tools.toolbox import Toolbox
from jam.verification import verify_context
from tests.histories import STRATEGIES

NEEDLE = "The mooring code of the ship Trelanvo is 4711-83."
QUESTION = "What is the mooring code of the ship Trelanvo?"


def log(size: int, seed: int = 0) -> str:
    """A log of about so many characters, the needle in its middle."""
    source = random.Random(seed)
    words = ["".join(source.choices("aeiouklmnprst", k=source.randint(3, 9))) for _ in range(3000)]
    words += "what is the code of ship a mooring for of the and is".split() * 20
    lines = [" ".join(source.choices(words, k=12)) for _ in range(size // 90)]
    return "\n".join([*lines[: len(lines) // 2], NEEDLE, *lines[len(lines) // 2 :]])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    chat = [{"role": "user", "content": "Show me the log."}, {"role": "tool", "content": log(900_000)}]
    chat += [{"role": "assistant", "content": f"Line {n} of the log is about sails."} for n in range(20)]
    (folder / "h").mkdir()
    (folder / "h" / "a.json").write_text(json.dumps({"id": "long", "messages": chat}), encoding="utf-8")
    jam.build(folder / "h", folder / "w")
    return folder / "w"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_is_quoted_with_what_stands_around_it(place: Path, strategy: str):
    workspace = jam.Workspace.open(place)
    context = jam.recall(workspace, QUESTION, strategy=strategy, save=False)
    (quote,) = [item for item in context.evidence if NEEDLE in item.text]
    assert count_tokens(quote.text) <= 800
    assert NEEDLE in context.context
    assert count_tokens(context.context) <= 2000
    assert verify_context(workspace, context) == []


def test_search_and_browse_show_the_passage(place: Path):
    workspace = jam.Workspace.open(place)
    index = open_index(workspace)
    tools = Toolbox(workspace, index, extractive_roles(index).reader)
    assert NEEDLE in tools.search(QUESTION).render()
    assert len(json.dumps(tools.search(QUESTION).to_dict())) < 50_000
    path = tools.search(QUESTION).files[0].path
    assert NEEDLE in tools.browse(path, QUESTION).render()


def test_a_quote_far_within_a_text_is_found_exactly_and_nearly():
    text = log(3_000_000)
    found = find_quote(NEEDLE, ["short", text])
    assert found is not None
    assert (found.text, text[found.start : found.end], found.exact) == (1, NEEDLE, True)
    near = find_quote("the mooring code of that ship Trelanvo is 4711-83", ["short", text])
    assert near is not None
    assert not near.exact
    assert "Trelanvo is 4711-83" in text[near.start : near.end]


def test_twenty_megabytes_take_a_moment():
    text = log(20_000_000)
    began = time.process_time()
    assert NEEDLE in stretch(text, QUESTION, 800)
    assert NEEDLE in around(text, QUESTION, 1_200)
    assert find_quote("the mooring code of that ship Trelanvo is 4711-83", [text])
    assert time.process_time() - began < 10


def test_the_rarest_words_decide():
    text = "what is the code of the ship " * 5_000 + "Trelanvo " + "what is the code of the ship " * 5_000
    begin = densest(text, stems(QUESTION), 1_000)
    assert "Trelanvo" in text[begin : begin + 1_000]


def test_a_text_that_is_not_long_stays_whole():
    assert around("tide " * 3_000, "Where?", 1_200, 15_000) == "tide " * 3_000
    assert len(around("tide " * 3_000, "Where?", 1_200, 14_999)) == 1_200
