"""Which chunks of files are read for a stretch of time.

A chunk begins with a time, so that those behind the stretch can be told and left out.
Those before it are read: which regions and requests are open, and which receive
belongs to which send, follows from all that came before.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.io.decoder_place import EMPTY
from topoview.io.decoder_requests import BY_COLLECTIVE, BY_RECEIVE, FREE
from topoview.io.decoder_worker import Worker
from topoview.io.settle import origins
from topoview.model import Indices, Location

MORE: Final = 8
"""How many times as many chunks behind the stretch are read when those were too few."""

Find = Callable[[Worker, int], None]


def find_ends(  # noqa: PLR0913
    each: Callable[[Find, list[int]], None],
    locations: tuple[Location, ...],
    rank: Indices,
    sizes: list[int],
    until: int,
    behind: list[int],
    flat: bool,
) -> list[int]:
    """Find how many bytes of each file are to be read.

    Parameters
    ----------
    each
        Does some work for each row.
    sizes
        Bytes of the files, 0 for those that are not to be read.
    until
        Ticks from the trace's beginning; what begins then is not wanted.
    behind
        Chunks of each file that are read behind those that begin before.
    flat
        Clocks are not aligned unless the archive holds their offsets. Then all is
        read: what is before the end is not known before they are aligned.
    """
    first = np.full(len(locations), -1, np.int64)
    offsets = np.zeros(len(locations), np.int64)

    def peek(worker: Worker, row: int) -> None:
        found = worker.peek(locations[row].id)
        first[row], offsets[row] = found.first, found.offsets

    each(peek, list(range(len(locations))))
    aligned = not flat or bool(offsets.any())
    if not aligned or not (first >= 0).any():
        return sizes
    end = origins(first, rank, aligned) + until
    found = list(sizes)

    def find(worker: Worker, row: int) -> None:
        if sizes[row]:
            found[row] = worker.end(locations[row].id, int(end[row]), behind[row])

    each(find, list(range(len(locations))))
    return found


def is_settled(worker: Worker, columns: dict[str, np.ndarray], until: int) -> bool:
    """Tell whether nothing behind the chunks that were read changes what is before.

    A receive that was posted and had not completed yet takes a send from those that
    were posted after it; a collective operation is known when it completes.
    """
    values = worker.requests
    values = values[values != FREE]
    slots, kinds = values >> 2, values & 3
    parts = slots[kinds == BY_COLLECTIVE]
    calls = columns["collectives.call"][parts]
    if np.any(columns["calls.enter"][calls[calls >= 0]] < until):
        return False
    receives = slots[kinds == BY_RECEIVE]
    if not len(receives):
        return True
    later = slice(int(receives.min()) + 1, int(worker.frame[0]["receive"]))
    completed = columns["receives.rank"][later] != EMPTY
    return not np.any(completed & (columns["receives.time"][later] < until))
