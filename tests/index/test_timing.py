"""How well days fit the times of a question."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.index.timing import Days, Fit, fits
from jam.times import read_times

ASKED = date(2024, 5, 15)
session_days = st.lists(st.one_of(st.none(), st.dates(date(2019, 1, 1), date(2026, 12, 31))), min_size=1, max_size=12)


def ordinals(*days: date | None) -> np.ndarray:
    return np.array([day.toordinal() if day else 0 for day in days], np.int32)


def match_times(text: str, days: Days, reference: date | None = None) -> tuple[Fit, Fit]:
    """The fits of the expressions of a text that was said on the reference day."""
    return fits(read_times(text, reference), days)


def fit(text: str, day: date | None, reference: date | None = None) -> tuple[float, float]:
    periods, days = match_times(text, ordinals(day), reference)
    return float(periods[0]), float(days[0])


@pytest.mark.parametrize(
    ("session", "period", "day"),
    [
        (date(2023, 5, 8), 1.0, 1.0),
        (date(2023, 5, 18), 1.0, 0.5),
        (date(2023, 5, 19), 1.0, 0.0),
        (date(2023, 5, 6), 1.0, 0.4),
        (date(2023, 5, 4), 1.0, 0.0),
        (date(2023, 6, 1), 0.0, 0.0),
        (date(2024, 5, 8), 0.0, 0.0),
        (None, 0.0, 0.0),
    ],
)
def test_a_named_day(session, period, day):
    assert fit("on 8 May 2023", session) == pytest.approx((period, day))


@pytest.mark.parametrize(
    ("text", "session", "period", "day"),
    [
        ("in May 2023", date(2023, 5, 31), 1.0, 0.0),
        ("in May 2023", date(2023, 6, 1), 0.0, 0.0),
        ("in 2023", date(2023, 2, 1), 0.3, 0.0),
        ("in May", date(2019, 5, 3), 1.0, 0.0),
        ("on 8 May", date(2019, 5, 13), 1.0, 0.75),
        ("on 30 December", date(2020, 1, 4), 0.0, 0.75),
        ("on 30 February 2023", date(2023, 2, 28), 1.0, 0.0),
        ("on 30 February", date(2023, 2, 28), 1.0, 0.0),
        ("on 2024-05-08 and in 2021", date(2021, 1, 1), 0.3, 0.0),
    ],
)
def test_named_months_years_and_days_without_a_year(text, session, period, day):
    assert fit(text, session) == pytest.approx((period, day))


def test_both_orders_of_a_numeric_date_fit():
    assert fit("on 8/5/2023", date(2023, 5, 8)) == fit("on 8/5/2023", date(2023, 8, 5)) == (1.0, 1.0)


def test_a_few_days_fit_within_and_fade_behind():
    week = [fit("last week", ASKED + timedelta(days=days), ASKED) for days in (-9, -3, -2, 5, 8)]
    assert week[0] == week[1] == (1.0, 1.0)
    periods, days = zip(*week[1:], strict=True)
    assert list(periods) == sorted(periods, reverse=True)
    assert list(days) == sorted(days, reverse=True)
    assert 0 < periods[1] <= 0.5 < days[1] < 1
    assert week[-1] == (0.0, 0.0)


def test_a_season_fits_as_a_month_does_and_half_a_year_less():
    assert fit("last summer", date(2023, 7, 1), ASKED) == (1.0, 0.0)
    assert 0.3 < fit("first half of 2023", date(2023, 3, 1))[0] < 1.0


def test_a_part_of_a_month_fits_its_month_and_more_so_its_days():
    assert fit("in early May 2023", date(2023, 5, 4)) == (1.0, 1.0)
    assert fit("in early May 2023", date(2023, 5, 30)) == (1.0, 0.0)
    assert fit("in early May", date(2020, 5, 4)) == (1.0, 1.0)


def test_an_open_time_fits_weakly_on_its_side_and_best_at_its_limit():
    assert fit("since May 2023", date(2023, 5, 9)) == (1.0, 0.0)
    assert fit("since May 2023", date(2024, 1, 1)) == pytest.approx((0.3, 0.0))
    assert fit("since May 2023", date(2023, 4, 30)) == (0.0, 0.0)
    assert fit("before May 2023", date(2023, 4, 1)) == pytest.approx((0.3, 0.0))
    assert fit("before May 2023", date(2023, 5, 1)) == pytest.approx((0.5, 0.0))


def test_what_is_counted_from_a_named_day_fits_that_day_too():
    text = "the week before 3 August 2023"
    assert fit(text, date(2023, 7, 28)) == (1.0, 1.0)
    assert fit(text, date(2023, 8, 3)) == (1.0, 1.0)


def test_what_comes_back_fits_the_year_meant_better_than_another():
    assert fit("last May", date(2023, 5, 9), ASKED) == (1.0, 0.0)
    assert fit("last May", date(2021, 5, 9), ASKED) == (0.5, 0.0)
    assert fit("last May", date(2021, 5, 9)) == (1.0, 0.0)


def test_a_weekday_fits_a_little():
    monday = fit("on Monday", date(2024, 5, 13))
    tuesday, thursday = fit("on Monday", date(2024, 5, 14)), fit("on Monday", date(2024, 5, 16))
    assert monday == pytest.approx((0.0, 0.3))
    assert 0 < tuesday[1] < monday[1]
    assert thursday == (0.0, 0.0)


@pytest.mark.parametrize("text", ["yesterday", "two weeks before the race", "three days later", "no time at all", ""])
def test_what_is_not_understood_fits_nothing(text):
    assert fit(text, ASKED) == (0.0, 0.0)


def test_a_holiday_before_an_event_of_every_year():
    assert fit("the week before Christmas", date(2021, 12, 20)) == (1.0, 1.0)


def test_no_days_no_fit():
    periods, days = match_times("in May 2023", np.array([], np.int32))
    assert (periods.size, days.size) == (0, 0)


@given(
    st.sampled_from(
        ["in May", "on 8 May", "in 2023", "since June 2022", "last winter", "on Monday", "at Easter", "now"]
    ),
    session_days,
    st.one_of(st.none(), st.dates(date(2019, 1, 1), date(2026, 12, 31))),
)
def test_fits_are_within_bounds_and_each_day_is_judged_alone(text, days, reference):
    expressions = read_times(text, reference)
    periods, nearness = fits(expressions, ordinals(*days))
    assert periods.dtype == nearness.dtype == np.float32
    assert all(0 <= value <= 1 for value in (*periods, *nearness))
    alone = [fits(expressions, ordinals(day)) for day in days]
    assert periods.tolist() == [float(period[0]) for period, _ in alone]
    assert nearness.tolist() == [float(near[0]) for _, near in alone]


@given(session_days, st.permutations(["in May 2023", "on 3 June", "in 2022"]))
def test_of_several_times_the_best_counts(days, texts):
    together = match_times(" or ".join(texts), ordinals(*days))
    apart = [match_times(text, ordinals(*days)) for text in texts]
    for side in (0, 1):
        assert together[side].tolist() == np.max([one[side] for one in apart], axis=0).tolist()
