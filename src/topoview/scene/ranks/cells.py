"""Ranks as polygons of a sphere, on a shell that lets no light through."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Layout, Shorts
from topoview.scene.parts import Codes, coloured, mesh, surface_actor
from topoview.scene.surfaces import gap_of
from topoview.topology.kinds.sphere_cells import sphere_cells

SHELL = 0.985
"""Size of the shell below the polygons."""


class RankCells:
    """Draws the ranks of a sphere as its polygons.

    Attributes
    ----------
    ranks : int64, shape (n,)
        Ranks that it draws, ascending.
    places : float64, shape (n, 3)
        Middle of each polygon.
    outlines : float64, shape (n, corners, 3)
        Corners of each in order.
    whole : float64, shape (m, 3)
        Corners of the shell, also where there is no rank.
    """

    def __init__(self, layout: Layout, lookup: vtkLookupTable) -> None:
        on = ~np.isnan(layout.corners[:, 0, 0])
        self.ranks = np.flatnonzero(on)
        corners = layout.corners[on].astype(np.float64)
        normals = layout.normals[on].astype(np.float64)
        middle = corners.mean(axis=1, keepdims=True)
        self.places = middle[:, 0]
        self.outlines = middle + (corners - middle) * (1 - gap_of(layout.spacing))
        count, sides = self.outlines.shape[:2]
        fan = np.array([[0, k, k + 1] for k in range(1, sides - 1)], np.int64)
        index = (np.arange(count) * sides)[:, None, None] + fan
        radial = np.repeat(normals[:, None], sides, axis=1)
        self._data = mesh(self.outlines, radial, index.reshape(-1, 3))
        self._repeat = len(fan)
        self._codes = Codes(count * len(fan))
        self._data.GetCellData().SetScalars(self._codes.array)
        self._actor = surface_actor(self._data)
        coloured(self._actor.GetMapper(), lookup)
        self._actor.GetMapper().SetScalarModeToUseCellData()
        self._shells, self.whole = [], np.zeros((0, 3))
        radii = np.linalg.norm(corners[:, 0], axis=1)
        if count and np.ptp(radii) < 1e-3 * radii.max():  # no unit is drawn apart
            whole = sphere_cells(count + layout.empty).corners * layout.spacing * SHELL
            facing = whole / np.linalg.norm(whole, axis=2, keepdims=True)
            every = (np.arange(len(whole)) * sides)[:, None, None] + fan
            self.whole = whole.reshape(-1, 3)
            self._shells = [surface_actor(mesh(whole, facing, every.reshape(-1, 3)))]

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._actor, *self._shells]

    def paint_shell(self, red: float, green: float, blue: float) -> None:
        """Tell the shell's colour, each part in [0, 1]."""
        for shell in self._shells:
            shell.GetProperty().SetColor(red, green, blue)

    def colour(self, codes: Shorts) -> None:
        """Give each of its ranks a code of the look-up table."""
        self._codes.set(np.repeat(codes, self._repeat))
        self._data.Modified()
