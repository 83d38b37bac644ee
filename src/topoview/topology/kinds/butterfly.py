"""Butterflies: the network of the fast Fourier transform.

Between level i and the next one each row has an edge to itself and to the row that
differs in bit i (Leighton, 1992, "Introduction to parallel algorithms and
architectures", section 3.2).
"""

from collections.abc import Iterator

import numpy as np

from topoview.model import Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import unique_edges
from topoview.topology.members import Member

AHEAD, BACK, CROSS = "AHEAD", "BACK", " CROSS"


def butterfly(bits: int, wrapped: bool = False, by_level: bool = True) -> Topology:
    """Build a butterfly of 2^bits rows.

    Parameters
    ----------
    bits
        Number of exchanges: there are ``bits + 1`` levels, or ``bits`` where the
        last one leads back to the first.
    wrapped
        Whether it does.
    by_level
        Whether vertices are numbered level by level, not row by row.
    """
    levels, rows = bits + (not wrapped), 1 << bits
    row, step = np.meshgrid(np.arange(rows), np.arange(bits))
    ahead = (step + 1) % levels
    near, pitch = (1, rows) if by_level else (levels, 1)
    here = (pitch * step + near * row).ravel()
    straight = (pitch * ahead + near * row).ravel()
    across = (pitch * ahead + near * (row ^ (1 << step))).ravel()
    n = levels * rows
    edges = unique_edges(n, np.tile(here, 2), np.concatenate([straight, across]))
    vertex = np.arange(n)
    place = [vertex // pitch % levels, vertex // near % rows]
    places = np.stack(place, 1).astype(np.int32)
    dims, periodic = (levels, rows), (wrapped, False)
    name = f"{'wrapped ' if wrapped else ''}butterfly {levels}x{rows}"
    return Topology(
        kind="butterfly",
        name=name,
        dims=dims,
        periodic=periodic,
        edges=edges,
        coordinates=places,
    )


def butterflies(n: int) -> Iterator[Member]:
    """List those of `n` vertices: one of each kind at most."""
    for bits in range(2, n.bit_length()):
        rows = 1 << bits
        if (bits + 1) * rows == n:
            yield _member(bits, False, {2: 2 * rows, 4: (bits - 1) * rows})
        if bits > 2 and bits * rows == n:
            yield _member(bits, True, {4: bits * rows})


def _member(bits: int, wrapped: bool, degrees: dict[int, int]) -> Member:
    levels = bits + (not wrapped)
    return Member(
        "butterfly",
        f"{'wrapped ' if wrapped else ''}butterfly {levels}x{1 << bits}",
        degrees,
        lambda: butterfly(bits, wrapped),
        variants=lambda: [butterfly(bits, wrapped, by_level=False)],
    )


def butterfly_directions(match: Match) -> CompassDirections:
    """Name AHEAD and BACK a level, CROSS to the other row, else the place."""
    topology = match.topology
    level, row = topology.coordinates.astype(np.int64).T
    at = np.empty(topology.dims, np.int64)
    at[level, row] = np.arange(topology.vertices)
    ends = np.full((topology.vertices, 4), -1)
    for side, step in enumerate((1, -1)):
        there = level + step
        inside = (there >= 0) & (there < len(at)) | topology.periodic[0]
        there %= len(at)
        bit = 1 << (level if step > 0 else there)
        ends[inside, 2 * side] = at[there, row][inside]
        ends[inside, 2 * side + 1] = at[there[inside], (row ^ bit)[inside]]
    sides = (AHEAD, AHEAD + CROSS, BACK, BACK + CROSS)
    return CompassDirections(match, ends, ("level", "row"), sides)
