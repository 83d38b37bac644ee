"""The times that a rank runs a statement, or an iteration of a loop, one by one."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.chosen import chosen_spans
from topoview.analysis.logical.position import Positions, iterations
from topoview.analysis.moment import moment
from topoview.analysis.wanted import Wanted
from topoview.model import Ints, LogicalTrace, MPIState, Trace

WAITS = (
    MPIState.SEND,
    MPIState.RECEIVE,
    MPIState.WAIT,
    MPIState.COLLECTIVE,
    MPIState.BARRIER,
)


@dataclass(frozen=True, slots=True)
class Instance:
    """One of the times that a rank runs what is selected.

    Attributes
    ----------
    rank
        Who.
    call
        Index into the trace's calls: its first call.
    begin
        When it begins, in ticks.
    number, count
        Which one it is, from 1, and how many the rank has.
    """

    rank: int
    call: int
    begin: int
    number: int
    count: int


def instances(  # noqa: PLR0913 - what may be selected
    trace: Trace,
    logical: LogicalTrace,
    wanted: Wanted,
    rank: int,
    *,
    known: Positions | None = None,
    loop: int = -1,
) -> Ints:
    """First call of each instance of a rank.

    Parameters
    ----------
    wanted
        Calls that are meant.
    known, loop
        If a loop is meant: positions, and its number; each iteration is an instance.
        Else every call is.

    Returns
    -------
    int64, shape (instances,)
        Indices into the trace's calls, ascending.
    """
    spans = chosen_spans(trace, logical, wanted)
    own = spans.call[spans.offsets[rank] : spans.offsets[rank + 1]]
    if known is None or loop < 0 or not len(own):
        return own
    at = known.of_call[own].astype(np.float64)
    at[at < 0] = np.nan
    turn = iterations(known, loop, at)
    inside = ~np.isnan(turn)
    own, turn, at = own[inside], turn[inside], at[inside]
    new = np.append(True, turn[1:] != turn[:-1])[: len(own)]
    # the same iteration of the loop's next run is another instance
    new[1:] |= at[1:] < at[:-1]
    size = min((step[-1].size for step in known.loops[loop]), default=1)
    new[1:] |= at[1:] - at[:-1] >= size
    found: Ints = own[new]
    return found


def step_to(trace: Trace, own: Ints, rank: int, ticks: int, by: int) -> Instance | None:
    """Find the instance that begins next after a time, or last before it.

    Parameters
    ----------
    own
        Its instances, as `instances` gives them.
    by
        1 for the next, -1 for the one before.

    Returns
    -------
    Instance or None
        None if there is none on this side.
    """
    begins = trace.calls.enter[own]
    place = int(np.searchsorted(begins, ticks, side="right"))
    if by < 0:
        place = int(np.searchsorted(begins, ticks, side="left")) - 1
    if not 0 <= place < len(own):
        return None
    call = int(own[place])
    return Instance(rank, call, int(begins[place]), place + 1, len(own))


def most_waiting(
    trace: Trace, logical: LogicalTrace, wanted: Wanted, ticks: int
) -> int | None:
    """Rank that waits longest at a time, of those that run what is meant.

    The first of them if none waits; None if nobody runs it.
    """
    runs = chosen_spans(trace, logical, wanted).ranks[: trace.ranks]
    if not runs.any():
        return None
    now = moment(trace, ticks)
    waits = np.where(np.isin(now.state, WAITS) & runs, ticks - now.since, -1)
    return int(waits.argmax()) if waits.max() >= 0 else int(runs.argmax())
