"""Sections, tables and numbers of a report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = Sequence[str]


def section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}"


def table(head: Row, rows: Iterable[Row]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def share(value: float | None) -> str:
    """A share of one; a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def whole(value: float | None) -> str:
    """A number without decimals."""
    return "-" if value is None else f"{value:,.0f}"


def tenth(value: float | None) -> str:
    """A number with one decimal."""
    return "-" if value is None else f"{value:,.1f}"


def milliseconds(seconds: float | None) -> str:
    """A time: in seconds from ten of them on."""
    if seconds is None:
        return "-"
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds * 1000:,.1f} ms"
