"""When statements, iterations and phases occur: to step through them one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topoview.model import (
    NOWHERE,
    Analysis,
    Call,
    CallPositions,
    Each,
    Floats,
    Ints,
    LogicalTrace,
    Loop,
    MPIState,
    Statement,
    Trace,
    When,
)
from topoview.session import CallFilter

if TYPE_CHECKING:
    from topoview.live.moments.moment import TimeCursor


def positions_at(cursor: "TimeCursor", known: CallPositions, ticks: int) -> Floats:
    """Give the position of every rank at a time.

    That of the call that it is in, else of the last one that it has left.

    Returns
    -------
    float64, shape (ranks,)
        NaN before a rank's first call, and where the logical trace does not tell.
    """
    trace, (call, _) = cursor.trace, cursor.calls(ticks)
    begun = call >= trace.calls.offsets[: trace.ranks]
    found = np.full(trace.ranks, np.nan)
    at = known.of_call[call[begun]] if len(known.of_call) else np.zeros(0)
    found[begun] = np.where(at == NOWHERE, np.nan, at)
    return found


def iterations_of(known: CallPositions, loop: int, position: Floats) -> Floats:
    """Tell in which iteration of a loop positions are, from 0.

    Parameters
    ----------
    loop
        Its number in order of lines.
    position : float64, shape (n,)

    Returns
    -------
    float64, shape (n,)
        NaN outside of it.
    """
    found = np.full(len(position), np.nan)
    for way in known.loops[loop]:
        rest = np.where(np.isnan(position), -1.0, position)
        inside = rest >= 0
        turn = np.zeros(len(position))
        for step in way:
            rest = rest - step.offset
            inside &= (rest >= 0) & (rest < step.count * step.size)
            turn, rest = np.floor_divide(rest, step.size), np.mod(rest, step.size)
        found = np.where(inside, turn, found)
    return found


WAIT_STATES = (
    MPIState.SEND,
    MPIState.RECEIVE,
    MPIState.WAIT,
    MPIState.COLLECTIVE,
    MPIState.BARRIER,
)


@dataclass(frozen=True, slots=True)
class Occurrence:
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


def occurrences(  # noqa: PLR0913 - what may be selected
    trace: Trace,
    logical: LogicalTrace,
    wanted: CallFilter,
    rank: int,
    *,
    known: CallPositions | None = None,
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
    from topoview.live.picking.selection import selected_spans

    spans = selected_spans(trace, logical, wanted)
    own = spans.call[spans.offsets[rank] : spans.offsets[rank + 1]]
    if known is None or loop < 0 or not len(own):
        return own
    at = known.of_call[own].astype(np.float64)
    at[at < 0] = np.nan
    turn = iterations_of(known, loop, at)
    inside = ~np.isnan(turn)
    own, turn, at = own[inside], turn[inside], at[inside]
    new = np.append(True, turn[1:] != turn[:-1])[: len(own)]
    # the same iteration of the loop's next run is another instance
    new[1:] |= at[1:] < at[:-1]
    size = min((step[-1].size for step in known.loops[loop]), default=1)
    new[1:] |= at[1:] - at[:-1] >= size
    found: Ints = own[new]
    return found


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
    waits = np.where(np.isin(now.state, WAIT_STATES) & runs, ticks - now.since, -1)
    return int(waits.argmax()) if waits.max() >= 0 else int(runs.argmax())


def loops_of(logical: LogicalTrace) -> list[Loop]:
    """List the loops that lie in no other loop, the one that takes longest first."""

    def ticks(loop: Loop) -> int:
        return int(logical.ticks[[call.index for call in _calls(loop.body)]].sum())

    found = [loop for loop in _outer(logical.body) if loop.count != 1]
    return sorted(found, key=ticks, reverse=True)


def _outer(body: tuple[Statement, ...]) -> Iterator[Loop]:
    for statement in body:
        if isinstance(statement, Loop):
            yield statement
        elif isinstance(statement, Each | When):
            yield from _outer(statement.body)


def _direct_calls(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Go through the calls that are made once each time that a body runs."""
    for statement in body:
        if isinstance(statement, Call) and statement.calls is None:
            yield statement
        elif isinstance(statement, Each):
            yield from _direct_calls(statement.body)


def _calls(body: tuple[Statement, ...]) -> Iterator[Call]:
    for statement in body:
        if isinstance(statement, Call):
            yield statement
        elif hasattr(statement, "body"):
            yield from _calls(statement.body)


def iteration_times(known: Analysis, rank: int) -> Ints:
    """Find when a rank's iterations of the run's longest loop begin.

    Taken from the first call of the loop's body, outside of inner loops, that the
    rank makes: it makes that once in each iteration.

    Returns
    -------
    int64, shape (n,)
        Ticks, ascending; empty if there is no such loop.
    """
    logical, calls = known.logical, known.trace.calls
    if logical is None:
        return np.zeros(0, np.int64)
    low, high = calls.offsets[rank], calls.offsets[rank + 1]
    own = logical.statement_of_call[low:high]
    for loop in loops_of(logical):
        direct = [call.index for call in _direct_calls(loop.body)]
        for index in direct or [call.index for call in _calls(loop.body)]:
            at = np.flatnonzero(own == index)
            if len(at) > 1:
                return np.asarray(calls.enter[low:high][at])
    return np.zeros(0, np.int64)


def phase_times(known: Analysis) -> Ints:
    """Find when phases of the run begin: int64, ticks, ascending."""
    parts = known.identification.parts if known.identification else ()
    found = [part.begin for part in parts if part.by == "phase"]
    return np.array(sorted(set(found)), np.int64)


def neighbour(times: Ints, ticks: int, by: int) -> int | None:
    """Give the next (`by` above 0) or previous of some times; None without one."""
    if by > 0:
        at = int(np.searchsorted(times, ticks, side="right"))
        return int(times[at]) if at < len(times) else None
    at = int(np.searchsorted(times, ticks)) - 1
    return int(times[at]) if at >= 0 else None
