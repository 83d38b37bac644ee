"""The call stack of a rank over time, put together from intervals and call paths.

A trace's timeline has the innermost region of each interval, and each MPI call the
path of regions around it. Between two calls regions are entered and left one at a
time; where a region follows another, the paths of the calls before and after tell
whether it lies within it or beside it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.live.timeline import track_kernels
from topoview.model import Frozen, Indices, Ints, Trace

MAX_INTERVALS: Final = 1 << 20
"""Intervals of a rank whose stack is looked at: beyond, a window shows nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class StackSpans(Frozen):
    """Regions that a location was in for some time of a window, in order of ends."""

    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (spans,): in ticks; those that reach over the
    window's edges are cut off there."""
    depth: Indices
    """int32, shape (spans,): regions around each."""
    region: Indices
    """int32, shape (spans,)"""

    def at(self, ticks: float, depth: int) -> int | None:
        """Index of the span at a time and depth; None for none."""
        inside = (self.begin <= ticks) & (ticks < self.end) & (self.depth == depth)
        hits = np.flatnonzero(inside)
        return int(hits[0]) if len(hits) else None


def stack_spans(
    trace: Trace, row: int, window: tuple[int, int], most: int = MAX_INTERVALS
) -> StackSpans | None:
    """Find the regions that a location is in during a window.

    Parameters
    ----------
    row
        Row of the timeline.
    window
        Begin and end in ticks.
    most
        Intervals of the row beyond which none are looked at.

    Returns
    -------
    StackSpans or None
        None where the window has more intervals of the row than that.
    """
    timeline, calls = trace.timeline, trace.calls
    first, stop = timeline.offsets[row : row + 2].tolist()
    low, high = calls.offsets[row : row + 2].tolist()
    # From the last call before the window on, whose path is known.
    call = low + int(np.searchsorted(calls.enter[low:high], window[0], "right")) - 1
    since = int(calls.enter[call]) if call >= low else 0
    begin = first + int(np.searchsorted(timeline.time[first:stop], since, "right")) - 1
    end = first + int(np.searchsorted(timeline.time[first:stop], window[1]))
    begin, call = max(begin, first), max(call, low)
    if end - begin > most:
        return None
    last_call = low + int(np.searchsorted(calls.enter[low:high], window[1]))
    own = slice(call, min(last_call + 1, high))
    paths = trace.paths
    spans = track_kernels.spans(
        timeline.time[begin:end],
        timeline.region[begin:end],
        int(timeline.time[end]) if end < stop else max(window[1], since + 1),
        calls.enter[own],
        calls.region[own],
        calls.path[own],
        paths.parent,
        paths.region,
    )
    starts, ends, depth, region = spans
    seen = (ends > window[0]) & (starts < window[1])
    return StackSpans(
        np.maximum(starts[seen], window[0]),
        np.minimum(ends[seen], window[1]),
        depth[seen].astype(np.int32),
        region[seen].astype(np.int32),
    )


def deepest(trace: Trace) -> int:
    """Count the regions within each other that calls are made in, and the call."""
    parent = trace.paths.parent
    depth = np.zeros(len(parent), np.int64)
    for path in range(1, len(parent)):
        depth[path] = depth[parent[path]] + 1
    return int(depth.max(initial=0)) + 1
