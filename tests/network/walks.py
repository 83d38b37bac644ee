"""Truth for routes: messages are carried hop by hop, over links that are there."""

import math
from collections.abc import Iterator

import networkx as nx

from topoview.model import Network


def grid_walk(
    dims: tuple[int, ...], wraps: tuple[bool, ...], source: int, target: int
) -> Iterator[tuple[int, int, float]]:
    """Walk dimension by dimension; where both ways are as long, half goes each."""
    place = list(place_of(dims, source))
    end = place_of(dims, target)
    for axis, extent in enumerate(dims):
        ahead, back = end[axis] - place[axis], place[axis] - end[axis]
        if wraps[axis]:
            ahead, back = ahead % extent, back % extent
        ways = [(step, n) for step, n in ((1, ahead), (-1, back)) if n > 0]
        if not ways:
            continue
        least = min(n for _, n in ways)
        both = [way for way in ways if way[1] == least]
        if extent == 2:  # one cable
            both = both[:1]
        for step, hops in both:
            at = list(place)
            for _ in range(hops):
                before = node_of(dims, at)
                at[axis] = (at[axis] + step) % extent
                yield before, node_of(dims, at), 1 / len(both)
        place[axis] = end[axis]


def place_of(dims: tuple[int, ...], node: int) -> tuple[int, ...]:
    found = []
    for extent in dims:
        found.append(node % extent)
        node //= extent
    return tuple(found)


def node_of(dims: tuple[int, ...], place: list[int]) -> int:
    return sum(x * math.prod(dims[:axis]) for axis, x in enumerate(place))


def as_graph(network: Network) -> nx.DiGraph:
    found = nx.DiGraph()
    found.add_nodes_from(range(network.vertices))
    found.add_edges_from(network.links.tolist())
    return found


def walked(
    network: Network, pairs: list[tuple[int, int, int]]
) -> dict[tuple[int, int], float]:
    """Bytes on each link of a torus or mesh."""
    found: dict[tuple[int, int], float] = dict.fromkeys(
        map(tuple, network.links.tolist()), 0.0
    )
    for source, target, size in pairs:
        for one, other, part in grid_walk(
            network.dims, network.periodic, source, target
        ):
            found[one, other] += part * size
    return found
