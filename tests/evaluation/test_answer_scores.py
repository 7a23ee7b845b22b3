"""Answers against a benchmark's own, by its own rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.evaluation.answers.scores import (
    NO_INFORMATION,
    Score,
    locomo_f1,
    refuses,
    score,
    squad_exact,
    squad_f1,
)
from jam.prompts import render_prompt

said = st.text("ab, .;THEthe'n", max_size=20) | st.sampled_from(["yes", "no", "The cat", "running runs", "a and an"])


@pytest.mark.parametrize(
    ("gold", "answer", "f1"),
    [
        ("7 May 2023", "7 May 2023", 1.0),
        ("7 May, 2023", "the 7 may 2023!", 1.0),  # case, punctuation, articles
        ("salt and pepper", "salt pepper", 1.0),  # "and" counts as an article
        ("running", "runs", 1.0),  # stems
        ("adoption agencies", "an adoption agency", 1.0),
        ("two red boats", "red boats sail", 2 / 3),
        ("red red boats", "red", 0.5),  # a word counts as often as it is said
        ("a red boat", "a green ship", 0.0),
        ("boat", "", 0.0),
        ("", "", 0.0),
    ],
)
def test_locomo_compares_stems(gold: str, answer: str, f1: float):
    assert locomo_f1("single-hop", gold, answer) == pytest.approx(f1)
    assert locomo_f1("temporal", gold, answer) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("gold", "answer", "f1"),
    [
        ("pottery, camping, swimming", "swimming, pottery, camping", 1.0),  # in any order
        ("pottery, camping", "camping", 0.5),
        ("pottery, camping", "pottery and camping", (2 / 3 + 2 / 3) / 2),  # one item, near both
        ("red boats, blue ships", "red boats, green ships", (1.0 + 0.5) / 2),
        ("pottery", "pottery, sailing", 1.0),  # more may be said
    ],
)
def test_locomo_compares_lists_item_by_item(gold: str, answer: str, f1: float):
    assert locomo_f1("multi-hop", gold, answer) == pytest.approx(f1)


def test_of_open_questions_only_the_first_part_of_the_gold_counts():
    assert locomo_f1("open-domain", "Likely no; she dislikes boats", "likely no") == 1.0
    assert locomo_f1("single-hop", "Likely no; she dislikes boats", "likely no") == pytest.approx(2 * 2 / 7)


@pytest.mark.parametrize(
    ("gold", "answer", "f1", "exact"),
    [
        ("The Eiffel Tower", "eiffel tower.", 1.0, True),
        ("salt and pepper", "salt pepper", 0.8, False),  # "and" is a word here
        ("running", "runs", 0.0, False),  # and words are as they are
        ("yes", "yes, it is", 0.0, False),  # yes and no are all or nothing
        ("yes it is", "yes", 0.0, False),
        ("No", "no.", 1.0, True),
        ("Scania in Sweden", "Scania", 0.5, False),
    ],
)
def test_squad_compares_words(gold: str, answer: str, f1: float, exact: bool):
    assert squad_f1(gold, answer) == pytest.approx(f1)
    assert squad_exact(gold, answer) is exact


def test_each_benchmark_has_its_rules():
    assert score("locomo", "multi-hop", ["pottery, camping"], "camping") == Score(0.5, None)
    assert score("hotpotqa", "bridge", ["Scania"], "scania") == Score(1.0, True)
    assert score("longmemeval", "multi-session", ["three"], "three of them") == Score(0.5, False)


def test_the_best_of_several_gold_answers_counts():
    assert score("hotpotqa", "2 hops", ["Scania", "the county of Skåne"], "County of Skåne") == Score(1.0, True)
    assert score("hotpotqa", "2 hops", [], "Scania") == Score(None)


def test_saying_that_nothing_is_known():
    assert refuses("No information available.")
    assert refuses("That is not mentioned")
    assert not refuses("Rome")
    assert refuses(NO_INFORMATION)
    assert render_prompt("answer", "system").endswith(NO_INFORMATION)


@given(st.sampled_from(["single-hop", "multi-hop", "open-domain"]), said, said)
def test_a_score_is_a_share(category: str, gold: str, answer: str):
    assert 0.0 <= locomo_f1(category, gold, answer) <= 1.0
    assert 0.0 <= squad_f1(gold, answer) <= 1.0


@given(said)
def test_the_gold_itself_is_right(gold: str):
    assert squad_exact(gold, gold)
    assert squad_f1(gold, gold) in (0.0, 1.0)  # 0 where nothing but articles and punctuation is said
    assert squad_f1(gold, gold) == squad_f1(gold, gold.upper())


@given(said, said)
def test_words_count_the_same_either_way(one: str, other: str):
    assert squad_f1(one, other) == squad_f1(other, one)
    assert locomo_f1("single-hop", one, other) == locomo_f1("single-hop", other, one)
