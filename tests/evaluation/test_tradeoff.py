"""The trade-off as text and as a picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from jam.evaluation.report.svg import draw
from jam.evaluation.report.tradeoff import SECONDS, TOKENS, plot, points_on, scales


def point(method: str, budget: int | None, found: float | None, tokens: float, seconds: float | None) -> dict[str, Any]:
    return {"method": method, "budget": budget, "all": found, "context_tokens": tokens, "seconds": seconds}


POINTS = [
    point("search", 500, 0.4, 480.0, 0.01),
    point("search", 2000, 0.7, 1900.0, 0.011),
    point("lazy, llm", 500, 0.6, 450.0, 2.5),
    point("lazy, llm", 2000, 0.8, 1200.0, 2.6),
    point("oracle & <gold>", None, 1.0, 60.0, None),
    point("nothing asked", 500, None, 0.0, None),
]
NAMES = "{http://www.w3.org/2000/svg}"
some = st.floats(1e-6, 1e6)
drawn = st.lists(
    st.builds(point, st.sampled_from("abc"), st.none() | st.integers(1, 9000), st.none() | st.floats(0, 1), some, some)
)


def labels(picture: str) -> list[str]:
    return [str(element.text) for element in ElementTree.fromstring(picture).iter(f"{NAMES}text")]


def test_every_method_and_budget_is_a_labelled_point():
    root = ElementTree.fromstring(draw("locomo: small.json", POINTS))
    told = [str(element.text) for element in root.iter(f"{NAMES}title")]
    assert told[0] == "locomo: small.json"
    against_time = [f"{name}: {rest}" for name, rest in (each.split(": ") for each in told[1:5])]
    assert against_time == [
        "search @500: 0.01, 0.400",
        "search @2,000: 0.011, 0.700",
        "lazy, llm @500: 2.5, 0.600",
        "lazy, llm @2,000: 2.6, 0.800",
    ]
    assert told[9:] == ["oracle & <gold>: 60, 1.000"]
    shown = labels(draw("t", POINTS))
    assert (shown.count("500"), shown.count("2,000")) == (2 * 2 + 1, 2 * 2 + 1)  # the ticks of the tokens' axis too
    assert {"mean seconds of a context", "mean tokens of a context"} <= set(shown)


def test_what_was_not_measured_is_said():
    untimed = [{**each, "seconds": None} for each in POINTS]
    assert labels(draw("t", untimed)).count("nothing measured") == 1
    assert plot(untimed, SECONDS) == ""


@given(drawn)
def test_any_points_can_be_drawn_and_lie_within(points: list[dict[str, Any]]):
    picture = draw("t", points)
    assert picture == draw("t", points)
    for circle in ElementTree.fromstring(picture).iter(f"{NAMES}circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 950
        assert 0 <= float(circle.attrib["cy"]) <= 1000
    placed = points_on(TOKENS, points)
    assert len(placed) == sum(each["all"] is not None for each in points)
    if placed:
        across, up = scales(placed)
        assert all(0 <= across.place(each.x) <= 1 and 0 <= up.place(each.y) <= 1 for each in placed)


def rows(text: str) -> list[str]:
    """What stands between the axes of a plot."""
    return [line[7:].strip() for line in text.splitlines() if line[6:7] == "|"]


def test_the_plot_has_a_letter_for_each_method():
    text = plot(POINTS, SECONDS)
    assert [row for row in rows(text) if row] == ["b", "a", "b", "a"]
    assert (rows(text)[0], rows(text)[-1]) == ("b", "a")
    assert text.splitlines()[-3:] == ["a  search", "b  lazy, llm", "```"]
    assert "0.00833 s" in text


def test_methods_in_one_place_are_told_from_one():
    same = [point("a", 1, 0.5, 10, None), point("b", 1, 0.5, 10, None)]
    assert [row for row in rows(plot(same, TOKENS)) if row] == ["+"]
    assert [row for row in rows(plot(same[:1], TOKENS)) if row] == ["a"]
