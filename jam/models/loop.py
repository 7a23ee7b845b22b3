"""One event loop in a thread of its own, on which all calls of chat models wait side by side.

Jobs are plain functions; calls are asynchronous, so that they can be given up in time and share their connections.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from jam.errors import ModelUnavailable

T = TypeVar("T")
_lock = threading.Lock()
_stopping = threading.Event()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of asynchronous work, waited for in this thread. Not to be called from asynchronous code.

    Raises `ModelUnavailable` once `interrupt` was called.
    """
    if _stopping.is_set():
        work.close()
        raise ModelUnavailable("stopped")
    waiting = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return waiting.result()
    except concurrent.futures.CancelledError:
        raise ModelUnavailable("stopped") from None
    except BaseException:
        waiting.cancel()  # an interrupted caller pays for nothing more
        raise


def interrupt() -> None:
    """Gives up all calls under way and to come: the program is to end, and threads wait for them."""
    _stopping.set()
    running = _running
    if running is not None and running[0] == os.getpid():
        running[1].call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(running[1])])


def close_later(close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Has the loop close something that was used on it, without waiting. May be called at any time, by any thread."""
    running = _running
    if running is not None and running[0] == os.getpid() and not running[1].is_closed():
        asyncio.run_coroutine_threadsafe(close(), running[1])


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid() or _running[1].is_closed():  # a fork has no threads
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="jam-models", daemon=True).start()
            _running = (os.getpid(), loop)
        return _running[1]
