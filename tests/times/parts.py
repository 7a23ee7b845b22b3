"""Texts made of times and what stands around them, for property tests."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

PARTS = st.sampled_from(
    [
        *("yesterday", "last week", "next", "month", "on Friday", "two days ago", "a few years ago", "since", "today"),
        *(" [8 June 2023]", " [2022]", " [29 May to 4 June 2023]", " [1 to 2 May 2023]", "'s", ". ", ", ", "\n", " "),
        *("5. Mai", "May", "2023", "昨天", "。", "gestern", "hier", "il y a deux jours", "from", "to", "the", "["),
    ]
)
TEXTS = st.lists(PARTS, max_size=12).map("".join) | st.lists(PARTS, max_size=12).map(" ".join)
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(str)
