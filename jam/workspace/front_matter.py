"""Front matter: data at the head of a file, one `key: JSON` a line, which is YAML too.

It is never left to a template. Nothing here knows what a raw file or a memo is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from jam.errors import DamagedFile, NewerWorkspace
from jam.workspace.verbatim import UNSAFE

FORMAT_VERSION = 1
"""Of raw files and memos; a file with a higher one is refused."""

_FENCE = "---\n"
_FIELD = re.compile(r"([a-z_]+): (.*)")
_WRAPPED = "jam:escaped"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|\\)")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def dump_json(value: object) -> str:
    """The value as one line of JSON that people can read and that is safe to print; `load_json` gives the same back."""
    text = _encode(value)
    if _SURROGATE.search(text):
        # JSON can't tell two lone surrogates in a row from the character that they'd make as a pair.
        text = _encode({_WRAPPED: _map_strings(value, _escape_surrogates)})
    elif _WRAPPED in text and isinstance(value, Mapping) and set(value) == {_WRAPPED}:
        text = _encode({_WRAPPED: _map_strings(value, _escape_surrogates)})
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def load_json(text: str) -> Any:
    """What `dump_json` wrote. `ValueError` where it isn't JSON."""
    return _unwrap(json.loads(text))


def front_matter(fields: Mapping[str, object]) -> str:
    """The fields between two fences, one `key: JSON` a line."""
    return _FENCE + "".join(f"{key}: {dump_json(value)}\n" for key, value in fields.items()) + _FENCE


def read_front_matter(text: str, where: str) -> tuple[dict[str, Any], int]:
    """The fields that a text begins with, and where in the text they end.

    What JAM wrote is read exactly. A block that a person or an editor has rewritten is read as plain YAML, without the
    parts of YAML that surprise: no dates, no `yes` for true, no aliases, no tags.
    """
    end = text.find("\n---", len(_FENCE) - 1)
    if not text.startswith(_FENCE) or end < 0:
        raise DamagedFile(
            f"{where}, line 1: no front matter between two lines of '---'; restore the file, or remove it"
        )
    after = text.find("\n", end + 1) + 1 or len(text)
    block = text[len(_FENCE) : end + 1]
    try:
        fields = dict(_strict_fields(block))
    except (ValueError, RecursionError):
        fields = _read_yaml(block, where)
    return fields, after


def check_version(fields: Mapping[str, Any], where: str) -> None:
    """Refuses a file that isn't JAM's, or is from a later version of it."""
    version = fields.get("jam")
    if type(version) is not int:
        raise DamagedFile(f"{where}: 'jam:' is missing from its front matter; restore the file, or remove it")
    if version > FORMAT_VERSION:
        raise NewerWorkspace(
            f"{where}: written by a later JAM (format {version}); upgrade with pip install -U jam-memory"
        )


def _strict_fields(block: str) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for line in block.split("\n")[:-1]:
        match = _FIELD.fullmatch(line)
        if not match or match[1] in seen:
            raise ValueError(line)
        seen.add(match[1])
        yield match[1], load_json(match[2])


class _PlainLoader(yaml.SafeLoader):
    """YAML with JSON's idea of what is not a string, and nothing that refers elsewhere."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - yaml's own protocol

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read here")
        return super().compose_node(parent, index)


_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9]\d*)$"), list("-0123456789"))
_PlainLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$"), list("-0123456789")
)


def _read_yaml(block: str, where: str) -> dict[str, Any]:
    try:
        fields = yaml.load(block, Loader=_PlainLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise DamagedFile(f"{where}{line}: the front matter can't be read ({problem}); correct that line") from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise DamagedFile(f"{where}, line 2: the front matter is not a list of 'key: value' lines; restore the file")
    return {key: _unwrap(value) for key, value in fields.items()}


def _unwrap(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1 and _WRAPPED in value:
        return _map_strings(value[_WRAPPED], _restore_surrogates)
    return value


def _escape_surrogates(text: str) -> str:
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\\", "\\\\"))


def _restore_surrogates(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)) if match[1] else "\\", text)


def _map_strings(value: Any, change: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key) if isinstance(key, str) else key: _map_strings(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_strings(item, change) for item in value]
    return value
