"""Regular meshes of hexagons and of triangles, open or closed to a torus."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Floats, Ints, Match, Topology
from topoview.topology.direction_names import COMPASS, CompassDirections
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import divisors, row_major_places
from topoview.topology.members import Member

HEXAGONAL, TRIANGULAR = "hexagonal mesh", "triangular mesh"


def hexagonal(across: int, down: int, periodic: bool = False) -> Topology:
    """Build a mesh of hexagons; vertices are numbered row by row.

    Parameters
    ----------
    across, down
        Number of hexagons: columns of vertices run down between them.
    periodic
        Whether it is closed to a torus; `across` is even then.
    """
    width, height = (across, 2 * down) if periodic else (across + 1, 2 * down + 2)
    places = row_major_places(width * height, (width, height)).astype(np.int64)
    x, y = places.T
    below = places[(y < height - 1) | periodic]
    beside = places[(x % 2 == y % 2) & ((x < width - 1) | periodic)]
    steps = [(below, 0, 1), (beside, 1, 0)]
    kept = np.ones(width * height, bool)
    if not periodic:  # two corners have one neighbour only, and are no part of it
        kept[width * (height - 1)] = False
        kept[across + width * (height - 1) * (across % 2)] = False
    name = _name(HEXAGONAL, across, down, periodic)
    return _mesh(name, (width, height), periodic, steps, kept)


def triangular(width: int, height: int, periodic: bool = False) -> Topology:
    """Build a mesh of triangles: every other row is shifted by half a step.

    Parameters
    ----------
    width, height
        Vertices in a row, and rows; even rows if periodic.
    periodic
        Whether it is closed to a torus.
    """
    places = row_major_places(width * height, (width, height)).astype(np.int64)
    x, y = places.T
    above = (y < height - 1) | periodic
    right, left = (x < width - 1) | periodic, (x > 0) | periodic
    steps = [
        (places[right], 1, 0),
        (places[above], 0, 1),
        (places[above & right & (y % 2 == 1)], 1, 1),
        (places[above & left & (y % 2 == 0)], -1, 1),
    ]
    kept = np.ones(width * height, bool)
    name = _name(TRIANGULAR, width, height, periodic)
    return _mesh(name, (width, height), periodic, steps, kept)


def _name(word: str, width: int, height: int, periodic: bool) -> str:
    return f"{word} {width}x{height}{', periodic' if periodic else ''}"


def _mesh(
    name: str,
    dims: tuple[int, int],
    periodic: bool,
    steps: list[tuple[Ints, int, int]],
    kept: np.ndarray,
) -> Topology:
    width, height = dims
    u = np.concatenate([here @ (1, width) for here, _, _ in steps])
    ends = [(here[:, 0] + x) % width + (here[:, 1] + y) % height * width
            for here, x, y in steps]  # fmt: skip
    v = np.concatenate(ends)
    number = np.cumsum(kept) - 1
    inside = kept[u] & kept[v]
    n = int(kept.sum())
    edges = unique_edges(n, number[u[inside]], number[v[inside]])
    places = row_major_places(width * height, dims)[kept]
    return Topology(
        kind="mesh",
        name=name,
        dims=dims,
        periodic=(periodic,) * 2,
        edges=edges,
        coordinates=places,
    )


def meshes(n: int) -> Iterator[Member]:
    """List all meshes of `n` vertices."""
    # an open one has w columns of 2 h vertices, less two corners
    for w in divisors((n + 2) // 2) if n % 2 == 0 else []:
        h = (n + 2) // 2 // w
        if w > 1 and h > 1 and w * h > 4:
            yield _hexagons(w - 1, h - 1)
    for w in divisors(n // 2) if n % 2 == 0 else []:
        if w % 2 == 0 and n // 2 // w > 1:
            yield _closed_hexagons(w, n // 2 // w)
    for w in divisors(n):
        if w > 2 and n // w > 2:
            yield from _triangles(w, n // w)


def _hexagons(across: int, down: int) -> Member:
    n = 2 * (across + 1) * (down + 1) - 2
    edges = 3 * across * down + 2 * (across + down) - 1
    three = 2 * edges - 2 * n
    name = _name(HEXAGONAL, across, down, False)
    degrees = Counter({2: n - three, 3: three})
    return Member("mesh", name, degrees, lambda: hexagonal(across, down))


def _closed_hexagons(across: int, down: int) -> Member:
    name = _name(HEXAGONAL, across, down, True)
    degrees = {3: 2 * across * down}
    return Member("mesh", name, degrees, lambda: hexagonal(across, down, True))


def _triangles(width: int, height: int) -> Iterator[Member]:
    inner = height - 2
    degrees = Counter({6: (width - 2) * inner, 4: (width - 2) * 2, 5: inner})
    degrees += Counter({3: inner + 2, 2: 2})
    name = _name(TRIANGULAR, width, height, False)
    yield Member("mesh", name, degrees, lambda: triangular(width, height))
    if height % 2 == 0:
        name = _name(TRIANGULAR, width, height, True)
        all_six = {6: width * height}
        yield Member("mesh", name, all_six, lambda: triangular(width, height, True))


def mesh_places(topology: Topology) -> Floats:
    """Places of the vertices of an open mesh in the plane, y down: shape (n, 2)."""
    x, y = topology.coordinates.astype(np.float64).T
    if topology.name.startswith(HEXAGONAL):
        odd = (y % 2) * (x % 2 - 0.5)
        return np.stack([x + x // 2 + odd, -math.sqrt(0.75) * y], 1)
    return np.stack([x + 0.5 * (y % 2), -math.sqrt(0.75) * y], 1)


def mesh_directions(match: Match) -> CompassDirections:
    """Name EAST, SOUTHWEST, ... for neighbours, else column and row."""
    topology = match.topology
    places, dims = topology.coordinates.astype(np.int64), np.array(topology.dims)
    at = np.full(topology.dims, -1, np.int64)
    at[tuple(places.T)] = np.arange(len(places))
    odd, none = places[:, 1] % 2, np.zeros(len(places), np.int64)
    steps = {0: (none + 1, none), 1: (none - 1, none)}  # by their number in COMPASS
    if topology.name.startswith(HEXAGONAL):
        steps |= {2: (none, none + 1), 3: (none, none - 1)}
    else:
        steps |= {4: (odd, none + 1), 5: (odd - 1, none + 1)}
        steps |= {6: (odd, none - 1), 7: (odd - 1, none - 1)}
    ends = np.full((len(places), len(COMPASS)), -1, np.int64)
    for side, step in steps.items():
        there = places + np.stack(step, 1)
        if topology.periodic[0]:
            there %= dims
        inside = ((there >= 0) & (there < dims)).all(axis=1)
        ends[inside, side] = at[tuple(there[inside].T)]
    return CompassDirections(match, ends, ("column", "row"))
