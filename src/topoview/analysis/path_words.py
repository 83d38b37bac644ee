"""Call paths of calls in words."""

import numpy as np

from topoview.model import Trace

ARROW = " > "
UNKNOWN = "unknown function"


def path_text(trace: Trace, call: int) -> str:
    """Tell the functions that a call was made in: ``applu > ssor > exchange_3``.

    Parameters
    ----------
    call
        Index into the trace's calls.

    Returns
    -------
    str
        Empty if the trace records none.
    """
    names = (*trace.regions.names, UNKNOWN)
    regions = trace.paths.regions_of(int(trace.calls.path[call]))
    return ARROW.join(names[region] for region in regions)


def call_beginning(trace: Trace, row: int, begin: int, region: int) -> int:
    """Find the call of a location that begins at a time; -1 if there is none.

    Parameters
    ----------
    row, begin, region
        Location, time in ticks, and the call's region. O(log calls).
    """
    calls = trace.calls
    first, stop = calls.offsets[row : row + 2].tolist()
    call = first + int(np.searchsorted(calls.enter[first:stop], begin))
    while call < stop and calls.enter[call] == begin and calls.region[call] != region:
        call += 1
    return call if call < stop and calls.enter[call] == begin else -1
