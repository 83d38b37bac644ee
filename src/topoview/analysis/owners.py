"""The rank of each location as an array: what each frame needs and no frame makes."""

from weakref import WeakKeyDictionary

import numpy as np

from topoview.model import Ints, Timeline, Trace

_KNOWN: WeakKeyDictionary[Timeline, Ints] = WeakKeyDictionary()
_OTHERS: WeakKeyDictionary[Timeline, dict[str, Ints]] = WeakKeyDictionary()


def owners(trace: Trace) -> Ints:
    """Give the rank of each location; made once.

    Returns
    -------
    int64, shape (locations,)
        -1 for a location of no rank of the trace.
    """
    if trace.timeline not in _KNOWN:
        ranks = np.array([place.rank for place in trace.locations], np.int64)
        ranks[ranks >= trace.ranks] = -1
        ranks.flags.writeable = False
        _KNOWN[trace.timeline] = ranks
    return _KNOWN[trace.timeline]


def further(trace: Trace, kind: str) -> Ints:
    """Find the locations of a kind that are no main threads of ranks; made once.

    Parameters
    ----------
    kind
        ``thread`` or ``accelerator``.

    Returns
    -------
    int64, shape (n,)
        Rows of the timeline, ascending.
    """
    kept = _OTHERS.setdefault(trace.timeline, {})
    if kind not in kept:
        same = np.array([place.kind == kind for place in trace.locations], bool)
        same[: trace.ranks] = False
        rows = np.flatnonzero(same & (owners(trace) >= 0))
        rows.flags.writeable = False
        kept[kind] = rows
    return kept[kind]
