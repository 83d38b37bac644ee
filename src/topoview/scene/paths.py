"""The ways that edges and messages take from rank to rank.

A way is a curve over the share of it that is done, 0 at the first rank and 1 at
the second. Edges that wrap around a flat lattice leave at one side and come in
at the other; on a torus or a tube they run along the surface; long ones bow, so
that they do not run through other ranks.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Floats, Indices, Ints, Layout, Match
from topoview.scene.surfaces import Surface, surface_of

STRAIGHT, BOWED, WRAPPED, CURVED = range(4)

LONG = 1.8
"""Length from which an edge bows: longer than the diagonal of a cube."""

BOW = 0.17
"""Height of a bow as share of the edge's length."""

STUB = 0.66
"""Length of what is drawn of a wrapped edge at each end."""


def _pieces(count: int) -> Floats:
    ends = np.linspace(0, 1, count + 1)
    return np.stack([ends[:-1], ends[1:]], axis=1)


PIECES = {
    STRAIGHT: _pieces(1),
    BOWED: _pieces(16),
    CURVED: _pieces(12),
    WRAPPED: np.delete(_pieces(9), 4, axis=0),
}
"""Straight pieces that a way of each kind is drawn in, as shares of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Straight pieces of edges.

    Attributes
    ----------
    ends : float64, shape (n, 2, 3)
    edge : int64, shape (n,)
        Edge that each is a piece of.
    fade : float64, shape (n,)
        How far it fades out, 0 to 1: where a wrapped edge leaves the lattice.
    """

    ends: Floats
    edge: Ints
    fade: Floats


class Paths:
    """The ways between the ranks of a layout."""

    def __init__(self, layout: Layout, match: Match) -> None:
        members = match.vertex >= 0
        self._places = layout.positions.astype(np.float64)
        self.surface: Surface | None = surface_of(layout, members)
        self.flat = not len(self._places) or bool(np.ptp(self._places[:, 2]) < 1e-3)
        self._bows = layout.shape == "lattice" or (
            layout.shape == "graph" and self.flat
        )
        lattice = layout.shape == "lattice"
        self._wrap = _wrapping(self._places, match) if lattice else None

    def kinds(self, first: Indices, second: Indices) -> Ints:
        """Kind of the way between pairs of ranks: shape (n,)."""
        kinds = np.full(len(first), STRAIGHT)
        if self._bows:
            length = np.linalg.norm(self._places[second] - self._places[first], axis=1)
            kinds[length > LONG] = BOWED
        if self._wrap is not None:
            kinds[self._wrap.wraps(first, second)] = WRAPPED
        if self.surface is not None:
            on = ~np.isnan(self.surface.parameters[:, 0])
            kinds[on[first] & on[second]] = CURVED
        return kinds

    def points(self, first: Indices, second: Indices, share: Floats) -> Floats:
        """Points on the way between pairs of ranks.

        Parameters
        ----------
        first, second : int32, shape (n,)
        share : float64, shape (n, k)

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
            rise = _rise(way[bowed])[:, None] * 4 * BOW
            height = share[bowed] * (1 - share[bowed])
            found[bowed] += rise * height[:, :, None]
        wrapped = kinds == WRAPPED
        if wrapped.any() and self._wrap is not None:
            step = self._wrap.step(first[wrapped], second[wrapped])
            length = np.linalg.norm(step, axis=1, keepdims=True)
            stub = (step / np.maximum(length, 1e-9) * STUB)[:, None]
            s = share[wrapped][:, :, None]
            found[wrapped] = np.where(
                s < 0.5,
                begin[wrapped][:, None] + stub * 2 * s,
                end[wrapped][:, None] - stub * 2 * (1 - s),
            )
        curved = kinds == CURVED
        if curved.any() and self.surface is not None:
            found[curved] = self._along(first[curved], second[curved], share[curved])
        return found

    def _along(self, first: Indices, second: Indices, share: Floats) -> Floats:
        surface = self.surface
        assert surface is not None
        begin = surface.parameters[first]
        way = surface.parameters[second] - begin
        for k in (0, 1):
            if surface.closed[k]:
                way[:, k] = (way[:, k] + np.pi) % (2 * np.pi) - np.pi
        u, v = (begin[:, k, None] + way[:, k, None] * share for k in (0, 1))
        return surface.at(u, v, 1.0)[0]

    def segments(self, first: Indices, second: Indices) -> Segments:
        """Cut the ways between pairs of ranks into straight pieces."""
        kinds = self.kinds(first, second)
        ends, edges, fades = [np.zeros((0, 2, 3))], [np.zeros(0, np.int64)], []
        for kind, pieces in PIECES.items():
            some = np.flatnonzero(kinds == kind)
            share = np.broadcast_to(pieces.ravel(), (len(some), pieces.size))
            points = self.points(first[some], second[some], share)
            ends.append(points.reshape(-1, 2, 3))
            edges.append(np.repeat(some, len(pieces)))
            middle = pieces.mean(axis=1)
            fade = (
                1.9 * np.minimum(middle, 1 - middle) if kind == WRAPPED else 0 * middle
            )
            fades.append(np.tile(fade, len(some)))
        return Segments(
            np.concatenate(ends), np.concatenate(edges), np.concatenate(fades)
        )


def _rise(way: Floats) -> Floats:
    """Direction and size of a bow: up, or towards the viewer if the way is steep."""
    length = np.linalg.norm(way, axis=1, keepdims=True)
    steep = np.abs(way[:, 2:]) > 0.8 * length
    return np.where(steep, [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]) * length


@dataclass(frozen=True, slots=True, eq=False)
class _Wrapping:
    """How steps in a lattice with periodic axes are steps in space."""

    coordinates: Ints
    dims: Ints
    periodic: np.ndarray
    steps: Floats

    def _turns(self, first: Indices, second: Indices) -> tuple[Ints, Ints]:
        way = self.coordinates[second] - self.coordinates[first]
        turns = np.where(self.periodic, np.rint(way / self.dims), 0).astype(np.int64)
        inside = (self.coordinates[first] >= 0) & (self.coordinates[second] >= 0)
        return way, turns * inside

    def wraps(self, first: Indices, second: Indices) -> np.ndarray:
        return np.asarray(self._turns(first, second)[1].any(axis=1))

    def step(self, first: Indices, second: Indices) -> Floats:
        way, turns = self._turns(first, second)
        return np.asarray((way - turns * self.dims) @ self.steps)


def _wrapping(places: Floats, match: Match) -> _Wrapping | None:
    """Fit places to coordinates; None unless the layout is linear and periodic."""
    topology = match.topology
    members = match.vertex >= 0
    if topology.kind != "lattice" or not any(topology.periodic) or not members.any():
        return None
    coordinates = match.coordinates.astype(np.int64)
    columns = np.column_stack([coordinates[members], np.ones(members.sum())])
    steps, *_ = np.linalg.lstsq(columns, places[members], rcond=None)
    if np.abs(columns @ steps - places[members]).max() > 0.05:
        return None
    return _Wrapping(
        coordinates,
        np.array(topology.dims, np.int64),
        np.array(topology.periodic, bool),
        np.asarray(steps[:-1]),
    )
