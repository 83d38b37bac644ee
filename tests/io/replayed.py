"""Events made by hand, and what replaying them gives."""

from collections.abc import Sequence

import numpy as np
from otf2_reader.replay import Paths, Row, replay

from topoview.io.definitions.regions import RegionLookup
from topoview.model import TimeState

# Regions by number: user code, then MPI calls.
MAIN, SOLVE, SEND, RECV, IRECV, ISEND, WAIT = range(7)
STATE = np.array(
    [
        TimeState.COMPUTE, TimeState.COMPUTE, TimeState.SEND, TimeState.RECEIVE,
        TimeState.RECEIVE, TimeState.SEND, TimeState.WAIT,
    ],
    np.uint8,
)  # fmt: skip
OPERATION = np.array([-1, -1, 0, 1, 2, 3, 4], np.int32)


def meaning(sparse: bool = False) -> RegionLookup:
    """Regions 0 to 6; with `sparse`, their identifiers are far apart."""
    step = 1 << 20 if sparse else 1
    numbers = np.arange(len(STATE), dtype=np.int32)
    direct = np.zeros(0, np.int32) if sparse else numbers
    state, operation = STATE.copy(), OPERATION.copy()
    for array in (state, operation):
        array.flags.writeable = False
    return RegionLookup(
        (numbers * step).astype(np.uint32),
        numbers,
        direct,
        np.zeros(0, np.int32),
        state,
        operation,
    )


def run(
    events: Sequence[tuple[int, ...]],
    *,
    idle: int = TimeState.COMPUTE,
    flat: bool = False,
    sparse: bool = False,
    paths: Paths | None = None,
) -> Row:
    """Replay one location's events: type, time, and fields of each."""
    made = [(time, kind, tuple(fields)) for kind, time, *fields in events]
    return replay(made, meaning(sparse), paths or Paths(), int(idle), flat)


def still_open(
    stack: list[int], region: int, later: Sequence[tuple[bool, int]]
) -> list[int]:
    """Leave a region: places of those that stay open, above it as they are left later.

    Parameters
    ----------
    later
        The regions that are entered (True) or left behind that.
    """

    def is_left(other: int) -> bool:
        entered = 0
        for enters, one in later:
            if one == other:
                entered += 1 if enters else -1
            if entered < 0:
                return True
        return False

    at = len(stack) - 1 - stack[::-1].index(region)
    above = range(at + 1, len(stack))
    return [*range(at), *(place for place in above if is_left(stack[place]))]


def calls(row: Row) -> list[tuple[int, int, int]]:
    """Region, begin and end of each call."""
    return list(zip(row.call_region, row.enter, row.leave, strict=True))
