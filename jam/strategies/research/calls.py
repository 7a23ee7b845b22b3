"""Carrying out one tool call: whatever happens becomes an observation, never the end of the run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from jam.errors import JamError, ToolError, UsageError
from jam.index.search_index import Within
from jam.jobs import ToolCall
from jam.strategies.question import Question

_log = logging.getLogger(__name__)
_FILES = 8
_READ_AHEAD = 1.6
"""A search shows this many times the tokens that the context will hold, so that there is something to choose from."""


def carry_out(question: Question, call: ToolCall) -> dict[str, Any]:
    """The observation of a call: `text`, `found` [[path, message, score]…], `files`, `error`, `seconds`; `notes` where
    a search went without a model that is set.
    """
    began = time.perf_counter()
    try:
        seen = _TOOLS[_checked(call)](question, call.arguments)
    except ToolError as error:
        seen = _failed(error.code, str(error))
    except (JamError, OSError) as error:
        seen = _failed("failed", str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours must not cost the run what it has found
        _log.exception("%s failed", call.tool)
        seen = _failed("failed", f"{call.tool} failed: {error!r}")
    return {**seen, "seconds": round(time.perf_counter() - began, 6)}


def _checked(call: ToolCall) -> str:
    """The call's tool, once its name and the types of its arguments are right."""
    if call.tool not in _TOOLS:
        raise ToolError("bad_arguments", f"there is no tool {call.tool!r}; use {_FORMS}")
    if "unparsed" in call.arguments:
        raise ToolError(
            "bad_arguments", f"the arguments are no JSON object: {call.arguments['unparsed']!r}; use {_FORMS}"
        )
    for name in _NEEDED[call.tool]:
        if name not in call.arguments:
            raise ToolError("bad_arguments", f"{call.tool} needs {name!r}; use {_FORMS}")
    for name, value in call.arguments.items():
        if value is not None and not isinstance(value, str):
            raise ToolError("bad_arguments", f"{call.tool}: {name} must be a text, not {value!r}")
    try:
        Within(since=call.arguments.get("since"), until=call.arguments.get("until")).days()
    except UsageError as error:
        raise ToolError("bad_arguments", str(error)) from error
    return call.tool


def _failed(code: str, text: str) -> dict[str, Any]:
    return {"text": text, "found": [], "files": [], "error": code}


def _open(question: Question, arguments: Mapping[str, Any]) -> dict[str, Any]:
    view = question.toolbox.open(arguments.get("path") or "")
    files = [child.path for child in view.children if child.kind == "session"]
    return {"text": view.render(), "found": [], "files": files, "error": None}


def _search(question: Question, arguments: Mapping[str, Any]) -> dict[str, Any]:
    query = arguments["query"]
    if not query.strip():
        raise ToolError("bad_arguments", "search needs a query")
    scope = question.toolbox.within(arguments.get("scope") or "")
    ranking = question.toolbox.rank(query, question.within(scope, *_days(question, arguments)))
    view = question.toolbox.view(query, scope, ranking, _FILES)
    tokens = int(question.budget.context_tokens * _READ_AHEAD)
    places: dict[tuple[str, int], float] = {}
    for row, score in ranking.best(tokens=tokens):
        places.setdefault(question.index.place(row), score)  # of a very long message the best passage counts
    found = [[*place, round(score, 5)] for place, score in places.items()]
    seen = {"text": view.render(), "found": found, "files": [file.path for file in view.files], "error": None}
    return {**seen, "notes": list(ranking.notes)} if ranking.notes else seen


def _browse(question: Question, arguments: Mapping[str, Any]) -> dict[str, Any]:
    since, until = _days(question, arguments)
    reading = question.toolbox.browse(arguments["path"], arguments["query"], since=since, until=until)
    gleaned = reading.gleaned
    found = [[reading.path, item.message, round(item.score, 4), item.quote] for item in gleaned.excerpts]
    return {
        "text": reading.render(),
        "found": found,
        "files": [reading.path],
        "error": None,
        "picked": gleaned.picked,
        "repaired": gleaned.repaired,
        "dropped": gleaned.dropped,
    }


def _days(question: Question, arguments: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The days that both the asker and the call allow."""
    since = [day for day in (question.since, arguments.get("since")) if day]
    until = [day for day in (question.until, arguments.get("until")) if day]
    return max(since, default=None), min(until, default=None)


_TOOLS: dict[str, Callable[[Question, Mapping[str, Any]], dict[str, Any]]] = {
    "open": _open,
    "search": _search,
    "browse": _browse,
}
_NEEDED = {"open": (), "search": ("query",), "browse": ("path", "query")}
_FORMS = "open(path), search(query) or browse(path, query)"
