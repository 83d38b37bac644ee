"""A flat map of a torus or tube beside it.

On a bent surface it is hard to see which ranks are neighbours.
"""

import numpy as np

from topoview.model import Ints, Layout, Match
from topoview.scene.axes.plane_faces import PlaneFace
from topoview.scene.axes.plane_sheet import INSET_EDGE, PlaneSheet, SheetMoments
from topoview.scene.camera import inset_width

MAX_RANKS_MAPPED, MAX_COLUMNS_MAPPED = 256, 16
"""Most ranks of a torus beside which there is a map in the window, and across it."""

LEAST_CELL = 6.0
"""Pixels of a rank, at least."""

MAP_TOP = 84.0
"""Pixels above a map in the window."""


def ranks_of_map(match: Match, layout: Layout, middle: int) -> tuple[Ints, bool] | None:
    """Find which rank is where on the map of what is bent; None of other layouts.

    Parameters
    ----------
    middle
        The rank that is in its middle along axes that wrap; below 0 for none.

    Returns
    -------
    ranks : int64, shape (rows, columns)
        -1 for none; the longer dimension is across.
    turned
        Whether that is the first one.
    """
    topology, places = match.topology, match.coordinates
    bent = layout.shape in ("torus", "tube") and len(topology.dims) == 2
    if not bent or len(places) > MAX_RANKS_MAPPED:
        return None
    there = np.flatnonzero(places[:, 0] >= 0)
    ranks = np.full(topology.dims, -1, np.int64)
    ranks[tuple(places[there].T)] = there
    for axis in (0, 1) if 0 <= middle < len(places) else ():
        if topology.periodic[axis]:
            by = topology.dims[axis] // 2 - int(places[middle, axis])
            ranks = np.roll(ranks, by, axis)
    turned = ranks.shape[0] >= ranks.shape[1]
    return np.ascontiguousarray(ranks.T if turned else ranks), turned


class MapPlaces(SheetMoments):
    """The map beside what is bent in the window: computed once."""

    def __init__(self, match: Match, layout: Layout) -> None:
        super().__init__(np.zeros(0, np.int64), 0)
        self._of = match, layout
        self._last: tuple[object, PlaneSheet] | None = None

    @staticmethod
    def suits(match: Match, layout: Layout) -> bool:
        """Return whether there is a map beside a layout."""
        mapped = ranks_of_map(match, layout, -1)
        return mapped is not None and mapped[0].shape[1] <= MAX_COLUMNS_MAPPED

    def sheet(self, size: tuple[float, float], middle: int) -> PlaneSheet | None:
        """Find where the map is in a view; None where it has no room; kept."""
        room = inset_width(size[0])
        if self._last is None or self._last[0] != (size, middle):
            mapped = ranks_of_map(*self._of, middle)
            if mapped is None or not room:
                return None
            ranks, (rows, columns) = mapped[0], mapped[0].shape
            cell = min((room - INSET_EDGE / 2) // columns, (size[1] / 2) // rows)
            if cell < LEAST_CELL:
                return None
            corner = np.array([size[0] - INSET_EDGE / 2 - columns * cell, MAP_TOP])
            across, down = np.array([cell, 0.0]), np.array([0.0, cell])
            face = PlaneFace(-1, corner, across, down, ranks)
            made = PlaneSheet(
                through=() if middle < 0 else (middle,),
                planes=(),
                corners=np.zeros((0, 2)),
                cell=cell,
                places=np.zeros((0, 4, 2)),
                axes=(),
                cells=ranks[None],
                flat_map=face,
            )
            self._last = (size, middle), made
        return self._last[1]
