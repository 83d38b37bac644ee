"""The rows of the timeline: their order, their groups, and their lines of pixels."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from topoview.model import AXES, Bools, Floats, Indices, Ints, Match, Trace, freeze
from topoview.session import State, shown_match
from topoview.text import grouped

KINDS_WITHOUT_PLACES = frozenset({"unknown", "complete"})
"""Kinds of topologies whose coordinates are no more than the ranks' numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class RowOrder:
    """Ranks in the order drawn.

    Attributes
    ----------
    ranks : int32, shape (ranks,)
        A permutation of all ranks.
    groups : int64, shape (groups,)
        Index into `ranks` at which each group begins; the first is 0.
    labels
        Name of each group, empty if there is but one.
    numbered
        Whether rows are better labelled with their ranks than with their group.
    words
        What is shown, and in which order: ``32 ranks, by distance from rank 5``.
    """

    ranks: Indices
    groups: Ints
    labels: tuple[str, ...]
    numbered: bool
    words: str

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def row_order(state: State) -> RowOrder:
    """Order of the rows that a state asks for, or that by rank.

    Raises
    ------
    ValueError
        If the state has no analysis.
    """
    if state.analysis is None:
        raise ValueError("no trace is open")
    match = shown_match(state)
    if match is None or state.timeline.order not in possible_row_orders(state):
        return order_by_rank(state.analysis.trace.ranks)
    return ROW_ORDERS[state.timeline.order](match, state.timeline.origin)


def possible_row_orders(state: State) -> tuple[str, ...]:
    """Names of the orders that make sense for what is known so far."""
    match = shown_match(state)
    if match is None or not len(match.topology.edges):
        return ("rank",)
    if match.topology.kind in KINDS_WITHOUT_PLACES:
        return ("rank", "distance")
    return tuple(ROW_ORDERS)


def order_by_rank(ranks: int) -> RowOrder:
    """Ranks by number, without groups."""
    numbers = np.arange(ranks, dtype=np.int32)
    return RowOrder(
        numbers, np.zeros(1, np.int64), (), True, f"{_ranks_text(ranks)}, by rank"
    )


def order_by_place(match: Match, origin: tuple[int, ...] = ()) -> RowOrder:
    """Rows of a lattice, levels of anything else.

    A lattice is read like a page: x runs fastest, and each row of x is a group.
    Elsewhere the first coordinate is the level (of a tree, of a star), and a
    level is a group. Ranks without a place come last.
    """
    del origin
    return _find_order_by_place(match)


@lru_cache(maxsize=2)
def _find_order_by_place(match: Match) -> RowOrder:
    topology = match.topology
    places = match.coordinates
    columns = places.shape[1]
    grid = len(topology.dims) == columns
    keys = list(places.T) if grid else list(places.T[::-1])
    silent = match.vertex < 0
    ranks = np.lexsort((*keys, silent)).astype(np.int32)
    label = places[:, 1:] if grid else places[:, :1]
    if columns == 1:
        label = np.zeros((len(places), 0), np.int32)
    keys_of_group = np.column_stack((silent.astype(np.int32), label))
    groups = _group_starts(keys_of_group[ranks])
    firsts = ranks[groups]
    cross = re.sub(r"(?<=\d)x(?=\d)", "\u00d7", topology.name)
    words = f"{_ranks_text(len(ranks))}, in the order of {cross}"
    if grid and columns > 1:
        words += f": rows of {topology.dims[0]}"
    words_at = _coordinate_labels(topology.kind, grid, label[firsts])
    labels = tuple(
        "silent" if nowhere else text
        for nowhere, text in zip(silent[firsts].tolist(), words_at, strict=True)
    )
    return RowOrder(ranks, groups, labels if any(labels) else (), True, words)


def order_by_distance(match: Match, origin: tuple[int, ...] = ()) -> RowOrder:
    """Group the ranks by how many hops they are away from those of an origin.

    Breadth-first search over the topology's edges, from all ranks of the origin at
    once; from rank 0 if it is empty. In this order a disturbance that
    travels from neighbour to neighbour is one front.
    """
    count = len(match.vertex)
    sources = np.array([r for r in origin if r < count] or [0])
    edges = match.rank_edges
    edges = edges[edges[:, 0] >= 0]
    graph = coo_array(
        (np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count)
    ).tocsr()
    hops = dijkstra(
        graph, directed=False, indices=sources, unweighted=True, min_only=True
    )
    ranks = np.argsort(hops, kind="stable").astype(np.int32)
    groups = _group_starts(hops[ranks, None])
    labels = tuple(_hops_label(hops[r]) for r in ranks[groups])
    start = f"rank {sources[0]}" if len(sources) == 1 else _ranks_text(len(sources))
    words = f"{_ranks_text(count)}, by distance from {start}"
    return RowOrder(ranks, groups, labels, False, words)


ROW_ORDERS: dict[str, Callable[[Match, tuple[int, ...]], RowOrder]] = {
    "rank": lambda match, origin: order_by_rank(len(match.vertex)),  # noqa: ARG005
    "place": order_by_place,
    "distance": order_by_distance,
}


def _ranks_text(ranks: int) -> str:
    return f"{grouped(ranks)} rank{'' if ranks == 1 else 's'}"


def _group_starts(keys: NDArray[Any]) -> Ints:
    """Find where rows differ from the one before; the first one does."""
    differ = np.any(keys[1:] != keys[:-1], axis=1)
    found: Ints = np.concatenate(([0], np.flatnonzero(differ) + 1)).astype(np.int64)
    return found


def _coordinate_labels(kind: str, grid: bool, places: Indices) -> list[str]:
    """Name groups by what they share of their coordinates: shape (groups, shared)."""
    columns = places.T.tolist()
    if not columns:
        return [""] * len(places)
    if grid:
        named = [
            [f"{AXES[k]} {c}" for c in column]
            for k, column in enumerate(columns, start=1)
        ]
        return list(map(", ".join, zip(*named, strict=True)))
    if kind == "star":
        return ["workers" if c else "master" for c in columns[0]]
    return [f"level {c}" for c in columns[0]]


def _hops_label(hops: float) -> str:
    if not np.isfinite(hops):
        return "apart"
    return "1 hop" if hops == 1 else f"{int(hops)} hops"


MAX_ROW_HEIGHT = 28
"""Logical pixels of the tallest row."""
_MIN_HEIGHT_WITH_GAP = 5
_GROUP_GAP = 4
_THREAD_WEIGHT = 0.5
"""Height of a further location's row beside that of its rank."""
_MIN_THREAD_HEIGHT = 3


@dataclass(frozen=True, slots=True, eq=False)
class RowBands:
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


def place_rows(trace: Trace, order: RowOrder, height: int, scale: float) -> RowBands:
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
        if unit * _THREAD_WEIGHT >= _MIN_THREAD_HEIGHT * scale:
            return _place_bands(rows, rank, weight, groups, height, scale, 0)
    ranks = order.ranks
    even = np.ones(len(ranks))
    return _place_bands(ranks, ranks, even, order.groups, height, scale, len(further))


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


def _place_bands(  # noqa: PLR0913
    rows: Indices,
    rank: Indices,
    weight: Floats,
    groups: Ints,
    height: int,
    scale: float,
    hidden: int,
) -> RowBands:
    gap = _group_gap(height, weight.sum(), len(groups) - 1, scale)
    unit = (height - gap * (len(groups) - 1)) / weight.sum()
    unit = min(unit, MAX_ROW_HEIGHT * scale)
    gaps = np.zeros(len(rows))
    gaps[groups[1:]] = gap
    top = np.cumsum(weight * unit + gaps) - weight * unit
    bottom = top + weight * unit
    if unit < 1:
        bounds, band_of_line = _thin_bands(bottom, top, height)
        core = np.zeros(height, np.bool_)
    else:
        top, bottom = np.round(top), np.round(bottom)
        bounds = np.arange(len(rows) + 1)
        slit = round(scale) if unit >= _MIN_HEIGHT_WITH_GAP * scale else 0
        band_of_line, core = _thick_bands(top, bottom, slit, height)
        bottom = bottom - slit
    return RowBands(rows, rank, top, bottom, bounds, band_of_line, core, groups, hidden)


def _group_gap(height: int, weight: float, gaps: int, scale: float) -> int:
    for gap, least in ((_GROUP_GAP, 4.0), (2, 1.2)):
        if height - gaps * gap * scale >= least * weight * scale:
            return round(gap * scale)
    return 0


def _thin_bands(bottom: Floats, top: Floats, height: int) -> tuple[Ints, Indices]:
    """Bands of several rows: each line shows those whose middle lies in it."""
    line = np.minimum(((top + bottom) / 2).astype(np.int64), height - 1)
    bounds = np.flatnonzero(np.diff(line, prepend=-1, append=height))
    band_of_line = np.full(height, -1, np.int32)
    band_of_line[line[bounds[:-1]]] = np.arange(len(bounds) - 1)
    return bounds, band_of_line


def _thick_bands(
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
