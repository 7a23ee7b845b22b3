"""A workspace template's text, filled in. A user's own copy comes first: the folder given, else `$JAM_TEMPLATES`."""

from __future__ import annotations

from pathlib import Path

from jam.errors import WorkspaceError
from jam.templating import own_folder, render_template


def render(name: str, folder: Path | None = None, /, **data: object) -> str:
    """The template `name` (`raw.md.j2`) filled with the data."""
    import jinja2

    own = folder or own_folder("JAM_TEMPLATES")
    try:
        return render_template("workspace_templates", name, own, data)
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        where = f" in {own}" if own else ""
        raise WorkspaceError(
            f"the template {name!r}{where} fails: {error}; correct it, remove your copy, or unset JAM_TEMPLATES"
        ) from error
