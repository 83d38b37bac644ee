"""Colourings by who is late, who waits for whom, and by region and phase."""

from collections.abc import Callable

import numpy as np

from topoview.base.progress import batches
from topoview.base.text import tr
from topoview.live.colourings.scales import (
    ColouringRequest,
    categories,
    shares,
    spanned,
    times,
)
from topoview.live.waits.critical_path import path_within
from topoview.model import Analysis, Indices, Ints, RankValues, TimeState, WaitSums
from topoview.model.frozen.derived import kept_with_source

_RANKS_AT_ONCE = 1 << 14


def in_regions(analysis: Analysis, region: Indices | Ints, kind: str) -> RankValues:
    """Name the region that each rank, or what it has of a kind, is in.

    Those that rows of the timeline are ever in have numbers.

    Parameters
    ----------
    region : int, shape (ranks,)
        -1 for none.
    kind
        ``rank``, ``thread`` or ``accelerator``: whose regions have numbers.
    """
    regions = analysis.trace.regions
    used = (
        analysis.overview.regions_used.get(kind, NO_REGIONS)
        if analysis.overview
        else NO_REGIONS
    )
    number = np.full(len(regions.names) + 1, -1, np.int64)
    number[used] = np.arange(len(used))
    names = tuple(regions.title(each) for each in used.tolist())
    return categories(number[region], names, tr("in no region"))


NO_REGIONS = np.zeros(0, np.int64)


def late_now(request: ColouringRequest) -> RankValues:
    """Compute how long each rank's present call waits for late partners in all."""
    from topoview.analysis.waits.states import lateness

    trace, waits = request.analysis.trace, request.analysis.waits
    assert waits is not None
    call, inside = request.look.cursor.calls(request.time)
    values = np.full(trace.ranks, np.nan)
    chosen = call[inside]
    late = lateness(trace, waits, chosen)
    values[inside] = np.where(late >= 0, late / trace.clock.resolution, np.nan)
    longest = request.look.longest_wait / trace.clock.resolution
    return times(values, longest, tr("not waiting"))


def late_share(request: ColouringRequest) -> RankValues:
    """Compute the share of the window that each rank waited for late partners."""
    from topoview.live.moments.window_sums import state_ticks, waiting_ticks

    trace, waits = request.analysis.trace, request.analysis.waits
    assert waits is not None
    late = waiting_ticks(trace, waits, request.window)
    ticks = state_ticks(trace, request.window)
    recorded = ticks.sum(axis=1) - ticks[:, TimeState.OUTSIDE]
    with np.errstate(invalid="ignore"):
        return shares(late / recorded, tr("not recorded"))


def suffered(request: ColouringRequest) -> RankValues:
    """Return how long each rank waited in the run."""
    sums = request.analysis.wait_sums
    assert sums is not None
    seconds = sums.suffered.sum(axis=0) / request.analysis.trace.clock.resolution
    return spanned(seconds, "s")


def caused(request: ColouringRequest) -> RankValues:
    """Return how long ranks waited in the run because of each rank's own time."""
    delays = request.analysis.delays
    assert delays is not None
    return spanned(delays.of_rank / request.analysis.trace.clock.resolution, "s")


def on_path(request: ColouringRequest) -> RankValues:
    """Compute the share of the window that the critical path is on each rank."""
    path = request.analysis.critical_path
    assert path is not None
    begin, end = request.window
    ticks = path_within(path, request.window).ticks(request.analysis.trace.ranks)
    return shares(ticks / max(end - begin, 1), tr("not recorded"))


def held(request: ColouringRequest) -> RankValues:
    """Count the ranks that wait for each rank, directly or through others."""
    from topoview.live.moments.wait_chains import wait_chains

    waits = request.analysis.waits
    assert waits is not None
    chains = wait_chains(request.look.cursor, waits, request.time)
    return spanned(
        np.where(chains.depth < 0, np.nan, chains.held), none=tr("in a cycle of waits")
    )


def depth(request: ColouringRequest) -> RankValues:
    """Count the steps from each rank to the one that keeps it waiting in the end."""
    from topoview.live.moments.wait_chains import wait_chains

    waits = request.analysis.waits
    assert waits is not None
    steps = wait_chains(request.look.cursor, waits, request.time).depth
    return spanned(np.where(steps > 0, steps, np.nan), none=tr("not waiting"))


def regions(request: ColouringRequest) -> RankValues:
    """Name the innermost region that each rank is in."""
    now = request.look.cursor.moment(request.time)
    return in_regions(request.analysis, now.region, "rank")


def phases(request: ColouringRequest) -> RankValues:
    """Name the phase in which the time is, for the ranks that take part in it."""
    identification = request.analysis.identification
    assert identification is not None
    parts = [part for part in identification.parts if part.by == "phase"]
    values = np.full(request.analysis.trace.ranks, -1)
    for number, part in enumerate(parts):  # the last that has begun holds
        if part.begin <= request.time < part.end:
            values[part.ranks] = number
    names = tuple(
        f"{part.name} {part.remark}".strip() if part.name.isdigit() else part.name
        for part in parts
    )
    return categories(values, names, tr("in no phase"))


def has_sums(analysis: Analysis) -> bool:
    """Return whether waiting is summed up."""
    return analysis.wait_sums is not None and _is_any_suffered(analysis.wait_sums)


@kept_with_source()
def _is_any_suffered(sums: WaitSums) -> bool:
    """Look at some ranks at a time: menus ask, and mostly one of the first waited."""
    suffered = sums.suffered
    return any(
        suffered[:, begin : begin + _RANKS_AT_ONCE].any()
        for begin in range(0, suffered.shape[1], _RANKS_AT_ONCE)
    )


def has_causes(analysis: Analysis) -> bool:
    """Return whether it is known what waiting is due to."""
    return analysis.delays is not None


def has_path(analysis: Analysis) -> bool:
    """Return whether the critical path is known."""
    return analysis.critical_path is not None


def has_state(state: TimeState) -> Callable[[Analysis], bool]:
    """Return a test whether any rank is ever in a state."""

    def given(analysis: Analysis) -> bool:
        from topoview.live.moments.window_sums import states_of

        return int(state) in states_of(analysis)

    return given


def has_waits(analysis: Analysis) -> bool:
    """Return whether it is known who waited for whom, in all calls."""
    if analysis.waits is None or analysis.trace.digest is not None:
        return False
    until = analysis.waits.until  # one of the first calls waits: few are looked at
    return any((until[some] >= 0).any() for some in batches(len(until)))


def has_phases(analysis: Analysis) -> bool:
    """Return whether phases were found."""
    identification = analysis.identification
    return identification is not None and any(
        part.by == "phase" for part in identification.parts
    )
