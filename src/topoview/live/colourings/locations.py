"""Colourings by what a rank's other locations do: threads and GPU streams."""

from collections.abc import Callable

import numpy as np

from topoview.base.text import tr
from topoview.live.colourings.scales import ColouringRequest, shares
from topoview.live.colourings.waits import in_regions
from topoview.model import Analysis, Floats, Ints, RankValues, TimeState, Trace


def busy_now(kind: str) -> Callable[[ColouringRequest], RankValues]:
    """Return a colouring: the share of a rank's locations of a kind in a region."""

    def values(request: ColouringRequest) -> RankValues:
        trace = request.analysis.trace
        rows = trace.further_rows(kind)
        ranks = trace.rank_of_location[rows]
        state = trace.timeline.state[trace.timeline.at(request.time)[rows]]
        return _averaged(trace, ranks, (state != TimeState.OUTSIDE).astype(float), kind)

    return values


def region_now(kind: str) -> Callable[[ColouringRequest], RankValues]:
    """Name the region that most of a rank's other locations of a kind are in.

    Those in none do not count; of as many in two the one defined first is named.
    """

    def values(request: ColouringRequest) -> RankValues:
        trace = request.analysis.trace
        rows = trace.further_rows(kind)
        region = trace.timeline.region[trace.timeline.at(request.time)[rows]]
        inside = region >= 0
        size = max(len(trace.regions.names), 1)
        keys = np.sort(trace.rank_of_location[rows][inside] * size + region[inside])
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        count = np.diff(first, append=len(keys))
        order = np.lexsort((-keys[first], count))  # the last of a rank has most
        regions = np.full(trace.ranks, -1, np.int64)
        regions[keys[first][order] // size] = keys[first][order] % size
        return in_regions(request.analysis, regions, kind)

    return values


def busy_share(kind: str) -> Callable[[ColouringRequest], RankValues]:
    """Return a colouring: the share of the window in which they are, on the average."""

    def values(request: ColouringRequest) -> RankValues:
        from topoview.live.moments.window_sums import state_ticks

        trace = request.analysis.trace
        rows = trace.further_rows(kind)
        ranks = trace.rank_of_location[rows]
        ticks = state_ticks(trace, request.window, trace.timeline.rows)[rows]
        span = max(request.window[1] - request.window[0], 1)
        share = (ticks.sum(axis=1) - ticks[:, TimeState.OUTSIDE]) / span
        averages = _averaged(trace, ranks, share, kind)
        return shares(averages.values, averages.none)

    return values


def _averaged(trace: Trace, ranks: Ints, share: Floats, kind: str) -> RankValues:
    count = np.bincount(ranks, minlength=trace.ranks)
    total = np.bincount(ranks, share, trace.ranks)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(count > 0, total / count, np.nan)
    none = tr("no GPU streams") if kind == "accelerator" else tr("no other threads")
    return RankValues(values, unit="%", none=none)


def has_others(kind: str) -> Callable[[Analysis], bool]:
    """Return a test whether the ranks have other locations of a kind."""
    return lambda analysis: len(analysis.trace.further_rows(kind)) > 0
