"""Ranks as curved tiles of a torus or a tube, on a shell that lets no light through."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Floats, Ints, Shorts
from topoview.scene.parts import Codes, coloured, mesh, surface_actor
from topoview.scene.surfaces import Surface, shell, tiles

SHELL = 0.985
"""Thickness of the shell, and of the inner tiles of a tube below it."""

INNER = 0.97

FACETS = 12000
"""Facets that all tiles together may have; at least one a tile."""


class RankTiles:
    """Draws the ranks on a surface as its tiles.

    Attributes
    ----------
    ranks : int64, shape (n,)
        Ranks that it draws, ascending.
    places : float64, shape (n, 3)
        Middle of each tile.
    outlines : float64, shape (n, 4, 3)
        Corners of each tile in order.
    """

    def __init__(self, surface: Surface, lookup: vtkLookupTable) -> None:
        self.ranks = surface.on
        first, second = surface.parameters[self.ranks].T
        self.places = surface.at(first, second, 1.0)[0]
        count = len(self.ranks)
        facets = int(np.clip(np.sqrt(FACETS / count), 1, 4))
        places, normals = tiles(surface, facets)
        self.outlines = np.stack(
            [places[:, 0, 0], places[:, -1, 0], places[:, -1, -1], places[:, 0, -1]],
            axis=1,
        )
        sides = [(places, normals)]
        if not all(surface.closed):
            inner, facing = tiles(surface, facets, INNER)
            sides.append((inner, -facing))
        each = (facets + 1) ** 2
        quads = _quads(facets + 1, facets + 1)
        copies = count * len(sides)
        corners = np.concatenate(
            [
                _facing(quads, *side)[None]
                + each * (np.arange(count) + number * count)[:, None, None]
                for number, side in enumerate(sides)
            ]
        )
        self._data = mesh(
            np.concatenate([places.reshape(-1, 3) for places, _ in sides]),
            np.concatenate([facing.reshape(-1, 3) for _, facing in sides]),
            corners.reshape(-1, 4),
        )
        self._repeat = len(quads)
        self._sides = len(sides)
        self._codes = Codes(copies * self._repeat)
        self._data.GetCellData().SetScalars(self._codes.array)
        self._actor = surface_actor(self._data)
        coloured(self._actor.GetMapper(), lookup)
        self._actor.GetMapper().SetScalarModeToUseCellData()
        places, facing = shell(surface, SHELL)
        rows, columns = places.shape[:2]
        below = _facing(_quads(rows, columns), places[None], facing[None])
        self._shell = surface_actor(mesh(places, facing, below))

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [self._actor, self._shell]

    def paint_shell(self, red: float, green: float, blue: float) -> None:
        """Tell the shell's colour, each part in [0, 1]."""
        self._shell.GetProperty().SetColor(red, green, blue)

    def colour(self, codes: Shorts) -> None:
        """Give each of its ranks a code of the look-up table."""
        self._codes.set(np.tile(np.repeat(codes, self._repeat), self._sides))
        self._data.Modified()


def _quads(rows: int, columns: int) -> Ints:
    """Corners of the quads of a grid of points, row after row."""
    first = np.arange((rows - 1) * columns).reshape(rows - 1, columns)[:, :-1].ravel()
    return np.stack([first, first + columns, first + columns + 1, first + 1], axis=1)


def _facing(quads: Ints, places: Floats, normals: Floats) -> Ints:
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
