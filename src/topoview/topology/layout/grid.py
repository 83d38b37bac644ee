"""Places of a lattice: blocks within blocks, gaps between units, layers apart.

Also on rings, tubes and tori, from lengths and angles that have the gaps in them.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from topoview.model import (
    BLOCK_VIEW,
    CommunicationMatrix,
    Floats,
    Geometry,
    Grid,
    Indices,
    Ints,
    Machine,
    Match,
    nearest_distances,
)
from topoview.topology.lattices.lattice import strides_of
from topoview.topology.layout.curves import BLOCK_GAP, radius_of

UNIT_GAP = 1.1
"""Empty space between units of the machine, in distances of neighbours."""

BLOCK_ASPECT = 3.5
"""Width of a block as it is seen, of its height: about that of the room for it between
title, axes and key in a window of 1280x800 pixels; a larger one is filled as well."""

BLOCK_STRETCH = 4.0
"""Distance of neighbours in depth, of that of those one above the other: so far that
few ranks of a plane that is seen from its edge hide others. Across the view it is at
most as far, and at least the inverse: else planes of a small block look like objects of
their own."""

MIN_SHARE_CUT = 0.9
"""Share of the neighbours across a cut that different units must have."""


Mark = tuple[float, float, float, str]
"""A word at a place: x, y, z, text."""


class LayoutRequest(NamedTuple):
    """What a layout is made of."""

    match: Match
    matrix: CommunicationMatrix
    geometry: Geometry = Geometry()
    machine: Machine = Machine()
    spectral: Floats | None = None
    room: tuple[float, float] = (660.0, 240.0)
    """Pixels that layouts fill whose ranks are whole pixels."""

    @property
    def parted(self) -> tuple[Indices, ...]:
        """Units that gaps are between, the outermost first."""
        return self.machine.parted(self.geometry.gaps)


class PlacedRanks(NamedTuple):
    """What a layout makes: how the scene draws it, places of the ranks, and more.

    Places are NaN for ranks that have none; the rest is as in `Layout`.
    """

    shape: str
    places: Floats
    normals: Floats | None = None
    grid: Grid | None = None
    corners: Floats | None = None
    cells: Floats | None = None
    empty: int = 0
    marks: tuple[Mark, ...] = ()
    cell: float = 0.0
    axes: tuple[int, ...] = ()
    alone: int = -1


def gaps_of(
    coordinates: Indices, dims: Sequence[int], units: Sequence[Indices]
) -> list[Floats]:
    """Gaps before each coordinate of each dimension of a lattice.

    There is one where nearly all neighbours are of different units, a wider one
    where those are of different outer units.

    Parameters
    ----------
    coordinates : int32, shape (ranks, dims)
        -1 for ranks that are not in it.
    dims
        Extent of each dimension.
    units
        Unit of each rank at each level.

    Returns
    -------
    list of float64, shape (dims[d] + 1,)
        The first entry is 0, the last one the gap between the last and the first.
    """
    result = [np.zeros(n + 1) for n in dims]
    inside = coordinates[:, 0] >= 0 if len(coordinates) else np.zeros(0, bool)
    index = tuple(coordinates[inside].T)
    for unit in units:
        box = np.full(tuple(dims), -1, np.int32)
        box[index] = unit[inside]
        for axis in range(len(dims)):
            others = tuple(k for k in range(len(dims)) if k != axis)
            after = np.roll(box, -1, axis)
            counts = ((box >= 0) & (after >= 0)).sum(axis=others)
            differ = ((box != after) & (box >= 0) & (after >= 0)).sum(axis=others)
            cut = (differ >= MIN_SHARE_CUT * counts) & (counts > 0)
            result[axis][1:] += UNIT_GAP * cut
    return result


def separable(
    coordinates: Indices,
    dims: Sequence[int],
    periodic: Sequence[bool],
    axes: Sequence[int],
    request: LayoutRequest,
) -> tuple[Floats, Grid]:
    """Lay the dimensions of a lattice on axes of space, blocks within blocks.

    Parameters
    ----------
    coordinates : int32, shape (ranks, dims)
        -1 for ranks that are not in it.
    axes
        Axis of space of each dimension.

    Returns
    -------
    float64, shape (ranks, 3)
        y runs down the page, that is along -y; NaN for ranks that are not in it.
        Blocks are stretched by `block_pitch`.
    Grid
        Its tables tell the same.
    """
    geometry = request.geometry
    gaps = gaps_of(coordinates, dims, request.parted)
    pitch, extent, apart = [1.0] * 3, [0.0] * 3, [0.0] * 3
    tables = []
    places = np.zeros((len(coordinates), 3))
    inside = coordinates[:, 0] >= 0 if len(coordinates) else np.zeros(0, bool)
    for d, (n, axis) in enumerate(zip(dims, axes, strict=True)):
        more = geometry.apart if geometry.explode == d else 0.0
        at = (pitch[axis] + more) * np.arange(n) + np.cumsum(gaps[d][:-1])
        table = np.zeros((n, 3))
        table[:, axis] = -at if axis == 1 else at
        tables.append(table)
        extent[axis] += at[-1] if n else 0.0
        apart[axis] += more * max(n - 1, 0)
        pitch[axis] = extent[axis] + 1 + BLOCK_GAP
        places[inside] += table[coordinates[inside, d]]
    places[~inside] = np.nan
    stretch = block_pitch(np.array(extent) - apart)  # else nothing would part them
    tables = [table * stretch for table in tables]
    return places * stretch, Grid(
        coordinates, tuple(dims), tuple(periodic), tuple(tables)
    )


def block_pitch(extent: Floats) -> Floats:
    """Choose the distances of neighbours across the view, in depth and upwards.

    Those in depth are larger than those upwards, so that edges and inner ranks are
    seen; across it is as wide as fills a scene that is wider than high (`BLOCK_VIEW`,
    parallel projection), if that parts no planes (`BLOCK_STRETCH`). The least of the
    three is 1. What is no block keeps 1.

    Parameters
    ----------
    extent : float64, shape (3,)
        Of the block, neighbours being 1 apart.
    """
    if not (extent > 0).all():
        return np.ones(3)
    azimuth, elevation = np.radians(BLOCK_VIEW)
    aside, ahead = abs(math.cos(azimuth)), abs(math.sin(azimuth))
    upright = extent[2] * math.cos(elevation)
    deep = extent[1] * BLOCK_STRETCH
    lift = math.sin(elevation)
    height = upright + lift * deep * ahead
    wide = (BLOCK_ASPECT * height - deep * aside) / (
        ahead - BLOCK_ASPECT * lift * aside
    )
    across = float(np.clip(wide / extent[0], 1 / BLOCK_STRETCH, BLOCK_STRETCH))
    return np.array([across, BLOCK_STRETCH, 1.0]) / min(across, 1.0)


def block_axes(dims: Sequence[int]) -> tuple[int, ...]:
    """Choose the axis of space of each dimension of a block: x, y and z in turn.

    The one with the most places runs across the view: it changes places with x where
    x has fewer.
    """
    axes = [d % 3 for d in range(len(dims))]
    count = [math.prod(n for n, a in zip(dims, axes, strict=True) if a == axis)
             for axis in range(3)]  # fmt: skip
    longest = count.index(max(count))
    swapped = {0: longest, longest: 0}
    return tuple(swapped.get(axis, axis) for axis in axes)


def along(n: int, gaps: Floats) -> Floats:
    """Places of `n` in a row, gaps kept: float64, shape (n,)."""
    return np.asarray(np.arange(n) + np.cumsum(gaps[:-1]), np.float64)


def around(n: int, gaps: Floats) -> tuple[Floats, float]:
    """Angles of `n` places around a circle, gaps kept, and the circle's length."""
    total = n + float(gaps.sum())
    return np.asarray(2 * np.pi * along(n, gaps) / total), total


def drawn_apart(places: Floats, units: Sequence[Indices]) -> Floats:
    """Move each unit as a whole away from the middle; returns how far: (ranks, 3).

    Nothing moves where units are so interleaved that ranks would come near each
    other.
    """
    moved = np.zeros_like(places)
    here = ~np.isnan(places[:, 0])
    for unit in units:
        valid = (unit >= 0) & here
        names, number = np.unique(unit[valid], return_inverse=True)
        if len(names) < 2:
            continue
        count = np.bincount(number)
        middles = np.stack(
            [np.bincount(number, places[valid, k]) / count for k in range(3)], axis=1
        )
        near = nearest_distances(middles)
        share = min(1.0, UNIT_GAP / max(float(np.median(near)), 1e-9))
        step = (share * (middles - places[valid].mean(axis=0)))[number]
        moved[valid] += step
    before, after = (
        nearest_distances(places[here]),
        nearest_distances((places + moved)[here]),
    )
    if len(before) and after.min() < 0.7 * before.min():
        return np.zeros_like(places)
    return moved


def is_parted(grid: Grid | None, units: Sequence[Indices]) -> bool:
    """Return whether units have gaps between them in a lattice."""
    if grid is None:
        return False
    gaps = gaps_of(grid.coordinates, grid.dims, units)
    return any(gap[:-1].any() for gap in gaps)


def row_major(slots: Ints, dims: Sequence[int]) -> Indices:
    """Coordinates (n, dims) of n places that are numbered first dimension fastest."""
    places: Indices = (slots[:, None] // strides_of(dims) % dims).astype(np.int32)
    return places


# Places on rings, tubes and tori, from lengths and angles: gaps are in these.


def on_ring(grid: Grid, request: LayoutRequest) -> PlacedRanks:
    """Place columns of ranks around a circle, from outside in.

    Neighbours on the innermost circle are 1 apart; gaps within a column are left
    out.
    """
    deep, turned = grid.coordinates.T
    angles, total = around(grid.dims[1], _gaps(grid, request)[1])
    angle = np.pi / 2 - angles[turned]
    radius = radius_of(total) + grid.dims[0] - 1 - deep
    flat = np.zeros(len(radius))
    places = np.stack([radius * np.cos(angle), radius * np.sin(angle), flat], 1)
    places[turned < 0] = np.nan
    return PlacedRanks("graph", places, grid=grid)


def on_tube(grid: Grid, bends: int, request: LayoutRequest) -> PlacedRanks:
    """Place ranks on a tube along x that one of two axes goes around."""
    gaps = _gaps(grid, request)
    straight, turned = grid.coordinates[:, 1 - bends], grid.coordinates[:, bends]
    angles, total = around(grid.dims[bends], gaps[bends])
    angle = np.pi / 2 - angles[turned]
    normals = np.stack([np.zeros(len(angle)), np.cos(angle), np.sin(angle)], 1)
    places = radius_of(total) * normals
    places[:, 0] = along(grid.dims[1 - bends], gaps[1 - bends])[straight]
    places[turned < 0] = normals[turned < 0] = np.nan
    return PlacedRanks("tube", places, normals, grid)


def on_torus(grid: Grid, minor: int, request: LayoutRequest) -> PlacedRanks:
    """Place ranks on a torus that lies flat; one of two axes goes around its pipe.

    The radii keep places 1 apart on average; where that would leave no hole
    the ring grows and the tube shrinks to a ratio of 2.2 at the same surface,
    and places on the inside stay at least 3/4 apart.
    """
    gaps, major = _gaps(grid, request), 1 - minor
    u, around_ring = around(grid.dims[major], gaps[major])
    v, around_pipe = around(grid.dims[minor], gaps[minor])
    ring, pipe = radius_of(around_ring), radius_of(around_pipe)
    if ring < 2.2 * pipe:
        ring, pipe = math.sqrt(2.2 * ring * pipe), math.sqrt(ring * pipe / 2.2)
        ring = max(ring, pipe + 0.75 * radius_of(around_ring))
    u = np.pi / 2 - u[grid.coordinates[:, major]]
    v = v[grid.coordinates[:, minor]]
    outward = np.stack([np.cos(u), np.sin(u), np.zeros(len(u))], 1)
    normals = outward * np.cos(v)[:, None]
    normals[:, 2] = np.sin(v)
    places = ring * outward + pipe * normals
    places[grid.coordinates[:, 0] < 0] = normals[grid.coordinates[:, 0] < 0] = np.nan
    return PlacedRanks("torus", places, normals, grid)


def _gaps(grid: Grid, request: LayoutRequest) -> list[Floats]:
    return gaps_of(grid.coordinates, grid.dims, request.parted)
