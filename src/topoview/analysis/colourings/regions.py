"""Regions as categories: those that rows of the timeline are ever in have numbers."""

from weakref import WeakKeyDictionary

import numpy as np

from topoview.analysis.colourings.table import categories
from topoview.analysis.owners import further
from topoview.model import Indices, Ints, RankValues, Timeline, Trace

_USED: WeakKeyDictionary[Timeline, dict[str, Ints]] = WeakKeyDictionary()


def in_regions(trace: Trace, region: Indices | Ints, kind: str) -> RankValues:
    """Name the region that each rank, or what it has of a kind, is in.

    Parameters
    ----------
    region : int, shape (ranks,)
        -1 for none.
    kind
        ``rank``, ``thread`` or ``accelerator``: whose regions have numbers.
    """
    kept = _USED.setdefault(trace.timeline, {})
    if kind not in kept:  # all intervals are looked through, so not in each frame
        kept[kind] = _used(trace, kind)
    used = kept[kind]
    number = np.full(len(trace.regions.names) + 1, -1, np.int64)
    number[used] = np.arange(len(used))
    names = tuple(trace.regions.title(each) for each in used.tolist())
    return categories(number[region], names, "in no region")


def _used(trace: Trace, kind: str) -> Ints:
    from topoview.analysis.occurring import occurring

    timeline = trace.timeline
    first, last = 0, int(timeline.offsets[trace.ranks])
    if kind != "rank":
        rows = further(trace, kind)
        low, high = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
        first, last = int(timeline.offsets[low]), int(timeline.offsets[high])
    return np.asarray(
        occurring(timeline.region[first:last], len(trace.regions.names)), np.int64
    )
