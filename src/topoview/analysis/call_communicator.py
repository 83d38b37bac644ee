"""On which communicator a call works."""

import numpy as np

from topoview.analysis.path_words import call_beginning
from topoview.model import Trace


def communicator_of(trace: Trace, row: int, begin: int, region: int) -> str:
    """Name the communicator of the call that a location makes.

    Of calls that take part in a collective operation or send a message; receives are
    not in order of their calls. O(log calls).

    Parameters
    ----------
    row, begin, region
        Location, when the call begins in ticks, and its region.

    Returns
    -------
    str
        Empty if the trace does not tell, or that takes longer.
    """
    call = call_beginning(trace, row, begin, region)
    if call < 0:
        return ""
    parts, messages = trace.collectives, trace.messages
    at = int(np.searchsorted(parts.call, call))
    if at < len(parts) and parts.call[at] == call:
        return trace.communicators[int(parts.communicator[at])].name
    # Those without a send come last, with -1.
    low, high = 0, len(messages)
    while low < high:
        middle = (low + high) // 2
        here = int(messages.send_call[middle])
        low, high = (middle + 1, high) if 0 <= here < call else (low, middle)
    if low < len(messages) and messages.send_call[low] == call:
        return trace.communicators[int(messages.communicator[low])].name
    return ""
