"""The errors that JAM raises on purpose, named by the boundary that was crossed.

    JamError                      anything below; `except JamError` is enough for a caller
    ├── UsageError                the caller asked for something impossible (an empty question, a negative budget)
    ├── MissingExtra              an optional part is not installed; the message names the pip line
    ├── HistoryError              the history as a whole can't be read (no such path, nothing in it)
    │   └── UnreadableFile        one file can't be read; the build lists it and goes on
    ├── WorkspaceError            the workspace can't be used
    │   ├── NotAWorkspace         the folder is not one, or is damaged at its root
    │   ├── NewerWorkspace        written by a later version of JAM
    │   ├── WorkspaceBusy         another writer holds the lease
    │   └── DamagedFile           a raw file or a memo doesn't parse
    ├── ToolError                 `open`, `search` or `browse` can't do what was asked; has a stable `code`
    ├── IndexUnavailable          the search index can't be built or loaded
    └── ModelError                a chat model gave no reply
        ├── ModelUnavailable      it can't be reached, or is overloaded: the same call may work later
        │   └── ModelTimeout      it took too long
        ├── ModelRefused          it refuses the request (name, form): the caller must change something
        │   ├── KeyRefused        it refuses the key: no call will do
        │   └── PromptTooLong     the request is longer than its context window
        ├── BudgetSpent           the budget doesn't reach: the call was not made, or given up when its time was over
        ├── NotRecorded           a replay came to a call that the run had not made
        ├── UnusableReply         an encoder or reranker replied with what is no vector or score for each text
        └── ModelNotLoaded        an encoder or reranker on this machine can't be loaded, or fails at work

Each message says what is wrong, where, and what to do next. The command line prints the message alone; a
traceback means a fault in JAM itself.
"""

from __future__ import annotations

from typing import Literal

ToolErrorCode = Literal[
    "not_found", "is_folder", "is_file", "outside_workspace", "outside_scope", "bad_arguments", "repeated"
]


class JamError(Exception):
    """The root of every error that JAM raises on purpose."""


class UsageError(JamError):
    """The caller asked for something that can't be done; the message says what would do."""


class MissingExtra(JamError):
    """An optional dependency is absent."""


class HistoryError(JamError):
    """The history as a whole can't be read."""


class UnreadableFile(HistoryError):
    """One file of a history can't be read. A build lists it as skipped and goes on."""


class WorkspaceError(JamError):
    """The workspace can't be used as asked."""


class NotAWorkspace(WorkspaceError):
    """The folder is not a workspace."""


class NewerWorkspace(WorkspaceError):
    """The workspace was written by a later version of JAM."""


class WorkspaceBusy(WorkspaceError):
    """Another writer holds the workspace's lease."""


class DamagedFile(WorkspaceError):
    """A file of the workspace doesn't parse as what it should be."""


class IndexUnavailable(JamError):
    """The search index can be neither loaded nor built."""


class ToolError(JamError):
    """A tool call that the caller can correct. `code` is stable; the message names the nearest right thing."""

    def __init__(self, code: ToolErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ToolErrorCode = code


class ModelError(JamError):
    """A chat model gave no reply."""

    lost_tokens: tuple[int, int] = (0, 0)
    """Input and output that the call may have cost all the same, where it was given up while the model was at work."""


class ModelUnavailable(ModelError):
    """The model can't be reached, is overloaded or too slow. The same call may work later."""


class ModelTimeout(ModelUnavailable):
    """The model took longer than it is allowed to."""


class ModelRefused(ModelError):
    """The model's server refuses the request as it is."""


class KeyRefused(ModelRefused):
    """The model's server refuses the key, and so every call."""


class PromptTooLong(ModelRefused):
    """The request is longer than the model's context window."""


class BudgetSpent(ModelError):
    """The budget of tokens or seconds doesn't reach: the call was not made, or given up when its time was over."""


class NotRecorded(ModelError):
    """A replay came to a call that the recorded run had not made."""


class UnusableReply(ModelError):
    """An encoder or reranker replied with what can't be used: too few vectors, other dimensions, no numbers."""


class ModelNotLoaded(ModelError):
    """An encoder or reranker on this machine can't be loaded (files, memory), or fails at work."""
