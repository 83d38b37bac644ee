"""Where on the screen the timeline's rows are: from an order to lines of pixels."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Floats, Indices, Ints, Trace, freeze
from topoview.scene.timeline.rows import RowOrder

TALLEST = 28
"""Logical pixels of the tallest row."""
_GAP_FROM = 5
_GROUP_GAP = 4
_THREAD_WEIGHT = 0.5
"""Height of a further location's row beside that of its rank."""
_THREAD_LEAST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Rows of the timeline, placed on lines of pixels.

    All positions are in device pixels from the top of the rows. A band is what
    a line shows: a row, or several where a row is thinner than a pixel.

    Attributes
    ----------
    rows : int32, shape (n,)
        Rows of the timeline in the order drawn, top to bottom.
    rank : int32, shape (n,)
        Rank that each of them belongs to.
    top, bottom : float64, shape (n,)
        Where each row begins and ends.
    bounds : int64, shape (bands + 1,)
        Band ``b`` shows ``rows[bounds[b]:bounds[b + 1]]``.
    band_of_line : int32, shape (height,)
        Band that each line shows, -1 for a gap.
    core : bool, shape (height,)
        Lines that a row keeps when it is shrunk to a thin stripe.
    groups : int64, shape (groups,)
        Index into `rows` at which each group begins.
    hidden
        Further locations for which there is no room.
    """

    rows: Indices
    rank: Indices
    top: Floats
    bottom: Floats
    bounds: Ints
    band_of_line: Indices
    core: Bools
    groups: Ints
    hidden: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def height(self) -> int:
        """Lines of pixels."""
        return len(self.band_of_line)

    @property
    def row_height(self) -> float:
        """Device pixels of a rank's row."""
        return float(np.max(self.bottom - self.top, initial=0.0))

    def row_at(self, line: float) -> int | None:
        """Index into `rows` of the row at or next to a position."""
        if not len(self.rows):
            return None
        found = int(np.searchsorted(self.top, line, side="right")) - 1
        return max(found, 0) if line <= self.bottom[-1] else None

    def index_of_rank(self, ranks: tuple[int, ...]) -> Ints:
        """Index into `rows` of the main rows of some ranks, ascending."""
        found: Ints = np.flatnonzero(np.isin(self.rows, ranks))
        return found


def place_rows(trace: Trace, order: RowOrder, height: int, scale: float) -> Bands:
    """Place the rows of a trace in an order.

    Parameters
    ----------
    trace
        The trace. Its further locations (threads, GPU streams) get thin rows
        below their rank's if there is room.
    order
        Order of the ranks.
    height
        Device pixels that there are.
    scale
        Device pixels in a logical one.
    """
    further = _further_rows(trace)
    if len(further):
        owner = np.array([trace.locations[r].rank for r in further], np.int32)
        rows, rank, weight, groups = _interleave(order, further, owner)
        unit = (height - len(groups) * _GROUP_GAP * scale) / weight.sum()
        if unit * _THREAD_WEIGHT >= _THREAD_LEAST * scale:
            return _place(rows, rank, weight, groups, height, scale, 0)
    ranks = order.ranks
    even = np.ones(len(ranks))
    return _place(ranks, ranks, even, order.groups, height, scale, len(further))


def _further_rows(trace: Trace) -> Indices:
    """Rows of locations that have states and are no rank's main thread."""
    further = range(trace.ranks, trace.timeline.rows)
    found = [row for row in further if trace.locations[row].kind != "metric"]
    return np.array(found, np.int32)


def _interleave(
    order: RowOrder, further: Indices, owner: Indices
) -> tuple[Indices, Indices, Floats, Ints]:
    """Put further rows below the row of their rank."""
    place = np.empty(len(order.ranks), np.int64)
    place[order.ranks] = np.arange(len(order.ranks))
    rows = np.concatenate((order.ranks, further))
    rank = np.concatenate((order.ranks, owner))
    weight = np.where(rows < len(order.ranks), 1.0, _THREAD_WEIGHT)
    sorting = np.lexsort((rows, place[rank]))
    rows, rank, weight = rows[sorting], rank[sorting], weight[sorting]
    groups = np.flatnonzero(np.isin(rows, order.ranks[order.groups]))
    return rows, rank, weight, groups


def _place(  # noqa: PLR0913
    rows: Indices,
    rank: Indices,
    weight: Floats,
    groups: Ints,
    height: int,
    scale: float,
    hidden: int,
) -> Bands:
    gap = _group_gap(height, weight.sum(), len(groups) - 1, scale)
    unit = (height - gap * (len(groups) - 1)) / weight.sum()
    unit = min(unit, TALLEST * scale)
    gaps = np.zeros(len(rows))
    gaps[groups[1:]] = gap
    top = np.cumsum(weight * unit + gaps) - weight * unit
    bottom = top + weight * unit
    if unit < 1:
        bounds, band_of_line = _thin(bottom, top, height)
        core = np.zeros(height, np.bool_)
    else:
        top, bottom = np.round(top), np.round(bottom)
        bounds = np.arange(len(rows) + 1)
        slit = round(scale) if unit >= _GAP_FROM * scale else 0
        band_of_line, core = _thick(top, bottom, slit, height)
        bottom = bottom - slit
    return Bands(rows, rank, top, bottom, bounds, band_of_line, core, groups, hidden)


def _group_gap(height: int, weight: float, gaps: int, scale: float) -> int:
    for gap, least in ((_GROUP_GAP, 4.0), (2, 1.2)):
        if height - gaps * gap * scale >= least * weight * scale:
            return round(gap * scale)
    return 0


def _thin(bottom: Floats, top: Floats, height: int) -> tuple[Ints, Indices]:
    """Bands of several rows: each line shows those whose middle lies in it."""
    line = np.minimum(((top + bottom) / 2).astype(np.int64), height - 1)
    bounds = np.flatnonzero(np.diff(line, prepend=-1, append=height))
    band_of_line = np.full(height, -1, np.int32)
    band_of_line[line[bounds[:-1]]] = np.arange(len(bounds) - 1)
    return bounds, band_of_line


def _thick(
    top: Floats, bottom: Floats, slit: int, height: int
) -> tuple[Indices, Bools]:
    """Bands of a row each: the lines of each row but for the slit below it."""
    line = np.arange(height)
    row = np.searchsorted(top, line, side="right") - 1
    inside = (row >= 0) & (line < bottom[row] - slit)
    band_of_line = np.where(inside, row, -1).astype(np.int32)
    tall = bottom[row] - slit - top[row]
    stripe = np.maximum(1, np.round(tall * 0.2))
    start = top[row] + np.floor((tall - stripe) / 2)
    core = inside & (tall >= 3) & (line >= start) & (line < start + stripe)
    return band_of_line, core
