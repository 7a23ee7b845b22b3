"""Finds the data folders that ship with JAM, in a checkout and in an installed wheel alike.

In a checkout `prompts/`, `agents/`, `workspace_templates/` and `examples/` stand beside the package; in a wheel they
lie in `jam/_assets/`. Nothing here knows what is in them.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset_folder(name: str) -> Path:
    """The shipped folder `name`. Raises `FileNotFoundError` where the installation lacks it."""
    for folder in (_PACKAGE / "_assets" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"jam: the folder {name!r} is missing from this installation; install jam-memory again")
