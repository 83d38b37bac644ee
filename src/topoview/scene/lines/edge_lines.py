"""Edges as lines: width by volume, dashes where the topology's edge was not seen."""

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable
from vtkmodules.vtkRenderingCore import vtkProp

from topoview import model
from topoview.scene.actors import Lines
from topoview.scene.camera import depths, project
from topoview.scene.lines.edge_paths import WRAPPED, EdgePaths
from topoview.scene.palette import Theme, mix_colours
from topoview.scene.ranks.forms import Form
from topoview.scene.ranks.picking import pixels_to_segments
from topoview.scene.shading import DEPTH_LEVELS, depth_levels, fading_table, fill_lookup

MAX_RANKS_WITH_EDGES = 2000
MAX_INK_SHARE = 0.6
"""Of the edges that may be drawn in ink: one direction of a ring, half of a grid's."""

MAX_EDGES_DRAWN = 40_000
"""Edges of more ranks, or more edges, are not drawn."""

VOLUME_WIDTHS = (0.8, 1.4, 2.6)
VOLUME_STRENGTHS = (0.45, 0.65, 1.0)

WEAK_STRENGTH = 0.3
"""Share of that strength in layouts that are not the topology's own."""

THIN, MIDDLE, WIDE, EVEN, DIAGONAL, MISSING, FAINT, EXTRA, SELECTED = range(9)

DIAGONAL_WIDTH = 0.8
"""Pixels of edges of a lattice between ranks that differ in two coordinates."""

FAINT_EDGE_LOOK = (0.7, 0.5)
"""Width and strength of pairs of which the level that was identified has none."""

PICKING_PIXELS = 5.0
"""Pixels from which an edge counts as under the mouse."""

DASH_SHARES = np.linspace(0, 1, 16)[:-1].reshape(-1, 1) + np.array([0, 1 / 30])
"""Shares of its way at which an edge that was not seen is drawn."""


def edge_volume(matrix: model.CommunicationMatrix, edges: model.Indices) -> model.Ints:
    """Bytes on each edge, both ways: int64, shape (edges,)."""
    if not len(edges):
        return np.zeros(0, np.int64)
    first, second = edges.T.astype(np.int64)
    keys = matrix.sender.astype(np.int64) * matrix.ranks + matrix.receiver
    values = np.append(matrix.sizes, 0)

    def one_way(a: model.Ints, b: model.Ints) -> model.Ints:
        return values[model.places_among(keys, a * matrix.ranks + b)]

    return one_way(first, second) + one_way(second, first)


def volume_limits(volume: model.Ints) -> tuple[int, int] | None:
    """Bytes from which an edge is drawn wider; None if volumes are much alike.

    Powers of two that part the range of volumes, from the least to the most, in
    three on a logarithmic scale.
    """
    some = volume[volume > 0]
    if len(some) < 2 or some.max() < 4 * some.min():
        return None
    low, high = np.log2(some.min()), np.log2(some.max())
    limits = [round(low + (high - low) * share) for share in (1 / 3, 2 / 3)]
    return (2 ** limits[0], 2 ** max(limits[1], limits[0] + 1))


class EdgeLines:
    """Draws the edges of a match, and one that is selected."""

    def __init__(self) -> None:
        self._lookup = vtkLookupTable()
        self._lines = [Lines(self._lookup) for _ in range(7)]
        self._marked = Lines(self._lookup)
        self.edges: model.Indices = np.zeros((0, 2), np.int32)
        self.faint = 0
        self.has_diagonals = self.has_stubs = False
        self.limits: tuple[int, int] | None = None
        self._paths: EdgePaths | None = None
        self.kind: model.Ints = np.zeros(0, np.int64)
        self.ends: model.Floats = np.zeros((0, 2, 3))
        self.owner: model.Ints = np.zeros(0, np.int64)
        self._groups: list[model.Ints] = [np.zeros(0, np.int64)] * len(self._lines)
        self._widths: tuple[float, ...] = _widths(1.2)
        self._drawn: model.Bools = np.zeros(0, bool)
        self._weak = False
        self._diagonals = 1.0
        self._inside: model.Bools | None = None
        self._ratio = 1.0
        self.shown, self._gives_way = True, False

    @property
    def actors(self) -> list[vtkProp]:
        """What is to be put into the renderer."""
        return [lines.actor for lines in (*self._lines, self._marked)]

    def show(
        self,
        paths: EdgePaths,
        match: model.Match,
        matrix: model.CommunicationMatrix,
        form: Form,
        ratio: float,
    ) -> None:
        """Draw the edges of a match; `ratio` is device pixels a pixel."""
        edges, kind, self.limits = _edges_to_draw(match, matrix, paths)
        if form.name == "tiles":  # their neighbours touch them
            kept = (kind == MISSING) | (kind == FAINT) | (kind == EXTRA)
            edges, kind, self.limits = edges[kept], kind[kept], None
        self._paths, self._ratio = paths, ratio
        self.edges = edges
        self.has_diagonals = bool((kind == DIAGONAL).any())
        self.has_stubs = bool((paths.kinds(*edges.T) == WRAPPED).any())
        pieces = paths.segments(edges[:, 0], edges[:, 1])
        seen = kind[pieces.edge] != MISSING
        gone = edges[kind == MISSING]
        share = np.broadcast_to(DASH_SHARES.ravel(), (len(gone), DASH_SHARES.size))
        dashes = paths.points(gone[:, 0], gone[:, 1], share).reshape(-1, 2, 3)
        owner = np.repeat(np.flatnonzero(kind == MISSING), len(DASH_SHARES))
        self.ends = np.concatenate([pieces.ends[seen], dashes])
        self.owner = np.concatenate([pieces.edge[seen], owner])
        self.kind = kind[self.owner]
        dense = form.name == "graph" and len(edges) > 3 * matrix.ranks
        self._weak = paths.free and len(edges) > matrix.ranks
        even = form.edge_width * (0.6 if dense else 1.0)
        self._widths = _widths(even)
        self.faint = int((kind == FAINT).sum())
        self._inside = None
        self._upload(self._within)
        self.select(None, ratio)

    def clear(self) -> None:
        """Draw none."""
        self.edges, self.limits, self.faint = np.zeros((0, 2), np.int32), None, 0
        self.has_diagonals = self.has_stubs = False
        self.ends, self._paths = np.zeros((0, 2, 3)), None
        self.owner = self.kind = np.zeros(0, np.int64)
        self._upload(np.zeros(0, bool))

    def restrict(self, inside: model.Bools | None, diagonals: float = 1.0) -> None:
        """Draw the edges between some ranks only, diagonal ones of some strength."""
        self._inside, self._diagonals = inside, diagonals
        self._upload(self._within)

    @property
    def ends_to_see(self) -> model.Floats:
        """Ends of those of the topology, and others as wide: shape (n, 2, 3)."""
        return np.asarray(self.ends[self._within & (self.kind != FAINT)])

    @property
    def _within(self) -> model.Bools:
        """Pieces of edges between the ranks that are shown."""
        shown = np.asarray((self.kind != DIAGONAL) | (self._diagonals > 0), bool)
        return np.asarray(self._within_edges()[self.owner] & shown, bool)

    def _within_edges(self) -> model.Bools:
        """Edges between the ranks that are shown."""
        if self._inside is None or not len(self.edges):
            return np.ones(len(self.edges), bool)
        return np.asarray(self._inside[self.edges].all(axis=1), bool)

    def _upload(self, drawn: model.Bools) -> None:
        """Upload the pieces that are drawn."""
        self._drawn = drawn
        last = (self.kind == MISSING) | (self.kind == EXTRA)
        groups = [
            self.kind == kind for kind in (THIN, MIDDLE, WIDE, EVEN, DIAGONAL, FAINT)
        ]
        self._groups = [np.flatnonzero(some & drawn) for some in (*groups, last)]
        drawing = zip(self._lines, self._groups, self._widths, strict=True)
        for lines, some, width in drawing:
            blank = np.zeros(len(some), np.uint8)
            lines.set(self.ends[some], blank, width * self._ratio)
        self.visible(shown=self.shown)

    def paint(self, theme: Theme, form: Form) -> None:
        """Apply the colours of a theme."""
        weaker = WEAK_STRENGTH if self._weak else 1.0  # they run in all directions
        own = form.edge_strength
        steps = (*VOLUME_STRENGTHS, own, own * self._diagonals, own, FAINT_EDGE_LOOK[1])
        strengths = [weaker * strength for strength in steps]
        colours = [
            mix_colours(theme.panel, theme.edge, strength) for strength in strengths
        ]
        table = fading_table(
            [*colours, theme.ink, theme.ink],
            [*[form.fade_edge] * len(colours), 0.6, 0.0],
            theme.panel,
        )
        fill_lookup(self._lookup, table)

    def fade(self, pose: model.Pose, near: float, far: float) -> None:
        """Fade with the depth from the camera."""
        if not len(self.ends):
            return
        middle = self.ends.mean(axis=1)
        levels = depth_levels(depths(pose, middle), near, far)
        codes = (self.kind * DEPTH_LEVELS + levels).astype(np.uint8)
        for lines, some in zip(self._lines, self._groups, strict=True):
            lines.recolour(codes[some])

    def select(self, edges: model.Indices | None, ratio: float) -> None:
        """Draw pairs of ranks in ink: shape (n, 2); not where they are most edges."""
        if (
            edges is None
            or self._paths is None
            or not 0 < len(edges) <= MAX_EDGES_DRAWN
            or (len(edges) > 1 and len(edges) > MAX_INK_SHARE * len(self.edges))
        ):
            self._marked.set(np.zeros((0, 2, 3)), np.zeros(0, np.uint8), 1.0)
            return
        first, second = edges.T.astype(np.int32)
        pieces = self._paths.segments(first, second)
        codes: model.Bytes = np.full(
            len(pieces.ends), SELECTED * DEPTH_LEVELS, np.uint8
        )
        width = 3.0 if len(edges) == 1 else 1.6
        self._marked.set(pieces.ends, codes, width * ratio)

    def enlarge(self, factor: float) -> None:
        """Draw all lines wider by a factor, from now on."""
        for lines in (*self._lines, self._marked):
            lines.enlarge(factor)

    def of(self, ranks: tuple[int, ...]) -> model.Indices:
        """Edges that are drawn between some ranks and others: int32, shape (n, 2)."""
        own = np.isin(self.edges, ranks).any(axis=1)
        own &= self._within_edges()
        return self.edges[own]

    def pick(
        self, pose: model.Pose, x: float, y: float, size: tuple[float, float]
    ) -> tuple[int, int] | None:
        """Edge that is seen within a few pixels: its ranks, smaller first."""
        if not len(self.ends):
            return None
        ends = project(pose, self.ends.reshape(-1, 3), size)
        apart = pixels_to_segments(x, y, ends.reshape(-1, 2, 2))
        nearest = int(np.argmin(np.where(self._drawn, apart, np.inf)))
        if not self._drawn[nearest]:
            return None
        if apart[nearest] > PICKING_PIXELS:
            return None
        first, second = self.edges[self.owner[nearest]]
        return int(first), int(second)

    def give_way(self, *, gives: bool) -> None:
        """Leave the edges to others that draw them, or no longer."""
        if gives != self._gives_way:
            self._gives_way = gives
            self.visible(shown=self.shown)

    def visible(self, *, shown: bool) -> None:
        """Draw the edges or leave them out; the selected one stays."""
        self.shown = shown
        shown = shown and not self._gives_way
        for lines, some in zip(self._lines, self._groups, strict=True):
            lines.actor.SetVisibility(shown and len(some) > 0)


def _widths(even: float) -> tuple[float, ...]:
    """Pixels of the lines: by volume, of all alike, diagonal, faint, extra."""
    return (*VOLUME_WIDTHS, even, DIAGONAL_WIDTH, FAINT_EDGE_LOOK[0], 2.0)


def _edges_to_draw(
    match: model.Match, matrix: model.CommunicationMatrix, paths: EdgePaths
) -> tuple[model.Indices, model.Ints, tuple[int, int] | None]:
    """Edges to draw, the kind of each, and the limits of the widths."""
    count = len(match.topology.edges) + match.extra
    many = matrix.ranks > MAX_RANKS_WITH_EDGES or count > MAX_EDGES_DRAWN
    if many or paths.layout.shape == "planes":
        return np.zeros((0, 2), np.int32), np.zeros(0, np.int64), None
    own = match.rank_edges
    own = own[(own >= 0).all(axis=1)]
    strong = np.concatenate([own, match.extra_edges]).astype(np.int32)
    volume = edge_volume(matrix, strong)
    aslant = paths.diagonal(*strong.T)
    limits = volume_limits(volume[~aslant])
    kind = np.full(len(strong), EVEN)
    if limits is not None:
        kind = np.digitize(volume, limits)
    kind[aslant] = DIAGONAL
    kind[len(own) :] = EXTRA
    key = own.astype(np.int64) @ [matrix.ranks, 1]
    missing = match.missing_edges.astype(np.int64) @ [matrix.ranks, 1]
    kind[: len(own)][np.isin(key, missing)] = MISSING
    faint = _pairs_below_level(match, matrix, strong, volume)
    kinds = np.append(kind, np.full(len(faint), FAINT))
    return np.concatenate([strong, faint]), kinds, limits


def _pairs_below_level(
    match: model.Match,
    matrix: model.CommunicationMatrix,
    strong: model.Indices,
    volume: model.Ints,
) -> model.Indices:
    """Pairs that exchange less than any at the level of a match, int32, (k, 2).

    None if some pair exchanges more: then the match is that of a part of the run.
    """
    none = np.zeros((0, 2), np.int32)
    if not match.level or match.topology.is_unknown:
        return none
    u, v = matrix.sender, matrix.receiver
    keys = model.distinct(
        np.minimum(u, v).astype(np.int64) * matrix.ranks + np.maximum(u, v)
    )
    low, high = strong.min(axis=1), strong.max(axis=1)
    there = model.distinct(low.astype(np.int64) * matrix.ranks + high)
    left = np.setdiff1d(keys, there, assume_unique=True)
    pairs = np.stack([left // matrix.ranks, left % matrix.ranks], 1).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if len(pairs) + len(strong) > MAX_EDGES_DRAWN:
        return none
    some = volume[volume > 0]
    less = edge_volume(matrix, pairs) < some.min(initial=2**62)
    return pairs if less.all() else none
