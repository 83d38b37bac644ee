"""The ways that edges and messages take from rank to rank.

A way is a curve over the share of it that is done, 0 at the first rank and 1 at
the second. Edges that wrap around a flat lattice leave at one side and come in
at the other; on a torus or a tube they run along the surface; long ones bow, so
that they do not run through other ranks.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Floats, Geometry, Grid, Indices, Ints, Layout, Match
from topoview.scene.ranks.surfaces import Surface, fit_surface

STRAIGHT, BOWED, WRAPPED, CURVED, LONG = range(5)

MIN_BOWED_LENGTH = 1.8
"""Steps in the lattice from which an edge bows: more than a cube's diagonal has."""

BOW_HEIGHT = 0.17
"""Height of a bow as share of the edge's length."""

MAX_BOW_OVER_TABLE = 1.0
"""Height of a bow over a flat table, neighbours being 1 apart, that none reaches: the
row behind stays in sight."""

DIPPING_KINDS = ("cg",)
"""Kinds in whose table the edges that leave row and column run below it."""

STUB_LENGTH = 0.5
"""Length of what is drawn of a wrapped edge at each end, neighbours being 1 apart. No
share of a step: stubs of a block's long axis would take the room that it has."""

CUP_RADIUS = 0.07
"""Radius of the cup at the end of a wrapped edge, neighbours being 1 apart."""

CUP_ANGLES = np.linspace(-np.pi / 2, np.pi / 2, 7)
"""Corners of a cup; it opens away from the lattice."""

LONG_TURN = 0.7 * np.pi
"""Angle on a surface from which a way is cut into more pieces."""


PLAIN_GEOMETRY = Geometry()


def _equal_pieces(count: int) -> Floats:
    ends = np.linspace(0, 1, count + 1)
    return np.stack([ends[:-1], ends[1:]], axis=1)


PIECE_SHARES = {
    STRAIGHT: _equal_pieces(1),
    BOWED: _equal_pieces(16),
    CURVED: _equal_pieces(12),
    LONG: _equal_pieces(48),
    WRAPPED: np.array([[0.0, 0.48], [0.52, 1.0]]),
}
"""Straight pieces that a way of each kind is drawn in, as shares of it."""


@dataclass(frozen=True, slots=True, eq=False)
class PathSegments:
    """Straight pieces of edges."""

    ends: Floats
    """float64, shape (n, 2, 3)"""
    edge: Ints
    """int64, shape (n,): edge that each is a piece of."""


class EdgePaths:
    """The ways between the ranks of a layout."""

    def __init__(
        self, layout: Layout, match: Match, geometry: Geometry = PLAIN_GEOMETRY
    ) -> None:
        members = (match.vertex >= 0) | layout.free
        self._spacing, self.free = layout.spacing, layout.free
        self._style = geometry.wrap
        self._reach = 1.0 if geometry.copies else STUB_LENGTH
        self._places = layout.positions.astype(np.float64)
        self.layout = layout
        self.surface: Surface | None = fit_surface(layout, members)
        self.flat = not len(self._places) or bool(np.ptp(self._places[:, 2]) < 1e-3)
        self._bows = layout.shape == "lattice" or (
            layout.shape == "graph" and self.flat
        )
        self._dips = (
            match.topology.kind in DIPPING_KINDS and self.flat and not layout.free
        )
        grid = layout.grid
        self._at: Indices | None = match.coordinates if self._dips else None
        if grid is not None and layout.shape == "lattice" and not layout.free:
            self._at = grid.coordinates
        self.grid = grid if grid is not None and grid.tables else None
        periodic = self.grid is not None and any(self.grid.periodic)
        self._wrap = _PeriodicSteps(self.grid) if self.grid and periodic else None
        self._step = _lattice_steps(self.grid, layout.spacing)

    def diagonal(self, first: Indices, second: Indices) -> Bools:
        """Return which pairs of ranks differ in more than one coordinate: shape (n,).

        None if all do, or in a layout that any trace can have.
        """
        result, at = np.zeros(len(first), bool), self._at
        if at is None or not len(first):
            return result
        both = (at[first, 0] >= 0) & (at[second, 0] >= 0)
        aslant = np.asarray(both & ((at[first] != at[second]).sum(axis=1) > 1))
        return result if aslant.all() else aslant

    def kinds(self, first: Indices, second: Indices) -> Ints:
        """Kind of the way between pairs of ranks: shape (n,)."""
        kinds = np.full(len(first), STRAIGHT)
        if self._bows:
            way = (self._places[second] - self._places[first]) / self._step
            kinds[np.linalg.norm(way, axis=1) > MIN_BOWED_LENGTH] = BOWED
        if self._wrap is not None:
            wraps = self._wrap.wraps(first, second)
            kinds[wraps] = BOWED if self._style == "arcs" else WRAPPED
        if self.surface is not None:
            on = ~np.isnan(self.surface.parameters[:, 0])
            curved = on[first] & on[second]
            kinds[curved] = CURVED
            turns = self._turns(first[curved], second[curved])
            turn = np.abs(turns * self.surface.closed).max(axis=1)
            kinds[np.flatnonzero(curved)[turn > LONG_TURN]] = LONG
        return kinds

    def stub_ends(self, first: Indices, second: Indices) -> Floats:
        """Return places beyond the cups at the first ranks: shape (n, 3)."""
        return np.asarray(self._places[first] + 1.3 * self._stubs(first, second))

    def _stubs(self, first: Indices, second: Indices) -> Floats:
        """Return the stubs of wrapped edges where they leave the lattice: shape (n, 3).

        Those of blocks of blocks begin as their bows do: others leave beside them.
        """
        assert self._wrap is not None
        way = self._wrap.step(first, second)
        count = np.maximum(
            np.linalg.norm(way / self._step, axis=1, keepdims=True), 1e-9
        )
        stub = way / count
        if self._reach < 1:
            rise = _bow_direction(stub) * 4 * BOW_HEIGHT
            stub = np.where(count > MIN_BOWED_LENGTH, stub + rise, stub)
            length = np.linalg.norm(stub, axis=1, keepdims=True)
            stub = stub * (self._spacing / np.maximum(length, 1e-9))
        return np.asarray(self._reach * stub)

    def points(
        self, first: Indices, second: Indices, share: Floats, thickness: float = 1.0
    ) -> Floats:
        """Points on the way between pairs of ranks.

        Parameters
        ----------
        first, second : int32, shape (n,)
        share : float64, shape (n, k)
        thickness
            Of the pipe, for ways on a surface: above 1 they run outside of it.

        Returns
        -------
        float64, shape (n, k, 3)
        """
        kinds = self.kinds(first, second)
        begin, end = self._places[first], self._places[second]
        way = end - begin
        result = np.asarray(begin[:, None] + way[:, None] * share[:, :, None])
        bowed = kinds == BOWED
        if bowed.any():
            rise = _bow_direction(way[bowed])[:, None] * 4 * BOW_HEIGHT
            if self.flat:
                long = np.linalg.norm(way[bowed], axis=1) / self._spacing
                rise /= (1 + BOW_HEIGHT * long / MAX_BOW_OVER_TABLE)[:, None, None]
            if self._dips:
                rise[self.diagonal(first[bowed], second[bowed])] *= -1
            height = share[bowed] * (1 - share[bowed])
            result[bowed] += rise * height[:, :, None]
        wrapped = kinds == WRAPPED
        if wrapped.any() and self._wrap is not None:
            stub = self._stubs(first[wrapped], second[wrapped])[:, None]
            s = share[wrapped][:, :, None]
            result[wrapped] = np.where(
                s < 0.5,
                begin[wrapped][:, None] + stub * 2 * s,
                end[wrapped][:, None] - stub * 2 * (1 - s),
            )
        curved = (kinds == CURVED) | (kinds == LONG)
        if curved.any() and self.surface is not None:
            result[curved] = self._along(
                first[curved], second[curved], share[curved], thickness
            )
        return result

    def lengths(self, first: Indices, second: Indices) -> Floats:
        """Lengths of ways as the crow flies, shape (n,); of wrapped ones both stubs."""
        way = self._places[second] - self._places[first]
        result = np.maximum(np.linalg.norm(way, axis=1), 1e-6)
        wrapped = self.kinds(first, second) == WRAPPED
        if wrapped.any():
            stub = self._stubs(first[wrapped], second[wrapped])
            result[wrapped] = 2 * np.linalg.norm(stub, axis=1)
        return np.asarray(result)

    def _along(
        self, first: Indices, second: Indices, share: Floats, thickness: float
    ) -> Floats:
        surface = self.surface
        assert surface is not None
        begin, way = surface.parameters[first], self._turns(first, second)
        u, v = (begin[:, k, None] + way[:, k, None] * share for k in (0, 1))
        return surface.at(u, v, thickness)[0]

    def _turns(self, first: Indices, second: Indices) -> Floats:
        """Ways in the parameters of the surface, the short way round: shape (n, 2)."""
        surface = self.surface
        assert surface is not None
        way = surface.parameters[second] - surface.parameters[first]
        for k in (0, 1):
            if surface.closed[k]:
                way[:, k] = (way[:, k] + np.pi) % (2 * np.pi) - np.pi
        return way

    def segments(self, first: Indices, second: Indices) -> PathSegments:
        """Cut the ways between pairs of ranks into straight pieces."""
        kinds = self.kinds(first, second)
        ends, edges = [np.zeros((0, 2, 3))], [np.zeros(0, np.int64)]
        for kind, pieces in PIECE_SHARES.items():
            if kind == WRAPPED and self._style == "none":
                continue
            some = np.flatnonzero(kinds == kind)
            share = np.broadcast_to(pieces.ravel(), (len(some), pieces.size))
            points = self.points(first[some], second[some], share)
            ends.append(points.reshape(-1, 2, 3))
            edges.append(np.repeat(some, len(pieces)))
        wrapped = np.flatnonzero(kinds == WRAPPED)
        if len(wrapped) and self._style != "none" and self._reach < 1:
            cups = self._cups(first[wrapped], second[wrapped])
            ends.append(cups.reshape(-1, 2, 3))
            edges.append(np.repeat(wrapped, cups.shape[1]))
        return PathSegments(np.concatenate(ends), np.concatenate(edges))

    def _cups(self, first: Indices, second: Indices) -> Floats:
        """Cups at both ends of wrapped edges: shape (n, pieces, 2, 3)."""
        stub = self._stubs(first, second)
        cups = []
        for ranks, way in ((first, stub), (second, -stub)):
            out = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
            steep = np.abs(out[:, 2:]) > 0.8
            up = [0.0, 1.0, 0.0] if self.flat else [0.0, 0.0, 1.0]
            if self.flat:
                steep = np.abs(out[:, 1:2]) > 0.8
            aside = np.where(steep, [1.0, 0.0, 0.0], up)
            radius = CUP_RADIUS * self._spacing
            forth = radius * (1 - np.cos(CUP_ANGLES))[None, :, None]
            across = radius * np.sin(CUP_ANGLES)[None, :, None]
            end = (self._places[ranks] + 0.96 * way)[:, None]
            rim = end + forth * out[:, None] + across * aside[:, None]
            cups.append(np.stack([rim[:, :-1], rim[:, 1:]], axis=2))
        return np.concatenate(cups, axis=1)


def _lattice_steps(grid: Grid | None, spacing: float) -> Floats:
    """Least distance of neighbours along each axis of space: shape (3,)."""
    smallest = np.full(3, np.inf)
    for table in () if grid is None else grid.tables:
        if len(table) > 1:
            steps = np.abs(np.diff(table, axis=0)).min(axis=0)
            smallest = np.where(steps > 1e-9, np.minimum(smallest, steps), smallest)
    return np.where(np.isfinite(smallest), smallest, spacing)


def _bow_direction(way: Floats) -> Floats:
    """Direction and size of a bow: up, or towards the viewer if the way is steep."""
    length = np.linalg.norm(way, axis=1, keepdims=True)
    steep = np.abs(way[:, 2:]) > 0.8 * length
    return np.asarray(np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]) * length)


class _PeriodicSteps:
    """How steps in a lattice with periodic axes are steps in space."""

    def __init__(self, grid: Grid) -> None:
        self._coordinates = grid.coordinates.astype(np.int64)
        self._dims = np.array(grid.dims, np.int64)
        self._periodic = np.array(grid.periodic, bool)
        self._steps = np.array(
            [table[1] - table[0] if len(table) > 1 else 0 * table[0]
             for table in grid.tables]
        )  # fmt: skip

    def _turns(self, first: Indices, second: Indices) -> tuple[Ints, Ints]:
        begin, end = self._coordinates[first], self._coordinates[second]
        turns = np.rint((end - begin) / self._dims).astype(np.int64)
        inside = self._periodic & (begin >= 0) & (end >= 0)
        return end - begin, turns * inside

    def wraps(self, first: Indices, second: Indices) -> Bools:
        return np.asarray(self._turns(first, second)[1].any(axis=1), bool)

    def step(self, first: Indices, second: Indices) -> Floats:
        way, turns = self._turns(first, second)
        return np.asarray((way - turns * self._dims) @ self._steps)
