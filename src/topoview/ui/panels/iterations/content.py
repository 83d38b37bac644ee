"""What the panel Iterations shows of a state: asked for here, made in a thread."""

from dataclasses import dataclass

import numpy as np

from topoview.base.text import tr
from topoview.live.picking.selection import selected_spans
from topoview.live.tables.iteration_grid import (
    DirectionWaits,
    IterationGrid,
    OutlierGroup,
    amounts_of,
    direction_waits,
    grid_of,
    merged_cells,
    outlier_groups,
)
from topoview.live.tables.iterations import iterations
from topoview.live.tables.statistics.histogram import LOG_SPAN, Histogram, histogram
from topoview.live.timeline.orders import RowOrder
from topoview.model import Analysis, Bools, Floats, Ints, Iterations
from topoview.session import CallFilter, State
from topoview.ui.panels.options import IterationOptions
from topoview.ui.panels.selected_calls import call_filter, coloured_loop
from topoview.ui.widgets.latest_only import LastMade

MERGES = {"maximum": tr("Max"), "mean": tr("Mean")}
"""How cells that share a pixel are put together."""


@dataclass(frozen=True, slots=True)
class GridRequest:
    """What a grid is made from."""

    analysis: Analysis
    amount: str
    loop: int | None
    window: tuple[int, int] | None
    """`known`, `amount`, `loop` and `window`: as for `iteration_grid`."""
    order: RowOrder
    """Order of the rows, that of the timeline."""
    size: tuple[int, int]
    """Pixels across and down that there are for cells."""
    merge: str
    """How cells that share a pixel are put together."""
    brush: tuple[float, float] | None
    """From which to below which number rows of the list are."""
    wanted: CallFilter
    """Selected calls, whose waiting is divided by directions."""


@dataclass(frozen=True, slots=True, eq=False)
class GridPicture:
    """A grid and what is drawn of it."""

    request: GridRequest
    """What it is of."""
    grid: IterationGrid
    """All numbers."""
    cells: Floats
    """float64, shape (rows, columns): no more than there are pixels, in the order of
    the rows."""
    low: float
    high: float
    """`low` and `high`: ends of the scale of what is drawn."""
    log: bool
    """Whether it is logarithmic."""
    bins: Histogram
    """Of all numbers."""
    marked: Bools
    """bool, shape (ranks, columns): numbers within the brush; all without one."""
    slowest: Ints
    """int64, shape (rows,): columns with marked numbers, that with the greatest sum
    first."""
    outliers: tuple[OutlierGroup, ...]
    """Marked outliers, those of a delay together."""
    directions: DirectionWaits
    """Waiting of the selected calls."""

    @property
    def unit(self) -> str:
        """Unit of the numbers."""
        return amounts_of(self.request.analysis)[self.request.amount][1]

    @property
    def title(self) -> str:
        """What the numbers are."""
        return amounts_of(self.request.analysis)[self.request.amount][0]

    @property
    def exact(self) -> bool:
        """Whether each pixel shows one cell."""
        return self.cells.shape == self.grid.values.shape

    def shares(self) -> Floats:
        """Where the cells are on the scale, from 0 to 1; NaN for none."""
        low, high, cells = self.low, self.high, self.cells
        if high <= low:
            return np.where(np.isnan(cells), np.nan, 1.0)
        if self.log:
            logs = np.log(np.maximum(cells, low) / low)
            return np.asarray(logs / np.log(high / low))
        return np.clip((cells - low) / (high - low), 0, 1)


def grid_request(
    state: State, order: RowOrder, size: tuple[int, int]
) -> GridRequest | None:
    """Gather what a state wants to see; None before there is a logical trace."""
    analysis, options = state.analysis, state.of(IterationOptions)
    if analysis is None or analysis.positions is None or analysis.logical is None:
        return None
    loop = coloured_loop(state)
    amount = options.amount if options.amount in amounts_of(analysis) else "seconds"
    return GridRequest(
        analysis=analysis,
        amount=amount,
        loop=None if loop < 0 else loop,
        window=state.window if options.scope == "window" else None,
        order=order,
        size=size,
        merge=options.merge,
        brush=options.brush,
        wanted=call_filter(state),
    )


class GridMaker:
    """Makes pictures; keeps the grid until another one is asked for.

    It belongs to the thread that makes them.
    """

    def __init__(self) -> None:
        self._keep = LastMade()

    def picture(self, request: GridRequest, _: object = None) -> GridPicture | None:
        """Compute the picture; a long computation that releases the GIL."""
        analysis = request.analysis
        key = (analysis, request.amount, request.loop, request.window)
        every: Iterations | None = self._keep(
            "every",
            (analysis, request.loop),
            lambda: iterations(analysis, request.loop),
        )
        if every is None:
            return None
        grid: IterationGrid = self._keep(
            "grid",
            key,
            lambda: grid_of(analysis, every.within(request.window), request.amount),
        )
        if not grid.values.size:
            return None
        bins: Histogram = self._keep(
            "bins",
            key,
            lambda: histogram(grid.values.ravel(), whole=request.amount == "bytes"),
        )
        waits: DirectionWaits = self._keep(
            "directions", (analysis, request.wanted), lambda: _directions(request)
        )
        cells = merged_cells(
            grid.values, request.order.ranks, request.size, request.merge
        )
        low, high, log = scale_of(cells)
        marked = ~np.isnan(grid.values)
        if request.brush is not None:
            marked &= (grid.values >= request.brush[0]) & (
                grid.values < request.brush[1]
            )
        some = np.flatnonzero(marked.any(axis=0))
        slowest = some[np.argsort(-grid.of_iteration[some], kind="stable")]
        return GridPicture(
            request=request,
            grid=grid,
            cells=cells,
            low=low,
            high=high,
            log=log,
            bins=bins,
            marked=marked,
            slowest=slowest,
            outliers=outlier_groups(analysis, grid, marked),
            directions=waits,
        )


def scale_of(values: Floats) -> tuple[float, float, bool]:
    """Return the ends of the scale of colours, and whether it is logarithmic.

    What is below a logarithmic scale, that of two decades, has its first colour.
    """
    valid = values[~np.isnan(values)]
    positive = valid[valid > 0]
    if not len(positive):
        return 0.0, 0.0, False
    low, high = float(positive.min()), float(positive.max())
    if high > LOG_SPAN * low:
        return high / LOG_SPAN, high, True
    return (low if low == valid.min() else 0.0), high, False


def _directions(request: GridRequest) -> DirectionWaits:
    if not request.wanted or request.analysis.trace.digest is not None:
        return DirectionWaits((), np.zeros(0), np.zeros(0, np.int64))
    analysis = request.analysis
    spans = selected_spans(analysis.trace, analysis.logical, request.wanted)
    return direction_waits(analysis, spans.call[: spans.offsets[analysis.trace.ranks]])


def amount_texts(analysis: Analysis) -> dict[str, str]:
    """Name what can be shown."""
    result = {name: title for name, (title, _) in amounts_of(analysis).items()}
    if analysis.waits is None:
        del result["wait"]
    return result
