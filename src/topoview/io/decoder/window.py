"""Which part of each file is read for a stretch of time.

Behind the stretch a little more is read, until nothing that follows changes what is in
it. What is before is walked over: which regions are open, which receive belongs to
which send, and how many collective operations there were, follows from it.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import Report
from topoview.io.decoder.library import (
    FIND_END,
    FIND_START,
    MAX_TIME,
    PEEK,
    Archive,
    address,
    words_at,
)
from topoview.io.decoder.threads import Readers
from topoview.model import Bools, Indices, Ints

MARGIN_GROWTH: Final = 8
"""How many times as much behind the stretch is read when that was too little."""

_STRETCH_A_MARGIN: Final = 16
_TIME_A_MARGIN: Final = 128
"""Of the stretch, and of the time up to its end, so many margins are read behind it."""

_MAX_MARGIN: Final = MAX_TIME // MARGIN_GROWTH * MARGIN_GROWTH
_CHANNEL_WORDS: Final = 5
_PART: Final = 2
_TAG_BITS: Final = 0xFFFFFFFF


class Window:
    """A stretch of time, and the parts of files that are read for it.

    Sets `part`, `until` and what begins with `start_` of the locations.

    Parameters
    ----------
    locations : shape (rows,)
        What the decoder is told of them.
    sizes : int64, shape (rows,)
        Bytes of the files, 0 for those that are not to be read.
    begin, until
        Ticks from the trace's beginning: of what begins before, or not before, only
        that is read which is needed. None: up to the end.
    """

    def __init__(  # noqa: PLR0913
        self,
        archive: Archive,
        locations: NDArray[np.void],
        sizes: Ints,
        begin: int,
        until: int | None,
        report: Report,
    ) -> None:
        self._archive, self._rows, self._sizes = archive, locations, sizes
        self._until = until
        self._ends: list[Ints] = []  # kept for the decoder
        self._parts = np.zeros((0, 3), np.int64)
        self._readers = Readers(
            archive,
            int(sizes.sum()),
            lambda _, fraction: report("finding the stretch of time", fraction),
        )
        try:
            self._look(begin)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Free what was found; the parts are not to be used any more."""
        self._readers.close()

    def _look(self, begin: int) -> None:
        rows, flat = self._rows, bool(self._archive.flat)
        self._readers.work(PEEK, np.arange(len(rows)))
        first = rows["first"].copy()
        # Clocks that are not aligned unless the archive holds their offsets: what is
        # before a moment is not known before they are.
        aligned = not flat or bool(rows["offsets"].any())
        if not aligned or not (first >= 0).any():
            return
        self._beginning = origins(first, rows["rank"].astype(np.int32), aligned)
        there = np.flatnonzero(self._sizes > 0)
        if begin > 0 and not flat:  # EZTrace's records of requests mean other things
            self._find_starts(there, begin)
        if self._until is not None:
            margin = max(
                (self._until - begin) // _STRETCH_A_MARGIN,
                self._until // _TIME_A_MARGIN,
                1,
            )
            self._behind = np.full(len(rows), margin, np.int64)
            self._find_ends(there)

    def extend(self, rows: Indices | Ints) -> None:
        """Read more behind the stretch of some rows, in the end all of their files."""
        done = rows[
            self._behind[rows] >= _MAX_MARGIN
        ]  # damaged times are behind others
        self._rows["part"][done] = np.iinfo(np.int64).max
        self._rows["until"][done] = -1
        rows = rows[self._behind[rows] < _MAX_MARGIN]
        self._behind[rows] = (
            np.minimum(self._behind[rows], MAX_TIME // MARGIN_GROWTH) * MARGIN_GROWTH
        )
        self._find_ends(rows)

    def parts_before(self) -> Ints:
        """Count the collective operations before what was decoded.

        Returns
        -------
        int64, shape (n, 3)
            Row, communicator and number.
        """
        result: Ints = self._parts[self._rows["started"][self._parts[:, 0]] != 0]
        return result

    def _find_ends(self, rows: Indices | Ints) -> None:
        until = _later(self._beginning[rows], self._until or 0)
        until = np.minimum(until, MAX_TIME - self._behind[rows]) + self._behind[rows]
        self._rows["until"][rows] = until
        self._readers.work(FIND_END, rows.astype(np.int64))

    def _find_starts(self, there: Indices | Ints, begin: int) -> None:
        """Find what is before; all is read if that has to be decoded."""
        rows = self._rows
        rows["start_now"] = _later(self._beginning, begin)
        self._readers.work(FIND_START, there.astype(np.int64))
        with_channels = there[rows["channel_count"][there] > 0]
        tables = [_channels(rows[row]) for row in with_channels.tolist()]
        owners = np.repeat(with_channels, [len(table) for table in tables])
        channels = np.concatenate([np.zeros((0, _CHANNEL_WORDS), np.int64), *tables])
        ranks = rows["rank"][with_channels]
        # The order of what threads of a rank sent would have to be known.
        unclear = len(np.unique(ranks)) < len(ranks)
        if rows["strange"].any() or unclear or not len(there):
            rows["start_chunk"] = -1
            return
        read = np.zeros(int(rows["rank"].max(initial=0)) + 1, np.bool_)
        read[rows["rank"][there]] = True
        parts = channels[:, 4] == _PART
        self._parts = np.stack([owners, channels[:, 1], channels[:, 3]], 1)[parts]
        ends = _left_open(channels[~parts], owners[~parts], rows, read)
        for name, count, (open_ends, owner) in zip(
            ("sends", "receives"), ("send_count", "receive_count"), ends, strict=True
        ):
            order = np.argsort(owner, kind="stable")
            table, owner = np.ascontiguousarray(open_ends[order]), owner[order]
            every = np.arange(len(rows))
            low = np.searchsorted(owner, every)
            rows[name] = address(table) + low * table.strides[0]
            rows[count] = np.searchsorted(owner, every, "right") - low
            self._ends.append(table)


def _later(times: Ints, ticks: int) -> Ints:
    """Add to times; none comes to lie behind all that are sound."""
    return np.minimum(times, MAX_TIME - ticks) + ticks


def _channels(row: np.void) -> Ints:
    """Return what the decoder noted of a location's messages before."""
    size = int(row["channel_count"]) * _CHANNEL_WORDS
    return words_at(int(row["channels"]), size).reshape(-1, _CHANNEL_WORDS)


def _left_open(
    channels: Ints, owners: Ints, rows: NDArray[np.void], read: Bools
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Find the messages before a moment whose other end is not before it.

    Parameters
    ----------
    channels
        What the decoder found of messages before.
    owners : int64, shape (channels,)
        Row of each.
    read : bool, shape (ranks,)
        Of which ranks anything is read: others have no other ends.

    Returns
    -------
    pair, pair
        Of sends, and of receives: int64, shape (n, 3), partner, communicator and tag,
        and int64, shape (n,), their rows.
    """
    receives = channels[:, 4] != 0
    mine, other = rows["rank"][owners], channels[:, 0]
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
    owner = np.repeat(owners[at], np.abs(more))
    is_send = np.repeat(more > 0, np.abs(more))
    return (open_ends[is_send], owner[is_send]), (open_ends[~is_send], owner[~is_send])


def bytes_of(rows: NDArray[np.void], sizes: Ints, chunk: int) -> int:
    """Bytes of the parts of files that are read."""
    before = np.maximum(rows["start_chunk"], 0) * chunk
    return int(np.maximum(np.minimum(rows["part"], sizes) - before, 0).sum())


def lend_sizes(
    columns: dict[str, NDArray[Any]],
    locations: NDArray[np.void],
    rank: Indices,
    sends: Ints,
    receives: Ints,
) -> None:
    """Copy the sizes of messages that were sent before from their receives.

    Parameters
    ----------
    sends, receives : int64, shape (rows + 1,)
        Where each row's part of the columns begins; what was before comes first.
    """
    early = locations["send_count"] * (locations["started"] != 0)
    at = np.repeat(sends[:-1] - np.cumsum(early) + early, early) + np.arange(
        early.sum()
    )
    if not len(at):
        return
    receiver = columns["messages.receiver"][at].astype(np.int64)
    sender = columns["messages.sender"][at].astype(np.int64)
    wanted = sender << 32 | receiver
    owner = np.repeat(rank, np.diff(receives)).astype(np.int64)
    pair = columns["receives.rank"].astype(np.int64) << 32 | owner
    slots = np.flatnonzero(np.isin(pair, wanted))
    if "receives.posted" in columns:
        slots = slots[np.argsort(columns["receives.posted"][slots], kind="stable")]
    names = [
        np.concatenate([one, other])
        for one, other in (
            (wanted, pair[slots]),
            (
                columns["messages.communicator"][at],
                columns["receives.communicator"][slots],
            ),
            (
                columns["messages.tag"][at].astype(np.int64) & _TAG_BITS,
                columns["receives.tag"][slots].astype(np.int64),
            ),
        )
    ]
    is_receive = np.arange(len(names[0])) >= len(at)
    order = np.lexsort((is_receive, *names))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.any([name[order][1:] != name[order][:-1] for name in names], axis=0)
    group = np.cumsum(is_new) - 1
    of_send = ~is_receive[order]
    early_count = np.bincount(group[of_send], minlength=group[-1] + 1)
    # The k-th send of a group has the k-th receive, which comes behind all sends.
    there = np.arange(len(order))[of_send] + early_count[group[of_send]]
    inside = there < len(order)
    inside[inside] = group[there[inside]] == group[of_send][inside]
    message = at[order[of_send][inside]]
    slot = slots[order[there[inside]] - len(at)]
    columns["messages.size"][message] = columns["receives.size"][slot]


def origins(first: Ints, rank: Indices, aligned: bool) -> Ints:
    """Time stamp that is taken as time 0, for each row.

    Parameters
    ----------
    first : int64, shape (rows,)
        Time of each row's first event, -1 without events.
    rank : int32, shape (rows,)
        Rank that each row belongs to.
    aligned
        Whether clocks of different ranks can be compared: the earliest event
        of all is the beginning. Otherwise each rank's first event is.
    """
    never = np.iinfo(np.int64).max
    times = np.where(first < 0, never, first)
    if aligned:
        earliest = np.full(len(first), times.min(initial=never))
    else:
        of_rank = np.full(int(rank.max(initial=-1)) + 1, never)
        np.minimum.at(of_rank, rank, times)
        earliest = of_rank[rank]
    beginning: Ints = np.where(earliest == never, 0, earliest)
    return beginning
