"""When statements, iterations and phases occur: to step through them one by one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.grouping import begins_run
from topoview.model import (
    NOWHERE,
    WAITING_STATES,
    Analysis,
    CallPositions,
    Floats,
    Ints,
    LogicalTrace,
    Trace,
    in_states,
)
from topoview.session import CallFilter

if TYPE_CHECKING:
    from topoview.live.moments.moment import TimeCursor


def positions_at(cursor: "TimeCursor", positions: CallPositions, ticks: int) -> Floats:
    """Return the position of every rank at a time.

    That of the call that it is in, else of the last one that it has left.

    Returns
    -------
    float64, shape (ranks,)
        NaN before a rank's first call, and where the logical trace does not tell.
    """
    trace, (call, _) = cursor.trace, cursor.calls(ticks)
    begun = call >= trace.calls.offsets[: trace.ranks]
    result = np.full(trace.ranks, np.nan)
    at = positions.of_call[call[begun]] if len(positions.of_call) else np.zeros(0)
    result[begun] = np.where(at == NOWHERE, np.nan, at)
    return result


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One of the times that a rank runs what is selected."""

    rank: int
    """Who."""
    call: int
    """Index into the trace's calls: its first call."""
    begin: int
    """When it begins, in ticks."""
    number: int
    count: int
    """`number` and `count`: which one it is, from 1, and how many the rank has."""


def occurrences(  # noqa: PLR0913 - what may be selected
    trace: Trace,
    logical: LogicalTrace,
    wanted: CallFilter,
    rank: int,
    *,
    positions: CallPositions | None = None,
    loop: int = -1,
) -> Ints:
    """First call of each instance of a rank.

    Parameters
    ----------
    wanted
        Calls that are meant.
    positions, loop
        If a loop is meant: positions, and its number; each iteration is an instance.
        Else every call is.

    Returns
    -------
    int64, shape (instances,)
        Indices into the trace's calls, ascending.
    """
    from topoview.live.picking.selection import selected_spans

    spans = selected_spans(trace, logical, wanted)
    own = spans.call[spans.offsets[rank] : spans.offsets[rank + 1]]
    if positions is None or loop < 0 or not len(own):
        return own
    turn = iterations(positions, own, loop)
    own, turn = own[turn > 0], turn[turn > 0]
    new = begins_run(turn)
    result: Ints = own[new]
    return result


def step_to_occurrence(
    trace: Trace, own: Ints, rank: int, ticks: int, by: int
) -> Occurrence | None:
    """Find the instance that begins next after a time, or last before it.

    Parameters
    ----------
    own
        Its instances, as `occurrences` gives them.
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
    return Occurrence(rank, call, int(begins[place]), place + 1, len(own))


def most_waiting(
    trace: Trace, logical: LogicalTrace, wanted: CallFilter, ticks: int
) -> int | None:
    """Rank that waits longest at a time, of those that run what is meant.

    The first of them if none waits; None if nobody runs it.
    """
    from topoview.live.moments.moment import moment
    from topoview.live.picking.selection import selected_spans

    runs = selected_spans(trace, logical, wanted).ranks[: trace.ranks]
    if not runs.any():
        return None
    now = moment(trace, ticks)
    waits = np.where(in_states(now.state, WAITING_STATES) & runs, ticks - now.since, -1)
    return int(waits.argmax()) if waits.max() >= 0 else int(runs.argmax())


def iteration_times(analysis: Analysis, rank: int) -> Ints:
    """Find when a rank's iterations of the program's main loop begin.

    Returns
    -------
    int64, shape (n,)
        Ticks, ascending; empty if there is no such loop.
    """
    if analysis.positions is None:
        return np.zeros(0, np.int64)
    calls = analysis.trace.calls
    own = np.arange(calls.offsets[rank], calls.offsets[rank + 1])
    turn = iterations(analysis.positions, own)
    new = (turn > 0) & begins_run(turn)
    return np.asarray(calls.enter[own[new]])


def phase_times(analysis: Analysis) -> Ints:
    """Find when phases of the run begin: int64, ticks, ascending."""
    parts = analysis.identification.parts if analysis.identification else ()
    begins = [part.begin for part in parts if part.by == "phase"]
    return np.array(sorted(set(begins)), np.int64)


def neighbour(times: Ints, ticks: int, by: int) -> int | None:
    """Return the next (`by` above 0) or previous of some times; None without one."""
    if by > 0:
        at = int(np.searchsorted(times, ticks, side="right"))
        return int(times[at]) if at < len(times) else None
    at = int(np.searchsorted(times, ticks)) - 1
    return int(times[at]) if at >= 0 else None
