"""Foreign files handed to a library that may never come back: the call is given up after a time."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_TRIES = 20
_PAUSE = 0.1


class _Over(SystemExit):
    """Raised inside the call; a library's `except Exception` doesn't catch it, and nobody is told."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's result. Raises what it raises, and `TimeoutError` where it takes longer."""
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except _Over:
            pass
        except BaseException as error:  # noqa: BLE001 - it is raised again, where the caller waits
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True, name="jam-deadline")
    thread.start()
    thread.join(seconds)
    for _ in range(_TRIES):
        if not thread.is_alive():
            break
        # Between two bytecodes of that thread; one that never comes back from C code is left alone.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Over))
        thread.join(_PAUSE)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"it took longer than {seconds:g} seconds")
    return results[0]
