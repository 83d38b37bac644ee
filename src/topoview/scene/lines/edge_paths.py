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

STRAIGHT, BOWED, WRAPPED, CURVED = range(4)

MIN_BOWED_LENGTH = 1.8
"""Length from which an edge bows: longer than the diagonal of a cube."""

BOW_HEIGHT = 0.17
"""Height of a bow as share of the edge's length."""

DIPPING_KINDS = ("cg",)
"""Kinds in whose table the edges that leave row and column run below it."""

STUB_LENGTH = 0.62
"""Length of what is drawn of a wrapped edge at each end."""


PLAIN_GEOMETRY = Geometry()


def _equal_pieces(count: int) -> Floats:
    ends = np.linspace(0, 1, count + 1)
    return np.stack([ends[:-1], ends[1:]], axis=1)


PIECE_SHARES = {
    STRAIGHT: _equal_pieces(1),
    BOWED: _equal_pieces(16),
    CURVED: _equal_pieces(12),
    WRAPPED: np.array([[0.0, 0.48], [0.52, 1.0]]),
}
"""Straight pieces that a way of each kind is drawn in, as shares of it."""


@dataclass(frozen=True, slots=True, eq=False)
class PathSegments:
    """Straight pieces of edges.

    Attributes
    ----------
    ends : float64, shape (n, 2, 3)
    edge : int64, shape (n,)
        Edge that each is a piece of.
    outward : float64, shape (n, 3)
        Where a wrapped edge leaves the lattice, the direction in which; else 0.
    """

    ends: Floats
    edge: Ints
    outward: Floats


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
        self.surface: Surface | None = fit_surface(layout, members)
        self.flat = not len(self._places) or bool(np.ptp(self._places[:, 2]) < 1e-3)
        self._bows = layout.shape == "lattice" or (
            layout.shape == "graph" and self.flat
        )
        self._dips = (
            match.topology.kind in DIPPING_KINDS and self.flat and not layout.free
        )
        grid = layout.grid
        self.grid = grid if grid is not None and grid.tables else None
        periodic = self.grid is not None and any(self.grid.periodic)
        self._wrap = _PeriodicSteps(self.grid) if self.grid and periodic else None

    def kinds(self, first: Indices, second: Indices) -> Ints:
        """Kind of the way between pairs of ranks: shape (n,)."""
        kinds = np.full(len(first), STRAIGHT)
        if self._bows:
            length = np.linalg.norm(self._places[second] - self._places[first], axis=1)
            kinds[length > MIN_BOWED_LENGTH * self._spacing] = BOWED
        if self._wrap is not None:
            wraps = self._wrap.wraps(first, second)
            kinds[wraps] = BOWED if self._style == "arcs" else WRAPPED
        if self.surface is not None:
            on = ~np.isnan(self.surface.parameters[:, 0])
            kinds[on[first] & on[second]] = CURVED
        return kinds

    @property
    def _stub(self) -> float:
        return self._reach * self._spacing

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
        found = np.asarray(begin[:, None] + way[:, None] * share[:, :, None])
        bowed = kinds == BOWED
        if bowed.any():
            rise = _bow_direction(way[bowed])[:, None] * 4 * BOW_HEIGHT
            if self._dips:
                aslant = np.abs(way[bowed, :2]).min(axis=1) > 0.1
                rise[aslant] *= -1
            height = share[bowed] * (1 - share[bowed])
            found[bowed] += rise * height[:, :, None]
        wrapped = kinds == WRAPPED
        if wrapped.any() and self._wrap is not None:
            step = self._wrap.step(first[wrapped], second[wrapped])
            length = np.linalg.norm(step, axis=1, keepdims=True)
            stub = (step / np.maximum(length, 1e-9) * self._stub)[:, None]
            s = share[wrapped][:, :, None]
            found[wrapped] = np.where(
                s < 0.5,
                begin[wrapped][:, None] + stub * 2 * s,
                end[wrapped][:, None] - stub * 2 * (1 - s),
            )
        curved = kinds == CURVED
        if curved.any() and self.surface is not None:
            found[curved] = self._along(
                first[curved], second[curved], share[curved], thickness
            )
        return found

    def lengths(self, first: Indices, second: Indices) -> Floats:
        """Lengths of ways as the crow flies, shape (n,); of wrapped ones both stubs."""
        way = self._places[second] - self._places[first]
        found = np.maximum(np.linalg.norm(way, axis=1), 1e-6)
        found[self.kinds(first, second) == WRAPPED] = 2 * self._stub
        return np.asarray(found)

    def _along(
        self, first: Indices, second: Indices, share: Floats, thickness: float
    ) -> Floats:
        surface = self.surface
        assert surface is not None
        begin = surface.parameters[first]
        way = surface.parameters[second] - begin
        for k in (0, 1):
            if surface.closed[k]:
                way[:, k] = (way[:, k] + np.pi) % (2 * np.pi) - np.pi
        u, v = (begin[:, k, None] + way[:, k, None] * share for k in (0, 1))
        return surface.at(u, v, thickness)[0]

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
        owner = np.concatenate(edges)
        found = np.concatenate(ends)
        outward = (found[:, 1] - found[:, 0]) * (kinds[owner] == WRAPPED)[:, None]
        last = (kinds[owner] == WRAPPED).nonzero()[0][1::2]
        outward[last] *= -1  # a wrapped edge is two pieces
        return PathSegments(found, owner, outward)


def _bow_direction(way: Floats) -> Floats:
    """Direction and size of a bow: up, or towards the viewer if the way is steep."""
    length = np.linalg.norm(way, axis=1, keepdims=True)
    steep = np.abs(way[:, 2:]) > 0.8 * length
    return np.asarray(np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]) * length)


class _PeriodicSteps:
    """How steps in a lattice with periodic axes are steps in space."""

    def __init__(self, found: Grid) -> None:
        self._coordinates = found.coordinates.astype(np.int64)
        self._dims = np.array(found.dims, np.int64)
        self._periodic = np.array(found.periodic, bool)
        self._steps = np.array(
            [table[1] - table[0] if len(table) > 1 else 0 * table[0]
             for table in found.tables]
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
