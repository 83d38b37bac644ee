"""Routes of messages, and what they put on links: by formula, without congestion.

Tori and meshes route dimension by dimension, x first, the shorter way around; where
both ways are equally long half of the bytes take each. Fat trees go up to the nearest
common switch and down, the port given by the number of the node that is sent to
(d-mod-k). Dragonflies take the shortest way with one cable between groups: local,
global, local. In other graphs bytes are split evenly over all shortest routes.

References
----------
T. Gamblin, M. Schulz, P.-T. Bremer, J. A. Levine and V. Pascucci, "Intuitive
performance visualization techniques for topological analysis on capability machines".
E. Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on
real life fat trees", 2010. U. Brandes, "A faster algorithm for betweenness
centrality", 2001.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.network import kernels
from topoview.analysis.network.networks import parent_switch
from topoview.grouping import factorize
from topoview.model import Floats, Indices, Ints, Network, readonly

NO_ROUTE: Final = -1
"""Distance of nodes between which there is no route."""


def loads(
    network: Network, source: Ints | Indices, target: Ints | Indices, size: Ints
) -> Floats:
    """Sum up bytes on each link.

    Parameters
    ----------
    source, target : integers, shape (pairs,)
        Nodes.
    size : int64, shape (pairs,)
        Bytes.

    Returns
    -------
    float64, shape (links,)
    """
    ends = readonly(np.asarray(source)), readonly(np.asarray(target))
    weight = readonly(np.asarray(size), np.float64)
    if network.is_grid:
        dims = readonly(np.array(network.dims))
        wraps = np.array(network.periodic) & (dims > 2)
        slots: Floats = kernels.grid_loads(*ends, weight, dims, wraps)
        return slots[network.slot]
    if network.kind == "graph":
        return _core_of(network).loads(*ends, weight)
    result = np.zeros(len(network.links))
    for link in _steps(network, *ends):
        result += np.bincount(
            link[link >= 0], weight[link >= 0], minlength=len(network.links)
        )
    return result


def distances(
    network: Network, source: Ints | Indices, target: Ints | Indices
) -> Indices:
    """Count the links between nodes: int32, shape (pairs,); `NO_ROUTE` without one."""
    a, b = np.asarray(source, np.int64), np.asarray(target, np.int64)
    if network.is_grid:
        hops = np.zeros(len(a), np.int64)
        stride = 1
        for extent, wraps in zip(network.dims, network.periodic, strict=True):
            step = np.abs(a // stride % extent - b // stride % extent)
            hops += np.minimum(step, extent - step) if wraps else step
            stride *= extent
        return hops.astype(np.int32)
    if network.kind == "graph":
        return _core_of(network).distances(a, b)
    every = np.zeros(len(a), np.int32)
    for link in _steps(network, a, b):
        every += link >= 0
    return every


def shares(
    network: Network, source: Ints | Indices, target: Ints | Indices, link: int
) -> Floats:
    """Return what part of the bytes of each pair goes over a link.

    Returns
    -------
    float64, shape (pairs,)
        From 0 to 1.
    """
    a, b = np.asarray(source, np.int64), np.asarray(target, np.int64)
    if network.is_grid:
        return _grid_shares(network, a, b, link)
    if network.kind == "graph":
        begin, reached = _neighbours(network)
        order = np.argsort(a, kind="stable")
        first = np.searchsorted(a[order], np.arange(network.vertices + 1))
        one, other = (int(end) for end in network.links[link])
        fractions = np.empty(len(a))
        fractions[order] = kernels.graph_shares(
            begin, reached, first, b[order], one, other
        )
        return fractions
    result = np.zeros(len(a))
    for step in _steps(network, a, b):
        result[step == link] = 1.0
    return result


def route(network: Network, source: int, target: int) -> tuple[Ints, Floats]:
    """Find the links between two nodes, and what part of the bytes takes each.

    Returns
    -------
    links : int64, shape (n,)
    shares : float64, shape (n,)
    """
    ends = np.array([source]), np.array([target])
    load = loads(network, *ends, np.ones(1, np.int64))
    links = np.flatnonzero(load)
    return links, load[links]


# Grids.


def _grid_shares(network: Network, source: Ints, target: Ints, link: int) -> Floats:
    slot = int(network.slot[link])
    axis, sign, node = (
        slot // network.nodes // 2,
        slot // network.nodes % 2,
        slot % network.nodes,
    )
    fits = np.ones(len(source), bool)
    shares = np.zeros(len(source))
    stride = 1
    for dim, extent in enumerate(network.dims):
        a, b = source // stride % extent, target // stride % extent
        here = node // stride % extent
        if dim != axis:
            # dimensions before it are done, those behind are not begun
            fits &= (b if dim < axis else a) == here
        else:
            wraps = network.periodic[dim] and extent > 2
            ahead = (b - a) % extent if wraps else b - a
            steps = ahead if sign == 0 else ((a - b) % extent if wraps else a - b)
            gone = (here - a) if sign == 0 else (a - here)
            gone = gone % extent if wraps else gone
            on = (gone >= 0) & (gone < steps)
            if wraps:
                on &= 2 * steps <= extent
                shares = np.where(2 * steps == extent, 0.5, 1.0) * on
            else:
                shares = on.astype(np.float64)
        stride *= extent
    return np.where(fits, shares, 0.0)


# Fat trees and dragonflies: each step of all routes at once.


def _steps(network: Network, source: Ints, target: Ints) -> Sequence[Ints]:
    """Links of each step of the routes, -1 for routes that have no such step."""
    if network.kind == "fat tree":
        return _tree_steps(network, source, target)
    return _dragonfly_steps(network, source, target)


def _tree_steps(network: Network, source: Ints, target: Ints) -> list[Ints]:
    children, parents = network.dims, network.parents
    result: list[Ints] = []
    begin, size, ways = 0, network.nodes, 1
    up, down = source.copy(), target.copy()
    below = np.ones(len(source), np.int64)
    for level, many in enumerate(parents):
        apart = source // below != target // below
        port = target // ways % many
        for at, offset in ((up, 0), (down, size * many)):
            result.append(np.where(apart, begin + offset + at * many + port, -1))
        up, down = (
            parent_switch(children, parents, level, at, port) for at in (up, down)
        )
        begin += 2 * size * many
        size = size // children[level] * many
        ways *= many
        below = below * children[level]
    return result


def _dragonfly_steps(network: Network, source: Ints, target: Ints) -> list[Ints]:
    per, routers, groups = network.dims
    count, every = network.nodes, routers * groups
    near = 2 * count
    far = near + every * (routers - 1)
    moves = source != target
    one, other = source // per, target // per
    a, b = one // routers, other // routers
    leaves = a != b
    out = np.where(leaves, a * routers + b % routers, other)
    into = np.where(leaves, b * routers + a % routers, other)

    def local(first: Ints, second: Ints) -> Ints:
        place = second % routers
        return near + first * (routers - 1) + place - (place > first % routers)

    return [
        np.where(moves, source, -1),
        np.where(one != out, local(one, out), -1),
        np.where(leaves, far + a * (groups - 1) + b - (b > a), -1),
        np.where(into != other, local(into, other), -1),
        np.where(moves, count + target, -1),
    ]


# Any graph.


class _Core(NamedTuple):
    """A graph without the vertices that have one cable: nearly all nodes of a machine.

    No route leads through them: what they send to others goes over that cable, and on
    from where it ends. So the core is searched once for each of its vertices, instead
    of the whole graph for each node.
    """

    begin: Ints
    reached: Ints
    """`begin` and `reached`: where the links from each vertex begin, and where they
    end; vertices are those of the core."""
    link: Ints
    """int64, shape (links of the core,): number of each in the network."""
    links: int
    """How many the network has."""
    vertex: Ints
    """int64, shape (vertices,): vertex of the core that is, or is next to, each one."""
    up: Ints
    down: Ints
    """`up` and `down`: int64, shape (vertices,): links to the core and from it; -1 for
    vertices of the core."""

    def loads(self, source: Ints, target: Ints, size: Floats) -> Floats:
        """Sum up bytes on each link of the network."""
        apart = source != target
        source, target, size = source[apart], target[apart], size[apart]
        result = np.zeros(self.links)
        for link in (self.up[source], self.down[target]):
            near = link >= 0
            result += np.bincount(link[near], size[near], self.links)
        pairs = _Pairs.of(self, source, target)
        result[self.link] += kernels.graph_loads(
            self.begin, self.reached, pairs.first, pairs.target,
            np.bincount(pairs.number, size, len(pairs.target)),
        )  # fmt: skip
        return result

    def distances(self, source: Ints, target: Ints) -> Indices:
        """Count the links between nodes; `NO_ROUTE` without a route."""
        pairs = _Pairs.of(self, source, target)
        lengths: Indices = kernels.graph_distances(
            self.begin, self.reached, pairs.first, pairs.target
        )[pairs.number]
        joined = lengths != NO_ROUTE
        lengths[joined] += (self.up[source] >= 0)[joined]
        lengths[joined] += (self.down[target] >= 0)[joined]
        lengths[source == target] = 0
        return lengths


class _Pairs(NamedTuple):
    """Different pairs of vertices of a core, by source."""

    first: Ints
    """int64, shape (vertices + 1,): where those of each source begin."""
    target: Ints
    number: Ints
    """int64, shape (pairs that were given,): which of them each is."""

    @classmethod
    def of(cls, core: _Core, source: Ints, target: Ints) -> "_Pairs":
        """Find the different ones among pairs of vertices of the network."""
        count = len(core.begin) - 1
        key, number = factorize(core.vertex[source] * count + core.vertex[target])
        first = np.searchsorted(key, np.arange(count + 1) * count)
        return cls(first, key % max(count, 1), number)


def _core_of(network: Network) -> _Core:
    begin, reached = _neighbours(network)
    only = np.flatnonzero(np.diff(begin) == 1)
    inside = np.ones(network.vertices, np.bool_)
    inside[only] = False
    only = only[inside[reached[begin[only]]]]  # not one of a pair by itself
    inside[:] = True
    inside[only] = False
    place = np.cumsum(inside) - 1
    up, down = np.full((2, network.vertices), -1)
    up[only] = begin[only]
    next_to = reached[up[only]]
    keys = network.links[:, 0].astype(np.int64) * network.vertices + reached
    down[only] = np.searchsorted(
        keys, next_to.astype(np.int64) * network.vertices + only
    )
    vertex = place.copy()
    vertex[only] = place[next_to]
    link = np.flatnonzero(inside[network.links].all(1))
    ends = place[network.links[link]]
    first = np.searchsorted(ends[:, 0], np.arange(place.max(initial=-1) + 2))
    return _Core(
        begin=first,
        reached=readonly(np.ascontiguousarray(ends[:, 1])),
        link=link,
        links=len(network.links),
        vertex=vertex,
        up=up,
        down=down,
    )


def _neighbours(network: Network) -> tuple[Ints, Ints]:
    """Links in order of where they begin: first of each vertex, and where each ends."""
    first = np.searchsorted(network.links[:, 0], np.arange(network.vertices + 1))
    return first, readonly(network.links[:, 1])
