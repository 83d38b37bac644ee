"""Copies of a periodic grid around it: paler, and picked as the ranks they are of."""

import itertools

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Floats, Grid, Shorts
from topoview.scene.fading import fading_table, fill, mix
from topoview.scene.palette import Theme
from topoview.scene.ranks.glyphs import RankGlyphs
from topoview.scene.shading import Palette

MOST_RANKS = 5000
"""Ranks of more are not copied."""

PALE = 0.62
"""Share of the background in the colours of copies."""


def shifts_of(grid: Grid | None) -> Floats:
    """Where copies stand, from the grid itself: shape (copies, 3), (8, 3) for a torus.

    Copies are made along the first two axes that wrap.
    """
    periods = []
    if grid is not None and grid.tables and len(grid.dims) <= 3:
        for n, wraps, table in zip(grid.dims, grid.periodic, grid.tables, strict=True):
            if wraps and n > 1:
                periods.append(table[-1] - table[0] + table[1] - table[0])
    if not periods:
        return np.zeros((0, 3))
    some = np.array(periods[:2])
    steps = itertools.product((-1, 0, 1), repeat=len(some))
    beside = np.array([step for step in steps if any(step)], np.float64)
    return np.asarray(beside @ some)


class RankCopies:
    """Draws copies of a grid's ranks.

    Parameters
    ----------
    glyphs
        The ranks themselves.
    shifts : float64, shape (copies, 3)
        Where the copies are from these.
    """

    def __init__(self, glyphs: RankGlyphs, shifts: Floats) -> None:
        self._lookup = vtkLookupTable()
        self._count = len(shifts)
        places = (glyphs.places[None] + shifts[:, None]).reshape(-1, 3)
        self.glyphs = RankGlyphs(
            np.tile(glyphs.ranks, self._count),
            places,
            np.tile(glyphs.sizes, self._count),
            glyphs.shape,
            self._lookup,
            halo=False,
        )

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return self.glyphs.actors

    def fill(self, palette: Palette, theme: Theme) -> None:
        """Take the colours of a palette, paler."""
        pale = [mix(colour, theme.panel, PALE) for colour in palette.colours]
        fill(self._lookup, fading_table(pale, [0.3] * len(pale), theme.panel))

    def colour(self, codes: Shorts) -> None:
        """Give each rank a code of the look-up table."""
        self.glyphs.colour(np.tile(codes, self._count))

    def resize(self, factors: Floats) -> None:
        """Draw each rank larger or smaller; 0 hides it."""
        self.glyphs.resize(np.tile(factors, self._count))
