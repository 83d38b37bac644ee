"""When ranks were in each region: from its first visit to the end of its last."""

from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.model import Indices, Ints, Timeline, Trace

_KNOWN: WeakKeyDictionary[Timeline, Ints] = WeakKeyDictionary()


def visits(trace: Trace) -> Ints:
    """Find the window in which ranks visit each region, in one look at all intervals.

    A rank visits a region while it is the innermost one. What was found is kept.

    Returns
    -------
    int64, shape (regions, 2)
        Begin of the first visit and end of the last, in ticks; -1 where none is.
    """
    timeline = trace.timeline
    found = _KNOWN.get(timeline)
    if found is None:
        last = int(timeline.offsets[trace.ranks])
        regions = len(trace.regions.names)
        found = _visits(timeline.time[:last], timeline.region[:last], regions)
        found[:, 1] = np.minimum(found[:, 1], trace.clock.length)
        found[found[:, 0] >= found[:, 1]] = -1
        _KNOWN[timeline] = found
    return found


def is_known(trace: Trace) -> bool:
    """Tell whether the visits were looked for before."""
    return trace.timeline in _KNOWN


@numba.njit(nogil=True, cache=True)
def _visits(time: Ints, region: Indices, regions: int) -> Ints:
    found = np.full((regions, 2), -1, np.int64)
    for i in range(len(time) - 1):
        own = region[i]
        if own >= 0:
            if found[own, 0] < 0 or time[i] < found[own, 0]:
                found[own, 0] = time[i]
            found[own, 1] = max(found[own, 1], time[i + 1])
    return found


def visited(trace: Trace) -> list[str]:
    """Name the regions that ranks are ever in: the program's own, then operations."""
    regions = trace.regions
    found = np.flatnonzero(visits(trace)[:, 0] >= 0).tolist()
    told = {(bool(regions.operation[n] >= 0), regions.title(n)) for n in found}
    return list(dict.fromkeys(name for _, name in sorted(told)))


def visits_of(trace: Trace, name: str) -> tuple[int, int] | None:
    """Window of all regions of a name; None if no rank is ever in one itself."""
    regions, found = trace.regions, visits(trace)
    meant = [n for n in range(len(found)) if regions.title(n) == name]
    some = found[[n for n in meant if found[n, 0] >= 0]]
    return (int(some[:, 0].min()), int(some[:, 1].max())) if len(some) else None
