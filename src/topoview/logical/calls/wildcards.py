"""Wildcard receives (``MPI_ANY_SOURCE``): in whose order messages arrive is no fact.

A program that probes, or receives from any source, does the same at each rank, though
what comes from whom differs from rank to rank and from turn to turn. No record tells
the wildcard: it is seen where ranks then do the same that have little in common
otherwise.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.logical.calls.operations import LOCAL_OPERATIONS, RECEIVING, is_one_of
from topoview.model import Bools, Indices, Ints, Regions

ANY_SOURCE: Final = "ANY"
"""Direction to whoever a message comes from."""

_PROBE_OPERATIONS: Final = frozenset({"Probe", "Iprobe", "Mprobe", "Improbe"})
_MATCHED_OPERATIONS: Final = frozenset({"Mrecv", "Imrecv"})
_BLOCKING_OPERATIONS: Final = frozenset({"Recv", "Mrecv"})


WildcardRule = Callable[[Regions, Ints | Indices, Ints], Bools]
"""Which of some ranks' calls, of given operations, may take what comes first.

The offsets are those of each rank's calls."""


def probed_receives(
    regions: Regions, operation: Ints | Indices, offsets: Ints
) -> Bools:
    """Receives of what a probe has found just before."""
    counts = ~is_one_of(regions, LOCAL_OPERATIONS)[operation]
    last = np.where(counts, np.arange(len(operation)), -1)
    before = np.append(-1, np.maximum.accumulate(last))[:-1]
    of_rank = before >= np.repeat(offsets[:-1], np.diff(offsets))
    probes = is_one_of(regions, _PROBE_OPERATIONS)[operation[before]] & of_rank
    blocking = is_one_of(regions, _BLOCKING_OPERATIONS)[operation]
    result: Bools = is_one_of(regions, _MATCHED_OPERATIONS)[operation] | (
        blocking & probes
    )
    return result


def _blocking_receives(
    regions: Regions, operation: Ints | Indices, _offsets: Ints
) -> Bools:
    """All receives that wait for their message."""
    result: Bools = is_one_of(regions, _BLOCKING_OPERATIONS)[operation]
    return result


def _all_receives(regions: Regions, operation: Ints | Indices, _offsets: Ints) -> Bools:
    """All receives: a tracer may record of none from whom its message came."""
    result: Bools = is_one_of(regions, RECEIVING)[operation]
    return result


WILDCARD_RULES: Final[tuple[WildcardRule, ...]] = (
    probed_receives,
    _blocking_receives,
    _all_receives,
)
"""Tried in turn, those with more evidence first."""
