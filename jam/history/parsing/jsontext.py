"""JSON as people's files have it: parsed tolerantly, cut where a sample ends, read whole where it must be.

Lone surrogates pass as they stand. `NaN`, `Infinity` and numbers that no float or int of ours can hold become their
own text, so that everything read here can be written as strict JSON again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode
from jam.history.reader import SourceFile

MAX_WHOLE_FILE = 256 * 1024 * 1024
"""Files above this size are only read if their format can be streamed."""
LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})
_MAX_DIGITS = 4_000
_SAMPLE_LINES = 40
_DEEPEST_SAMPLE = 100
"""What is nested deeper says nothing about the format."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|"|[\[\]{},]', re.DOTALL)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _MAX_DIGITS else digits


def _number(digits: str) -> float | str:
    value = float(digits)
    return digits if value in (float("inf"), float("-inf")) else value


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=_number, parse_constant=str)


class BadJson(ValueError):
    """A text that is not JSON; the message says why and where."""


def decode_value(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at `start` of a text, and where it ends; as `json.JSONDecoder.raw_decode`."""
    return _DECODER.raw_decode(text, start)


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises `BadJson`, and nothing else."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise BadJson("nested too deeply") from None
    except ValueError as error:
        raise BadJson(str(error)) from None


def kind_name(value: object) -> str:
    """What a JSON value is, for people."""
    names = {
        bool: "a truth value",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")


def compact_json(value: object) -> str:
    """One line of JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_whole(file: SourceFile) -> str:
    """The whole text of a file. Raises `UnreadableFile` where it is too large to hold."""
    data = file.read_bytes(MAX_WHOLE_FILE + 1)
    if len(data) > MAX_WHOLE_FILE:
        limit = MAX_WHOLE_FILE // 1024 // 1024
        raise UnreadableFile(f"too large to be read whole ({file.size:,} bytes; the limit is {limit} MB): split it")
    return decode(data)


def read_json(file: SourceFile) -> Any:
    """The value of a whole JSON file. Raises `UnreadableFile` with line and column where it is damaged."""
    try:
        return parse_json(read_whole(file))
    except BadJson as error:
        raise UnreadableFile(f"damaged or cut JSON: {error}") from None


@dataclass(frozen=True, slots=True)
class JsonSample:
    """What the beginning of a file holds: some values of a JSON-lines file, or the beginning of one document."""

    shape: Literal["lines", "document"]
    values: tuple[Any, ...]


def sample_json(file: SourceFile) -> JsonSample | None:
    """The JSON at the beginning of a file, `None` where there is none. The value is shared: it must not be changed."""
    return _sample(file.sample, file.suffix in LINE_SUFFIXES)


@lru_cache(maxsize=4)  # every reader asks the same of one file
def _sample(sample: bytes, named_lines: bool) -> JsonSample | None:
    text = decode(sample).strip("\ufeff\x00 \t\r\n")
    if not text.startswith(("{", "[", '"')) and "{" not in text[:4096]:
        return None
    lines = _sample_lines(text)
    if lines:
        return JsonSample("lines", tuple(lines))
    value = complete_json(text) if text.startswith(("{", "[")) else None
    if value is None:
        return None
    # A single line is a document or the first of many: the name decides, so that nothing changes when it grows.
    return JsonSample("lines" if named_lines and "\n" not in text else "document", (value,))


def _sample_lines(text: str) -> list[Any]:
    """The values of the first lines, if this is a file of JSON lines: two records, or one at the very beginning."""
    raw = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
    if len(raw) < 2:
        return []
    values: list[Any] = []
    first = False
    for number, line in enumerate(raw):
        try:
            values.append(parse_json(line.strip("\ufeff\x00 \t\r")))
        except BadJson:
            continue
        first = first or number == 0
    records = [value for value in values if isinstance(value, dict) and value]
    return values if records and (first or len(records) > 1) else []


def complete_json(text: str) -> Any:
    """The value of a JSON text that may end anywhere: what is open is closed, what is half is left out."""
    stack: list[str] = []
    safe: tuple[int, str] | None = None
    end, in_string = len(text), False
    for token in TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            if len(stack) == _DEEPEST_SAMPLE:
                break
            stack.append("]" if mark == "[" else "}")
            safe = (token.end(), "".join(reversed(stack)))
        elif mark in "]}":
            if not stack or stack.pop() != mark:
                return None
            safe = (token.end(), "".join(reversed(stack)))
            if not stack:
                break
        elif mark == ",":
            safe = (token.start(), "".join(reversed(stack)))
        elif mark == '"':
            in_string, end = True, len(text)
            break
    attempts = [(text[:end].rstrip("\\") + '"', "".join(reversed(stack)))] if in_string else []
    if safe is not None:
        attempts.append((text[: safe[0]], safe[1]))
    for kept, closers in attempts:
        try:
            return parse_json(kept + closers)
        except BadJson:
            continue
    return None
