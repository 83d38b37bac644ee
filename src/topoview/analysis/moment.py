"""What every rank does at one time."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Bytes, Indices, Ints, Trace, freeze


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


@numba.njit(nogil=True, cache=True)
def states_in(state: Bytes) -> Ints:
    """Codes of the states that occur, ascending; one pass without a copy."""
    seen = np.zeros(256, np.bool_)
    for code in state:
        seen[code] = True
    return np.flatnonzero(seen)
