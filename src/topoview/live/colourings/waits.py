"""Colourings by who is late, who waits for whom, and by region and phase."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np

from topoview.live.colourings.scales import (
    ColouringRequest,
    categories,
    shares,
    spanned,
    times,
)
from topoview.live.moment import calls_at, moment
from topoview.model import (
    Analysis,
    Indices,
    Ints,
    MPIState,
    RankValues,
    Timeline,
    Trace,
)

# Regions as categories: those that rows of the timeline are ever in have numbers.

_REGIONS_OF_TIMELINE: WeakKeyDictionary[Timeline, dict[str, Ints]] = WeakKeyDictionary()


def in_regions(trace: Trace, region: Indices | Ints, kind: str) -> RankValues:
    """Name the region that each rank, or what it has of a kind, is in.

    Parameters
    ----------
    region : int, shape (ranks,)
        -1 for none.
    kind
        ``rank``, ``thread`` or ``accelerator``: whose regions have numbers.
    """
    kept = _REGIONS_OF_TIMELINE.setdefault(trace.timeline, {})
    if kind not in kept:  # all intervals are looked through, so not in each frame
        kept[kind] = _regions_used(trace, kind)
    used = kept[kind]
    number = np.full(len(trace.regions.names) + 1, -1, np.int64)
    number[used] = np.arange(len(used))
    names = tuple(trace.regions.title(each) for each in used.tolist())
    return categories(number[region], names, "in no region")


def _regions_used(trace: Trace, kind: str) -> Ints:
    from topoview.analysis.phases import occurring

    timeline = trace.timeline
    first, last = 0, int(timeline.offsets[trace.ranks])
    if kind != "rank":
        rows = trace.further_rows(kind)
        low, high = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
        first, last = int(timeline.offsets[low]), int(timeline.offsets[high])
    return np.asarray(
        occurring(timeline.region[first:last], len(trace.regions.names)), np.int64
    )


def late_now(asked: ColouringRequest) -> RankValues:
    """Take how long each rank's present call waits for late partners in all."""
    trace, waits = asked.known.trace, asked.known.waits
    assert waits is not None
    call, inside = calls_at(trace, asked.time)
    values = np.full(trace.ranks, np.nan)
    chosen = call[inside]
    until = np.minimum(waits.until[chosen], trace.calls.leave[chosen])
    late = (until - trace.calls.enter[chosen]) / trace.clock.resolution
    values[inside] = np.where(waits.until[chosen] >= 0, np.maximum(late, 0), np.nan)
    longest = asked.longest_wait / trace.clock.resolution
    return times(values, longest, "waits for nobody")


def late_share(asked: ColouringRequest) -> RankValues:
    """Take the share of the window that each rank waited for late partners."""
    from topoview.live.window_sums import state_ticks, waiting_ticks

    trace, waits = asked.known.trace, asked.known.waits
    assert waits is not None
    late = waiting_ticks(trace, waits.until, asked.window)
    ticks = state_ticks(trace, asked.window)
    recorded = ticks.sum(axis=1) - ticks[:, MPIState.OUTSIDE]
    with np.errstate(invalid="ignore"):
        return shares(late / recorded, "outside")


def held(asked: ColouringRequest) -> RankValues:
    """Count the ranks that wait for each rank, directly or through others."""
    from topoview.live.wait_chains import wait_chains

    waits = asked.known.waits
    assert waits is not None
    found = wait_chains(asked.known.trace, waits, asked.time)
    return spanned(np.where(found.depth < 0, np.nan, found.held), none="in a circle")


def depth(asked: ColouringRequest) -> RankValues:
    """Count the steps from each rank to the one that keeps it waiting in the end."""
    from topoview.live.wait_chains import wait_chains

    waits = asked.known.waits
    assert waits is not None
    steps = wait_chains(asked.known.trace, waits, asked.time).depth
    return spanned(np.where(steps > 0, steps, np.nan), none="waits for nobody")


def regions(asked: ColouringRequest) -> RankValues:
    """Name the innermost region that each rank is in."""
    trace = asked.known.trace
    return in_regions(trace, moment(trace, asked.time).region, "rank")


def phases(asked: ColouringRequest) -> RankValues:
    """Name the phase in which the time is, for the ranks that take part in it."""
    found = asked.known.identification
    assert found is not None
    parts = [part for part in found.parts if part.by == "phase"]
    values = np.full(asked.known.trace.ranks, -1)
    for number, part in enumerate(parts):  # the last that has begun holds
        if part.begin <= asked.time < part.end:
            values[part.ranks] = number
    names = tuple(
        f"{part.name} {part.remark}".strip() if part.name.isdigit() else part.name
        for part in parts
    )
    return categories(values, names, "in no phase")


def has_state(state: MPIState) -> Callable[[Analysis], bool]:
    """Tell whether any rank is ever in a state."""

    def given(known: Analysis) -> bool:
        from topoview.live.window_sums import states_of

        return int(state) in states_of(known.trace)

    return given


def has_waits(known: Analysis) -> bool:
    """Tell whether it is known who waited for whom."""
    return known.waits is not None and bool((known.waits.until >= 0).any())


def has_phases(known: Analysis) -> bool:
    """Tell whether phases were found."""
    found = known.identification
    return found is not None and any(part.by == "phase" for part in found.parts)
