"""Curved layouts: the torus or tube that ranks lie on, recovered from their places.

A surface has two parameters: on a torus both are angles, on a tube the first is
the place along the axis, which is x.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.model import Floats, Layout

GAP = 0.13
"""Share of a tile's pitch that is left free."""


def gap_of(spacing: float) -> float:
    """Share of a tile's pitch that is left free: tiles keep their size."""
    return max(0.02, 1 - (1 - GAP) / spacing)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A torus or a tube.

    Attributes
    ----------
    at
        Places and outward normals, each shape (..., 3), for parameters and for
        how much the pipe is thicker (1: as it is).
    parameters : float64, shape (ranks, 2)
        Where each rank lies; NaN for ranks that are not on it.
    pitch
        Distance of neighbours in each parameter.
    closed
        Whether each parameter is an angle.
    extent
        Least and greatest value of each parameter, tiles included.
    gap
        Share of a tile's pitch that is left free.
    """

    at: Callable[[Floats, Floats, float], tuple[Floats, Floats]]
    parameters: Floats
    pitch: tuple[float, float]
    closed: tuple[bool, bool]
    extent: tuple[tuple[float, float], tuple[float, float]]
    gap: float = GAP

    @property
    def on(self) -> np.ndarray:
        """Ranks that lie on it: int64, shape (n,)."""
        return np.flatnonzero(~np.isnan(self.parameters[:, 0]))


def surface_of(layout: Layout, members: np.ndarray) -> Surface | None:
    """Recover the surface of a layout; None for a layout that has none.

    Parameters
    ----------
    layout
        With normals, if it is curved.
    members : bool, shape (ranks,)
        Ranks that are part of the topology; others stand beside it.
    """
    find = SURFACES.get(layout.shape)
    if find is None or len(layout.normals) == 0 or members.sum() < 3:
        return None
    places = layout.positions[members].astype(np.float64)
    at, found, closed = find(places, layout.normals[members].astype(np.float64))
    parameters = np.full((len(members), 2), np.nan)
    parameters[members] = found
    pitch = (_pitch(found[:, 0]), _pitch(found[:, 1]))
    extent = tuple(
        (0.0, 2 * np.pi)
        if closed[k]
        else (found[:, k].min() - pitch[k] / 2, found[:, k].max() + pitch[k] / 2)
        for k in (0, 1)
    )
    gap = gap_of(layout.spacing)
    return Surface(at, parameters, pitch, closed, (extent[0], extent[1]), gap)


def _torus(
    places: Floats, normals: Floats
) -> tuple[
    Callable[[Floats, Floats, float], tuple[Floats, Floats]],
    Floats,
    tuple[bool, bool],
]:
    """Solve place = centre + ring * outward + pipe * normal for all ranks.

    The height gives the pipe's radius; what remains lies on the ring, whose
    circle is fitted algebraically (Kasa, 1976).
    """
    ones = np.ones(len(places))
    pipe, height = _solve([normals[:, 2], ones], places[:, 2])
    flat = places[:, :2] - pipe * normals[:, :2]
    x, y, rest = _solve([*(2 * flat.T), ones], (flat**2).sum(axis=1))
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


def _tube(
    places: Floats, normals: Floats
) -> tuple[
    Callable[[Floats, Floats, float], tuple[Floats, Floats]],
    Floats,
    tuple[bool, bool],
]:
    """Solve place = centre + radius * normal across the axis."""
    columns = np.zeros((2 * len(places), 3))
    columns[:, 0] = normals[:, 1:].ravel()
    columns[0::2, 1] = 1
    columns[1::2, 2] = 1
    radius, y, z = _solve(list(columns.T), places[:, 1:].ravel())
    angle = np.arctan2(normals[:, 2], normals[:, 1])

    def at(along: Floats, angle: Floats, thickness: float) -> tuple[Floats, Floats]:
        normal = np.stack([np.zeros_like(angle), np.cos(angle), np.sin(angle)], axis=-1)
        place = np.array([0.0, y, z]) + thickness * radius * normal
        place[..., 0] = along
        return place, normal

    return at, np.stack([places[:, 0], angle], axis=1), (False, True)


SURFACES = {"torus": _torus, "tube": _tube}
"""Shapes of layouts that are curved."""


def tiles(
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


def shell(surface: Surface, thickness: float) -> tuple[Floats, Floats]:
    """Corners of the closed surface just below the tiles: shape (97, 49, 3) each."""
    (a, b), (c, d) = surface.extent
    u, v = np.meshgrid(np.linspace(a, b, 97), np.linspace(c, d, 49), indexing="ij")
    return surface.at(u, v, thickness)


def _solve(columns: list[Floats], right: Floats) -> Floats:
    """Least squares."""
    return np.asarray(np.linalg.lstsq(np.stack(columns, axis=1), right, rcond=None)[0])


def _pitch(values: Floats) -> float:
    """Least distance of values that differ."""
    gaps = np.diff(np.unique(np.round(values, 5)))
    gaps = gaps[gaps > 1e-3]
    return float(gaps.min()) if len(gaps) else 1.0
