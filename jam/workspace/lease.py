"""The lease: one writer of a workspace at a time, and none for ever.

`.jam/lease.json` names the holder. A thread of the holder's touches the file every third of its time to live; a file
that nobody touches, or whose process on this machine is gone, is taken over. Readers need no lease.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from jam.errors import WorkspaceBusy, WorkspaceError
from jam.workspace.files import make_folder
from jam.workspace.settings import is_workspace_root

_WAIT_AGAIN_SECONDS = 60.0
"""How long one who gave the lease back for a while waits for it at least."""
_FILE = Path(".jam") / "lease.json"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lease, as its file says."""

    pid: int
    host: str
    started: str
    """When it was taken, ISO 8601, UTC."""
    purpose: str
    token: str
    ttl: float
    """Seconds without a sign of life after which the lease has expired."""
    space: str = ""
    """Which process numbers `pid` is one of: those of one running system or container; empty where that is unknown."""
    born: str = ""
    """When the process began, as the system counts; tells it from a later one with the same number."""

    def is_gone(self) -> bool:
        """Whether the process is known to have ended; false where that can't be told from here."""
        return bool(self.space) and self.space == _space() and self.born != _born(self.pid)


class Lease:
    """The right to write in a workspace, as a context manager. Waits a bounded time for another's to end.

    Not to be held during a model call; the heartbeat covers slow disks and long merges, not slow models.
    """

    def __init__(self, root: Path, wait_seconds: float = 10, ttl_seconds: float = 30, purpose: str = "build") -> None:
        self._path = root / _FILE
        self._wait, self._ttl, self._purpose = wait_seconds, ttl_seconds, purpose
        self._stop = threading.Event()
        self._pid = 0
        self.token = ""
        """Of the lease that is held; empty while none is."""

    def acquire(self) -> None:
        """Takes the lease. `WorkspaceBusy` where another holds it to the end of the wait."""
        deadline = time.monotonic() + self._wait
        pause = 0.005
        while not self._try():
            if time.monotonic() >= deadline:
                raise WorkspaceBusy(self._busy())
            time.sleep(min(pause * random.uniform(0.5, 1.5), max(0.0, deadline - time.monotonic())))
            pause = min(pause * 1.5, 0.2)
        self._stop = threading.Event()
        threading.Thread(target=self._beat, args=(self._stop,), name="jam-lease", daemon=True).start()

    def release(self) -> None:
        """Gives the lease back, if it is still this one's."""
        self._stop.set()
        # A process forked from the holder has a copy of this object, but not the lease. And `.jam/` may be gone.
        with contextlib.suppress(FileNotFoundError), _turn(self._path.parent):
            if self._pid == os.getpid() and self._is_mine():
                self._path.unlink(missing_ok=True)
        self.token = ""

    def check(self) -> None:
        """`WorkspaceBusy` where the lease is no longer held: call it before a step that must not be done twice."""
        if not self._is_mine():
            raise WorkspaceBusy(
                f"{self._path.parent.parent}: the lease of this {self._purpose!r} was lost, since this process gave no "
                f"sign of life for {self._ttl:g} s; what it wrote is kept, run the command again"
            )

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Gives the lease back for the time of the block, and takes it again at its end: for slow work that writes
        nothing. Others may have written meanwhile. `WorkspaceBusy` where another holds it too long then.
        """
        self.release()
        yield
        self._take_again()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Within a pause: the lease, for a moment."""
        self._take_again()
        try:
            yield
        finally:
            self.release()

    def _take_again(self) -> None:
        root = self._path.parent.parent
        if not is_workspace_root(root):
            raise WorkspaceError(f"{root} is gone: it was moved or deleted while this {self._purpose!r} was at work")
        wait, self._wait = self._wait, max(self._wait, _WAIT_AGAIN_SECONDS)
        try:
            self.acquire()
        finally:
            self._wait = wait

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _try(self) -> bool:
        make_folder(self._path.parent)
        with _turn(self._path.parent):
            _remove_stale(self._path)
            holder = _myself(self._purpose, self._ttl)
            if not _create(self._path, holder):
                return False
        self.token, self._pid = holder.token, holder.pid
        return True

    def _beat(self, stop: threading.Event) -> None:
        while not stop.wait(self._ttl / 3):
            if not self._is_mine():
                return
            # A disk that fails now may work again in time; if not, the lease expires, and `check` says so.
            with contextlib.suppress(OSError):
                os.utime(self._path)

    def _is_mine(self) -> bool:
        holder = _read(self._path)
        return bool(self.token) and holder is not None and holder.token == self.token

    def _busy(self) -> str:
        root, holder = self._path.parent.parent, _read(self._path)
        if holder is None:
            return f"{root}: another process was writing for the last {self._wait:g} s; run the command again"
        return (
            f"{root}: process {holder.pid} on {holder.host} has been writing ({holder.purpose}) since "
            f"{holder.started}; waited {self._wait:g} s. Let it finish and run the command again, or end "
            f"that process: its lease expires {holder.ttl:g} s after its last sign of life"
        )


def current_holder(root: Path) -> Holder | None:
    """Who holds the workspace's lease now; nobody if it has expired."""
    path = root / _FILE
    return None if _is_stale(path) else _read(path)


def _create(path: Path, holder: Holder) -> bool:
    """Makes the file, whole, if there is none; false if there is."""
    temporary = path.with_name(f".jam-{holder.token}.tmp")
    temporary.write_text(json.dumps(asdict(holder)), encoding="utf-8")
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        return _create_exclusively(path, holder)  # A file system without links.
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _create_exclusively(path: Path, holder: Holder) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(asdict(holder)))
    except FileExistsError:
        return False
    return True


def _remove_stale(path: Path) -> None:
    """Clears the way if the lease has expired. The rename makes sure that one process only does so."""
    if not _is_stale(path):
        return
    judged = _read(path)
    aside = path.with_name(f".jam-{secrets.token_hex(8)}.tmp")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    # Where taking turns doesn't work, the file may have become another's since it was judged: then it goes back.
    if _read(aside) != judged:
        with contextlib.suppress(OSError):
            os.link(aside, path)
    aside.unlink(missing_ok=True)


def _is_stale(path: Path) -> bool:
    try:
        age = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return False
    holder = _read(path)
    if holder is None:
        return age > 30.0  # Half written: its maker is busy with it, or dead.
    return age > holder.ttl or holder.is_gone()


def _read(path: Path) -> Holder | None:
    try:
        return Holder(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _myself(purpose: str, ttl: float) -> Holder:
    started = datetime.now(UTC).isoformat(timespec="seconds")
    pid = os.getpid()
    return Holder(pid, socket.gethostname(), started, purpose, secrets.token_hex(8), ttl, _space(), _born(pid))


def _space() -> str:
    """Names this running system, and this container in it; empty where there is no `/proc`."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _born(pid: int) -> str:
    """When the process began, in ticks since the system did; empty where there is none, or it is a zombie."""
    try:
        # The name, in parentheses, may hold anything; what follows it doesn't.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One process at a time, for the moment of looking and changing; the system ends it with the process.

    Where the file system has no locks, or a process was stopped in that very moment, it is done without: creation and
    rename are atomic by themselves, and the turn only spares the rare case that `_remove_stale` puts right.
    """
    with (folder / "lease.turn").open("ab") as file:
        deadline = time.monotonic() + 1.0
        while not _lock(file.fileno()) and time.monotonic() < deadline:
            time.sleep(0.002)
        yield


def _lock(handle: int) -> bool:
    """Whether there is nothing to wait for."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True
