"""Jinja templates of a shipped folder, with a user's own copies before them. Missing variables are errors."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jam.assets import asset_folder

if TYPE_CHECKING:
    import jinja2


def own_folder(variable: str) -> Path | None:
    """The folder that an environment variable names for a user's own copies."""
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else None


def render_template(folder: str, name: str, own: Path | None, data: dict[str, object]) -> str:
    """The template `name` of a shipped folder, filled in. Raises `jinja2.TemplateError`, `ValueError`, `TypeError`."""
    return _environment(folder, own).get_template(name).render(data)


def template_source(folder: str, name: str, own: Path | None) -> str:
    """The text of a template, not filled in."""
    loader = _environment(folder, own).loader
    assert loader is not None
    return loader.get_source(_environment(folder, own), name)[0]


@lru_cache(maxsize=16)
def _environment(folder: str, own: Path | None) -> jinja2.Environment:
    import jinja2  # only writing and prompting need it, and a search must start fast

    if own and not own.is_dir():
        raise ValueError(f"there is no folder {str(own)!r} with templates")
    folders = [*([own] if own else []), asset_folder(folder)]
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(place) for place in folders]),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=folder == "prompts",
    )
