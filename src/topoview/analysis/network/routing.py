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
from typing import Final

import numpy as np

from topoview.analysis.network.networks import parent_switch
from topoview.base.kernels import kernel
from topoview.model import Bools, Floats, Indices, Ints, Network, readonly

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
        found = _grid_loads(*ends, weight, dims, readonly(wraps, np.bool_))
        return found[network.slot]
    if network.kind == "graph":
        order = np.argsort(ends[0], kind="stable")
        first = np.searchsorted(ends[0][order], np.arange(network.vertices + 1))
        begin, reached = _neighbours(network)
        return _graph_loads(
            begin, reached, readonly(first), ends[1][order], weight[order]
        )
    found = np.zeros(len(network.links))
    for link in _steps(network, *ends):
        found += np.bincount(
            link[link >= 0], weight[link >= 0], minlength=len(network.links)
        )
    return found


def distances(
    network: Network, source: Ints | Indices, target: Ints | Indices
) -> Indices:
    """Count the links between nodes: int32, shape (pairs,); `NO_ROUTE` without one."""
    a, b = np.asarray(source, np.int64), np.asarray(target, np.int64)
    if network.is_grid:
        found = np.zeros(len(a), np.int64)
        stride = 1
        for extent, wraps in zip(network.dims, network.periodic, strict=True):
            step = np.abs(a // stride % extent - b // stride % extent)
            found += np.minimum(step, extent - step) if wraps else step
            stride *= extent
        return found.astype(np.int32)
    if network.kind == "graph":
        begin, reached = _neighbours(network)
        order = np.argsort(a, kind="stable")
        first = np.searchsorted(a[order], np.arange(network.vertices + 1))
        told = np.empty(len(a), np.int32)
        told[order] = _graph_distances(begin, reached, readonly(first), b[order])
        return told
    every = np.zeros(len(a), np.int32)
    for link in _steps(network, a, b):
        every += link >= 0
    return every


def shares(
    network: Network, source: Ints | Indices, target: Ints | Indices, link: int
) -> Floats:
    """Tell what part of the bytes of each pair goes over a link.

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
        told = np.empty(len(a))
        told[order] = _graph_shares(
            begin, reached, readonly(first), b[order], one, other
        )
        return told
    found = np.zeros(len(a))
    for step in _steps(network, a, b):
        found[step == link] = 1.0
    return found


def route(network: Network, source: int, target: int) -> tuple[Ints, Floats]:
    """Find the links between two nodes, and what part of the bytes takes each.

    Returns
    -------
    links : int64, shape (n,)
    shares : float64, shape (n,)
    """
    ends = np.array([source]), np.array([target])
    told = loads(network, *ends, np.ones(1, np.int64))
    links = np.flatnonzero(told)
    return links, told[links]


# Grids.


@kernel
def _cover(  # noqa: PLR0913 - of a kernel
    found: Floats,
    begin: int,
    start: int,
    steps: int,
    extent: int,
    stride: int,
    amount: float,
) -> None:
    """Add at the begin of a stretch of a line of nodes, and take off at its end."""
    stop = start + steps
    found[begin + start * stride] += amount
    if stop < extent:
        found[begin + stop * stride] -= amount
    elif stop > extent:
        found[begin] += amount
        found[begin + (stop - extent) * stride] -= amount


@kernel
def _grid_loads(
    source: Ints, target: Ints, size: Floats, dims: Ints, wraps: Bools
) -> Floats:
    """Note where each route turns into a dimension and leaves it; then sum up.

    Cost grows with pairs x dimensions + links, not with the length of routes.
    """
    count = len(dims)
    nodes = 1
    for axis in range(count):
        nodes *= dims[axis]
    found = np.zeros(2 * count * nodes)
    for pair in range(len(source)):
        at, end = source[pair], target[pair]
        stride = 1
        for axis in range(count):
            extent = dims[axis]
            a, b = at // stride % extent, end // stride % extent
            ahead, back = b - a, a - b
            shorter = abs(ahead)
            if wraps[axis]:
                ahead %= extent
                back %= extent
                shorter = min(ahead, back)
            begin, base = 2 * axis * nodes, at - a * stride
            amount = 0.5 * size[pair] if ahead == back else size[pair]
            if a != b and ahead == shorter:
                _cover(found, begin + base, a, ahead, extent, stride, amount)
            if a != b and back == shorter:
                low = (a - back + 1) % extent
                _cover(found, begin + nodes + base, low, back, extent, stride, amount)
            at = base + b * stride
            stride *= extent
    _sum_up(found, dims, nodes)
    return found


@kernel
def _sum_up(found: Floats, dims: Ints, nodes: int) -> None:
    """Turn changes along the lines of nodes into amounts, for both ways."""
    stride = 1
    for axis in range(len(dims)):
        begin = 2 * axis * nodes
        for place in range(begin, begin + 2 * nodes):
            if place // stride % dims[axis]:
                found[place] += found[place - stride]
        stride *= dims[axis]


def _grid_shares(network: Network, source: Ints, target: Ints, link: int) -> Floats:
    slot = int(network.slot[link])
    axis, sign, node = (
        slot // network.nodes // 2,
        slot // network.nodes % 2,
        slot % network.nodes,
    )
    fits = np.ones(len(source), bool)
    found = np.zeros(len(source))
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
                found = np.where(2 * steps == extent, 0.5, 1.0) * on
            else:
                found = on.astype(np.float64)
        stride *= extent
    return np.where(fits, found, 0.0)


# Fat trees and dragonflies: each step of all routes at once.


def _steps(network: Network, source: Ints, target: Ints) -> Sequence[Ints]:
    """Links of each step of the routes, -1 for routes that have no such step."""
    if network.kind == "fat tree":
        return _tree_steps(network, source, target)
    return _dragonfly_steps(network, source, target)


def _tree_steps(network: Network, source: Ints, target: Ints) -> list[Ints]:
    children, parents = network.dims, network.parents
    found: list[Ints] = []
    begin, size, ways = 0, network.nodes, 1
    up, down = source.copy(), target.copy()
    below = np.ones(len(source), np.int64)
    for level, many in enumerate(parents):
        apart = source // below != target // below
        port = target // ways % many
        for at, offset in ((up, 0), (down, size * many)):
            found.append(np.where(apart, begin + offset + at * many + port, -1))
        up, down = (
            parent_switch(children, parents, level, at, port) for at in (up, down)
        )
        begin += 2 * size * many
        size = size // children[level] * many
        ways *= many
        below = below * children[level]
    return found


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


def _neighbours(network: Network) -> tuple[Ints, Ints]:
    """Links in order of where they begin: first of each vertex, and where each ends."""
    first = np.searchsorted(network.links[:, 0], np.arange(network.vertices + 1))
    return readonly(first), readonly(network.links[:, 1])


@kernel
def _search(  # noqa: PLR0913 - of a kernel
    begin: Ints, reached: Ints, start: int, far: Indices, ways: Floats, queue: Ints
) -> int:
    """Search breadth first: distances, numbers of shortest ways, vertices in order."""
    far[:] = -1
    ways[:] = 0.0
    far[start] = 0
    ways[start] = 1.0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        vertex = queue[head]
        head += 1
        for link in range(begin[vertex], begin[vertex + 1]):
            other = reached[link]
            if far[other] < 0:
                far[other] = far[vertex] + 1
                queue[tail] = other
                tail += 1
            if far[other] == far[vertex] + 1:
                ways[other] += ways[vertex]
    return tail


@kernel
def _graph_loads(
    begin: Ints, reached: Ints, first: Ints, target: Ints, size: Floats
) -> Floats:
    vertices = len(begin) - 1
    found = np.zeros(len(reached))
    far = np.empty(vertices, np.int32)
    ways, due = np.empty(vertices), np.empty(vertices)
    queue = np.empty(vertices, np.int64)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        tail = _search(begin, reached, start, far, ways, queue)
        due[:] = 0.0
        for pair in range(first[start], first[start + 1]):
            due[target[pair]] += size[pair]
        for place in range(tail - 1, -1, -1):
            vertex = queue[place]
            for link in range(begin[vertex], begin[vertex + 1]):
                other = reached[link]
                if far[other] == far[vertex] + 1 and due[other] > 0:
                    part = ways[vertex] / ways[other] * due[other]
                    found[link] += part
                    due[vertex] += part
    return found


@kernel
def _graph_distances(begin: Ints, reached: Ints, first: Ints, target: Ints) -> Indices:
    vertices = len(begin) - 1
    found = np.empty(len(target), np.int32)
    far = np.empty(vertices, np.int32)
    ways, queue = np.empty(vertices), np.empty(vertices, np.int64)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        _search(begin, reached, start, far, ways, queue)
        for pair in range(first[start], first[start + 1]):
            found[pair] = far[target[pair]]
    return found


@kernel
def _graph_shares(  # noqa: PLR0913 - of a kernel
    begin: Ints, reached: Ints, first: Ints, target: Ints, one: int, other: int
) -> Floats:
    vertices = len(begin) - 1
    found = np.zeros(len(target))
    far, behind = np.empty(vertices, np.int32), np.empty(vertices, np.int32)
    ways, onwards = np.empty(vertices), np.empty(vertices)
    queue = np.empty(vertices, np.int64)
    _search(begin, reached, other, behind, onwards, queue)
    for start in range(vertices):
        if first[start] == first[start + 1]:
            continue
        _search(begin, reached, start, far, ways, queue)
        if far[one] < 0:
            continue
        for pair in range(first[start], first[start + 1]):
            end = target[pair]
            if behind[end] >= 0 and far[one] + 1 + behind[end] == far[end]:
                found[pair] = ways[one] * onwards[end] / ways[end]
    return found
