"""`jam.yaml`: the workspace's format version and settings, for people to edit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from jam.encoding import load_encoder, load_reranker
from jam.errors import NewerWorkspace, NotAWorkspace, UsageError, WorkspaceError
from jam.workspace import files

FORMAT = 1
"""The version of the workspace format that this JAM writes."""
FILE = "jam.yaml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set for a workspace. Each field is a line of `jam.yaml`."""

    part_tokens: int = 8000
    """A session longer than this is kept in parts of at most this many tokens, each with its own memo."""
    folder_limit: int = 12
    """Sessions directly in one folder; above this they are sorted into subfolders by topic."""
    depth_limit: int = 5
    """Folders within folders at most, the workspace itself not counted."""
    keep_runs: int = 500
    """How many saved runs (`.jam/runs/`) are kept; the oldest go first."""
    redact: bool = True
    """Passwords, keys and tokens are left out of what is written; a mark stands in their place."""
    show_links: bool = False
    """A search also names the sessions that go on with the same matter, see `jam/links/`."""
    model: str = ""
    """The chat model used where none is named: a spec, or a name from `models`. Without one no model is asked."""
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Chat models by name, see `jam/models/spec.py`."""
    embedder: Mapping[str, Any] = field(default_factory=dict)
    """An encoder beside the shipped vectors: `spec` and its settings, see `jam/encoders/settings.py`."""
    reranker: Mapping[str, Any] = field(default_factory=dict)
    """What scores the best messages anew, likewise."""

    def render(self) -> str:
        """The file as it is first written."""
        lines = [
            "# A JAM workspace. The format line is JAM's; the settings below it are yours to change.",
            f"format: {FORMAT}",
        ]
        lines += [f"{name}: {getattr(self, name)}" for name in _NUMBERS]
        lines.append(_line("redact", self.redact))
        if self.show_links:
            lines.append(_line("show_links", True))
        if self.model:
            lines.append(f"model: {self.model}")
        if self.models:
            lines += yaml.safe_dump({"models": {k: dict(v) for k, v in self.models.items()}}).rstrip().split("\n")
        for name in _ENCODERS:
            if given := getattr(self, name):
                lines += yaml.safe_dump({name: dict(given)}).rstrip().split("\n")
        return "\n".join(lines) + "\n"


_NUMBERS = ("part_tokens", "folder_limit", "depth_limit", "keep_runs")
_SWITCHES = ("redact", "show_links")
_ENCODERS: Mapping[str, Callable[[str, Mapping[str, Any]], object]] = {
    "embedder": load_encoder,
    "reranker": load_reranker,
}
"""Each by what makes it, which refuses settings that make no sense; nothing is loaded or asked for that."""


def _line(name: str, value: bool) -> str:
    return f"{name}: {'true' if value else 'false'}"


def keep_setting(root: Path, name: str, value: bool) -> None:
    """Changes a yes-or-no setting in `jam.yaml`; all other lines stay as they are.

    Raises `WorkspaceError` where the file is written in a way that this can't change.
    """
    path = root / FILE
    text = path.read_bytes().decode("utf-8")
    line_end = "\r\n" if "\r\n" in text else "\n"
    there = re.compile(rf"^{name}[ \t]*:[^\r\n#]*?(?=[ \t]*(?:#|\r?$))", re.MULTILINE)
    if there.search(text):
        text = there.sub(_line(name, value), text, count=1)
    else:
        text += ("" if not text or text.endswith("\n") else line_end) + _line(name, value) + line_end
    try:
        kept = yaml.safe_load(text)[name] is value
    except (yaml.YAMLError, KeyError, TypeError):
        kept = False
    if not kept:
        raise WorkspaceError(f"{path}: can't be changed by JAM; give it the line `{_line(name, value)}`")
    files.write_atomic(path, text.encode("utf-8"))


def is_workspace_root(folder: Path) -> bool:
    """Whether a folder is the root of a workspace, of whatever version."""
    return (folder / FILE).is_file()


def read_settings(root: Path) -> Settings:
    """The settings of the workspace at `root`.

    Raises `NotAWorkspace` where the file is missing or makes no sense, `NewerWorkspace` where a later JAM wrote it.
    """
    path = root / FILE
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotAWorkspace(
            f"{root} is not a JAM workspace: it has no {FILE}; make one with: jam build HISTORY -w {root}"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise NotAWorkspace(f"{path} can't be read: {error}") from error
    if not isinstance(data, Mapping):
        raise NotAWorkspace(f"{path} should be `key: value` lines, beginning with `format: {FORMAT}`")
    return _checked(path, dict(data))


def _checked(path: Path, data: dict[str, Any]) -> Settings:
    version = data.pop("format", None)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise NotAWorkspace(f"{path}: `format` must be a whole number such as {FORMAT}, not {version!r}")
    if version > FORMAT:
        raise NewerWorkspace(
            f"{path}: written by a newer JAM (format {version}, this one knows up to {FORMAT}); upgrade jam-memory"
        )
    known = {field.name for field in fields(Settings)}
    for key, value in data.items():
        if key not in known:
            raise NotAWorkspace(f"{path}: unknown setting {key!r}; the settings are {', '.join(sorted(known))}")
        if key in _SWITCHES and not isinstance(value, bool):
            raise NotAWorkspace(f"{path}: {key} must be true or false, not {value!r}")
        if key in _NUMBERS and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise NotAWorkspace(f"{path}: {key} must be a whole number of at least 1, not {value!r}")
    if not isinstance(data.get("model") or "", str):
        raise NotAWorkspace(f"{path}: model must be a spec or a name from `models:`, not {data['model']!r}")
    models = data.get("models") or {}
    if not isinstance(models, Mapping) or not all(isinstance(value, Mapping) for value in models.values()):
        raise NotAWorkspace(f"{path}: models must give each name its settings: a `spec: …` line below the name")
    named = {str(name): dict(value) for name, value in models.items()}
    encoders = {name: _encoder_settings(path, name, data.get(name)) for name in _ENCODERS}
    return Settings(**{**data, "model": data.get("model") or "", "models": named, **encoders})


def _encoder_settings(path: Path, name: str, given: Any) -> dict[str, Any]:
    """The line of an encoder or reranker, checked: a spec, or a spec with its settings."""
    settings = {"spec": given} if isinstance(given, str) else given or {}
    if not settings or settings == {"spec": ""}:
        return {}
    if not isinstance(settings, Mapping) or not isinstance(settings.get("spec"), str):
        raise NotAWorkspace(f"{path}: {name} must be a spec, or have a `spec: …` line below it; see docs/encoders.md")
    others = {str(key): value for key, value in settings.items() if key != "spec"}
    try:
        _ENCODERS[name](settings["spec"], others)
    except UsageError as error:
        raise NotAWorkspace(f"{path}: {error}") from error
    return {"spec": settings["spec"], **others}
