"""What the files of a workspace are made of: a template's text, the front matter above it, and verbatim text within.

A user's own copy of a template comes first: from the folder given, else from `$JAM_TEMPLATES`. Front matter is never
left to a template: it is data, one `key: JSON` a line, which is YAML too. Verbatim text is hidden from whatever reads
the file as Markdown or prints it: see `hide`. Nothing here knows what a raw file or a memo is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from jam.assets import asset_folder
from jam.errors import DamagedFile, NewerWorkspace, WorkspaceError

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""Characters that never stand bare in a file of the workspace: controls, line separators other than LF, direction
overrides, byte order marks, and surrogates, which UTF-8 can't hold."""

FORMAT_VERSION = 1
"""Of raw files and memos; a file with a higher one is refused."""

OWN_COMMENT = "<!-- jam:"
"""What a line begins with that structures a file; no line of somebody's text does, once it is hidden."""

_GUARD = re.compile(rf"^(?=\\*{OWN_COMMENT})", re.MULTILINE)
_UNGUARD = re.compile(rf"^\\(?=\\*{OWN_COMMENT})", re.MULTILINE)
_HIDE = re.compile(rf"(\\*)({UNSAFE.pattern})|(\\+)(?=u\{{)")
_REVEAL = re.compile(r"(\\+)u\{(?:([0-9a-f]{1,6})\})?")

_FENCE = "---\n"
_FIELD = re.compile(r"([a-z_]+): (.*)")
_WRAPPED = "jam:escaped"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|\\)")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def render(name: str, folder: Path | None = None, /, **data: object) -> str:
    """The template `name` (`raw.md.j2`) filled with the data."""
    own = folder or (Path(os.environ["JAM_TEMPLATES"]) if os.environ.get("JAM_TEMPLATES") else None)
    try:
        return _environment(own).get_template(name).render(data)
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        where = f" in {own}" if own else ""
        raise WorkspaceError(f"the template {name!r}{where} fails: {error}; correct it or remove your copy") from error


@lru_cache(maxsize=16)
def _environment(own: Path | None) -> jinja2.Environment:
    if own and not own.is_dir():
        raise WorkspaceError(
            f"there is no folder {str(own)!r} with templates; correct the path, or unset JAM_TEMPLATES"
        )
    folders = [*([own] if own else []), asset_folder("workspace_templates")]
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(folder) for folder in folders]),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
    )


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


def hide(text: str) -> tuple[str, dict[str, object]]:
    """The text as it can stand in a file of the workspace, and the flags that `reveal` needs."""
    flags: dict[str, object] = {}
    if "\r" in text and text.count("\r") == text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
        flags["newlines"] = "crlf"
    if UNSAFE.search(text):
        text = _HIDE.sub(_hide_one, text)
        flags["escaped"] = True
    return (_GUARD.sub(r"\\", text) if OWN_COMMENT in text else text), flags


def reveal(stored: str, flags: Mapping[str, object]) -> str:
    """The text that `hide` was given."""
    text = _UNGUARD.sub("", stored) if OWN_COMMENT in stored else stored
    if flags.get("escaped"):
        text = _REVEAL.sub(_reveal_one, text)
    return text.replace("\n", "\r\n") if flags.get("newlines") == "crlf" else text


def decode_text(data: bytes, where: str) -> str:
    """The text of a file of the workspace, without the CRLF or BOM that an editor or git may have put in."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DamagedFile(f"{where}, line {line}: not UTF-8; save it as UTF-8, or restore it") from error
    # JAM writes no CR into a file, so none can be a part of the text.
    return text.replace("\r\n", "\n") if "\r" in text else text


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


def _hide_one(match: re.Match[str]) -> str:
    if match[2] is None:
        return match[3] * 2
    return f"{match[1] * 2}\\u{{{ord(match[2]):x}}}"


def _reveal_one(match: re.Match[str]) -> str:
    half, odd = divmod(len(match[1]), 2)
    if odd and match[2] is None:
        return match[0]  # Only a person writes that.
    rest = f"{match[2]}}}" if match[2] else ""
    return "\\" * half + (chr(int(match[2], 16) % 0x110000) if odd else "u{" + rest)
