from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.parsing.times import iso_time, time_in_name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-03T09:14:00Z", "2026-02-03T09:14:00+00:00"),
        ("2026-02-03T09:14:00.250Z", "2026-02-03T09:14:00.250+00:00"),
        ("2026-02-03 09:14", "2026-02-03T09:14"),
        ("2026-02-03T09:14:00+0130", "2026-02-03T09:14:00+01:30"),
        ("2023-05-08", "2023-05-08"),
        ("2023/05/30 (Tue) 23:40", "2023-05-30T23:40"),
        (1_700_000_000, "2023-11-14T22:13:20+00:00"),
        (1_700_000_000.5, "2023-11-14T22:13:20.500000+00:00"),
        (1_700_000_000_123, "2023-11-14T22:13:20.123000+00:00"),
        ("1700000000", "2023-11-14T22:13:20+00:00"),
        (0, None),
        (True, None),
        (None, None),
        (float("nan"), None),
        (10**40, None),
        ("2023-02-30", None),
        ("yesterday", None),
        ({}, None),
    ],
)
def test_iso_time(value, expected):
    assert iso_time(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2026-03-02", "2026-03-02"),
        ("2026-03-02_22-30-03Z-actually-4-and-7", "2026-03-02T22:30:03+00:00"),
        ("20260302", "2026-03-02"),
        ("notes 20260302 b", "2026-03-02"),
        ("dev-tech_2023-04_2023-04-26-kernel", "2023-04-26"),
        ("2026-13-02", None),
        ("1234567890", None),
        ("20269999", None),
        ("plan", None),
    ],
)
def test_time_in_name(name, expected):
    assert time_in_name(name) == expected


@given(st.floats() | st.integers() | st.text() | st.none())
def test_whatever_comes_out_is_a_time(value):
    text = iso_time(value)
    assert text is None or datetime.fromisoformat(text)


@given(st.text())
def test_any_name(name):
    text = time_in_name(name)
    assert text is None or datetime.fromisoformat(text)
