"""In which order the timeline shows the ranks, and how it groups them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from topoview.model import Indices, Ints, Match, freeze
from topoview.session import State, shown_match
from topoview.topology.lattice import AXES

WITHOUT_PLACES = frozenset({"unknown", "complete"})
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
    if match is None or state.view.order not in possible_orders(state):
        return by_rank(state.analysis.trace.ranks)
    return ORDERS[state.view.order](match, state.selection.ranks)


def possible_orders(state: State) -> tuple[str, ...]:
    """Names of the orders that make sense for what is known so far."""
    match = shown_match(state)
    if match is None or not len(match.topology.edges):
        return ("rank",)
    if match.topology.kind in WITHOUT_PLACES:
        return ("rank", "distance")
    return tuple(ORDERS)


def by_rank(ranks: int) -> RowOrder:
    """Ranks by number, without groups."""
    numbers = np.arange(ranks, dtype=np.int32)
    return RowOrder(
        numbers, np.zeros(1, np.int64), (), True, f"{_count(ranks)}, by number"
    )


def by_place(match: Match, selected: tuple[int, ...] = ()) -> RowOrder:
    """Rows of a lattice, levels of anything else.

    A lattice is read like a page: x runs fastest, and each row of x is a group.
    Elsewhere the first coordinate is the level (of a tree, of a star), and a
    level is a group. Ranks without a place come last.
    """
    del selected
    return _by_place(match)


@lru_cache(maxsize=2)
def _by_place(match: Match) -> RowOrder:
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
    groups = _changes(keys_of_group[ranks])
    firsts = ranks[groups]
    cross = re.sub(r"(?<=\d)x(?=\d)", "\u00d7", topology.name)
    words = f"{_count(len(ranks))}, by place in {cross}"
    if grid and columns > 1:
        words += f": rows of {topology.dims[0]}"
    words_at = _place_labels(topology.kind, grid, label[firsts])
    labels = tuple(
        "silent" if nowhere else text
        for nowhere, text in zip(silent[firsts].tolist(), words_at, strict=True)
    )
    return RowOrder(ranks, groups, labels if any(labels) else (), True, words)


def by_distance(match: Match, selected: tuple[int, ...] = ()) -> RowOrder:
    """Group the ranks by how many hops they are away from the selected ones.

    Breadth-first search over the topology's edges, from all selected ranks at
    once; from rank 0 if none is selected. In this order a disturbance that
    travels from neighbour to neighbour is one front.
    """
    count = len(match.vertex)
    sources = np.array([r for r in selected if r < count] or [0])
    edges = match.rank_edges
    edges = edges[edges[:, 0] >= 0]
    graph = coo_array(
        (np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count)
    ).tocsr()
    hops = dijkstra(
        graph, directed=False, indices=sources, unweighted=True, min_only=True
    )
    ranks = np.argsort(hops, kind="stable").astype(np.int32)
    groups = _changes(hops[ranks, None])
    labels = tuple(_hops_label(hops[r]) for r in ranks[groups])
    start = f"rank {sources[0]}" if len(sources) == 1 else _count(len(sources))
    words = f"{_count(count)}, by distance from {start}"
    return RowOrder(ranks, groups, labels, False, words)


ORDERS: dict[str, Callable[[Match, tuple[int, ...]], RowOrder]] = {
    "rank": lambda match, selected: by_rank(len(match.vertex)),  # noqa: ARG005
    "place": by_place,
    "distance": by_distance,
}


def _count(ranks: int) -> str:
    return f"{ranks:,} rank{'' if ranks == 1 else 's'}".replace(",", "\u2009")


def _changes(keys: NDArray[Any]) -> Ints:
    """Find where rows differ from the one before; the first one does."""
    differ = np.any(keys[1:] != keys[:-1], axis=1)
    found: Ints = np.concatenate(([0], np.flatnonzero(differ) + 1)).astype(np.int64)
    return found


def _place_labels(kind: str, grid: bool, places: Indices) -> list[str]:
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
