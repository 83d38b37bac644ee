"""Iterations of a loop: how long each rank took for each, and waited in it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from topoview.analysis.waits.states import lateness
from topoview.live.picking.occurrences import iterations_of, loops_of
from topoview.model import Analysis, Indices, Ints, Loop, Table, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Iterations:
    """Every iteration of a loop on every rank, rank after rank, in order of time.

    Attributes
    ----------
    rank, iteration, visit : int32, shape (n,)
        Iteration from 1, and in which run of the loop, from 1.
    first, stop : int64, shape (n,)
        Its calls are those of the trace from `first` to before `stop`.
    begin, end : int64, shape (n,)
        Ticks: from its first call to the next iteration's, else to the end of its last
        call.
    """

    rank: Indices
    iteration: Indices
    visit: Indices
    first: Ints
    stop: Ints
    begin: Ints
    end: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

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


def longest_loop(known: Analysis) -> int:
    """Find the outermost loop that takes longest: its number by lines, else -1."""
    if known.logical is None or known.positions is None:
        return -1
    found = loops_of(known.logical)
    return _loops(known).index(found[0]) if found else -1


def _loops(known: Analysis) -> list[Loop]:
    from topoview.logical.listing import lines

    assert known.logical is not None
    told = (line.statement for line in lines(known.logical))
    return [statement for statement in told if isinstance(statement, Loop)]


def iterations(known: Analysis, loop: int | None = None) -> Iterations | None:
    """Find the iterations of a loop.

    Parameters
    ----------
    known
        Whose `logical` and `positions` are used.
    loop
        Its number in order of lines; the outermost one that takes longest if None.

    Returns
    -------
    Iterations or None
        None if there is no such loop.
    """
    number = longest_loop(known) if loop is None else loop
    if known.positions is None or not 0 <= number < len(known.positions.loops):
        return None
    trace, at = known.trace, known.positions.of_call.astype(np.float64)
    at[at < 0] = np.nan
    turn = iterations_of(known.positions, number, at)
    inside = np.flatnonzero(~np.isnan(turn))
    calls, last = trace.calls, int(trace.calls.offsets[trace.ranks])
    inside = inside[inside < last]
    if not len(inside):
        return None
    of_rank = np.searchsorted(calls.offsets[: trace.ranks + 1], inside, "right") - 1
    now, place = turn[inside], at[inside]
    next_one = inside[1:] == inside[:-1] + 1
    same_rank = of_rank[1:] == of_rank[:-1]
    goes_on = same_rank & next_one & (now[1:] == now[:-1]) & (place[1:] >= place[:-1])
    start = np.flatnonzero(np.append(True, ~goes_on))
    final = np.append(start[1:], len(inside)) - 1
    first, stop = inside[start], inside[final] + 1
    rank, number_of = of_rank[start], now[start].astype(np.int32) + 1
    follows = np.append((rank[1:] == rank[:-1]) & (first[1:] == stop[:-1]), False)
    after = np.append(first[1:], 0)
    end = np.where(follows, calls.enter[after], calls.leave[stop - 1])
    again = np.append(True, (rank[1:] != rank[:-1]) | (number_of[1:] <= number_of[:-1]))
    run = np.cumsum(again)
    base = np.maximum.accumulate(
        np.where(np.append(True, rank[1:] != rank[:-1]), run, 0)
    )
    return Iterations(
        rank.astype(np.int32),
        number_of,
        (run - base + 1).astype(np.int32),
        first,
        stop,
        calls.enter[first],
        end,
    )


def iteration_of_calls(known: Analysis, some: Ints, loop: int | None = None) -> Indices:
    """Give the iteration that each of some calls is in: int32, from 1; 0 outside."""
    number = longest_loop(known) if loop is None else loop
    if known.positions is None or not 0 <= number < len(known.positions.loops):
        return np.zeros(len(some), np.int32)
    at = known.positions.of_call[some].astype(np.float64)
    at[(at < 0) | (some >= known.trace.calls.offsets[known.trace.ranks])] = np.nan
    turn = iterations_of(known.positions, number, at)
    return np.where(np.isnan(turn), 0, turn + 1).astype(np.int32)


def iteration_table(known: Analysis, every: Iterations) -> Table:
    """Make a table of iterations: a row a rank and iteration.

    Returns
    -------
    Table
        ``rank, iteration, visit, begin, seconds, mpi`` (seconds within MPI calls),
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
            "visit": every.visit,
            "begin": every.begin / scale,
            "seconds": (every.end - every.begin) / scale,
            "mpi": mpi / scale,
            "wait": wait / scale,
            "bytes": volume.astype(np.int64),
        }
    )
