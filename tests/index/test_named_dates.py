"""Dates named in a question."""

from __future__ import annotations

from datetime import date

import pytest

from jam.index.named_dates import NamedDate, match_dates, named_dates


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened on 8 May 2023?", [NamedDate(2023, 5, 8)]),
        ("What happened on the 8th of May, 2023?", [NamedDate(2023, 5, 8)]),
        ("What about May 8th?", [NamedDate(None, 5, 8)]),
        ("What was decided in June 2022?", [NamedDate(2022, 6, None)]),
        ("Who came in Sept 2024?", [NamedDate(2024, 9, None)]),
        ("What did we do in 2023?", [NamedDate(2023, None, None)]),
        ("What did I note on 2023-05-08?", [NamedDate(2023, 5, 8)]),
        ("Between 1 May and 3 June 2023?", [NamedDate(None, 5, 1), NamedDate(2023, 6, 3)]),
        ("What may we march on?", []),
        ("Which port, 8443?", []),
    ],
)
def test_what_a_question_names(question, found):
    assert named_dates(question) == found


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
def test_how_well_a_session_fits(session, period, day):
    periods, days = match_dates("on 8 May 2023", [session])
    assert (float(periods[0]), float(days[0])) == pytest.approx((period, day))


def test_a_year_alone_is_a_weak_fit():
    assert float(match_dates("in 2023", [date(2023, 2, 1)])[0][0]) == pytest.approx(0.3)


def test_a_day_that_never_was_fits_no_day():
    assert match_dates("on 30 February 2023", [date(2023, 2, 28)])[1].tolist() == [0.0]
