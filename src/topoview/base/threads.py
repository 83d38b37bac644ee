"""Work in threads: how many there are, and parts of about as much work each."""

import contextlib
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from topoview.base.platform import cores

P = TypeVar("P")
R = TypeVar("R")

MAX_THREADS: Final = 8
"""Threads that make a picture or a sum: more of them only wait for memory."""

_PATIENCE_SECONDS: Final = 0.03


def equal_parts(
    begins: NDArray[np.int64] | int, parts: int = 0, least: int = 1
) -> list[slice]:
    """Cut items into stretches of about as much work each, none of them empty.

    Parameters
    ----------
    begins : int64, shape (items + 1,), or int
        The work before each item, from 0 on, and in all; or the number of items that
        are as much work each.
    parts
        How many at most; 0: one for each thread.
    least
        Items of a part at least: to start a thread takes a while too.
    """
    count = begins if isinstance(begins, int) else len(begins) - 1
    most = max(count // least, 1)
    parts = parts or (1 if most == 1 else min(cores(), MAX_THREADS, most))
    if parts == 1:
        return [slice(0, count)] if count else []
    if isinstance(begins, int):
        cuts = count * np.arange(1, parts) // parts
    else:
        cuts = np.searchsorted(begins, begins[-1] * np.arange(1, parts) // parts)
    ends = sorted({0, *cuts.tolist(), count})
    return [slice(*ends[k : k + 2]) for k in range(len(ends) - 1)]


def in_parts(work: Callable[[P], R], parts: Sequence[P]) -> list[R]:
    """Run work on each of some parts in threads; return the results in their order.

    Raises what the work raises.
    """
    if len(parts) <= 1 or (threads := min(cores(), MAX_THREADS, len(parts))) <= 1:
        return [work(part) for part in parts]
    results: dict[int, R] = {}

    def do(k: int) -> None:
        results[k] = work(parts[k])

    in_threads([partial(do, k) for k in range(len(parts))], threads=threads)
    return [results[k] for k in range(len(parts))]


def in_threads(
    work: Sequence[Callable[[], Any]],
    tell: Callable[[], None] | None = None,
    stop: Callable[[], None] = lambda: None,
    threads: int = 0,
) -> None:
    """Run independent work in threads; what fails is raised in the end.

    Where the system gives fewer threads, these do all of it. The caller's is one of
    them unless it has to tell of the work.

    Parameters
    ----------
    tell
        Called every few hundredths of a second, and may raise.
    stop
        Called if it has, to make the work end early.
    threads
        How many at most; 0: one for each core.
    """
    hear = tell or (lambda: None)
    left, ended = iter(work), SimpleQueue[None]()
    failed: list[BaseException] = []

    def run() -> None:
        for one in left:
            try:
                if not failed:
                    one()
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)
                stop()
            ended.put(None)

    running = _started(run, min(threads or cores(), len(work)) - (tell is None))
    if tell is None or not running:
        run()
    going_on = len(work)
    while going_on:
        try:
            with contextlib.suppress(Empty):
                ended.get(timeout=_PATIENCE_SECONDS)
                going_on -= 1
            hear()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)
            stop()
    if failed:
        raise failed[0]


def _started(run: Callable[[], None], count: int) -> int:
    """Start threads, as many as the system gives; their number.

    Nobody waits until they run, as `threading` does: on a busy machine that takes
    longer than much of the work, and whoever starts them has done it by then.
    """
    for number in range(count):
        try:
            start_new_thread(run, ())
        except RuntimeError:  # no thread is left
            return number
    return count
