"""Edges coloured and widened by what was sent along them in the window."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Bools, Indices, Ints, Match, RankValues, freeze
from topoview.scene.colour_maps import map_colours
from topoview.scene.fading import LEVELS, fading_table, fill
from topoview.scene.palette import Theme
from topoview.scene.parts import Lines
from topoview.scene.paths import Paths

STEPS = 5
"""Colours and widths that are told apart."""

WIDTHS = (0.9, 1.4, 2.0, 2.8, 3.8)

EVEN = 16
"""Bytes that differ less than by this factor span no more than part of the scale."""

MOST = 20_000
"""Most edges that are drawn: those with most bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """Bytes on edges within the window.

    Attributes
    ----------
    edges : int32, shape (n, 2)
        Pairs of ranks.
    volume : int64, shape (n,)
        Bytes both ways.
    total
        Edges that have any, also those that are not drawn.
    """

    edges: Indices
    volume: Ints
    total: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def between(self, ranks: Bools) -> "Traffic":
        """Keep the edges between some ranks: bool, shape (ranks,)."""
        both = ranks[self.edges[:, 0]] & ranks[self.edges[:, 1]]
        if both.all():
            return self
        return Traffic(self.edges[both], self.volume[both], self.total)

    @property
    def values(self) -> RankValues:
        """The bytes on their scale, as if edges were ranks."""
        low = float(self.volume.min(initial=2**62)) if len(self.volume) else 1.0
        high = float(self.volume.max(initial=1))
        low = max(min(low, high / EVEN), 1.0)
        return RankValues(self.volume.astype(float), low, high, "B", log=True)


def edges_of(match: Match) -> Indices:
    """All pairs of ranks that communicate, as far as a match knows: int32, (n, 2)."""
    own = match.rank_edges
    own = own[(own >= 0).all(axis=1)]
    return np.concatenate([own, match.extra_edges]).astype(np.int32)


def most_used(edges: Indices, volume: Ints) -> Traffic:
    """Keep the edges with most bytes, as many as can be seen."""
    used = np.flatnonzero(volume > 0)
    kept = used
    if len(used) > MOST:
        kept = used[np.argpartition(-volume[used], MOST)[:MOST]]
    return Traffic(edges[kept], volume[kept], len(used))


class TrafficLines:
    """Draws the edges of a window."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = [Lines(self._lookup) for _ in range(STEPS)]

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [lines.actor for lines in self._lines]

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        colours = map_colours("cividis", theme, STEPS)
        fill(self._lookup, fading_table(colours, [0.0] * STEPS, theme.panel))

    def enlarge(self, factor: float) -> None:
        """Draw all lines wider by a factor, from now on."""
        for lines in self._lines:
            lines.enlarge(factor)

    def show(self, paths: Paths, traffic: Traffic | None, ratio: float) -> None:
        """Draw the traffic; None draws nothing."""
        if traffic is None:
            for lines in self._lines:
                lines.actor.VisibilityOff()
            return
        shares = traffic.values.shares
        step = np.minimum((shares * STEPS).astype(np.int64), STEPS - 1)
        for number, lines in enumerate(self._lines):
            some = traffic.edges[step == number]
            pieces = paths.segments(some[:, 0], some[:, 1])
            codes = np.full(len(pieces.ends), number * LEVELS, np.uint16)
            lines.set(pieces.ends, codes, WIDTHS[number] * ratio)
