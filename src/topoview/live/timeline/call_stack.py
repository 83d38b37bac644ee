"""The call stack of a rank over time, put together from intervals and call paths.

A trace's timeline has the innermost region of each interval, and each MPI call the
path of regions around it. Between two calls regions are entered and left one at a
time; where a region follows another, the paths of the calls before and after tell
whether it lies within it or beside it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Frozen, Indices, Ints, Trace

MAX_DEPTH: Final = 64
"""Regions within each other that are told apart: those deeper are left out."""

MAX_INTERVALS: Final = 1 << 20
"""Intervals of a rank whose stack is looked at: beyond, a window shows nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class StackSpans(Frozen):
    """Regions that a location was in during a window, in order of their begins.

    Attributes
    ----------
    begin, end : int64, shape (spans,)
        In ticks; those that reach over the window's edges are cut off there.
    depth : int32, shape (spans,)
        Regions around each.
    region : int32, shape (spans,)
    """

    begin: Ints
    end: Ints
    depth: Indices
    region: Indices

    def at(self, ticks: float, depth: int) -> int | None:
        """Index of the span at a time and depth; None for none."""
        inside = (self.begin <= ticks) & (ticks < self.end) & (self.depth == depth)
        found = np.flatnonzero(inside)
        return int(found[0]) if len(found) else None


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
    found = _spans(
        timeline.time[begin:end],
        timeline.region[begin:end],
        int(timeline.time[end]) if end < stop else max(window[1], since + 1),
        calls.enter[own],
        calls.region[own],
        calls.path[own],
        paths.parent,
        paths.region,
    )
    starts, ends, depth, region = found
    seen = (ends > window[0]) & (starts < window[1])
    return StackSpans(
        np.maximum(starts[seen], window[0]),
        np.minimum(ends[seen], window[1]),
        depth[seen].astype(np.int32),
        region[seen].astype(np.int32),
    )


@kernel
def _spans(  # noqa: C901, PLR0913 - a state machine
    time: Ints,
    region: Indices,
    until: int,
    enter: Ints,
    called: Indices,
    path: Indices,
    parent: Indices,
    of_path: Indices,
) -> tuple[Ints, Ints, Ints, Ints]:
    room = 4 * len(time) + 4 * MAX_DEPTH
    begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    depths, regions = np.empty(room, np.int64), np.empty(room, np.int64)
    count = 0
    stack, since = np.empty(MAX_DEPTH, np.int64), np.empty(MAX_DEPTH, np.int64)
    target, size = np.empty(MAX_DEPTH, np.int64), 0
    wanted = 0
    depth, call = 0, 0
    for i in range(len(time) + 1):
        now = until if i == len(time) else time[i]
        wanted, is_call = 0, False
        if i < len(time):
            while call < len(enter) and enter[call] < now:
                call += 1
            # What is open at the next call: its path, and at the call itself the call.
            size = 0
            if call < len(enter):
                at = np.int64(path[call])
                while at > 0:
                    size += 1
                    at = np.int64(parent[at])
                at, k = np.int64(path[call]), size
                size = min(size, MAX_DEPTH - 2)
                while at > 0:
                    k -= 1
                    if k < MAX_DEPTH - 2:
                        target[k] = of_path[at]
                    at = np.int64(parent[at])
                is_call = enter[call] == now and called[call] == region[i]
            if is_call:
                target[size] = region[i]
                wanted = size + 1
            elif region[i] >= 0:
                wanted = -1
                for k in range(size - 1, -1, -1):  # it leads to the next call
                    if target[k] == region[i]:
                        wanted = k + 1
                        break
                if wanted < 0:
                    for k in range(depth - 1, -1, -1):  # it was open: others are left
                        if stack[k] == region[i]:
                            wanted = k + 1
                            break
                    for k in range(wanted):
                        target[k] = stack[k]
                if wanted < 0:  # it is entered
                    common = min(depth, MAX_DEPTH - 2)
                    for k in range(common):
                        target[k] = stack[k]
                    target[common] = region[i]
                    wanted = common + 1
        same = 0
        while same < min(depth, wanted) and stack[same] == target[same]:
            same += 1
        for k in range(depth - 1, same - 1, -1):
            if now > since[k] and count < room:
                begins[count], ends[count] = since[k], now
                depths[count], regions[count] = k, stack[k]
                count += 1
        for k in range(same, wanted):
            stack[k], since[k] = target[k], now
        depth = wanted
    return begins[:count], ends[:count], depths[:count], regions[:count]


def deepest(trace: Trace) -> int:
    """Count the regions within each other that calls are made in, and the call."""
    parent = trace.paths.parent
    depth = np.zeros(len(parent), np.int64)
    for path in range(1, len(parent)):
        depth[path] = depth[parent[path]] + 1
    return int(depth.max(initial=0)) + 1
