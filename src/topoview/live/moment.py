"""What every rank does at one time."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Bytes, Indices, Ints, Trace, freeze
from topoview.store.arrays import sparse_view


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """The ranks' main threads at a time.

    Attributes
    ----------
    ticks
        The time.
    state : uint8, shape (ranks,)
        `MPIState` of each rank.
    since : int64, shape (ranks,)
        When its interval began, in ticks.
    region : int32, shape (ranks,)
        Its innermost region, -1 if none.
    begin
        None, or the time from which on states count: of several states since then
        the foremost is told, so that none is too short to be seen.
    """

    ticks: int
    state: Bytes
    since: Ints
    region: Indices
    begin: int | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def moment(trace: Trace, ticks: int, begin: int | None = None) -> Moment:
    """Look up what all ranks do at a time: one binary search for all of them.

    Parameters
    ----------
    trace
        The trace.
    ticks
        The time.
    begin
        None, or an earlier time: the foremost state since then is told, by
        `topoview.live.window_sums.STATE_PRIORITY`.
    """
    from topoview.live.searching import intervals_at

    timeline = trace.timeline
    # First the earlier time: it is that of the frame before.
    before = None if begin is None else intervals_at(timeline, trace.ranks, begin)
    at = intervals_at(timeline, trace.ranks, ticks)
    if before is not None:
        from topoview.live.window_sums import foremost

        at = foremost(trace, before, at)
    columns = timeline.time, timeline.region, timeline.state
    since, region, state = (sparse_view(column, len(at))[at] for column in columns)
    return Moment(ticks, state, since, region, begin)


def calls_at(trace: Trace, ticks: int) -> tuple[Ints, Bools]:
    """Find the MPI calls that the ranks' main threads are in at a time.

    Returns
    -------
    call : int64, shape (ranks,)
        The last call that was entered; one less than the rank's first if none was.
    inside : bool, shape (ranks,)
        Whether the rank is still in it.
    """
    from topoview.live.searching import entered

    return entered(trace.calls, trace.ranks, ticks)


def call_at(trace: Trace, row: int, ticks: int) -> int | None:
    """Index of the MPI call that a row is in at a time, None if it is in none."""
    calls = trace.calls
    first, stop = calls.offsets[row : row + 2].tolist()
    found = first - 1
    found += int(np.searchsorted(calls.enter[first:stop], ticks, side="right"))
    return found if found >= first and calls.leave[found] > ticks else None
