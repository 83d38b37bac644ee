"""Iterations of a loop: how long each rank took for each, and waited in it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from topoview.analysis.logical.iterations import iterations as iterations_of_calls
from topoview.analysis.waits.states import lateness
from topoview.model import Analysis, Frozen, Indices, Ints, Table, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Iterations(Frozen):
    """Every iteration of a loop on every rank, rank after rank, in order of time.

    Attributes
    ----------
    rank, iteration : int32, shape (n,)
        Iteration from 1, through all runs of the loop.
    first, stop : int64, shape (n,)
        Its calls are those of the trace from `first` to before `stop`.
    begin, end : int64, shape (n,)
        Ticks: from the end of the rank's call before, if there is one, to the end of
        its last call.
    """

    rank: Indices
    iteration: Indices
    first: Ints
    stop: Ints
    begin: Ints
    end: Ints

    def __len__(self) -> int:
        """Count the iterations of all ranks."""
        return len(self.rank)

    def within(
        self, window: tuple[int, int] | None, ranks: Sequence[int] = ()
    ) -> "Iterations":
        """Keep those that begin in a window, and those of some ranks; empty: of all."""
        keep = np.ones(len(self), bool)
        if window is not None:
            keep &= (self.begin >= window[0]) & (self.begin < window[1])
        if ranks:
            keep &= np.isin(self.rank, ranks)
        columns = (getattr(self, field.name) for field in fields(self))
        return Iterations(*(column[keep] for column in columns))


def iterations(known: Analysis, loop: int | None = None) -> Iterations | None:
    """Find the iterations of a loop.

    Parameters
    ----------
    known
        Whose `logical` and `positions` are used.
    loop
        Its number in order of lines; None: the program's main loop.

    Returns
    -------
    Iterations or None
        None if there is no such loop.
    """
    if known.positions is None:
        return None
    trace, calls = known.trace, known.trace.calls
    turn = iterations_of_calls(known.positions, slice(0, _last(trace)), loop)
    inside = np.flatnonzero(turn)
    if not len(inside):
        return None
    of_rank = np.searchsorted(calls.offsets[: trace.ranks + 1], inside, "right") - 1
    now = turn[inside]
    new = (of_rank[1:] != of_rank[:-1]) | (now[1:] != now[:-1])
    start = np.flatnonzero(np.append(True, new))
    first, stop = inside[start], inside[np.append(start[1:], len(inside)) - 1] + 1
    rank = of_rank[start].astype(np.int32)
    alone = first == calls.offsets[rank]
    begin = np.where(alone, calls.enter[first], calls.leave[first - 1])
    return Iterations(rank, now[start], first, stop, begin, calls.leave[stop - 1])


def _last(trace: Trace) -> int:
    """Return the end of the calls of the ranks' main threads."""
    return int(trace.calls.offsets[trace.ranks])


def iteration_of_calls(known: Analysis, some: Ints) -> Indices:
    """Give the iteration that each of some calls is in: int32, from 1; 0 outside."""
    if known.positions is None:
        return np.zeros(len(some), np.int32)
    return np.where(
        some < _last(known.trace), iterations_of_calls(known.positions, some), 0
    )


def iteration_table(known: Analysis, every: Iterations) -> Table:
    """Make a table of iterations: a row a rank and iteration.

    Returns
    -------
    Table
        ``rank, iteration, begin, seconds, mpi`` (seconds within MPI calls),
        ``wait`` (for late partners; NaN where that is not known) and ``bytes`` sent.
    """
    trace, calls = known.trace, known.trace.calls
    scale = trace.clock.resolution
    inside = np.maximum(calls.leave - calls.enter, 0)
    late = np.full(len(calls), np.nan)
    if known.waits is not None:
        late = np.maximum(lateness(trace, known.waits), 0.0)
    messages = trace.messages
    own = messages.send_call >= 0
    sent = np.bincount(messages.send_call[own], messages.size[own], len(calls))
    sums = [
        np.append(0, np.cumsum(column))[[every.stop, every.first]]
        for column in (inside, late, sent)
    ]
    mpi, wait, volume = (high - low for high, low in sums)
    return Table(
        {
            "rank": every.rank,
            "iteration": every.iteration,
            "begin": every.begin / scale,
            "seconds": (every.end - every.begin) / scale,
            "mpi": mpi / scale,
            "wait": wait / scale,
            "bytes": volume.astype(np.int64),
        }
    )
