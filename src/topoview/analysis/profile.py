"""Where the time goes: by MPI operation and by state, for each rank."""

from collections.abc import Sequence

import numpy as np

from topoview.analysis import kernels
from topoview.base.progress import Report, silent
from topoview.model import MPIState, Profile, Regions, Trace


def profile(trace: Trace, report: Report = silent) -> Profile:
    """Sum up calls and times.

    Calls of a rank's further threads count for the rank; states are those of
    its main thread, to the end of the trace. One pass over calls and intervals.

    Raises
    ------
    Cancelled
        From `report`.
    """
    report("profiling calls", 0.0)
    regions, calls = trace.regions, trace.calls
    names = len(regions.operations)
    rank = np.array([location.rank for location in trace.locations], np.int64)
    rank = rank[: len(calls.offsets) - 1]
    counts, ticks = np.zeros((2, trace.ranks, names), np.int64)
    kernels.sum_calls(
        calls.offsets,
        rank,
        calls.region,
        regions.operation,
        calls.enter,
        calls.leave,
        counts,
        ticks,
    )
    called = np.flatnonzero(counts.sum(axis=0))
    report("profiling states", 0.5)
    return Profile(
        tuple(regions.operations[i] for i in called),
        counts[:, called],
        ticks[:, called],
        kernels.sum_states(
            trace.timeline.offsets[: trace.ranks + 1],
            trace.timeline.time,
            trace.timeline.state,
            trace.clock.length,
            len(MPIState),
        ),
    )


def added_profiles(parts: Sequence[Profile], regions: Regions) -> Profile:
    """Add up the profiles of parts of a trace, of which `regions` are."""
    called = {name for one in parts for name in one.operations}
    names = tuple(name for name in regions.operations if name in called)
    place = {name: at for at, name in enumerate(names)}
    counts, ticks = np.zeros((2, len(parts[0].calls), len(names)), np.int64)
    for one in parts:
        at = [place[name] for name in one.operations]
        counts[:, at] += one.calls
        ticks[:, at] += one.ticks
    states = np.sum([one.state_ticks for one in parts], axis=0)
    return Profile(names, counts, ticks, states)
