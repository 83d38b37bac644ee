"""Shapes, surfaces and the ways between ranks."""

from collections import Counter

import numpy as np
import pytest
from scene_cases import matched

from topoview.model import Topology
from topoview.scene.lines.edge_paths import (
    BOWED,
    CUP_ANGLES,
    CURVED,
    STRAIGHT,
    WRAPPED,
    EdgePaths,
)
from topoview.scene.ranks.glyphs import GlyphShape, ball, rounded_box
from topoview.scene.ranks.surfaces import fit_surface, tile_corners
from topoview.topology import complete, lattice, star


@pytest.mark.parametrize(
    ("shape", "points", "triangles"),
    [
        (rounded_box(), 24, 44),
        (ball(0), 12, 20),
        (ball(1), 42, 80),
        (ball(2), 162, 320),
    ],
)
def test_shapes_are_closed_and_face_outwards(
    shape: GlyphShape, points: int, triangles: int
) -> None:
    assert shape.points.shape == shape.normals.shape == (points, 3)
    assert shape.triangles.shape == (triangles, 3)
    edges = Counter(
        (int(t[i]), int(t[(i + 1) % 3])) for t in shape.triangles for i in range(3)
    )
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)
    assert points - len(edges) // 2 + triangles == 2, "Euler"
    corners = shape.points[shape.triangles]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((facing * corners.mean(axis=1)).sum(axis=1) > 0).all()
    assert np.linalg.norm(shape.normals, axis=1) == pytest.approx(1)
    extent = np.abs(shape.points).max(axis=0)
    assert ((extent <= shape.half) & (extent > 0.8 * shape.half)).all()


@pytest.mark.parametrize("dims", [(8, 4), (5, 3), (64, 16), (3, 3)])
@pytest.mark.parametrize("layout", ["torus", "tube"])
def test_surface_is_recovered(dims: tuple[int, int], layout: str) -> None:
    case = matched(lattice(dims, (True, True)), layout, numbering=1)
    members = np.ones(len(case.layout.positions), bool)
    found = fit_surface(case.layout, members)
    assert found is not None
    places, normals = found.at(*found.parameters.T, 1.0)
    assert places == pytest.approx(case.layout.positions, abs=1e-4)
    assert normals == pytest.approx(case.layout.normals, abs=1e-4)
    around = sorted(2 * np.pi / np.array(dims))
    pitches = sorted(found.pitch) if layout == "torus" else [found.pitch[1]]
    assert all(min(abs(p - a) for a in around) < 1e-4 for p in pitches)
    corners, _ = tile_corners(found, 2)
    assert corners[:, 1, 1] == pytest.approx(places, abs=1e-4)


def test_flat_layout_has_no_surface() -> None:
    case = matched(lattice((4, 4), (True, True)), "flat")
    assert fit_surface(case.layout, np.ones(16, bool)) is None


@pytest.mark.parametrize(
    ("topology", "layout", "kinds"),
    [
        (lattice((5, 4), (False, False)), "flat", {STRAIGHT}),
        (lattice((5, 4), (True, False)), "flat", {STRAIGHT, WRAPPED}),
        (lattice((4, 4, 4), (True,) * 3), "grid", {STRAIGHT, WRAPPED}),
        (lattice((5, 4), (True, True)), "torus", {CURVED}),
        (lattice((5, 4), (True, True)), "tube", {CURVED}),
        (lattice((2,) * 5, (False,) * 5), "grid", {STRAIGHT, BOWED}),
        (complete(9), "circle", {STRAIGHT, BOWED}),
        (star(9), "star", {STRAIGHT}),
    ],
)
def test_ways_join_the_ranks(topology: Topology, layout: str, kinds: set[int]) -> None:
    case = matched(topology, layout, numbering=2)
    paths = EdgePaths(case.layout, case.match)
    first, second = case.match.rank_edges.T
    assert set(paths.kinds(first, second)) == kinds
    share = np.tile([0.0, 1.0], (len(first), 1))
    ends = paths.points(first, second, share)
    assert ends[:, 0] == pytest.approx(case.layout.positions[first], abs=1e-4)
    assert ends[:, 1] == pytest.approx(case.layout.positions[second], abs=1e-4)


def test_wrapped_edges_stay_near_their_ranks() -> None:
    case = matched(lattice((6, 5), (True, True)), "flat")
    paths = EdgePaths(case.layout, case.match)
    first, second = case.match.rank_edges.T
    pieces = paths.segments(first, second)
    length = np.linalg.norm(pieces.ends[:, 1] - pieces.ends[:, 0], axis=1)
    assert length.max() <= 1.001, "no line through everything"
    cup = 2 * (len(CUP_ANGLES) - 1)
    assert Counter(Counter(pieces.edge.tolist()).values()) == {1: 49, 2 + cup: 11}
    outside = np.bincount(pieces.edge)[pieces.edge] > 1
    beyond = (
        np.abs(pieces.ends[outside]).max(axis=1) - np.ptp(case.layout.positions, 0) / 2
    )
    assert (beyond.max(axis=1) > 0.4).sum() == 11 * (2 + cup), "they leave the grid"


def test_ways_on_a_torus_stay_on_it() -> None:
    case = matched(lattice((8, 6), (True, True)), "torus")
    paths = EdgePaths(case.layout, case.match)
    first, second = case.match.rank_edges.T
    points = paths.points(first, second, np.tile(np.linspace(0, 1, 9), (96, 1)))
    places = case.layout.positions
    rims = np.hypot(places[:, 0], places[:, 1])
    ring, pipe = (rims.max() + rims.min()) / 2, (rims.max() - rims.min()) / 2
    from_ring = np.hypot(
        np.hypot(points[..., 0], points[..., 1]) - ring, points[..., 2]
    )
    assert from_ring == pytest.approx(pipe, rel=1e-3)
