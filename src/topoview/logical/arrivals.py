"""Receives that take what comes first: in whose order messages arrive is no fact.

A program that probes, or receives from any source, does the same at each rank, though
what comes from whom differs from rank to rank and from turn to turn. No record tells
the wildcard: it is seen where ranks then do the same that have little in common
otherwise.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numba
import numpy as np

from topoview.logical.local_calls import LEFT_OUT
from topoview.logical.name_table import Naming
from topoview.logical.operations import among
from topoview.model import Bools, Ints, Trace

ANY: Final = "ANY"
"""Direction to whoever a message comes from."""

_PROBES: Final = frozenset({"Probe", "Iprobe", "Mprobe", "Improbe"})
_PROBED: Final = frozenset({"Mrecv", "Imrecv"})
_BLOCKING: Final = frozenset({"Recv", "Mrecv"})


Arrives = Callable[[Trace, Ints], Bools]
"""Which of the ranks' calls, of given operations, may take what comes first."""


def probed(trace: Trace, operation: Ints) -> Bools:
    """Receives of what a probe has found just before."""
    before = _before(
        operation,
        trace.calls.offsets[: trace.ranks + 1],
        among(trace.regions, LEFT_OUT),
    )
    probes = among(trace.regions, _PROBES)[before]
    blocking = among(trace.regions, _BLOCKING)[operation]
    found: Bools = among(trace.regions, _PROBED)[operation] | (blocking & probes)
    return found


def _blocking(trace: Trace, operation: Ints) -> Bools:
    """All receives that wait for their message."""
    found: Bools = among(trace.regions, _BLOCKING)[operation]
    return found


ARRIVALS: Final[tuple[Arrives, ...]] = (probed, _blocking)
"""Tried in turn, those with more evidence first."""


def from_any(
    naming: Naming,
    trace: Trace,
    operation: Ints,
    receive_call: Ints,
    which: Arrives,
) -> Naming:
    """Name the senders of some receives `ANY`.

    Parameters
    ----------
    operation : int64, shape (calls,)
        Operation of the ranks' calls.
    receive_call : int64, shape (messages,)
        Call that received each message, or posted its receive; -1 if unknown.
    which
        One of `ARRIVALS`.
    """
    takes = np.append(which(trace, operation), False)
    chosen = takes[np.where(receive_call < len(operation), receive_call, -1)]
    return replace(
        naming,
        names=[*naming.names, ANY],
        source=np.where(chosen, len(naming.names), naming.source),
        several=np.append(naming.several, True),
    )


@numba.njit(nogil=True, cache=True)
def _before(operation: Ints, offsets: Ints, skipped: Bools) -> Ints:
    """Operation of the call before each one of the same rank; -1 if there is none."""
    found = np.full(len(operation), -1, np.int64)
    for rank in range(len(offsets) - 1):
        last = np.int64(-1)
        for call in range(offsets[rank], offsets[rank + 1]):
            found[call] = last
            if not skipped[operation[call]]:
                last = operation[call]
    return found
