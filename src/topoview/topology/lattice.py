"""Lattices of any dimension: chains, rings, grids, tori, hypercubes, stencils."""

import math
from collections.abc import Sequence

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints, Topology
from topoview.progress import breathe
from topoview.topology.stencils import Offsets, canonical, plain, stencil_label

AXES = "xyzwvutsrqponmlkjihgfedcba"
"""Names of the axes, the one that changes fastest with the rank first."""

BATCH = 1 << 19
"""Edges that are made between two reports."""


def lattice(
    dims: Sequence[int],
    periodic: Sequence[bool],
    offsets: Offsets | None = None,
) -> Topology:
    """Make a lattice; vertices are numbered with x fastest.

    Parameters
    ----------
    dims
        Extent of each dimension, x first.
    periodic
        Whether each dimension wraps.
    offsets
        Neighbours, one of each +/- pair; unit vectors if not given.

    Examples
    --------
    >>> lattice((4, 3), (True, False)).name
    '2D grid 4x3, periodic in x'
    >>> len(lattice((4, 3), (True, False)).edges)
    20
    """
    d = len(dims)
    n = math.prod(dims)
    steps = plain(d) if offsets is None else tuple(canonical(o) for o in offsets)
    places = row_major_places(n, dims)
    shape = (
        places,
        np.array(dims, np.int64),
        np.array(periodic, np.bool_),
        np.array(steps, np.int64).reshape(-1, d),
    )
    batch = max(1, BATCH // max(len(steps), 1))
    parts = []
    for begin in range(0, n, batch):
        breathe()
        parts.append(_edges(*shape, begin, min(begin + batch, n)))
    edges = np.concatenate(parts) if n else np.zeros((0, 2), np.int32)
    wraps = tuple(bool(p) for p in periodic)
    extents = tuple(int(m) for m in dims)
    name = lattice_name(extents, wraps, steps)
    return Topology("lattice", name, extents, wraps, steps, edges, places)


@numba.njit(nogil=True, cache=True)
def _edges(  # noqa: PLR0913
    places: Indices, dims: Ints, periodic: Bools, steps: Ints, begin: int, stop: int
) -> Indices:
    # vertex by vertex, so that they come out sorted
    d = places.shape[1]
    # of a vertex all neighbours may be larger: those that wrap of the first ones are
    edges = np.empty((2 * (stop - begin) * len(steps), 2), np.int32)
    ends = np.empty(2 * len(steps), np.int64)
    count = 0
    for u in range(begin, stop):
        many = 0
        for i in range(len(ends)):
            sign = 1 - 2 * (i % 2)
            v, stride = 0, 1
            for axis in range(d):
                m = dims[axis]
                place = places[u, axis] + sign * steps[i // 2, axis]
                if place < 0 or place >= m:
                    if not periodic[axis]:
                        v = -1
                        break
                    place %= m
                v += stride * place
                stride *= m
            if v <= u:
                continue
            at = many
            while at and ends[at - 1] > v:
                ends[at] = ends[at - 1]
                at -= 1
            ends[at] = v
            many += 1
        for i in range(many):
            if i == 0 or ends[i] != ends[i - 1]:
                edges[count, 0], edges[count, 1] = u, ends[i]
                count += 1
    return edges[:count].copy()


def row_major_places(n: int, dims: Sequence[int]) -> Indices:
    """Coordinates of each vertex, x fastest: int32, shape (n, len(dims))."""
    numbers = np.unravel_index(np.arange(n), tuple(dims), order="F")
    return np.stack(numbers, 1).astype(np.int32)


def strides_of(dims: Sequence[int]) -> Ints:
    """By how much a vertex' number grows with one step along each axis."""
    return np.concatenate([[1], np.cumprod(dims[:-1], dtype=np.int64)])


def step_ends(
    places: Indices, dims: Sequence[int], periodic: Sequence[bool], step: Ints
) -> tuple[Ints, Ints]:
    """Vertices from which a step stays in a lattice, and those that it leads to.

    Parameters
    ----------
    places : int32, shape (vertices, len(dims))
        Coordinates of all vertices, numbered with x fastest.
    dims, periodic
        The lattice.
    step : int64, shape (len(dims),)
        Offset of the neighbour.
    """
    there = places.astype(np.int64) + step
    extents, wraps = np.array(dims), np.array(periodic, bool)
    there[:, wraps] %= extents[wraps]
    inside = ((there >= 0) & (there < extents)).all(axis=1)
    here: Ints = np.flatnonzero(inside)
    ends: Ints = there[inside] @ strides_of(dims)
    return here, ends


def lattice_name(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets
) -> str:
    """Name a lattice as shown: ``2D torus 6x6, 6-point stencil``."""
    stencil = ""
    if frozenset(offsets) != frozenset(plain(len(dims))):
        stencil = f", {stencil_label(offsets, len(dims))}"
    if len(dims) == 1:
        wraps = periodic[0] and dims[0] > 2
        return f"{'ring' if wraps else 'chain'} {dims[0]}{stencil}"
    if len(dims) > 2 and set(dims) == {2} and not stencil:
        return f"hypercube 2^{len(dims)}"
    return shaped_name(dims, periodic) + stencil


def shaped_name(dims: tuple[int, ...], periodic: tuple[bool, ...]) -> str:
    """Name a lattice by dims and periods alone: ``3D torus 2x2x2``."""
    shape = "x".join(map(str, dims))
    if all(periodic):
        return f"{len(dims)}D torus {shape}"
    wrapped = [axis for axis, wraps in zip(AXES, periodic, strict=False) if wraps]
    name = f"{len(dims)}D grid {shape}"
    if not wrapped:
        return name
    *most, last = wrapped
    return f"{name}, periodic in {', '.join(most) + ' and ' if most else ''}{last}"
