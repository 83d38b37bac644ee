"""Clock offsets of ranks from causality.

The constraints of `clock_bounds` are those of shortest paths: the offset of a
rank against another one lies between the negative distance to it and the distance
from it (Bellman 1958; for clocks: Duda, Harrus, Haddad, Bernard 1987, "Estimating
global time in distributed systems", who use the same corridor for two clocks).
The middle of that interval is feasible for all ranks together; each rank is then
moved to the middle of what its neighbours leave it, which halves the error.
Where the clocks drift the constraints contradict each other: all of them are
loosened by the least slack that resolves this, the largest mean weight of a
contradicting cycle (Lawler 1976).
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numba
import numpy as np

from topoview.io.clock_bounds import Bounds
from topoview.model import Indices, Ints

FAR: Final = np.int64(1) << np.int64(61)
"""Longer than any distance: not connected."""

_SWEEPS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Offsets:
    """What to add to the times of each rank.

    Attributes
    ----------
    offset : int64, shape (ranks,)
        Ticks; 0 for the reference.
    half_width : int64, shape (ranks,)
        The offset is uncertain by that many ticks to both sides; -1 where it
        is not bounded.
    slack
        Ticks by which constraints had to be loosened.
    """

    offset: Ints
    half_width: Ints
    slack: int


def find_offsets(ranks: int, bounds: Bounds, reference: int = 0) -> Offsets:
    """Find offsets that make everything happen after what it depends on.

    Parameters
    ----------
    reference
        Rank whose clock the others are compared with.
    """
    incoming, outgoing = _arcs(bounds), _arcs(_reversed(bounds))
    starts = (
        (incoming, _from_node(bounds.nodes, reference)),
        (outgoing, _from_node(bounds.nodes, reference)),
        (incoming, _from_all(bounds.nodes, ranks)),
    )
    slack = np.int64(0)
    distances, lack = _distances(starts, slack)
    while lack:
        slack += lack
        distances, lack = _distances(starts, slack)
    up, down, free = distances
    known = (up < FAR) & (down < FAR)
    half = np.where(known, (up + down) // 2, -1)
    alone = (np.diff(incoming.offsets) == 0) & (np.diff(outgoing.offsets) == 0)
    middle = np.where(known, (up - down) // 2, 0)
    start = middle if (known | alone).all() else free
    offset = _relaxed(incoming, outgoing, start, slack)[:ranks]
    return Offsets(offset - offset[reference], half[:ranks], int(slack))


def _distances(
    starts: Sequence[tuple["Arcs", Ints]], slack: np.int64
) -> tuple[list[Ints], np.int64]:
    """Find the shortest paths from each start, or what the slack lacks."""
    found = []
    for arcs, start in starts:
        distance, lack = shortest(arcs, start, slack)
        if lack:
            return [], lack
        found.append(distance)
    return found, np.int64(0)


class Arcs(NamedTuple):
    """Rows of arcs: those from node ``n`` are ``offsets[n]`` to ``offsets[n + 1]``."""

    offsets: Ints
    head: Indices
    weight: Ints


def _reversed(bounds: Bounds) -> Bounds:
    return bounds._replace(before=bounds.after, after=bounds.before)


def _arcs(bounds: Bounds) -> Arcs:
    """Arcs from `after` to `before`: ``o[before] <= o[after] + most``."""
    order = np.argsort(bounds.after, kind="stable")
    counts = np.bincount(bounds.after, minlength=bounds.nodes)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return Arcs(offsets, bounds.before[order], bounds.most[order])


def _from_node(nodes: int, node: int) -> Ints:
    distance = np.full(nodes, FAR)
    distance[node] = 0
    return distance


def _from_all(nodes: int, ranks: int) -> Ints:
    distance = np.full(nodes, FAR)
    distance[:ranks] = 0
    return distance


@numba.njit(nogil=True, cache=True)
def shortest(arcs: Arcs, distance: Ints, slack: np.int64) -> tuple[Ints, np.int64]:
    """Find shortest paths where weights may be negative.

    Parameters
    ----------
    arcs
        The graph.
    distance : int64, shape (nodes,)
        Distance of each node at the start, `FAR` if it is no start.
    slack
        Added to all weights.

    Returns
    -------
    distance : int64, shape (nodes,)
    lack
        0, or by how much weights must grow before a cycle that was found stops
        being negative; distances mean nothing then.
    """
    nodes = len(distance)
    distance = distance.copy()
    parent = np.full(nodes, -1, np.int64)
    queue = np.empty(nodes, np.int64)
    waiting = distance < FAR
    starts = np.flatnonzero(waiting)
    queue[: len(starts)] = starts
    first, length, steps = 0, len(starts), 0
    while length:
        node = queue[first]
        first = (first + 1) % nodes
        length -= 1
        waiting[node] = False
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head = arcs.head[arc]
            reached = distance[node] + arcs.weight[arc] + slack
            if reached < distance[head]:
                distance[head] = reached
                parent[head] = arc
                if not waiting[head]:
                    waiting[head] = True
                    queue[(first + length) % nodes] = head
                    length += 1
        steps += 1
        if steps % nodes == 0:
            lack = _lacking(arcs, parent, slack)
            if lack:
                return distance, lack
    return distance, np.int64(0)


@numba.njit(nogil=True, cache=True)
def _lacking(arcs, parent, slack):
    """Find by how much the weights on a cycle of parents fall short of 0."""
    nodes = len(parent)
    seen = np.full(nodes, -1, np.int64)
    worst = np.int64(0)
    for start in range(nodes):
        node = start
        while seen[node] < 0 and parent[node] >= 0:
            seen[node] = start
            node = _tail(arcs, parent[node])
        if parent[node] < 0 or seen[node] != start:
            seen[node] = start if seen[node] < 0 else seen[node]
            continue
        total, length, at = np.int64(0), 0, node
        while True:
            total += arcs.weight[parent[at]] + slack
            length += 1
            at = _tail(arcs, parent[at])
            if at == node:
                break
        worst = max(worst, -(total // length))
    return worst


@numba.njit(nogil=True, cache=True, inline="always")
def _tail(arcs, arc):
    return np.searchsorted(arcs.offsets, arc, side="right") - 1


@numba.njit(nogil=True, cache=True)
def _relaxed(incoming, outgoing, start, slack):
    """Move each node to the middle of what its neighbours leave it."""
    place = start.copy()
    for sweep in range(_SWEEPS):
        moved = np.int64(0)
        for step in range(len(place)):
            node = step if sweep % 2 == 0 else len(place) - 1 - step
            most, least = FAR, -FAR
            for arc in range(outgoing.offsets[node], outgoing.offsets[node + 1]):
                there = place[outgoing.head[arc]]
                if there < FAR:
                    most = min(most, there + outgoing.weight[arc] + slack)
            for arc in range(incoming.offsets[node], incoming.offsets[node + 1]):
                there = place[incoming.head[arc]]
                if there < FAR:
                    least = max(least, there - incoming.weight[arc] - slack)
            if most < FAR and least > -FAR:
                middle = least + (most - least) // 2
                moved = max(moved, abs(middle - place[node]))
                place[node] = middle
            else:
                place[node] = max(least, min(most, place[node]))
        if moved <= 1:
            break
    return place
