"""What `jam open`, `search` and `browse` share: the tools over a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jam.tools.toolbox import Toolbox


def toolbox(path: Path, scope: str = "") -> Toolbox:
    """The tools over the workspace at a path, as the Researcher has them."""
    from jam.engines.extractive.browse import ExtractiveBrowseReader
    from jam.index.store import open_index
    from jam.tools.toolbox import Toolbox
    from jam.workspace.store import Workspace

    workspace = Workspace.open(path)
    return Toolbox(workspace, open_index(workspace), ExtractiveBrowseReader(), scope)
