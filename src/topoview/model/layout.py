"""Where ranks are drawn."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topoview.model.arrays import freeze
from topoview.model.geometry import Grid


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Layout:
    """Where ranks are drawn.

    Attributes
    ----------
    name
        Name in the table of layouts, such as ``torus`` or ``flat``.
    positions : float32, shape (ranks, 3)
        Right-handed scene coordinates, z up; neighbours are about 1 apart.
    shape
        How the scene draws it: ``lattice`` (boxes), ``graph`` (balls and arcs),
        ``torus``, ``tube``, ``star``, ``sphere`` (a polygon a rank).
    normals : float32, shape (ranks, 3)
        Outward direction of curved layouts; empty, shape (0, 3), otherwise.
    grid
        The lattice that places follow, None if there is none.
    corners : float32, shape (ranks, corners, 3)
        Corners of the polygon of each rank on a sphere, counter-clockwise as seen
        from outside; those with fewer corners repeat their last. NaN for ranks
        that are not on it. Shape (0, 3, 3) for other shapes.
    spacing
        Distance of neighbours, of which glyphs take no notice.
    empty
        Places that have no rank.
    free
        Whether it is one that any trace can have, which all ranks are part of.
    marks
        Words at places: x, y, z, text.
    """

    name: str
    shape: str
    positions: NDArray[np.float32]
    normals: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 3), np.float32)
    )
    grid: Grid | None = None
    corners: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 3, 3), np.float32)
    )
    spacing: float = 1.0
    empty: int = 0
    free: bool = False
    marks: tuple[tuple[float, float, float, str], ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
