"""Ranks on curved surfaces: as tiles of a torus or a tube, as polygons of a sphere.

A shell below them lets no light through.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkProp

from topoview.model import Floats, Ints, Layout, Shorts
from topoview.scene.actors import (
    CodeArray,
    colour_by_codes,
    surface_actor,
    surface_mesh,
)

# Curved layouts: the torus or tube that ranks lie on, recovered from their places.
#
# A surface has two parameters: on a torus both are angles, on a tube the first is the
# place along the axis, which is x.

TILE_GAP = 0.13
"""Share of a tile's pitch that is left free."""


def tile_gap(spacing: float) -> float:
    """Share of a tile's pitch that is left free: tiles keep their size."""
    return max(0.02, 1 - (1 - TILE_GAP) / spacing)


SurfacePlaces: TypeAlias = Callable[[Floats, Floats, float], tuple[Floats, Floats]]
SurfaceFit: TypeAlias = tuple[SurfacePlaces, Floats, tuple[bool, bool]]
"""The fields `at`, `parameters` and `closed` of a `Surface`."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A torus or a tube."""

    at: SurfacePlaces
    """Places and outward normals, each shape (..., 3), for parameters and for how much
    the pipe is thicker (1: as it is)."""
    parameters: Floats
    """float64, shape (ranks, 2): where each rank lies; NaN for ranks that are not on
    it."""
    pitch: tuple[float, float]
    """Distance of neighbours in each parameter."""
    closed: tuple[bool, bool]
    """Whether each parameter is an angle."""
    extent: tuple[tuple[float, float], tuple[float, float]]
    """Least and greatest value of each parameter, tiles included."""
    gap: float = TILE_GAP
    """Share of a tile's pitch that is left free."""

    @property
    def on(self) -> np.ndarray:
        """Ranks that lie on it: int64, shape (n,)."""
        return np.flatnonzero(~np.isnan(self.parameters[:, 0]))


def fit_surface(layout: Layout, members: np.ndarray) -> Surface | None:
    """Recover the surface of a layout; None for a layout that has none.

    Parameters
    ----------
    layout
        With normals, if it is curved.
    members : bool, shape (ranks,)
        Ranks that are part of the topology; others stand beside it.
    """
    find = SURFACE_FITS.get(layout.shape)
    if find is None or len(layout.normals) == 0 or members.sum() < 3:
        return None
    places = layout.positions[members].astype(np.float64)
    at, coordinates, closed = find(places, layout.normals[members].astype(np.float64))
    parameters = np.full((len(members), 2), np.nan)
    parameters[members] = coordinates
    pitch = (_least_pitch(coordinates[:, 0]), _least_pitch(coordinates[:, 1]))
    extent = tuple(
        (0.0, 2 * np.pi)
        if closed[k]
        else (
            coordinates[:, k].min() - pitch[k] / 2,
            coordinates[:, k].max() + pitch[k] / 2,
        )
        for k in (0, 1)
    )
    gap = tile_gap(layout.spacing)
    return Surface(
        at=at,
        parameters=parameters,
        pitch=pitch,
        closed=closed,
        extent=(extent[0], extent[1]),
        gap=gap,
    )


def _fit_torus(places: Floats, normals: Floats) -> SurfaceFit:
    """Solve place = centre + ring * outward + pipe * normal for all ranks.

    The height gives the pipe's radius; what remains lies on the ring, whose
    circle is fitted algebraically (Kasa, 1976).
    """
    ones = np.ones(len(places))
    pipe, height = _least_squares([normals[:, 2], ones], places[:, 2])
    flat = places[:, :2] - pipe * normals[:, :2]
    x, y, rest = _least_squares([*(2 * flat.T), ones], (flat**2).sum(axis=1))
    ring = float(np.sqrt(rest + x**2 + y**2))
    spoke = flat - [x, y]
    u = np.arctan2(spoke[:, 1], spoke[:, 0])
    outward = np.stack([np.cos(u), np.sin(u)], axis=1)
    v = np.arctan2(normals[:, 2], (normals[:, :2] * outward).sum(axis=1))

    def at(u: Floats, v: Floats, thickness: float) -> tuple[Floats, Floats]:
        out = np.stack([np.cos(u), np.sin(u), np.zeros_like(u)], axis=-1)
        normal = out * np.cos(v)[..., None]
        normal[..., 2] = np.sin(v)
        centre = np.array([x, y, height])
        return centre + ring * out + thickness * pipe * normal, normal

    return at, np.stack([u, v], axis=1), (True, True)


def _fit_tube(places: Floats, normals: Floats) -> SurfaceFit:
    """Solve place = centre + radius * normal across the axis."""
    columns = np.zeros((2 * len(places), 3))
    columns[:, 0] = normals[:, 1:].ravel()
    columns[0::2, 1] = 1
    columns[1::2, 2] = 1
    radius, y, z = _least_squares(list(columns.T), places[:, 1:].ravel())
    angle = np.arctan2(normals[:, 2], normals[:, 1])

    def at(along: Floats, angle: Floats, thickness: float) -> tuple[Floats, Floats]:
        normal = np.stack([np.zeros_like(angle), np.cos(angle), np.sin(angle)], axis=-1)
        place = np.array([0.0, y, z]) + thickness * radius * normal
        place[..., 0] = along
        return place, normal

    return at, np.stack([places[:, 0], angle], axis=1), (False, True)


SURFACE_FITS = {"torus": _fit_torus, "tube": _fit_tube}
"""Shapes of layouts that are curved."""


def tile_corners(
    surface: Surface, facets: int, thickness: float = 1.0
) -> tuple[Floats, Floats]:
    """Corners of a curved tile for each rank on the surface.

    Returns
    -------
    places, normals : float64, shape (n, facets + 1, facets + 1, 3)
    """
    step = np.linspace(-0.5, 0.5, facets + 1) * (1 - surface.gap)
    first, second = surface.parameters[surface.on].T
    u = first[:, None, None] + surface.pitch[0] * step[None, :, None]
    v = second[:, None, None] + surface.pitch[1] * step[None, None, :]
    u, v = np.broadcast_arrays(u, v)
    return surface.at(u, v, thickness)


def shell_corners(surface: Surface, thickness: float) -> tuple[Floats, Floats]:
    """Corners of the closed surface just below the tiles: shape (97, 49, 3) each."""
    (a, b), (c, d) = surface.extent
    u, v = np.meshgrid(np.linspace(a, b, 97), np.linspace(c, d, 49), indexing="ij")
    return surface.at(u, v, thickness)


def _least_squares(columns: list[Floats], right: Floats) -> Floats:
    """Least squares."""
    return np.asarray(np.linalg.lstsq(np.stack(columns, axis=1), right, rcond=None)[0])


def _least_pitch(values: Floats) -> float:
    """Least distance of values that differ."""
    gaps = np.diff(np.unique(np.round(values, 5)))
    gaps = gaps[gaps > 1e-3]
    return float(gaps.min()) if len(gaps) else 1.0


TILE_SHELL_SIZE = 0.985
"""Thickness of the shell, and of the inner tiles of a tube below it."""

INNER_TILE_SIZE = 0.97

MAX_FACETS = 12000
"""Facets that all tiles together may have; at least one a tile."""


class _Facets:
    """A mesh of which each rank has some facets, and shells below it.

    Parameters
    ----------
    data, lookup
        The mesh, and the colours.
    counts
        Ranks, facets of each on a side, sides; one side lies behind the other.
    """

    def __init__(
        self, data: vtkPolyData, lookup: vtkLookupTable, counts: tuple[int, int, int]
    ) -> None:
        self._data, self._counts = data, counts
        self._codes = CodeArray(math.prod(counts))
        data.GetCellData().SetScalars(self._codes.array)
        self._actor = surface_actor(data)
        colour_by_codes(self._actor.GetMapper(), lookup)
        self._actor.GetMapper().SetScalarModeToUseCellData()
        self._shells: list[vtkActor] = []

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._actor, *self._shells]

    def paint_shell(self, red: float, green: float, blue: float) -> None:
        """Set the shell's colour, each part in [0, 1]."""
        for shell in self._shells:
            shell.GetProperty().SetColor(red, green, blue)

    def colour(self, codes: Shorts) -> None:
        """Set the code of each of its ranks in the look-up table."""
        _, facets, sides = self._counts
        self._codes.set(np.tile(np.repeat(codes, facets), sides))
        self._data.Modified()


class RankTiles(_Facets):
    """Draws the ranks on a surface as its tiles."""

    def __init__(self, surface: Surface, lookup: vtkLookupTable) -> None:
        self.ranks = surface.on
        """int64, shape (n,): ranks that it draws, ascending."""
        first, second = surface.parameters[self.ranks].T
        self.places = surface.at(first, second, 1.0)[0]
        """float64, shape (n, 3): middle of each tile."""
        count = len(self.ranks)
        facets = int(np.clip(np.sqrt(MAX_FACETS / count), 1, 4))
        places, normals = tile_corners(surface, facets)
        self.outlines = np.stack(
            [places[:, 0, 0], places[:, -1, 0], places[:, -1, -1], places[:, 0, -1]],
            axis=1,
        )
        """float64, shape (n, 4, 3): corners of each tile in order."""
        sides = [(places, normals)]
        if not all(surface.closed):
            inner, facing = tile_corners(surface, facets, INNER_TILE_SIZE)
            sides.append((inner, -facing))
        each = (facets + 1) ** 2
        quads = _quad_corners(facets + 1, facets + 1)
        corners = np.concatenate(
            [
                _face_normals(quads, *side)[None]
                + each * (np.arange(count) + number * count)[:, None, None]
                for number, side in enumerate(sides)
            ]
        )
        data = surface_mesh(
            np.concatenate([places.reshape(-1, 3) for places, _ in sides]),
            np.concatenate([facing.reshape(-1, 3) for _, facing in sides]),
            corners.reshape(-1, 4),
        )
        places, facing = shell_corners(surface, TILE_SHELL_SIZE)
        rows, columns = places.shape[:2]
        below = _face_normals(_quad_corners(rows, columns), places[None], facing[None])
        super().__init__(data, lookup, (count, len(quads), len(sides)))
        self._shells = [surface_actor(surface_mesh(places, facing, below))]


def _quad_corners(rows: int, columns: int) -> Ints:
    """Corners of the quads of a grid of points, row after row."""
    first = np.arange((rows - 1) * columns).reshape(rows - 1, columns)[:, :-1].ravel()
    return np.stack([first, first + columns, first + columns + 1, first + 1], axis=1)


def _face_normals(quads: Ints, places: Floats, normals: Floats) -> Ints:
    """Order corners so that the quads are lit on the side of their normals.

    Parameters
    ----------
    quads : int64, shape (n, 4)
        The same for every tile.
    places, normals : float64, shape (tiles, rows, columns, 3)
    """
    corners = places[0].reshape(-1, 3)[quads[0]]
    outward = normals[0].reshape(-1, 3)[quads[0, 0]]
    turned = np.cross(corners[1] - corners[0], corners[2] - corners[0]) @ outward
    return quads if turned > 0 else quads[:, ::-1]


POLYGON_SHELL_SIZE = 0.985
"""Size of the shell below the polygons."""


class RankPolygons(_Facets):
    """Draws the ranks of a sphere as its polygons."""

    def __init__(self, layout: Layout, lookup: vtkLookupTable) -> None:
        on = ~np.isnan(layout.corners[:, 0, 0])
        self.ranks = np.flatnonzero(on)
        """int64, shape (n,): ranks that it draws, ascending."""
        corners = layout.corners[on].astype(np.float64)
        normals = layout.normals[on].astype(np.float64)
        middle = corners.mean(axis=1, keepdims=True)
        self.places = middle[:, 0]
        """float64, shape (n, 3): middle of each polygon."""
        self.outlines = middle + (corners - middle) * (1 - tile_gap(layout.spacing))
        """float64, shape (n, corners, 3): corners of each in order."""
        count, sides = self.outlines.shape[:2]
        fan = np.array([[0, k, k + 1] for k in range(1, sides - 1)], np.int64)
        index = (np.arange(count) * sides)[:, None, None] + fan
        radial = np.repeat(normals[:, None], sides, axis=1)
        data = surface_mesh(self.outlines, radial, index.reshape(-1, 3))
        super().__init__(data, lookup, (count, len(fan), 1))
        self.whole = np.zeros((0, 3))
        """float64, shape (m, 3): corners of the shell, also where there is no rank."""
        radii = np.linalg.norm(corners[:, 0], axis=1)
        if count and np.ptp(radii) < 1e-3 * radii.max():  # no unit is drawn apart
            whole = layout.cells * POLYGON_SHELL_SIZE
            facing = whole / np.linalg.norm(whole, axis=2, keepdims=True)
            every = (np.arange(len(whole)) * sides)[:, None, None] + fan
            self.whole = whole.reshape(-1, 3)
            self._shells = [
                surface_actor(surface_mesh(whole, facing, every.reshape(-1, 3)))
            ]
