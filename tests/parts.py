"""Parts of the ranks of a trace."""

from collections.abc import Iterator

import numpy as np

from topoview.model import Part, Trace


def parts_of(trace: Trace, count: int) -> Iterator[Part]:
    """Cut a trace whose locations are in order of their ranks, but for threads."""
    messages, calls = trace.messages, trace.calls
    row = np.searchsorted(calls.offsets[1:], trace.collectives.call, side="right")
    ranks = np.append(trace.rank_of_location, -1)
    for some in np.array_split(np.arange(trace.ranks), count):
        low, high = int(some[0]), int(some[-1]) + 1
        threads = [
            n
            for n in range(trace.ranks, len(calls.offsets) - 1)
            if low <= ranks[n] < high
        ]
        yield Part(
            trace,
            slice(low, high),
            (slice(low, high), *(slice(n, n + 1) for n in threads)),
            np.flatnonzero((messages.sender >= low) & (messages.sender < high)),
            np.flatnonzero((messages.receiver >= low) & (messages.receiver < high)),
            np.flatnonzero((ranks[row] >= low) & (ranks[row] < high)),
        )
