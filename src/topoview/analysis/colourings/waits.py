"""Colourings that tell who is late, who waits for whom, and where a rank is."""

from collections.abc import Callable

import numpy as np

from topoview.analysis.colourings.regions import in_regions
from topoview.analysis.colourings.table import Asked, categories, shares, spanned, times
from topoview.analysis.moment import calls_at, moment
from topoview.analysis.pipeline import Analysis
from topoview.model import MPIState, RankValues


def late_now(asked: Asked) -> RankValues:
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


def late_share(asked: Asked) -> RankValues:
    """Take the share of the window that each rank waited for late partners."""
    from topoview.analysis.shares import late_ticks, state_ticks

    trace, waits = asked.known.trace, asked.known.waits
    assert waits is not None
    late = late_ticks(trace, waits.until, asked.window)
    ticks = state_ticks(trace, asked.window)
    recorded = ticks.sum(axis=1) - ticks[:, MPIState.OUTSIDE]
    with np.errstate(invalid="ignore"):
        return shares(late / recorded, "outside")


def held(asked: Asked) -> RankValues:
    """Count the ranks that wait for each rank, directly or through others."""
    from topoview.analysis.wait_chains import chains

    waits = asked.known.waits
    assert waits is not None
    found = chains(asked.known.trace, waits, asked.time)
    return spanned(np.where(found.depth < 0, np.nan, found.held), none="in a circle")


def depth(asked: Asked) -> RankValues:
    """Count the steps from each rank to the one that keeps it waiting in the end."""
    from topoview.analysis.wait_chains import chains

    waits = asked.known.waits
    assert waits is not None
    steps = chains(asked.known.trace, waits, asked.time).depth
    return spanned(np.where(steps > 0, steps, np.nan), none="waits for nobody")


def regions(asked: Asked) -> RankValues:
    """Name the innermost region that each rank is in."""
    trace = asked.known.trace
    return in_regions(trace, moment(trace, asked.time).region, "rank")


def phases(asked: Asked) -> RankValues:
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
        from topoview.analysis.shares import states_of

        return int(state) in states_of(known.trace)

    return given


def has_waits(known: Analysis) -> bool:
    """Tell whether it is known who waited for whom."""
    return known.waits is not None and bool((known.waits.until >= 0).any())


def has_phases(known: Analysis) -> bool:
    """Tell whether phases were found."""
    found = known.identification
    return found is not None and any(part.by == "phase" for part in found.parts)
