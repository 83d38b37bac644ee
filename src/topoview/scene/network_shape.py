"""A machine's network as points and lines in space: folded, sliced, from a side."""

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from topoview.model import Bools, Floats, Indices, Ints, Network, Pose, freeze
from topoview.model.topology import AXES

STUB: Final = 0.45
"""Length of the stubs that stand for a cable that wraps, in spacings."""

FOLD_GAP: Final = 1.0
"""Room between copies of the first dimensions along those that are folded."""

BOW: Final = 0.35
"""How far cables between such copies bend around what lies between, in spacings."""

AXIS_GAP: Final = 0.8
"""From the last node of an edge to the letter of its axis, in spacings."""

LEVEL_HEIGHT: Final = 3.0
"""Height of a level of switches, in spacings of nodes."""

USUAL: Final = (-58.0, 25.0)
"""Azimuth and elevation that most networks are first seen from."""

FROM_FRONT: Final = (-80.0, 12.0)
"""That of levels of switches, one above the other."""

FROM_ABOVE: Final = (-58.0, 62.0)
"""That of what lies around a middle."""

MAX_NUMBERED: Final = 48
"""Nodes around a switch whose numbers there is room for."""


Words = tuple[tuple[str, tuple[float, float, float]], ...]
"""Texts, and where they are written."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkShape:
    """Where vertices and cables of a network are drawn."""

    places: Floats
    """float64, shape (vertices, 3): neighbours are about 1 apart; the middle is the
    origin."""
    cables: Indices
    """int32, shape (cables, 2): the links of each cable, one each way; -1 for the other
    way of a lone one."""
    pieces: Floats
    """float64, shape (pieces, 2, 3): straight pieces that cables are drawn of: a cable
    that wraps is two stubs."""
    cable: Indices
    """int32, shape (pieces,): cable that each piece is of."""
    side: tuple[float, float]
    """Azimuth and elevation that it is first seen from."""
    words: Words = ()
    """Names of axes, or numbers of nodes, and where they are written."""

    radius: float = field(init=False)
    """Distance of the farthest vertex from the middle."""

    def __post_init__(self) -> None:
        """Measure it, and make the arrays read-only."""
        far = np.linalg.norm(self.places, axis=1).max(initial=0.5)
        object.__setattr__(self, "radius", float(far))
        freeze(self)

    def extent(self) -> tuple[float, float]:
        """Width and height of what is first seen with its words, at least 1."""
        seen = Projection(*self.side, 1.0, (0.0, 0.0), self.radius)
        letters = np.array([place for _, place in self.words]).reshape(-1, 3)
        points, _ = seen.points(
            np.concatenate([self.places, self.pieces.reshape(-1, 3), letters])
        )
        points = np.abs(points).max(0, initial=0.5)
        return float(2 * points[0]), float(2 * points[1])


def network_shape(network: Network) -> NetworkShape:
    """Place the vertices and cables of a network."""
    cables = cables_of(network)
    ends = network.links[cables[:, 0]].astype(np.int64)
    side = USUAL
    words: Words = ()
    cable = np.arange(len(cables), dtype=np.int32)
    if network.is_grid:
        places, words = _folded(network)
        pieces, cable = _grid_pieces(network, places, ends)
    elif network.kind == "fat tree" and network.vertices == network.nodes + 1:
        side, (places, words) = FROM_ABOVE, _around_switch(network)
        pieces = places[ends]
    else:
        side, place = {
            "fat tree": (FROM_FRONT, _tree_places),
            "dragonfly": (FROM_ABOVE, _dragonfly_places),
            "graph": (USUAL, _ring_places),
        }[network.kind]
        places = place(network)
        pieces = places[ends]
    return NetworkShape(
        places=places, cables=cables, pieces=pieces, cable=cable, side=side, words=words
    )


def cables_of(network: Network) -> Indices:
    """Pair the links of each cable: int32, shape (cables, 2)."""
    one, other = network.links.astype(np.int64).T
    key, back = one * network.vertices + other, other * network.vertices + one
    order = np.argsort(key, kind="stable")
    at = np.searchsorted(key[order], back)
    at = np.minimum(at, max(len(key) - 1, 0))
    mate = np.where(key[order][at] == back, order[at], -1) if len(key) else at
    first = (one < other) | (mate < 0)
    return np.stack([np.flatnonzero(first), mate[first]], 1).astype(np.int32)


def cables_shown(network: Network, shape: NetworkShape, axis: int, place: int) -> Bools:
    """Return which cables lie in a slice of a grid; all if `axis` is -1."""
    if axis < 0 or axis >= len(network.dims) or not network.is_grid:
        return np.ones(len(shape.cables), bool)
    rows = network.coordinates()[:, axis]
    ends = network.links[shape.cables[:, 0]]
    inside: Bools = (rows[ends] == place).all(1)
    return inside


def _folded(network: Network) -> tuple[Floats, Words]:
    """Dimensions beyond the third go along x, y and z again, in larger steps."""
    rows = network.coordinates()
    places = np.zeros((network.nodes, 3))
    words = []
    far = [0.0, 0.0, 0.0]
    for dim, extent in enumerate(network.dims):
        axis = dim % 3
        step = 1.0 if dim < 3 else far[axis] + 1.0 + FOLD_GAP
        places[:, axis] += rows[:, dim] * step
        far[axis] += (extent - 1) * step
    low = places.min(0)
    high = places.max(0)
    middle = (low + high) / 2
    places[:, 1] = high[1] + low[1] - places[:, 1]  # y runs down the page
    for axis in range(min(3, len(network.dims))):
        name = ", ".join(AXES[axis : len(network.dims) : 3])
        at = [low[0], high[1], low[2]]
        at[axis] = high[axis] + AXIS_GAP if axis != 1 else low[axis] - AXIS_GAP
        words.append((name, tuple((np.array(at) - middle).tolist())))
    return places - middle, tuple(words)


def _grid_pieces(
    network: Network, places: Floats, ends: Ints
) -> tuple[Floats, Indices]:
    rows = network.coordinates()
    apart = rows[ends[:, 1]] - rows[ends[:, 0]]
    dim = np.abs(apart).argmax(1)
    wraps = np.abs(apart).max(1) > 1
    start, stop = places[ends[:, 0]], places[ends[:, 1]]
    number = np.arange(len(ends), dtype=np.int32)
    plain = ~wraps & (dim < 3)
    bent = ~wraps & (dim >= 3)
    pieces = [np.stack([start[plain], stop[plain]], 1)]
    cable = [number[plain]]
    # a cable between copies goes around what lies between
    aside = np.zeros((len(ends), 3))
    aside[np.arange(len(ends)), (dim + 1) % 3] = BOW
    middle = (start + stop) / 2 + aside
    pieces += [
        np.stack([start[bent], middle[bent]], 1),
        np.stack([middle[bent], stop[bent]], 1),
    ]
    cable += [number[bent], number[bent]]
    # stubs, outwards at both ends
    away = stop - start
    away = away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9) * STUB
    pieces += [
        np.stack([start[wraps], (start - away)[wraps]], 1),
        np.stack([stop[wraps], (stop + away)[wraps]], 1),
    ]
    cable += [number[wraps], number[wraps]]
    return np.concatenate(pieces), np.concatenate(cable)


def _around_switch(network: Network) -> tuple[Floats, Words]:
    """Put the nodes of one switch around it, and tell their numbers if they are few."""
    count = network.nodes
    turn = 2 * np.pi * np.arange(count) / count
    out = np.stack([np.cos(turn), -np.sin(turn), 0 * turn], 1)
    radius = max(count / (2 * math.pi), 1.0)
    numbers = (out * (radius + AXIS_GAP)).tolist() if count <= MAX_NUMBERED else []
    words = tuple((str(node), (x, y, z)) for node, (x, y, z) in enumerate(numbers))
    return np.concatenate([out * radius, np.zeros((1, 3))]), words


def _tree_places(network: Network) -> Floats:
    """Put nodes on a line, switches side by side above the middle of what is below."""
    levels = []
    width = float(network.nodes)
    ways = 1
    count = network.nodes
    for level in range(len(network.dims) + 1):
        if level:
            count = count // network.dims[level - 1] * network.parents[level - 1]
            ways *= network.parents[level - 1]
        number = np.arange(count)
        tree, way = number // ways, number % ways
        trees = count // ways
        x = (tree + (way + 0.5) / ways) / trees * width - width / 2
        height = LEVEL_HEIGHT * max(1.0, width / 24)
        z = np.full(count, level * height - len(network.dims) * height / 2)
        levels.append(np.stack([x, np.zeros(count), z], 1))
    return np.concatenate(levels)


def _dragonfly_places(network: Network) -> Floats:
    """Put groups on a circle, their routers on small ones, nodes outside of these."""
    per, routers, groups = network.dims
    small = max(routers / (2 * math.pi), 0.6) * 1.4
    large = max(groups * small * 2.6 / (2 * math.pi), small * 1.5)
    group, router = np.divmod(np.arange(groups * routers), routers)
    turn = 2 * np.pi * group / groups
    own = turn + 2 * np.pi * (router + 0.5) / routers
    outward = np.stack([np.cos(own), np.sin(own), 0 * own], 1)
    at = np.stack([np.cos(turn), np.sin(turn), 0 * turn], 1) * large
    places = at + outward * small
    node = np.arange(network.nodes)
    lift = ((node % per) - (per - 1) / 2) * 0.5
    nodes = places[node // per] + outward[node // per] * 0.8
    nodes[:, 2] += lift
    return np.concatenate([nodes, places])


def _ring_places(network: Network) -> Floats:
    """Place the vertices of any graph by their distances; many on a circle."""
    count = network.vertices
    turn = 2 * np.pi * np.arange(count) / max(count, 1)
    large = max(count / (2 * math.pi), 1.0)
    places = np.stack([np.cos(turn) * large, np.sin(turn) * large, 0 * turn], 1)
    if not 2 < count <= MAX_SPREAD:
        return places
    import networkx as nx

    graph = nx.Graph(network.links.tolist())
    graph.add_nodes_from(range(count))
    positions = nx.kamada_kawai_layout(
        graph, dim=3, pos=dict(enumerate(places / large)), scale=large * 0.6
    )
    return np.array([positions[vertex] for vertex in range(count)])


MAX_SPREAD: Final = 200
"""Vertices of a graph that are placed by their distances: seconds beyond."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Points of the scene on a page of so many pixels, as seen from a side."""

    azimuth: float
    elevation: float
    """`azimuth` and `elevation`: direction to the eye in degrees."""
    scale: float
    """Pixels a unit."""
    middle: tuple[float, float]
    """Where the origin is on the page."""
    radius: float
    """Of the scene: what is nearer to the eye is larger."""

    def points(self, places: Floats) -> tuple[Floats, Floats]:
        """Return positions on the page, shape (..., 2), and depths, shape (...,).

        Depth grows towards the eye.
        """
        right, up, towards = Pose(self.azimuth, self.elevation, 1.0, (0, 0, 0)).axes
        depth = places @ towards
        near = 1.0 / (1.0 - PERSPECTIVE * depth / max(self.radius, 1e-9))
        x = places @ right * near * self.scale + self.middle[0]
        y = self.middle[1] - places @ up * near * self.scale
        return np.stack([x, y], -1), depth


PERSPECTIVE: Final = 0.16
"""How much larger the nearest is than the middle."""
