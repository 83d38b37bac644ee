"""Selected ranks once more, before all others: also those inside of blocks."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Floats, Ints, Shorts
from topoview.scene.ranks.glyphs import RankGlyphs
from topoview.scene.shapes import Shape

MOST = 600
"""Most ranks that are drawn so."""


class RankMarks:
    """Draws some ranks where nothing hides them.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ascending.
    places : float64, shape (n, 3)
    sizes : float64, shape (n,)
    """

    def __init__(
        self,
        ranks: Ints,
        places: Floats,
        sizes: Floats,
        shape: Shape,
        lookup: vtkLookupTable,
    ) -> None:
        self.glyphs = RankGlyphs(ranks, places, sizes, shape, lookup, halo=False)
        self.glyphs.bring_to_front()

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return self.glyphs.actors

    def colour(self, codes: Shorts) -> None:
        """Give each of its ranks the code that it has among all."""
        self.glyphs.colour(codes[self.glyphs.ranks])


def chosen(ranks: tuple[int, ...], count: int) -> Ints:
    """Ranks of a selection that are drawn so: ascending, not too many."""
    known = np.array(ranks, np.int64)
    known = known[known < count]
    return np.sort(known) if len(known) <= MOST else known[:0]
