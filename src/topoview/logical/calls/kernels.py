"""Kernels of logical/calls."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints


@kernel
def only_open_request(offsets: Ints, posts: Bools, wait: Bools, waitall: Bools) -> Ints:
    completes = np.full(len(posts), -1, np.int64)
    for rank in range(len(offsets) - 1):
        open_requests, last = 0, -1
        for call in range(offsets[rank], offsets[rank + 1]):
            if posts[call]:
                open_requests += 1
                last = call
            elif waitall[call]:
                open_requests, last = 0, -1
            elif wait[call]:
                if open_requests == 1:
                    completes[call] = last
                open_requests = max(open_requests - 1, 0)
                last = -1
    return completes


@kernel
def calls_around(
    offsets: Ints, enter: Ints, leave: Ints, row: Ints, time: Ints
) -> Ints:
    found = np.full(len(time), -1, np.int64)
    for k in range(len(time)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        at = low + np.searchsorted(enter[low:high], time[k], side="right") - 1
        if at >= low and leave[at] >= time[k]:
            found[k] = at
    return found


@kernel
def operation_before(operation: Ints | Indices, offsets: Ints, skipped: Bools) -> Ints:
    """Operation of the call before each one of the same rank; -1 if there is none."""
    found = np.full(len(operation), -1, np.int64)
    for rank in range(len(offsets) - 1):
        last = np.int64(-1)
        for call in range(offsets[rank], offsets[rank + 1]):
            found[call] = last
            if not skipped[operation[call]]:
                last = operation[call]
    return found
