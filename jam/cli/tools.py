"""What `jam open`, `search` and `browse` share: the tools over a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jam.tools.toolbox import Toolbox


def toolbox(path: Path, scope: str = "", asked_at: str | None = None) -> Toolbox:
    """The tools over the workspace at a path, as the Researcher has them for a question of that day, else of today."""
    from jam.engines.extractive.browse import ExtractiveBrowseReader
    from jam.index.search_index import Within
    from jam.index.store import open_index
    from jam.strategies.question import today
    from jam.tools.toolbox import Toolbox
    from jam.workspace.store import Workspace

    Within(asked_at=asked_at).asked_on()  # an error for what is no date, before anything is read
    workspace = Workspace.open(path)
    return Toolbox(workspace, open_index(workspace), ExtractiveBrowseReader(), scope, asked_at or today())
