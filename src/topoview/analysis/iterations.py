"""When iterations of a loop of the logical trace begin, and phases of the run."""

from collections.abc import Iterator

import numpy as np

from topoview.analysis.pipeline import Analysis
from topoview.model import Call, Ints, LogicalTrace, Loop, Statement, When


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
        elif isinstance(statement, When):
            yield from _outer(statement.body)


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
        direct = [call.index for call in loop.body if isinstance(call, Call)]
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
