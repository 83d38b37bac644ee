"""Lay ranks out: which layouts a match can have, and what is done to any of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoview.model import (
    AXES,
    CommunicationMatrix,
    Floats,
    Geometry,
    Grid,
    Indices,
    Ints,
    Layout,
    Machine,
    Match,
    bounds_of,
    evenly,
)
from topoview.topology.lattices.lattice import strides_of
from topoview.topology.layout import LAYOUTS, curves
from topoview.topology.layout.grid import (
    LayoutRequest,
    PlacedRanks,
    drawn_apart,
    is_parted,
)
from topoview.topology.library import directions, layouts_of

MAX_STEPS_SAMPLED = 512
"""Steps along an axis that are looked at."""


def axis_directions(
    match: Match, coordinates: Indices, dims: Sequence[int]
) -> tuple[str, ...]:
    """Name the step by one along each axis: ``EAST``, ``SOUTH``, ``EXCHANGE 4``.

    Parameters
    ----------
    match
        Whose directions they are.
    coordinates : int32, shape (ranks, dims)
        Of the layout; -1 for ranks that are not in it.
    dims
        Extent of each dimension.

    Returns
    -------
    tuple of str
        Empty where steps along an axis have no name, or different ones, or are
        only told as differences of ranks.
    """
    inside = np.flatnonzero((coordinates >= 0).all(axis=1))
    if not len(inside) or match.topology.kind in ("none", "unknown"):
        return ("",) * len(dims)
    strides = strides_of(dims)
    slot = coordinates[inside].astype(np.int64) @ strides
    order = np.argsort(slot, kind="stable")
    slot, ranks = slot[order], inside[order]
    named = directions(match)
    axis_names = []
    for axis, count in enumerate(dims):
        pairs = _steps(slot, ranks, coordinates[:, axis], count, int(strides[axis]))
        if not len(pairs):
            axis_names.append("")
            continue
        index, names = named.names(*np.ascontiguousarray(pairs.T, np.int32))
        one = len(index) > 0 and index[0] >= 0 and bool((index == index[0]).all())
        name = names[int(index[0])] if one else ""
        axis_names.append("" if name[:1] in "+-" or name.startswith("rank ") else name)
    return tuple(axis_names)


def _steps(slot: Ints, ranks: Ints, at: Indices, count: int, stride: int) -> Ints:
    """Find some pairs of ranks, the second one step further along an axis: (n, 2)."""
    here = np.flatnonzero(at[ranks] < count - 1)
    here = evenly(here, MAX_STEPS_SAMPLED)
    there = np.searchsorted(slot, slot[here] + stride)
    there = np.minimum(there, len(slot) - 1)
    adjacent = slot[there] == slot[here] + stride
    return np.stack([ranks[here[adjacent]], ranks[there[adjacent]]], axis=1)


NOWHERE = Machine()
PLAIN = Geometry()


def layout_names(match: Match) -> tuple[str, ...]:
    """Names of the layouts in the shape of a match, the natural one first."""
    names = layouts_of(match)
    return tuple(dict.fromkeys((*names, "ranks")))


def further_layouts(match: Match, machine: Machine = NOWHERE) -> tuple[str, ...]:
    """Names of the layouts that any match can have, without its own."""
    own = layout_names(match)
    return tuple(
        name
        for name, layout in LAYOUTS.items()
        if layout.is_given(machine) and name not in own
    )


def lay_out(  # noqa: PLR0913 - all that decides where ranks are
    match: Match,
    matrix: CommunicationMatrix,
    name: str = "",
    geometry: Geometry = PLAIN,
    machine: Machine = NOWHERE,
    spectral: Floats | None = None,
    room: tuple[float, float] | None = None,
) -> Layout:
    """Place all ranks.

    Parameters
    ----------
    match
        The topology and each rank's vertex. Ranks that are not part of it stand
        in rows below.
    matrix
        Traffic, for layouts that follow it.
    name
        One of `layout_names` or `further_layouts`; the natural one if empty or not
        among them.
    geometry
        What the user chose.
    machine
        Where ranks run: for gaps, and layouts by the machine.
    spectral : float64, shape (ranks, 3)
        Places in the spectral layout (`spectral_places`); found here if they are
        wanted and not given.
    room
        Pixels to be filled by a layout whose ranks are whole pixels; None: about half a
        window.

    Returns
    -------
    Layout
        Neighbours are about 1 apart, times the chosen spacing; the centre is the
        origin.
    """
    own = layout_names(match)
    request = LayoutRequest(match, matrix, geometry, machine, spectral)
    if room is not None:
        request = request._replace(room=room)
    free = name in further_layouts(match, machine)
    if not free and name not in own:
        name = own[0]
    return _made(name, LAYOUTS[name].place(request, free=free), request, free=free)


def _made(
    name: str, placed: PlacedRanks, request: LayoutRequest, *, free: bool
) -> Layout:
    """Part units that are not parted yet, fill up, centre, and stretch."""
    places, corners, given = placed.places, placed.corners, placed
    by_machine, match = free and bool(LAYOUTS[name].needs), request.match
    if request.parted and not by_machine and not is_parted(placed.grid, request.parted):
        moved = drawn_apart(places, request.parted)
        if moved.any():
            places, placed = places + moved, placed._replace(grid=None)
            corners = None if corners is None else corners + moved[:, None]
            if placed.normals is not None and corners is None:
                placed = placed._replace(normals=None, shape="graph")
    places = _with_rest(places)
    spacing = request.geometry.spacing
    middle, whole = np.zeros(3), placed.shape == "sphere" and placed is given
    if len(places) and not whole:  # a sphere keeps its centre, be it half empty
        low, high = bounds_of(places)
        middle = (low + high) / 2
    positions = ((places - middle) * spacing).astype(np.float32)
    marks = [
        (*((np.array(mark[:3]) - middle) * spacing).tolist(), mark[3])
        for mark in placed.marks
    ]
    more: dict[str, Any] = {}
    if placed.normals is not None:
        normals = placed.normals
        upward = np.where(np.isnan(normals), [0.0, 0.0, 1.0], normals)
        more["normals"] = upward.astype(np.float32)
    if corners is not None:
        more["corners"] = ((corners - middle) * spacing).astype(np.float32)
    if placed.cells is not None:
        more["cells"] = placed.cells * spacing
    grid = _stretched(placed.grid, middle, spacing)
    return Layout(
        name,
        placed.shape,
        positions,
        **more,
        grid=grid if by_machine else _named(grid, request.match),
        spacing=spacing,
        empty=placed.empty,
        free=free,
        marks=tuple(marks),
        cell=placed.cell,
        axes=placed.axes,
        alone=placed.alone,
        directions=axis_directions(match, match.coordinates, match.topology.dims)
        if placed.shape in ("planes", "cut")
        else (),
    )


def _stretched(grid: Grid | None, middle: Floats, spacing: float) -> Grid | None:
    if grid is None or not grid.tables:
        return grid
    tables = tuple(table * spacing for table in grid.tables)
    origin = (grid.origin - middle) * spacing
    return Grid(grid.coordinates, grid.dims, grid.periodic, tables, origin)


def _named(grid: Grid | None, match: Match) -> Grid | None:
    """Name the steps along the axes."""
    if grid is None:
        return None
    topology = match.topology
    if (
        topology.axes != tuple(AXES[: len(topology.dims)])
        and grid.dims == topology.dims
    ):
        return replace(grid, axes=topology.axes, runs=topology.variant)
    return replace(grid, directions=axis_directions(match, grid.coordinates, grid.dims))


def _with_rest(places: Floats) -> Floats:
    """Put ranks without a place in rows below the others: in their plane."""
    rest = np.isnan(places[:, 0])
    if not rest.any():
        return places
    filled = places.copy()
    placed = places[~rest]
    low = placed.min(axis=0) if len(placed) else np.zeros(3)
    below = np.column_stack([curves.rows(int(rest.sum())), np.zeros(int(rest.sum()))])
    down = np.array([0.0, -2.0, 0.0])
    if len(placed) and np.ptp(placed[:, 1]) < 1e-6 < np.ptp(placed[:, 2]):  # upright
        below, down = below[:, [0, 2, 1]], down[[0, 2, 1]]
    filled[rest] = below + low + down
    return filled
