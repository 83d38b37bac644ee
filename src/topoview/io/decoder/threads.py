"""Readers of the decoder in threads, each on a location at a time."""

from types import TracebackType
from typing import Final, Self

import numpy as np

from topoview.base.platform import cores
from topoview.base.progress import Report
from topoview.base.threads import in_threads
from topoview.io.decoder.library import (
    ODDITIES,
    Archive,
    Oddities,
    address,
    load_decoder,
)
from topoview.model import Ints

_BYTES_A_THREAD: Final = 1 << 21


class Readers:
    """Readers of an archive's locations, as many as there are cores.

    What they find stays until they are closed.

    Parameters
    ----------
    size
        Bytes that they will read in all.
    """

    def __init__(self, archive: Archive, size: int, report: Report) -> None:
        self._archive, self._size, self._report = archive, max(size, 1), report
        self._library = load_decoder()
        count = max(1, min(cores(), size // _BYTES_A_THREAD))
        self._readers = []
        archive.done = 0
        for _ in range(count):
            reader = self._library.open(archive.address)
            if not reader:
                self.close()
                raise MemoryError
            self._readers.append(reader)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Free the readers, and what they found."""
        while self._readers:
            self._library.close(self._readers.pop())

    def work(self, task: int, rows: Ints) -> None:
        """Run one of the tasks of `library` for some locations, in any order.

        Raises `Cancelled` from the report. Raises `MemoryError`.
        """
        rows = np.ascontiguousarray(rows, np.int64)
        archive = self._archive
        archive.order, archive.order_count = address(rows), len(rows)
        archive.next = archive.stop = 0
        in_threads(
            [lambda r=reader: self._library.work(r, task) for reader in self._readers],  # type: ignore[misc]
            self._tell,
            self._stop,
        )

    def _tell(self) -> None:
        self._report("reading", min(self._archive.done / self._size, 1.0))

    def _stop(self) -> None:
        self._archive.stop = 1

    def oddities(self) -> dict[str, int]:
        """Sum up what did not fit."""
        counts, total = Oddities(), dict.fromkeys(ODDITIES, 0)
        for reader in self._readers:
            self._library.oddities(reader, counts.address)
            for name in total:
                total[name] += getattr(counts, name)
        return total


def largest_first(sizes: Ints) -> Ints:
    """Order items so that the last ones to be done are short."""
    return np.argsort(-sizes, kind="stable")
