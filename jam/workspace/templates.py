"""A template's text, filled in. A user's own copy comes first: from the folder given, else from `$JAM_TEMPLATES`."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jam.assets import asset_folder
from jam.errors import WorkspaceError

if TYPE_CHECKING:
    import jinja2


def render(name: str, folder: Path | None = None, /, **data: object) -> str:
    """The template `name` (`raw.md.j2`) filled with the data."""
    import jinja2  # only writing needs it, and a search must start fast

    own = folder or (Path(os.environ["JAM_TEMPLATES"]) if os.environ.get("JAM_TEMPLATES") else None)
    try:
        return _environment(own).get_template(name).render(data)
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        where = f" in {own}" if own else ""
        raise WorkspaceError(f"the template {name!r}{where} fails: {error}; correct it or remove your copy") from error


@lru_cache(maxsize=16)
def _environment(own: Path | None) -> jinja2.Environment:
    import jinja2

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
