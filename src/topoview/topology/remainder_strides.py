"""Longer steps on an answer's lattice: the coarse levels of multigrid programs."""

import numpy as np

from topoview.model import Bools, Ints, Match, Topology
from topoview.topology.graph import unique_edges
from topoview.topology.lattice import AXES
from topoview.topology.matching import match_topology
from topoview.topology.traffic import Traffic

MOST_STEPS = 12
"""Different steps, each along one axis, that are still a pattern."""

LEAST_PAIRS = 2
"""Pairs that share a step on average; fewer are chance."""


def strides_match(traffic: Traffic, left: Bools, answer: Match) -> Match | None:
    """Match the pairs that are one longer step along an axis apart.

    In multigrid each coarser grid lives on every second place of the finer one, so
    that its neighbours are 2, 4, ... places apart (Briggs, Henson, McCormick, 2000,
    "A multigrid tutorial", chapter 3).

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    left : bool, shape (pairs,)
        Pairs that the answer does not explain.
    answer
        The answer; only lattices have strides.

    Returns
    -------
    Match or None
        Of the pairs that are such steps, all of them seen, or None unless they are
        most of what is left. Its topology is of kind ``strides`` and has the
        lattice's dims, periods and coordinates, and the steps as offsets.
    """
    lattice = answer.topology
    if lattice.kind != "lattice":
        return None
    where = np.flatnonzero(left)
    ends = answer.vertex[traffic.pairs[where]].astype(np.int64)
    inside = (ends >= 0).all(axis=1)
    where, ends = where[inside], ends[inside]
    steps = _steps(lattice, ends)
    along = ((steps != 0).sum(axis=1) == 1) & (steps.max(axis=1, initial=0) > 1)
    if not along.any() or 2 * along.sum() < left.sum():
        return None
    offsets = np.unique(steps[along], axis=0)
    if len(offsets) > MOST_STEPS or along.sum() < LEAST_PAIRS * len(offsets):
        return None
    seen = np.zeros(len(left), bool)
    seen[where[along]] = True
    edges = unique_edges(lattice.vertices, ends[along, 0], ends[along, 1])
    listed = tuple(tuple(row) for row in offsets.tolist())
    topology = Topology(
        "strides",
        _name(offsets),
        lattice.dims,
        lattice.periodic,
        listed,
        edges,
        lattice.coordinates,
    )
    return match_topology(topology, answer.vertex, traffic, 0, seen)


def _steps(lattice: Topology, ends: Ints) -> Ints:
    """How far apart places are along each axis, the shortest way round."""
    places = lattice.coordinates.astype(np.int64)
    apart = np.abs(places[ends[:, 1]] - places[ends[:, 0]])
    dims, wraps = np.array(lattice.dims), np.array(lattice.periodic, bool)
    shortest: Ints = np.where(wraps, np.minimum(apart, dims - apart), apart)
    return shortest


def _name(offsets: Ints) -> str:
    """Name steps by their axes: ``strides 2, 4 in x; 2 in z``, alike ones together."""
    by_axis = [sorted(column[column > 0].tolist()) for column in offsets.T]
    if len(by_axis) > 1 and all(lengths == by_axis[0] for lengths in by_axis):
        return f"strides {', '.join(map(str, by_axis[0]))} along each axis"
    words: list[str] = []
    for axis, lengths in enumerate(by_axis):
        if lengths:
            word = "strides" if not words else ""
            name = AXES[axis] if axis < len(AXES) else f"axis {axis}"
            words.append(f"{word} {', '.join(map(str, lengths))} in {name}".strip())
    return "; ".join(words)
