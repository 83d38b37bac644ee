"""Work on locations in threads, all cores at once; compiled code holds no lock."""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar

from topoview.progress import Report

_PATIENCE_SECONDS: Final = 0.03
_BYTES_A_THREAD: Final = 1 << 21

Tool = TypeVar("Tool")


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool(Generic[Tool]):
    """Threads with a tool each, such as a worker of the decoder.

    Parameters
    ----------
    make
        Makes a tool; it is given the function to be called with bytes that were
        read, which tells whether to go on.
    size
        Bytes in all, of both passes.
    """

    def __init__(
        self,
        make: Callable[[Callable[[int], bool]], Tool],
        size: int,
        report: Report,
    ) -> None:
        self._size = max(size, 1)
        self._report = report
        self._done = 0
        self._stop = False
        self._lock = threading.Lock()
        count = max(1, min(cores(), size // _BYTES_A_THREAD))
        self.tools = [make(self._advance) for _ in range(count)]

    def _advance(self, size: int) -> bool:
        with self._lock:
            self._done += size
        return not self._stop

    def _tell(self) -> None:
        self._report("reading", min(self._done / self._size, 1.0))

    def each(  # noqa: C901
        self, work: Callable[[Tool, int], None], items: Iterable[int]
    ) -> None:
        """Do some work for each item, in any order.

        Raises
        ------
        Cancelled
            From the report.
        """
        left = iter(list(items))
        failed: list[BaseException] = []

        def run(tool: Tool) -> None:
            try:
                for item in left:
                    if self._stop:
                        return
                    work(tool, item)
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)
                self._stop = True

        threads = [
            threading.Thread(target=run, args=(tool,), daemon=True)
            for tool in self.tools
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_PATIENCE_SECONDS)
                    self._tell()
        except BaseException:
            self._stop = True
            for thread in threads:
                thread.join()
            raise
        if failed:
            raise failed[0]


def largest_first(sizes: Sequence[int]) -> list[int]:
    """Order items so that the last ones to be done are short."""
    return sorted(range(len(sizes)), key=lambda item: -sizes[item])


def in_threads(work: list[Callable[[], None]]) -> None:
    """Do independent work on all cores."""
    left = iter(work)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            for one in left:
                one()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(min(cores(), len(work)) - 1)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
