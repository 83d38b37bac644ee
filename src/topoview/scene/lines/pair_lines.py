"""Lines between pairs of ranks: what was sent in the window, and chains of waiting."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview.model import Bools, Frozen, Indices, Ints, Match, RankValues, TimeState
from topoview.scene.actors import Lines, draw_nearer
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.palette import STATE_COLOURS, Theme, map_colours
from topoview.scene.shading import DEPTH_LEVELS, fading_table, fill_lookup

VOLUME_STEPS = 5
"""Colours and widths that are told apart."""

STEP_WIDTHS = (0.9, 1.4, 2.0, 2.8, 3.8)

MIN_SCALE_RATIO = 16
"""Bytes that differ less than by this factor span no more than part of the scale."""

MAX_TRAFFIC_EDGES = 20_000
"""Most edges that are drawn: those with most bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTraffic(Frozen):
    """Bytes on edges within the window."""

    edges: Indices
    """int32, shape (n, 2): pairs of ranks."""
    volume: Ints
    """int64, shape (n,): bytes both ways."""
    total: int
    """Edges that have any, also those that are not drawn."""

    def between(self, ranks: Bools) -> "EdgeTraffic":
        """Keep the edges between some ranks: bool, shape (ranks,)."""
        both = ranks[self.edges[:, 0]] & ranks[self.edges[:, 1]]
        if both.all():
            return self
        return EdgeTraffic(self.edges[both], self.volume[both], self.total)

    @property
    def values(self) -> RankValues:
        """The bytes on their scale, as if edges were ranks."""
        low = float(self.volume.min(initial=2**62)) if len(self.volume) else 1.0
        high = float(self.volume.max(initial=1))
        low = max(min(low, high / MIN_SCALE_RATIO), 1.0)
        return RankValues(self.volume.astype(float), low, high, "B", log=True)


def communicating_pairs(match: Match) -> Indices:
    """All pairs of ranks that communicate, as far as a match knows: int32, (n, 2)."""
    own = match.rank_edges
    own = own[(own >= 0).all(axis=1)]
    return np.concatenate([own, match.extra_edges]).astype(np.int32)


def busiest_edges(edges: Indices, volume: Ints) -> EdgeTraffic:
    """Keep the edges with most bytes, as many as can be seen."""
    used = np.flatnonzero(volume > 0)
    kept = used
    if len(used) > MAX_TRAFFIC_EDGES:
        kept = used[
            np.argpartition(-volume[used], MAX_TRAFFIC_EDGES)[:MAX_TRAFFIC_EDGES]
        ]
    return EdgeTraffic(edges[kept], volume[kept], len(used))


class PairLines:
    """Lines between pairs of ranks, in some widths."""

    def __init__(self, widths: int) -> None:
        self._lookup = vtkLookupTable()
        self._lines = [Lines(self._lookup) for _ in range(widths)]

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [lines.actor for lines in self._lines]

    def enlarge(self, factor: float) -> None:
        """Draw all lines wider by a factor, from now on."""
        for lines in self._lines:
            lines.enlarge(factor)


class TrafficLines(PairLines):
    """Draws the edges of a window."""

    def __init__(self) -> None:
        super().__init__(VOLUME_STEPS)

    def paint(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        colours = map_colours("cividis", theme, VOLUME_STEPS)
        fill_lookup(
            self._lookup, fading_table(colours, [0.0] * VOLUME_STEPS, theme.panel)
        )

    def show(self, paths: EdgePaths, traffic: EdgeTraffic | None, ratio: float) -> None:
        """Draw the traffic; None draws nothing."""
        if traffic is None:
            for lines in self._lines:
                lines.actor.VisibilityOff()
            return
        shares = traffic.values.shares
        step = np.minimum((shares * VOLUME_STEPS).astype(np.int64), VOLUME_STEPS - 1)
        for number, lines in enumerate(self._lines):
            some = traffic.edges[step == number]
            pieces = paths.segments(some[:, 0], some[:, 1])
            codes = np.full(len(pieces.ends), number * DEPTH_LEVELS, np.uint16)
            lines.set(pieces.ends, codes, STEP_WIDTHS[number] * ratio)


# Chains of waiting drawn: from who waits to whom it waits for, ever darker.

CHAIN_PIECES = 10
"""Pieces of the way between two ranks."""

MAX_CHAIN_PAIRS = 4000
"""Most pairs that are drawn."""

CHAIN_WIDTHS = (1.5, 3.5, 4.5, 3.0, 2.6)
"""Pixels: of all that wait, of the longest chain, of those of selected ranks, of the
steps of the critical path, and of edges that the front of a delay crosses."""

FRONT = 4
"""Which of them is the front: it does not fade from one end to the other."""


class WaitChainLines(PairLines):
    """Draws who waits for whom; at the end that is waited for a line is darkest."""

    def __init__(self) -> None:
        super().__init__(len(CHAIN_WIDTHS))
        for number, lines in enumerate(self._lines, 1):  # edges run along with them
            draw_nearer(lines.actor, number)

    def paint(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        waiting = STATE_COLOURS[TimeState.WAIT]
        colours = (waiting, waiting, theme.ink, theme.ink, theme.ink)
        fill_lookup(
            self._lookup, fading_table(colours, [0.8] * len(CHAIN_WIDTHS), theme.panel)
        )

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
