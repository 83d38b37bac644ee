"""What rows of the timeline are coloured by beside states: regions, and numbers.

Regions are known at every time: pixels and mixtures are as exact as those of states.
A colouring of the scene tells a number of each rank at one time: it is asked for the
middle of each column.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from topoview.base.text import tr
from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import STATE, row_of, rows
from topoview.live.moments.moment import Lookups
from topoview.live.timeline.raster import plan_render, raster_bands, state_shares
from topoview.live.timeline.rows import RowBands
from topoview.model import (
    Analysis,
    Bytes,
    Floats,
    Indices,
    Ints,
    RankValues,
    Timeline,
    TimeState,
    Trace,
    distinct,
)
from topoview.session import NO_CALLS, CallFilter

FUNCTION: Final = "function"
OWN_REGION: Final = "own"
REGION_TEXTS: Final = {FUNCTION: tr("Function"), OWN_REGION: tr("User region")}
"""Colourings by region: the innermost one, and the program's own around MPI calls."""

REGION_CODES: Final = 9
"""Regions that have a colour each; where there are more the last colour is that of all
others."""

SCALE_STEPS: Final = 64
"""Codes of numbers, from the lowest to the highest, or of categories."""

PREVIEW_COLUMNS: Final = 8
"""Columns for which a preview asks a colouring of the scene once."""


class RowLegend(NamedTuple):
    """What codes of pixels mean; 0 is none of it."""

    title: str
    """What rows are coloured by."""
    scale: RankValues
    """Scale and unit of numbers, or names of categories; its values are no rank's."""
    others: bool = False
    """Whether the last category is all others."""


class RowCodes(NamedTuple):
    """Pixels of rows."""

    codes: Bytes
    """uint8, shape (open bands, width): 0 for none; 1 and on: categories, or steps of a
    scale."""
    stacks: tuple[Floats, ...]
    """Share of each code in each folded band: float64, shape (codes, width)."""
    legend: RowLegend
    """What the codes mean."""
    exact: bool
    """Whether they are more than a preview."""


@dataclass(frozen=True, slots=True)
class RowColourRequest:
    """What rows are to be coloured by: a name, and what is selected where it matters.

    `name` is of `row_colourings`, and `title` what it is called then.
    """

    analysis: Analysis
    name: str
    title: str = ""
    wanted: CallFilter = NO_CALLS
    loop: int = -1


def row_colourings(analysis: Analysis) -> dict[str, str]:
    """Name the colourings that rows may have, but by state: those that follow time."""
    texts = {FUNCTION: REGION_TEXTS[FUNCTION]}
    if _has_own_regions(analysis):
        texts[OWN_REGION] = REGION_TEXTS[OWN_REGION]
    # Regions are exact under a name of their own.
    over = {n: r.text for n, r in rows(analysis).items() if r.over == "time"}
    over.pop("region", None)
    return texts | over


def shown_colouring(analysis: Analysis, name: str) -> str:
    """Return a colouring that a trace has: by state where it lacks the wanted one."""
    if name in REGION_TEXTS:
        there = name == FUNCTION or _has_own_regions(analysis)
        return name if there else STATE
    row = row_of(name, analysis)
    return name if row is not None and row.over == "time" else STATE


def own_regions(trace: Trace) -> np.ndarray:
    """Return which regions are the program's own, not MPI's or of I/O: bool."""
    regions = trace.regions
    state = np.asarray(regions.state)
    plain = (state == TimeState.OUTSIDE) | (state == TimeState.COMPUTE)
    result: np.ndarray = plain & (np.asarray(regions.operation) < 0)
    return result


def _has_own_regions(analysis: Analysis) -> bool:
    """Return whether ranks were in any of the program's own regions.

    Archives define regions, such as that of the program, that nothing ever enters.
    """
    own, overview = own_regions(analysis.trace), analysis.overview
    used = () if overview is None else overview.regions_used.values()
    return any(
        own[some[some >= 0]].any() for some in (analysis.trace.paths.region, *used)
    )


class RowColours:
    """Finds codes of rows; keeps the intervals' regions of the last colouring."""

    def __init__(self) -> None:
        self._kept: tuple[Trace, str, Timeline, RowLegend] | None = None

    def pixels(  # noqa: PLR0913 - a picture's parameters
        self,
        request: RowColourRequest,
        bands: RowBands,
        window: tuple[int, int],
        width: int,
        go_on: Callable[[], bool] = lambda: True,
        *,
        soon: bool = False,
    ) -> RowCodes:
        """Find the code of each band in each column, and mixtures of folded ones.

        Parameters
        ----------
        bands, window, width
            What is shown in which lines, in which ticks, on how many columns.
        go_on
            Asked from time to time; once it answers no the rest is left as it is.
        soon
            Whether a preview will do if the exact pixels take long.
        """
        if request.name not in REGION_TEXTS:
            return _sampled(request, bands, window, width, go_on, soon=soon)
        timeline, legend = self._regions(request.analysis, request.name)
        rows_, bounds = bands.part(folded=False)
        plan = plan_render(timeline, None, rows_, window, width)
        codes = raster_bands(plan, bounds, go_on)
        rows_, bounds = bands.part(folded=True)
        stacks = tuple(
            state_shares(plan_render(timeline, None, rows_[own], window, width), go_on)
            for own in map(slice, bounds[:-1].tolist(), bounds[1:].tolist())
        )
        return RowCodes(codes, stacks, legend, exact=True)

    def _regions(self, analysis: Analysis, name: str) -> tuple[Timeline, RowLegend]:
        kept = self._kept
        if kept is None or kept[0] is not analysis.trace or kept[1] != name:
            made = coded_regions(analysis.trace, name)
            self._kept = kept = (analysis.trace, name, *made)
        return kept[2], kept[3]


def coded_regions(trace: Trace, name: str) -> tuple[Timeline, RowLegend]:
    """Return the timeline with codes of regions in place of states, and their look.

    Parameters
    ----------
    name
        In `REGION_TEXTS`.

    Returns
    -------
    Timeline
        The trace's, with `state` from 0 (no region) to `REGION_CODES`.
    RowLegend
        Its regions, those with most time first.
    """
    timeline = trace.timeline
    region = timeline.region if name == FUNCTION else own_region(trace)
    last = np.repeat(trace.clock.length, timeline.rows)
    ends = np.append(timeline.time[1:], 0)
    ends[timeline.offsets[1:] - 1] = np.maximum(
        last, timeline.time[timeline.offsets[1:] - 1]
    )
    regions = len(trace.regions.names)
    ticks = np.bincount(region + 1, ends - timeline.time, regions + 1)[1:]
    order = np.argsort(-ticks, kind="stable")
    order = order[: int((ticks > 0).sum())]
    alone = len(order) if len(order) <= REGION_CODES else REGION_CODES - 1
    code = np.zeros(regions + 1, np.uint8)  # the last: no region
    code[order] = np.minimum(np.arange(len(order)), alone) + 1
    names = [trace.regions.title(int(each)) for each in order[:alone]]
    others = len(order) - alone
    if others:
        names.append(tr("{others} others", others=others))
    none = (
        tr("in no region")
        if name == FUNCTION
        else tr("in none of the program's regions")
    )
    scale = RankValues(np.zeros(0), 0, len(names), names=tuple(names), none=none)
    legend = RowLegend(REGION_TEXTS[name], scale, others=others > 0)
    return replace(timeline, state=code[region]), legend


def own_region(trace: Trace) -> Indices:
    """Find the innermost region of the program that each interval is in.

    That of an MPI call is the one that the call was made in.

    Returns
    -------
    int32, shape (intervals,)
        -1 for none.
    """
    timeline, calls, paths = trace.timeline, trace.calls, trace.paths
    own = np.append(own_regions(trace), False)
    of_path = np.full(len(paths), -1, np.int32)
    for path in range(1, len(paths)):
        region = int(paths.region[path])
        of_path[path] = region if own[region] else of_path[paths.parent[path]]
    regions = np.where(own[timeline.region], timeline.region, np.int32(-1))
    for row in range(min(timeline.rows, len(calls.offsets) - 1)):
        low, high = calls.offsets[row : row + 2].tolist()
        first, stop = timeline.offsets[row : row + 2].tolist()
        inside = np.flatnonzero(~own[timeline.region[first:stop]]) + first
        call = np.searchsorted(calls.enter[low:high], timeline.time[inside], "right")
        call += low - 1
        within = call >= low
        within[within] = timeline.time[inside[within]] < calls.leave[call[within]]
        regions[inside[within]] = of_path[calls.path[call[within]]]
    return regions.astype(np.int32)


def _sampled(  # noqa: PLR0913 - a picture's parameters
    request: RowColourRequest,
    bands: RowBands,
    window: tuple[int, int],
    width: int,
    go_on: Callable[[], bool],
    *,
    soon: bool,
) -> RowCodes:
    """Ask a colouring of the scene for the middle of each column."""
    step = PREVIEW_COLUMNS if soon and width > PREVIEW_COLUMNS else 1
    values, scale = _values_over_time(request, window, width, step, go_on)
    codes_of_rank = _codes(values, scale)
    rows_, bounds = bands.part(folded=False)
    codes = _foremost(_of_rows(codes_of_rank, rows_), bounds, named=bool(scale.names))
    rows_, bounds = bands.part(folded=True)
    stacks = tuple(
        _shares(_of_rows(codes_of_rank, rows_[own]), 1 + SCALE_STEPS)
        for own in map(slice, bounds[:-1].tolist(), bounds[1:].tolist())
    )
    return RowCodes(codes, stacks, RowLegend(request.title, scale), exact=step == 1)


def _values_over_time(
    request: RowColourRequest,
    window: tuple[int, int],
    width: int,
    step: int,
    go_on: Callable[[], bool],
) -> tuple[Floats, RankValues]:
    """Numbers of all ranks in each column, float64, shape (ranks, width), and a scale.

    The scale spans those of all times.
    """
    analysis = request.analysis
    colouring = row_of(request.name, analysis)
    assert colouring is not None
    begin, end = window
    places = ColouringRequest(
        analysis,
        begin,
        window,
        request.wanted,
        request.loop,
        lookups=Lookups(analysis.trace),
    )
    values = np.full((analysis.trace.ranks, width), np.nan)
    scale = RankValues(np.zeros(0))
    for first in range(0, width, step):
        if first and not go_on():
            break
        middle = first + min(step, width - first) / 2
        time = begin + int((end - begin) * middle / width)
        sample = colouring.values(replace(places, time=time))
        values[:, first : first + step] = sample.values[:, None]
        low, high = sample.low, sample.high
        if first:
            low, high = min(low, scale.low), max(high, scale.high)
        scale = replace(sample, values=np.zeros(0), low=low, high=high)
    return values, scale


def _codes(values: Floats, scale: RankValues) -> Bytes:
    """Return the codes of numbers: uint8, of the same shape."""
    valid = ~np.isnan(values)
    if scale.names:
        code = np.nan_to_num(values).astype(np.int64) % SCALE_STEPS
    else:
        share = replace(scale, values=values).shares
        code = np.minimum(np.nan_to_num(share) * SCALE_STEPS, SCALE_STEPS - 1)
    result: Bytes = np.where(valid, code + 1, 0).astype(np.uint8)
    return result


def _of_rows(codes: Bytes, rows_: Indices) -> Bytes:
    """Return the codes of rows; other locations than ranks have none."""
    padded = np.vstack([codes, np.zeros((1, codes.shape[1]), np.uint8)])
    return padded[np.minimum(rows_, len(codes))]


def _foremost(codes: Bytes, bounds: Ints, *, named: bool) -> Bytes:
    """Choose what bands of several rows show: the commonest category, or most."""
    if not len(codes) or len(bounds) - 1 == len(codes):
        return codes
    if not named:
        highest: Bytes = np.maximum.reduceat(codes, bounds[:-1], axis=0)
        return highest
    most = np.zeros((len(bounds) - 1, codes.shape[1]), np.int64)
    result = np.zeros(most.shape, np.uint8)
    for code in distinct(codes.ravel()).tolist():
        count = np.add.reduceat((codes == code).astype(np.int64), bounds[:-1], axis=0)
        result[count >= most] = code
        most = np.maximum(most, count)
    return result


def _shares(codes: Bytes, count: int) -> Floats:
    """Share of rows that have each code: float64, shape (count, width)."""
    shares = np.stack([(codes == code).mean(axis=0) for code in range(count)])
    return np.asarray(shares, np.float64)
