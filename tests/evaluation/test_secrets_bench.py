"""The benchmark of redaction: what it plants, how it counts, and that the goal is met."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from jam.cli.main import cli
from jam.evaluation.secrets.bench import measure
from jam.evaluation.secrets.planting import Planter
from jam.secrets import Secret, find_secrets


def test_the_same_seed_plants_the_same_secrets():
    first, again, other = (list(Planter(seed).documents(40)) for seed in (3, 3, 4))
    assert first == again != other
    assert sum(len(document.planted) for document in first) == 40


def test_every_secret_stands_where_it_is_said_to():
    for document in Planter(5).documents(200):
        for planted, start, end in document.planted:
            assert document.text[start:end] == planted.text[planted.start : planted.end]
            assert end - start >= 4


def test_there_are_more_than_ten_kinds_in_about_equal_numbers():
    kinds = measure(600, find=lambda text: [])["kinds"]
    assert len(kinds) >= 25
    assert max(row["planted"] for row in kinds.values()) < 2 * min(row["planted"] for row in kinds.values())


def test_nothing_found_is_nothing_redacted_and_nothing_touched():
    data = measure(80, find=lambda text: [])
    assert (data["recall"], data["recall_unseen"], data["touched"]) == (0.0, 0.0, 0)
    assert data["ordinary_words"] > 2000


def test_all_gone_is_all_redacted_and_all_touched():
    data = measure(80, find=lambda text: [Secret("all", 0, len(text))])
    assert (data["recall"], data["touched_share"]) == (1.0, 1.0)


def test_a_secret_of_which_anything_is_left_counts_as_missed():
    data = measure(80, find=lambda text: [Secret(s.kind, s.start, s.end - 1) for s in find_secrets(text)])
    assert data["recall"] < 0.1


@pytest.mark.parametrize("seed", [1, 2026])
def test_the_goal_is_met(seed: int):
    data = measure(2000, seed)
    assert data["recall"] >= 0.95
    assert min(row["redacted"] / row["planted"] for row in data["kinds"].values()) >= 0.9
    assert data["touched_share"] < 0.001


def test_the_command_prints_a_table_or_json():
    result = CliRunner().invoke(cli, ["bench", "secrets", "-n", "60", "--seed", "9"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "60 secrets in" in result.output
    assert "| private key |" in result.output
    result = CliRunner().invoke(cli, ["bench", "secrets", "-n", "60", "--json", "-q"], catch_exceptions=False)
    data = json.loads(result.stdout)
    assert sum(row["planted"] for group in ("kinds", "unseen_kinds") for row in data[group].values()) == 60
