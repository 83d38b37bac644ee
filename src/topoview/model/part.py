"""Some ranks of a trace, of which a result is made by itself."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topoview.base.progress import BATCH_ROWS, batches
from topoview.model.frozen.arrays import Indices, Ints
from topoview.model.trace import Trace

Rows = tuple[slice, ...] | Ints
"""Rows of a table: stretches, or their numbers; ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Neighbouring ranks of a trace, with the rows of what they did.

    All numbers are those of the whole trace, whose columns are at hand: what a part
    needs of another one's calls it looks up there.
    """

    trace: Trace
    """The whole trace."""
    ranks: slice
    """The ranks."""
    rows: tuple[slice, ...]
    """Stretches of their locations: first the main threads."""
    sent: Rows
    received: Rows
    """`sent` and `received`: rows of the messages that were sent by them, and to
    them."""
    collectives: Rows
    """Rows of their parts in collective operations."""

    @property
    def calls(self) -> tuple[slice, ...]:
        """Stretches of the calls."""
        return tuple(elements(own, self.trace.calls.offsets) for own in self.rows)

    @property
    def main(self) -> slice:
        """Calls of the ranks' main threads."""
        return elements(self.ranks, self.trace.calls.offsets)

    @property
    def size(self) -> int:
        """Count the calls."""
        return sum(own.stop - own.start for own in self.calls)

    def rank_batches(self) -> Iterator[tuple[slice, slice]]:
        """Iterate over calls in batches of whole ranks: the ranks, and their calls."""
        offsets, ranks = self.trace.calls.offsets, self.ranks
        first = ranks.start
        while first < ranks.stop:
            until = offsets[first] + BATCH_ROWS
            stop = bisect_right(offsets, until, first, ranks.stop + 1) - 1
            batch = slice(first, max(stop, first + 1))
            yield batch, elements(batch, offsets)
            first = batch.stop

    def column(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return what the part's calls have in a column."""
        return taken(column, self.calls)

    def places(self, call: Ints) -> Ints:
        """Return the places of calls in the part; -1 for those of others."""
        if len(self.calls) == 1:
            (own,) = self.calls
            return np.where(
                (call >= own.start) & (call < own.stop), call - own.start, -1
            )
        result = np.full(len(call), -1, np.int64)
        begin = 0
        for own in self.calls:
            inside = np.flatnonzero((call >= own.start) & (call < own.stop))
            result[inside] = call[inside] + (begin - own.start)
            begin += own.stop - own.start
        return result


def elements(rows: slice, offsets: Ints) -> slice:
    """Return where the elements of neighbouring rows are."""
    return slice(int(offsets[rows.start]), int(offsets[rows.stop]))


def whole_part(trace: Trace) -> Part:
    """Return all ranks of a trace as one part."""
    messages = (slice(0, len(trace.messages)),)
    return Part(
        trace=trace,
        ranks=slice(0, trace.ranks),
        rows=(slice(0, len(trace.calls.offsets) - 1),),
        sent=messages,
        received=messages,
        collectives=(slice(0, len(trace.collectives)),),
    )


def parts_of(trace: Trace, stretches: Sequence[slice]) -> list[Part]:
    """Return stretches of a trace's ranks as parts, without further threads."""
    of_rank = np.full(trace.ranks, -1)
    for number, ranks in enumerate(stretches):
        of_rank[ranks] = number
    messages = trace.messages
    sent, received = (
        _rows_by(of_rank, column, len(stretches))
        for column in (messages.sender, messages.receiver)
    )
    parts = []
    for number, ranks in enumerate(stretches):
        own = elements(ranks, trace.calls.offsets)
        collectives = np.searchsorted(trace.collectives.call, [own.start, own.stop])
        of_collectives = (slice(*collectives.tolist()),)
        of_messages = sent[number], received[number]
        parts.append(Part(trace, ranks, (ranks,), *of_messages, of_collectives))
    return parts


def _rows_by(of_rank: Ints, column: Indices, owners: int) -> list[Ints]:
    """Find the rows of each owner, by the owner of each rank; -1: none."""
    rows, owner = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for some in batches(len(column)):
        of = of_rank[column[some]]
        own = np.flatnonzero(of >= 0)
        rows.append(some.start + own)
        owner.append(of[own])
    row, whose = np.concatenate(rows), np.concatenate(owner)
    order = np.argsort(whose, kind="stable")
    return np.split(row[order], np.searchsorted(whose[order], np.arange(1, owners)))


def taken(column: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Return what rows have in a column: a view, if they are one stretch."""
    if not isinstance(rows, tuple):
        return column[rows]
    pieces = [column[own] for own in rows] or [column[:0]]
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def rows_in_batches(rows: Rows) -> Iterator[slice | Ints]:
    """Iterate over rows in batches: what indexes a column."""
    if isinstance(rows, tuple):
        for own in rows:
            for some in batches(own.stop - own.start):
                yield slice(own.start + some.start, own.start + some.stop)
    else:
        for some in batches(len(rows)):
            yield rows[some]


def rows_at(rows: slice | Ints, places: Ints) -> Ints:
    """Return the numbers of the rows at some places of a batch of `rows_in_batches`."""
    return rows.start + places if isinstance(rows, slice) else rows[places]


def row_numbers(rows: Rows) -> Ints:
    """Return the numbers of rows."""
    if not isinstance(rows, tuple):
        return rows
    pieces = [np.arange(own.start, own.stop) for own in rows]
    return np.concatenate([np.zeros(0, np.int64), *pieces])
