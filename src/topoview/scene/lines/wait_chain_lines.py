"""Chains of waiting drawn: from who waits to whom it waits for, ever darker."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Indices, MPIState
from topoview.scene.actors import Lines, draw_nearer
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.palette import STATE_COLOURS, Theme
from topoview.scene.shading import DEPTH_LEVELS, fading_table, fill_lookup

CHAIN_PIECES = 10
"""Pieces of the way between two ranks."""

MAX_CHAIN_PAIRS = 4000
"""Most pairs that are drawn."""

CHAIN_WIDTHS = (1.5, 3.5, 4.5, 3.0, 2.6)
"""Pixels: of all that wait, of the longest chain, of those of selected ranks, of the
steps of the critical path, and of edges that the front of a delay crosses."""

FRONT = 4
"""Which of them is the front: it does not fade from one end to the other."""


class WaitChainLines:
    """Draws who waits for whom; at the end that is waited for a line is darkest."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = [Lines(self._lookup) for _ in CHAIN_WIDTHS]
        for number, lines in enumerate(self._lines, 1):  # edges run along with them
            draw_nearer(lines.actor, number)

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [lines.actor for lines in self._lines]

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        waiting = STATE_COLOURS[MPIState.WAIT]
        colours = (waiting, waiting, theme.ink, theme.ink, theme.ink)
        fill_lookup(
            self._lookup, fading_table(colours, [0.8] * len(CHAIN_WIDTHS), theme.panel)
        )

    def enlarge(self, factor: float) -> None:
        """Draw all lines wider by a factor, from now on."""
        for lines in self._lines:
            lines.enlarge(factor)

    def show(self, paths: EdgePaths, pairs: tuple[Indices, ...], ratio: float) -> None:
        """Draw pairs of ranks, the one that waits first.

        Parameters
        ----------
        pairs
            For each of `CHAIN_WIDTHS`: int32, shape (n, 2).
        """
        for kind, (lines, some) in enumerate(zip(self._lines, pairs, strict=True)):
            if not len(some):  # as a rule, in each frame
                lines.actor.VisibilityOff()
                continue
            first, second = (
                np.asarray(some[:MAX_CHAIN_PAIRS], np.int32).reshape(-1, 2).T
            )
            steps = np.linspace(0, 1, CHAIN_PIECES + 1)
            share = np.broadcast_to(steps, (len(first), len(steps)))
            points = paths.points(first, second, share, 1.05)
            keep = np.ones((len(first), CHAIN_PIECES), bool)
            keep[
                paths.kinds(first, second) == WRAPPED,
                CHAIN_PIECES // 2 - 1 : CHAIN_PIECES // 2 + 1,
            ] = False
            ends = np.stack([points[:, :-1], points[:, 1:]], axis=2)[keep]
            level = np.rint(np.linspace(DEPTH_LEVELS - 1, 0, CHAIN_PIECES)).astype(
                np.uint16
            )
            if kind == FRONT:
                level[:] = 0
            codes = np.broadcast_to(kind * DEPTH_LEVELS + level, keep.shape)[keep]
            lines.set(ends, codes.astype(np.uint16), CHAIN_WIDTHS[kind] * ratio)
