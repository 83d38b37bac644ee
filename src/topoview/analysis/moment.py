"""What every rank does at one time."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Bytes, Indices, Ints, Trace, count_before, freeze


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
    """

    ticks: int
    state: Bytes
    since: Ints
    region: Indices

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def moment(trace: Trace, ticks: int) -> Moment:
    """Look up what all ranks do at a time: one binary search for all of them."""
    timeline = trace.timeline
    at = timeline.at(ticks)[: trace.ranks]
    return Moment(ticks, timeline.state[at], timeline.time[at], timeline.region[at])


def calls_at(trace: Trace, ticks: int) -> tuple[Ints, Bools]:
    """Find the MPI calls that the ranks' main threads are in at a time.

    Returns
    -------
    call : int64, shape (ranks,)
        The last call that was entered; one less than the rank's first if none was.
    inside : bool, shape (ranks,)
        Whether the rank is still in it.
    """
    calls = trace.calls
    low, high = calls.offsets[: trace.ranks], calls.offsets[1 : trace.ranks + 1]
    last = count_before(calls.enter, low, high, ticks + 1) - 1
    inside = last >= low
    inside[inside] = calls.leave[last[inside]] > ticks
    return last, inside


def call_at(trace: Trace, row: int, ticks: int) -> int | None:
    """Index of the MPI call that a row is in at a time, None if it is in none."""
    calls = trace.calls
    first, stop = calls.offsets[row : row + 2].tolist()
    found = first - 1
    found += int(np.searchsorted(calls.enter[first:stop], ticks, side="right"))
    return found if found >= first and calls.leave[found] > ticks else None
