"""Layouts that can be read: trees without crossings, blocks that fill the view."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_cases import MakeStage, matched
from scipy.spatial import ConvexHull, Delaunay

from topoview.model import BLOCK_VIEW, Pose
from topoview.scene.camera import project
from topoview.topology import lattice, lay_out
from topoview.topology.kinds.tree import binomial_tree, complete_tree
from topoview.topology.layout.choice import MAX_LEVEL_WIDTH, tree_layouts
from topoview.topology.layout.curves import tidy_tree
from topoview.topology.layout.grid import (
    BLOCK_ASPECT,
    BLOCK_STRETCH,
    block_axes,
    block_pitch,
)

parents = st.integers(0, 10**6)


def tree_of(choices: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Levels and numbers in them, and edges, of a tree: a parent for each vertex."""
    edges = np.array(
        [(choice % (n + 1), n + 1) for n, choice in enumerate(choices)], np.int32
    ).reshape(-1, 2)
    level = np.zeros(len(choices) + 1, np.int64)
    for parent, child in edges.tolist():
        level[child] = level[parent] + 1
    number = np.zeros_like(level)
    for one in range(int(level.max()) + 1):
        own = np.flatnonzero(level == one)
        number[own] = np.arange(len(own))
    return np.stack([level, number], 1).astype(np.int32), edges


@given(st.lists(parents, max_size=40))
def test_a_tidy_tree_is_one(choices: list[int]) -> None:
    """The rules of Reingold and Tilford, held against every pair of vertices."""
    places, edges = tree_of(choices)
    laid = tidy_tree(places, edges)
    level = places[:, 0]
    assert (laid[:, 1] == 0).all(), "in a plane"
    for one in range(int(level.max()) + 1):
        own = np.flatnonzero(level == one)
        assert np.ptp(laid[own, 2]) < 1e-9, "a level is at one height"
        apart = np.diff(np.sort(laid[own, 0]))
        assert (apart > 1 - 1e-9).all()
    for parent in range(len(places)):
        children = edges[edges[:, 0] == parent, 1]
        if len(children):
            ends = laid[children, 0]
            assert laid[parent, 0] == pytest.approx((ends.min() + ends.max()) / 2)
    for (a, b), (c, d) in itertools.combinations(edges.tolist(), 2):
        if level[a] == level[c] and a != c:
            before, after = laid[a, 0] - laid[c, 0], laid[b, 0] - laid[d, 0]
            assert before * after > 0, "edges do not cross"


@given(st.lists(parents, max_size=30))
def test_equal_subtrees_are_drawn_alike(choices: list[int]) -> None:
    """Twice the same tree below one root: the right half is the left one, moved."""
    one, edges = tree_of(choices)
    n = len(one)
    both = np.concatenate([edges + 1, edges + 1 + n, [[0, 1], [0, 1 + n]]])
    order = np.argsort(both[:, 1])
    level = np.concatenate([[0], one[:, 0] + 1, one[:, 0] + 1])
    places = np.stack([level, np.arange(2 * n + 1)], 1).astype(np.int32)
    laid = tidy_tree(places, both[order].astype(np.int32))
    moved = laid[1 + n :] - laid[1 : 1 + n]
    assert np.ptp(moved, axis=0) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("width", "first"), [(0, "tree"), (1, "cone")])
def test_wide_trees_are_cones_at_first(width: int, first: str) -> None:
    width += MAX_LEVEL_WIDTH
    match = matched(complete_tree(width + 1, width)).match
    assert tree_layouts(match)[0] == first


def test_a_tree_is_drawn_flat_with_its_cone_on_request() -> None:

    case = matched(binomial_tree(32))
    assert case.layout.name == "tree"
    assert np.ptp(case.layout.positions[:, 1]) == 0
    assert np.ptp(lay_out(case.match, case.matrix, "cone").positions, axis=0).min() > 1


@pytest.mark.parametrize(
    "extent",
    [(3, 2, 2), (2, 2, 2), (7, 3, 3), (9, 9, 9), (24, 19, 19), (4, 9, 3), (63, 3, 1)],
)
def test_a_block_is_as_wide_as_the_scene(extent: tuple[int, int, int]) -> None:
    """Projected in parallel, as the pitch is chosen for; if that parts no planes."""
    pitch = block_pitch(np.array(extent, float))
    assert pitch.min() == 1
    corners = np.array(list(itertools.product((0, 1), repeat=3))) * extent * pitch
    pose = Pose(*BLOCK_VIEW, 100.0, (0.0, 0.0, 0.0), parallel=True)
    seen = np.ptp(project(pose, corners, (1000.0, 1000.0)), axis=0)
    stretch, most = pitch[0] / pitch[2], BLOCK_STRETCH
    if 1 / most < stretch < most:
        assert seen[0] / seen[1] == pytest.approx(BLOCK_ASPECT)
    else:
        assert stretch == pytest.approx(most) or stretch == pytest.approx(1 / most)
        assert (seen[0] / seen[1] > BLOCK_ASPECT) == (stretch < 1)


@pytest.mark.parametrize(
    "dims", [(2, 2, 2), (3, 2, 4), (3, 4, 4), (5, 5, 5), (8, 8, 8), (3, 3, 3)]
)
def test_a_block_is_seen_as_one(dims: tuple[int, int, int], stage: MakeStage) -> None:
    """No neighbours are so much nearer than others that planes stand for themselves."""
    case = matched(lattice(dims, (False,) * 3), "grid")
    drawn = stage("light", WINDOW)
    drawn.scene.resize(WINDOW, 1.0, 0.0)
    drawn.scene.show(case.match, case.layout, case.matrix)
    places = drawn.scene.project(np.arange(np.prod(dims), dtype=np.int32))
    a, b = case.match.rank_edges.T
    apart = np.linalg.norm(places[a] - places[b], axis=1)
    differ = case.match.coordinates[a] != case.match.coordinates[b]
    means = [apart[differ[:, axis]].mean() for axis in range(3)]
    assert max(means) < BLOCK_STRETCH * min(means)


def test_planes_are_not_stretched() -> None:
    assert (block_pitch(np.array([5.0, 3.0, 0.0])) == 1).all()


@pytest.mark.parametrize(
    ("dims", "axes"),
    [
        ((3, 3, 4), (2, 1, 0)),
        ((8, 4, 4), (0, 1, 2)),
        ((2, 5, 3), (1, 0, 2)),
        ((4, 4, 4), (0, 1, 2)),
        ((2, 2, 3, 2), (0, 1, 2, 0)),
        ((2, 2, 5, 2), (2, 1, 0, 2)),
    ],
)
def test_the_longest_axis_runs_across(
    dims: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    assert block_axes(dims) == axes

    made = matched(lattice(dims, (False,) * len(dims)))
    extent = np.ptp(made.layout.positions, axis=0)
    assert extent.argmax() == 0


WINDOW = (891, 420)
"""Pixels of the scene in a window of 1280x800, below its bar for the moment."""

FILLED = [
    ((3, 3, 4), (False, False, False)),
    ((4, 4, 8), (True, True, True)),
    ((3, 3, 3, 3), (True, True, True, True)),
    ((3, 2, 4), (True, False, True)),
    ((3, 3, 3), (False, False, False)),
    ((2, 3, 3), (False, False, False)),
    ((5, 5, 5), (False, False, False)),
]
"""Extents of blocks, four of them of real traces, and which of their axes wrap. Those
with three ranks across fill a little less in a low view: they are seen as one block."""


@pytest.mark.parametrize(("dims", "periodic"), FILLED)
@pytest.mark.parametrize(
    ("size", "share"), [(WINDOW, 0.45), ((1399, 648), 0.55), ((1280, 756), 0.44)]
)
def test_blocks_fill_half_of_the_scene(
    stage: MakeStage,
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    size: tuple[int, int],
    share: float,
) -> None:
    """Scenes of windows of 1280x800 and 1920x1080, and a picture that is higher."""
    case, drawn = matched(lattice(dims, periodic), "grid"), stage("light", size)
    drawn.scene.resize(size, 1.0, 0.0)
    drawn.scene.show(case.match, case.layout, case.matrix)
    outlines = drawn.scene.outlines(range(int(np.prod(dims))))
    rims = np.concatenate(outlines)
    assert np.ptp(rims, axis=0).prod() > share * size[0] * size[1]
    boxes = [(rim.mean(axis=0), np.ptp(rim, axis=0) / 2) for rim in outlines]
    hidden = [
        (one, other)
        for one, other in itertools.combinations(range(len(boxes)), 2)
        if (
            np.abs(boxes[one][0] - boxes[other][0])
            < 0.8 * (boxes[one][1] + boxes[other][1])
        ).all()
    ]
    assert len(hidden) < 0.3 * len(outlines), "few ranks hide others"
    low, high = rims.min(axis=0), rims.max(axis=0)
    assert (low > (0, 40)).all()
    assert (high < np.array(size) - (0, 60)).all(), "below are axis and key"


@pytest.mark.parametrize("dims", [(3, 3, 4), (8, 4)])
def test_numbers_stand_beside_what_is_shown(
    stage: MakeStage, dims: tuple[int, ...]
) -> None:
    """From wherever one looks, none is on ranks or on what is between them."""
    case, drawn = matched(lattice(dims, (False,) * len(dims))), stage("light", WINDOW)
    drawn.scene.show(case.match, case.layout, case.matrix)
    first = drawn.scene.pose
    for azimuth in range(-170, 180, 20):
        turned = replace(first, azimuth=float(azimuth), elevation=25.0)
        drawn.scene.look_with(first)
        drawn.scene.look_with(drawn.scene.fitted(turned))
        rims = np.concatenate(drawn.scene.outlines(range(int(np.prod(dims)))))
        hull = Delaunay(rims[ConvexHull(rims).vertices])
        numbers = [label for label in drawn.scene.axis_labels() if not label.strong]
        assert numbers, azimuth
        places = [(label.x, label.y) for label in numbers]
        assert (hull.find_simplex(places) < 0).all(), azimuth


def test_axes_of_a_block_end_at_different_corners(stage: MakeStage) -> None:
    case, drawn = matched(lattice((3, 3, 4), (False,) * 3)), stage("light", WINDOW)
    drawn.scene.show(case.match, case.layout, case.matrix)
    tips = [line.end for line in drawn.scene.axis_lines() if line.arrow]
    for one, other in itertools.combinations(tips, 2):
        assert np.hypot(*np.subtract(one, other)) > 150


@pytest.mark.parametrize("dims", [(3, 3, 4), (4, 4, 4), (3, 3, 3, 3)])
def test_axes_have_numbers_lines_and_names(
    stage: MakeStage, dims: tuple[int, ...]
) -> None:
    case = matched(lattice(dims, (True,) * len(dims)), "grid")
    drawn = stage("light", WINDOW)
    drawn.scene.show(case.match, case.layout, case.matrix)
    labels = drawn.scene.axis_labels()
    assert sum(label.strong for label in labels) == len(dims)
    assert sum(not label.strong for label in labels) == sum(dims)
    arrows = [line for line in drawn.scene.axis_lines() if line.arrow]
    assert len(arrows) == len(dims)


def test_both_circles_of_a_torus_have_numbers(stage: MakeStage) -> None:
    case, drawn = matched(lattice((8, 4), (True, True))), stage("light", WINDOW)
    drawn.scene.show(case.match, case.layout, case.matrix)
    texts = {label.text for label in drawn.scene.axis_labels()}
    assert {*map(str, range(8)), *(f"y {n}" for n in range(4))} <= texts


def test_stubs_tell_where_they_lead(stage: MakeStage) -> None:
    case, drawn = matched(lattice((5, 4), (True, True)), "flat"), stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    labels = drawn.scene.stub_labels((0,))
    assert sorted(label.text for label in labels) == ["15", "4"]
    assert drawn.scene.stub_labels((6,)) == []  # it is inside
    assert drawn.scene.stub_labels(tuple(range(9))) == []
    x = drawn.scene.project(np.array([0], np.int32))[0, 0]
    left = next(label for label in labels if label.text == "4")
    assert left.x < x - 20
