"""Work that mostly waits, side by side. The threads end with the program: nobody waits for a call that hangs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741 - the item
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Done(Generic[I, R]):
    """An item with what became of it: a result, or the error that was raised."""

    item: I
    result: R | None
    error: BaseException | None = None


def side_by_side(items: Sequence[I], work: Callable[[I], R], count: int) -> Iterator[Done[I, R]]:
    """The items as they get done, up to `count` at a time. Leaving off early leaves what hasn't begun undone."""
    todo: queue.SimpleQueue[I] = queue.SimpleQueue()
    done: queue.SimpleQueue[Done[I, R]] = queue.SimpleQueue()
    stop = threading.Event()
    for item in items:
        todo.put(item)

    def worker() -> None:
        while not stop.is_set():
            try:
                item = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put(Done(item, work(item)))
            except BaseException as error:  # noqa: BLE001 - it is handed over to the thread that asked
                done.put(Done(item, None, error))

    for number in range(min(count, len(items))):
        threading.Thread(target=worker, name=f"jam-work-{number}", daemon=True).start()
    try:
        for _ in items:
            yield done.get()
    finally:
        stop.set()


def all_results(items: Sequence[I], work: Callable[[I], R], count: int) -> list[R]:
    """What the work gives for each item, in their order, up to `count` at a time. The first error ends it."""
    results: dict[int, R] = {}
    for done in side_by_side(range(len(items)), lambda number: work(items[number]), count):
        if done.error is not None:
            raise done.error
        results[done.item] = done.result  # type: ignore[assignment]  # without an error there is one
    return [results[number] for number in range(len(items))]
