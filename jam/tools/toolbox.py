"""`open`, `search` and `browse` over one workspace, confined to a scope.

A call that can't be done raises `ToolError` with a stable code and says what would be right.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jam.echo import own_text
from jam.errors import ToolError
from jam.index.search_index import Ranking, SearchIndex, Within
from jam.jobs import BrowseReader, Excerpt
from jam.links.store import open_links
from jam.text import around
from jam.tools.reranking import rerank
from jam.tools.views import Child, FileHit, FolderView, Quote, Reading, SearchView
from jam.workspace.layout import README, is_raw_name, parent, within
from jam.workspace.store import Workspace

_BEST_QUOTES = 3
_QUOTED_CHARS = 600
"""Characters that are shown of a very long message."""
_READ_WHOLE, _READ_CHARS = 50_000, 24_000
"""Characters of a message that a reader is given whole, and of a longer one."""
_NEAR = 3
_MOST_LINKED = 3


class Toolbox:
    """The tools, as the Researcher, people at the command line and agents over MCP have them."""

    def __init__(
        self,
        workspace: Workspace,
        index: SearchIndex,
        reader: BrowseReader,
        scope: str = "",
        asked_at: str | None = None,
    ) -> None:
        """`asked_at` (ISO) is what "last week" is counted from in whatever is searched for.

        `show_links` is as `jam.yaml` says.
        """
        self.show_links = workspace.settings.show_links
        self.workspace = workspace
        self.index = index
        self.reader = reader
        self.asked_at = asked_at
        self.scope = ""
        self.scope = self._folder(scope)

    def open(self, path: str = "") -> FolderView:
        """A folder's README and listing; the scope itself (or the whole workspace) where no path is given."""
        relative = self._inside(path or self.scope)
        folder = self.workspace.root / relative
        if folder.is_file():
            raise ToolError("is_file", f"{relative!r} is a session: browse it with a question")
        if not folder.is_dir() or any(part.startswith(".") for part in relative.split("/")):
            raise self._not_found(relative, self._folders())
        readme = folder / README
        text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
        return FolderView(relative, text, tuple(self._children(relative)))

    def search(
        self, query: str, *, scope: str = "", since: str | None = None, until: str | None = None, limit: int = 10
    ) -> SearchView:
        """The sessions that bear on a query, best first, each with its best messages."""
        if not query.strip():
            raise ToolError("bad_arguments", "search needs a query")
        where = self.within(scope)
        ranking = self.rank(query, Within(where, since, until, asked_at=self.asked_at))
        return self.view(query, where, ranking, limit)

    def rank(self, query: str, where: Within) -> Ranking:
        """The index's ranking, its best messages scored anew where the workspace has a reranker."""
        return rerank(self.workspace, self.index.rank(query, where))

    def within(self, scope: str) -> str:
        """A folder inside this toolbox's scope; the scope itself where none is named."""
        return self._folder(scope) if scope else self.scope

    def view(self, query: str, scope: str, ranking: Ranking, limit: int) -> SearchView:
        """A ranking as files with quotes."""
        files = [self._hit(ranking, file, score) for file, score in ranking.files(limit)]
        return SearchView(query, scope, tuple(files), ranking.found, ranking.notes)

    def browse(self, path: str, query: str, *, since: str | None = None, until: str | None = None) -> Reading:
        """The messages of one session that bear on a question, in their order."""
        if not query.strip():
            raise ToolError("bad_arguments", "browse needs a query: what should be read for?")
        relative = self._inside(path)
        if not self._is_session(relative):
            raise self._no_session(relative)
        raw = self.workspace.read_raw(relative)
        ranking = self.index.rank(query, Within(self.scope, since, until, relative, self.asked_at))
        best: dict[int, float] = {}
        for row, score in ranking.best():
            best.setdefault(self.index.message_number(row), score)
        ranked = [Excerpt(number, score) for number, score in best.items()]
        shorter = (replace(m, text=around(m.text, query, _READ_CHARS, _READ_WHOLE)) for m in raw.session.messages)
        messages = [replace(message, text=own_text(message)) for message in shorter]
        gleaned = self.reader.read(relative, messages, query, ranked)
        if since or until:  # a reader sees the file; the asker wants some days of it
            allowed = {excerpt.message for excerpt in ranked}
            kept = tuple(excerpt for excerpt in gleaned.excerpts if excerpt.message in allowed)
            gleaned = replace(gleaned, excerpts=kept, remarks="")
        scores = ranking.scores
        quotes = [self._quote(self.index.row(relative, e.message, scores), e.score, query) for e in gleaned.excerpts]
        title = self.index.file(relative).title if self.index.has(relative) else raw.session.title or ""
        ordered = tuple(sorted(quotes, key=lambda quote: quote.message))
        return Reading(relative, query, title, raw.session.started, ordered, gleaned)

    def _hit(self, ranking: Ranking, number: int, score: float) -> FileHit:
        record = self.index.files[number]
        rows = ranking.rows_of(number, _BEST_QUOTES)
        query = ranking.asked.text
        quotes = tuple(self._quote(row, value, query) for row, value in rows)
        linked = self._linked(ranking, rows[0][0]) if self.show_links and rows else ()
        return FileHit(record.path, record.title, record.gist, record.started, round(score, 4), quotes, linked)

    def _linked(self, ranking: Ranking, row: int) -> tuple[str, ...]:
        """The sessions of a message's link, those first that rank best; none outside what was searched."""
        links = open_links(self.workspace, self.index)
        best: dict[str, float] = {}
        for segment in links.rows_of_link(links.link_of(row)):
            path = self.index.place(segment.start)[0]
            score = float(ranking.scores[segment.start : segment.stop].max())
            if path != self.index.place(row)[0] and math.isfinite(score):
                best[path] = max(score, best.get(path, -math.inf))
        return tuple(sorted(best, key=lambda path: (-best[path], path))[:_MOST_LINKED])

    def _quote(self, row: int, score: float, query: str) -> Quote:
        path, number = self.index.place(row)
        message = self.workspace.read_raw(path).session.messages[number - 1]
        part = self.index.part(row)
        return Quote(
            path,
            number,
            message.id,
            message.at,
            message.speaker,
            message.role,
            message.kind,
            around(message.text[part], query, _QUOTED_CHARS) if part else own_text(message),
            round(score, 4),
        )

    def _children(self, folder: str) -> Sequence[Child]:
        prefix = f"{folder}/" if folder else ""
        counts: dict[str, int] = {}
        sessions = []
        for record in self.index.files:
            if not within(record.path, folder):
                continue
            name, below, _ = record.path[len(prefix) :].partition("/")
            if below:
                counts[prefix + name] = counts.get(prefix + name, 0) + (record.part == 1)
            else:
                sessions.append(Child(record.path, "session", record.title, record.started))
        subfolders = [Child(path, "folder", path.rpartition("/")[2], sessions=counts[path]) for path in sorted(counts)]
        return [*subfolders, *sessions]

    def _folder(self, scope: str) -> str:
        relative = self._inside(scope)
        full = self.workspace.root / relative
        hidden = any(part.startswith(".") for part in relative.split("/"))
        if relative and (hidden or full.is_symlink() or not (full.is_dir() or self._is_session(relative))):
            raise self._not_found(relative, self._folders())
        return relative

    def _inside(self, path: str) -> str:
        """A path of the tree as the index writes it; refused where it leaves the workspace or the scope."""
        relative = self._relative(self.workspace.resolve(path or "/"))
        if not within(relative, self.scope):
            raise ToolError(
                "outside_scope", f"{path!r} is outside the folder {self.scope!r} that this question is confined to"
            )
        return relative

    def _relative(self, full: Path) -> str:
        inside = full.relative_to(self.workspace.root).as_posix()
        return "" if inside == "." else inside

    def _is_session(self, relative: str) -> bool:
        full = self.workspace.root / relative
        return full.is_file() and is_raw_name(full.name) and self.index.has(relative)

    def _no_session(self, relative: str) -> ToolError:
        if (self.workspace.root / relative).is_dir():
            return ToolError("is_folder", f"{relative!r} is a folder: open it, or name a session in it")
        return self._not_found(
            relative, [record.path for record in self.index.files if within(record.path, self.scope)]
        )

    def _not_found(self, relative: str, choices: Sequence[str]) -> ToolError:
        near = difflib.get_close_matches(relative, choices, n=_NEAR, cutoff=0.5)
        named = relative.rpartition("/")[2]
        near = near or [path for path in choices if named and named.lower() in path.lower()][:_NEAR]
        hint = (
            f"; did you mean {', '.join(map(repr, near))}?"
            if near
            else "; open the folder above it to see what is there"
        )
        return ToolError("not_found", f"there is no {relative!r} in this workspace{hint}")

    def _folders(self) -> list[str]:
        found = {parent(record.path) for record in self.index.files}
        found |= {"/".join(path.split("/")[:end]) for path in found for end in range(1, path.count("/") + 1)}
        return sorted(folder for folder in found if folder and within(folder, self.scope))
