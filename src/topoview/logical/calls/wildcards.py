"""Wildcard receives (``MPI_ANY_SOURCE``): in whose order messages arrive is no fact.

A program that probes, or receives from any source, does the same at each rank, though
what comes from whom differs from rank to rank and from turn to turn. No record tells
the wildcard: it is seen where ranks then do the same that have little in common
otherwise.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.logical.calls.operations import LOCAL_OPERATIONS, is_one_of
from topoview.logical.partners import PartnerNames
from topoview.model import Bools, Indices, Ints, Trace

ANY_SOURCE: Final = "ANY"
"""Direction to whoever a message comes from."""

_PROBE_OPERATIONS: Final = frozenset({"Probe", "Iprobe", "Mprobe", "Improbe"})
_MATCHED_OPERATIONS: Final = frozenset({"Mrecv", "Imrecv"})
_BLOCKING_OPERATIONS: Final = frozenset({"Recv", "Mrecv"})


WildcardRule = Callable[[Trace, Ints | Indices], Bools]
"""Which of the ranks' calls, of given operations, may take what comes first."""


def probed_receives(trace: Trace, operation: Ints | Indices) -> Bools:
    """Receives of what a probe has found just before."""
    before = _operation_before(
        operation,
        trace.calls.offsets[: trace.ranks + 1],
        is_one_of(trace.regions, LOCAL_OPERATIONS),
    )
    probes = is_one_of(trace.regions, _PROBE_OPERATIONS)[before]
    blocking = is_one_of(trace.regions, _BLOCKING_OPERATIONS)[operation]
    found: Bools = is_one_of(trace.regions, _MATCHED_OPERATIONS)[operation] | (
        blocking & probes
    )
    return found


def _blocking_receives(trace: Trace, operation: Ints | Indices) -> Bools:
    """All receives that wait for their message."""
    found: Bools = is_one_of(trace.regions, _BLOCKING_OPERATIONS)[operation]
    return found


WILDCARD_RULES: Final[tuple[WildcardRule, ...]] = (probed_receives, _blocking_receives)
"""Tried in turn, those with more evidence first."""


def name_wildcards(
    naming: PartnerNames,
    trace: Trace,
    operation: Ints | Indices,
    receive_call: Ints,
    which: WildcardRule,
) -> PartnerNames:
    """Name the senders of some receives `ANY_SOURCE`.

    Parameters
    ----------
    operation : int64, shape (calls,)
        Operation of the ranks' calls.
    receive_call : int64, shape (messages,)
        Call that received each message, or posted its receive; -1 if unknown.
    which
        One of `WILDCARD_RULES`.
    """
    takes = np.append(which(trace, operation), False)
    chosen = takes[np.where(receive_call < len(operation), receive_call, -1)]
    return replace(
        naming,
        names=[*naming.names, ANY_SOURCE],
        source=np.where(chosen, np.int32(len(naming.names)), naming.source),
    )


@kernel
def _operation_before(operation: Ints | Indices, offsets: Ints, skipped: Bools) -> Ints:
    """Operation of the call before each one of the same rank; -1 if there is none."""
    found = np.full(len(operation), -1, np.int64)
    for rank in range(len(offsets) - 1):
        last = np.int64(-1)
        for call in range(offsets[rank], offsets[rank + 1]):
            found[call] = last
            if not skipped[operation[call]]:
                last = operation[call]
    return found
