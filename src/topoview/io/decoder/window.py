"""Which part of each file is read for a stretch of time.

Behind the stretch a little more is read, until nothing that follows changes what is in
it. What is before is walked over: which regions are open, and which receive belongs to
which send, follows from it.
"""

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from topoview.io.decoder.counted import Counted, Part
from topoview.io.decoder.fill import LATEST
from topoview.io.decoder.frame import CALLS, EARLIER_RECEIVES, EARLIER_SENDS, EXTRA
from topoview.io.decoder.place import EMPTY
from topoview.io.decoder.requests import BY_COLLECTIVE, BY_RECEIVE, FREE
from topoview.io.decoder.seek import Before, Strange, before, end_of, peek
from topoview.io.decoder.worker import WHOLE_FILE, Worker
from topoview.io.settle import origins
from topoview.model import Bools, Indices, Ints, Location
from topoview.progress import Report

MORE: Final = 8
"""How many times as much behind the stretch is read when that was too little."""

_BEHIND: Final = 16
_FAR: Final = 128
_FURTHEST: Final = LATEST // MORE * MORE
_INTERVALS: Final = 2

Work = Callable[[Worker, int], None]
Each = Callable[[Work, list[int]], None]


class Window:
    """A stretch of time, and the parts of files that are read for it.

    Parameters
    ----------
    each
        Does some work for each row.
    sizes
        Bytes of the files, 0 for those that are not to be read.
    begin, until
        Ticks from the trace's beginning: of what begins before, or not before, only
        that is read which is needed. None: up to the end.
    flat
        Clocks are not aligned unless the archive holds their offsets: what is before a
        moment is not known before they are. Records of requests mean other things
        (EZTrace).

    Attributes
    ----------
    parts
        What is read of each file.
    """

    def __init__(  # noqa: PLR0913
        self,
        each: Each,
        locations: tuple[Location, ...],
        rank: Indices,
        sizes: list[int],
        begin: int,
        until: int | None,
        flat: bool,
    ) -> None:
        rows = len(locations)
        self._locations, self._rank, self._sizes = locations, rank, sizes
        self._until = until
        self.parts = [WHOLE_FILE] * rows
        first = np.full(rows, -1, np.int64)
        offsets = np.zeros(rows, np.int64)

        def look(worker: Worker, row: int) -> None:
            found = peek(worker, locations[row].id)
            first[row], offsets[row] = found.first, found.offsets

        each(look, list(range(rows)))
        aligned = not flat or bool(offsets.any())
        self._is_known = aligned and bool((first >= 0).any())
        if not self._is_known:
            return
        self._beginning = origins(first, rank, aligned)
        if begin > 0 and not flat:
            self._find_starts(each, first, begin)
        if until is not None:
            margin = max((until - begin) // _BEHIND, until // _FAR, 1)
            self._behind = np.full(rows, margin, np.int64)
            self._find_ends(each, [row for row in range(rows) if sizes[row]])

    def extend(self, each: Each, rows: list[int]) -> None:
        """Read more behind the stretch of some rows, in the end all of their files."""
        for row in rows:
            if self._behind[row] >= _FURTHEST:  # damaged times are behind all others
                start = self.parts[row].start
                self.parts[row] = WHOLE_FILE._replace(start=start)
        rows = [row for row in rows if self._behind[row] < _FURTHEST]
        self._behind[rows] = np.minimum(self._behind[rows], LATEST // MORE) * MORE
        self._find_ends(each, rows)

    def _find_ends(self, each: Each, rows: list[int]) -> None:
        def find(worker: Worker, row: int) -> None:
            until = int(self._beginning[row]) + (self._until or 0)
            until = min(until + int(self._behind[row]), LATEST)
            part = end_of(worker, self._locations[row].id, until)
            self.parts[row] = part._replace(start=self.parts[row].start)

        each(find, rows)

    def _find_starts(self, each: Each, first: Ints, begin: int) -> None:
        """Find what is before; all is read if that has to be decoded."""
        moment = self._beginning + begin
        found: dict[int, Before] = {}
        strange: list[int] = []

        def find(worker: Worker, row: int) -> None:
            if strange:
                return
            worker.set(rank=int(self._rank[row]))
            place = self._locations[row].id
            try:
                found[row] = before(worker, place, int(first[row]), int(moment[row]))
            except Strange:
                strange.append(row)

        each(find, [row for row, size in enumerate(self._sizes) if size])
        busy = [
            int(self._rank[row]) for row, known in found.items() if known.channels.size
        ]
        if strange or not found or len(set(busy)) < len(busy):
            return  # the order of what threads of a rank sent would have to be known
        read = np.zeros(int(self._rank.max(initial=0)) + 1, np.bool_)
        read[self._rank[[row for row, size in enumerate(self._sizes) if size]]] = True
        sends, receives = _left_open(found, self._rank, read)
        for row, known in found.items():
            if known.start is not None:
                start = known.start._replace(sends=sends[row], receives=receives[row])
                self.parts[row] = WHOLE_FILE._replace(start=start)


def _left_open(
    found: dict[int, Before], rank: Indices, read: Bools
) -> tuple[dict[int, Ints], dict[int, Ints]]:
    """Find the messages before a moment whose other end is not before it.

    Parameters
    ----------
    read : bool, shape (ranks,)
        Of which ranks anything is read: others have no other ends.

    Returns
    -------
    dict, dict
        For each row int64, shape (n, 3): partner, communicator, tag of sends, and of
        receives.
    """
    rows = np.repeat(list(found), [len(known.channels) for known in found.values()])
    channels = np.concatenate([known.channels for known in found.values()])
    receives = np.concatenate([known.receives for known in found.values()])
    mine, other = rank[rows].astype(np.int64), channels[:, 0]
    sender, receiver = np.where(receives, (other, mine), (mine, other))
    order = np.lexsort((receives, channels[:, 2], channels[:, 1], receiver, sender))
    names = np.stack([sender, receiver, channels[:, 1], channels[:, 2]])[:, order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (names[:, 1:] != names[:, :-1]).any(axis=0)
    begins = np.flatnonzero(is_new)
    count = np.where(receives, -channels[:, 3], channels[:, 3])[order]
    more = np.add.reduceat(count, begins) if len(begins) else count
    # Of a channel its sends come first: the last one of more receives is a receive.
    ends = np.append(begins[1:], len(order)) - 1
    at = order[np.where(more > 0, begins, ends)]
    wanted = (more != 0) & read[other[at]]
    at, more = at[wanted], more[wanted]
    open_ends = np.repeat(channels[at, :3], np.abs(more), axis=0)
    owner, is_send = (
        np.repeat(rows[at], np.abs(more)),
        np.repeat(more > 0, np.abs(more)),
    )
    return _by_row(open_ends[is_send], owner[is_send], found), _by_row(
        open_ends[~is_send], owner[~is_send], found
    )


def _by_row(ends: Ints, owner: Ints, rows: Iterable[int]) -> dict[int, Ints]:
    order = np.argsort(owner, kind="stable")
    ends, owner = ends[order], owner[order]
    low, high = (np.searchsorted(owner, list(rows), side) for side in ("left", "right"))
    return {
        row: ends[begin:end] for row, begin, end in zip(rows, low, high, strict=True)
    }


def bytes_of(parts: list[Part], sizes: list[int], chunk: int) -> int:
    """Bytes of parts of files."""
    return sum(
        max(min(part.size, size) - (part.start.chunk if part.start else 0) * chunk, 0)
        for part, size in zip(parts, sizes, strict=True)
    )


def looking(report: Report) -> Report:
    """Report of what is before a stretch of time."""
    return lambda _, fraction: report("finding the stretch of time", fraction)


def with_room(found: Counted) -> Counted:
    """Add what a location needs besides if its reading begins in the middle."""
    if found.start is None:
        return found
    more = {
        CALLS: 1,
        EXTRA: _INTERVALS,
        EARLIER_SENDS: len(found.start.sends),
        EARLIER_RECEIVES: len(found.start.receives),
    }
    for kind, count in zip(found.kinds.tolist(), found.counts.tolist(), strict=True):
        more[kind] = more.get(kind, 0) + count
    kinds, counts = np.array(list(more)), np.array(list(more.values()))
    return found._replace(kinds=kinds, counts=counts)


def is_settled(worker: Worker, columns: dict[str, np.ndarray], until: int) -> bool:
    """Tell whether nothing behind the chunks that were read changes what is before.

    A receive that was posted and had not completed yet takes a send from those that
    were posted after it; a collective operation is known when it completes.
    """
    here = worker.frame[0]
    if worker.is_inside and columns["calls.enter"][here["call"] - 1] < until:
        return False
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
    later = slice(int(receives.min()) + 1, int(here["receive"]))
    completed = columns["receives.rank"][later] != EMPTY
    return not np.any(completed & (columns["receives.time"][later] < until))
