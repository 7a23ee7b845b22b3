"""What is counted, and how it is averaged."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from jam.evaluation.benchmarks.question import share
from jam.evaluation.report.measures import Detection, Recall, detection, mean, percentile, recall

names = st.sets(st.sampled_from("abcdef"))


def test_the_share_of_the_gold_that_was_found():
    assert share(("a", "b", "c", "d"), {"a", "c", "x"}) == 0.5
    assert share((), {"a"}) is None


@given(names, names, names)
def test_finding_more_never_lowers_the_share(gold: set[str], found: set[str], more: set[str]):
    before, after = share(gold, found), share(gold, found | more)
    assert before is after is None if not gold else 0 <= before <= after <= 1
    assert share(gold, gold | more) in (None, 1.0)


def test_recall_is_a_mean_and_a_count_of_the_complete():
    assert recall([1.0, 0.5, 0.0, 1.0]) == Recall(mean=0.625, all=0.5, questions=4)
    assert math.isnan(recall([]).mean)


def test_precision_is_of_what_was_said_and_recall_of_what_is_true():
    assert detection([True, True, False, False], [True, False]) == Detection(2 / 3, 0.5, told=3, true=4)
    assert math.isnan(detection([False], [False]).precision)
    assert math.isnan(detection([], [True]).recall)


def test_of_nothing_there_is_no_mean_and_no_percentile():
    assert percentile([1.0, 2.0, 3.0], 50) == mean([1.0, 2.0, 3.0]) == 2.0
    assert math.isnan(percentile([], 95))
    assert math.isnan(mean([]))
