"""Reading a model's conclusion: its answer, what it cites, how sure it is. Whether that holds is checked elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from jam.context import VERDICTS, Verdict
from jam.jobs import Answer, Cited

_MOST = 20
_CHARS = 4000


def read_answer(data: Mapping[str, Any]) -> Answer:
    """An answer from its JSON object. Raises `ValueError` where there is no `answer`."""
    if "answer" not in data:
        raise ValueError('"answer" is missing')
    text = _text(data["answer"])
    verdict = data.get("verdict")
    return Answer(
        text=text or None,
        sources=tuple(_path(item) for item in _list(data.get("sources"))),
        quotes=tuple(quote for item in _list(data.get("quotes")) for quote in _cited(item)),
        notes=_text(data.get("notes"))[:_CHARS],
        verdict=cast(Verdict, verdict) if verdict in VERDICTS else None,
        missing=tuple(_text(item) for item in _list(data.get("missing")) if _text(item)),
    )


def _cited(item: Any) -> list[Cited]:
    quote, source = item, ""
    if isinstance(item, Mapping):
        quote, source = item.get("quote") or item.get("text"), _path(item.get("source") or item.get("path"))
    return [Cited(source, quote)] if isinstance(quote, str) and quote.strip() else []


def _path(item: Any) -> str:
    """A path as the tree writes it; models like to begin at the root."""
    given = item.get("path") or item.get("source") if isinstance(item, Mapping) else item
    return given.strip().lstrip("/").removeprefix("./")[:500] if isinstance(given, str) else ""


def _list(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return value[:_MOST] if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()[:_CHARS]
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value if not isinstance(item, list))[:_CHARS]
    return str(value)[:_CHARS] if isinstance(value, int | float) else ""
