"""Names of axes: they tell the directions of logical traces, and touch nothing."""

import itertools

import numpy as np
import pytest
from scene_cases import MakeStage, matched
from scipy.spatial import ConvexHull, Delaunay

from topoview.model import Match, Topology
from topoview.scene.annotations import Label
from topoview.scene.axes.axis_labels import (
    LINE_HEIGHT,
    ProjectedAxis,
    label_axes,
    label_width,
)
from topoview.scene.camera import CAMERAS, pixels_per_unit, project
from topoview.topology import directions, lattice, lay_out
from topoview.topology.kinds.cg import cg
from topoview.topology.kinds.complete import complete, rook
from topoview.topology.kinds.tree import complete_tree
from topoview.topology.layout.lay_out import axis_directions


def renumbered(topology: Topology, seed: int) -> Match:
    vertex = np.random.default_rng(seed).permutation(topology.vertices)
    none = np.zeros((0, 2), np.int32)
    edges = len(topology.edges)
    return Match(topology, vertex.astype(np.int32), edges, none, none, 1.0, 1.0)


@pytest.mark.parametrize(
    ("topology", "names"),
    [
        (lattice((5, 4), (False, True)), ("EAST", "SOUTH")),
        (lattice((3, 4, 5), (True,) * 3), ("EAST", "SOUTH", "UP")),
        (
            lattice((2,) * 4, (False,) * 4),
            tuple(f"EXCHANGE {1 << k}" for k in range(4)),
        ),
        (lattice((3, 3, 3, 3), (False,) * 4), ("EAST", "SOUTH", "UP", "")),
        (rook((6, 4)), ("EAST", "SOUTH")),
        (cg(32), ("", "")),
    ],
)
def test_a_step_along_an_axis_has_the_logical_traces_name(
    topology: Topology, names: tuple[str, ...]
) -> None:
    match = renumbered(topology, 3)
    found = axis_directions(match, match.coordinates, topology.dims)
    assert found == names
    named = directions(match)
    place = {tuple(c): r for r, c in enumerate(match.coordinates.tolist())}
    for axis, name in enumerate(found):
        for here, rank in place.items() if name else ():
            there = list(here)
            there[axis] += 1
            if tuple(there) in place:
                assert named.partner(rank, name) == place[tuple(there)]


def test_rows_of_ranks_have_a_direction_only_if_all_steps_are_alike() -> None:
    match = matched(lattice((8, 4), (False, False))).match
    rows = np.stack([np.arange(32) % 8, np.arange(32) // 8], 1).astype(np.int32)
    assert axis_directions(match, rows, (8, 4)) == ("EAST", "SOUTH")
    wide = np.stack([np.arange(32) % 16, np.arange(32) // 16], 1).astype(np.int32)
    assert axis_directions(match, wide, (16, 2)) == ("", "SOUTH x2")


LAYOUTS = {
    "flat": (lattice((24, 24), (False, False)), "flat"),
    "long": (lattice((12, 120), (False, False)), "flat"),
    "block": (lattice((25, 25, 15), (False,) * 3), "grid"),
    "folded": (lattice((5, 5, 3, 3), (False,) * 4), "grid"),
    "five": (lattice((3, 3, 3, 3, 2), (False,) * 5), "grid"),
    "torus": (lattice((16, 8), (True, True)), "torus"),
    "tube": (lattice((28, 20), (False, True)), "tube"),
    "circle": (lattice((24,), (True,)), "circle"),
    "tree": (complete_tree(31, 2), "tree"),
    "table": (cg(32), "table"),
}


def touching(labels: list[Label]) -> list[tuple[str, str]]:
    return [
        (a.text, b.text)
        for a, b in itertools.combinations(labels, 2)
        if abs(a.x - b.x) < (label_width(a.text) + label_width(b.text)) / 2 - 0.01
        and abs(a.y - b.y) < LINE_HEIGHT - 0.01
    ]


@pytest.mark.parametrize("name", LAYOUTS)
def test_names_touch_nothing_from_any_side(stage: MakeStage, name: str) -> None:
    topology, layout = LAYOUTS[name]
    case, drawn = matched(topology), stage()
    placed = lay_out(case.match, case.matrix, layout)
    drawn.scene.show(case.match, placed, case.matrix)
    width, height = drawn.scene.size
    for camera in CAMERAS:
        drawn.scene.look_with(drawn.scene.look(camera))
        labels = drawn.scene.axis_labels()
        assert not touching(labels)
        for label in labels:
            half = label_width(label.text) / 2
            assert half < label.x < width - half
            assert 0 < label.y < height
    drawn.scene.look_with(drawn.scene.look("home"))
    named = [label.text for label in drawn.scene.axis_labels() if label.strong]
    assert len(named) == (1 if name in ("tree", "circle") else len(topology.dims))


@pytest.mark.parametrize("size", [(640, 440), (891, 420), (1400, 640)])
def test_numbers_around_a_torus_stand_beside_it(
    stage: MakeStage, size: tuple[int, int]
) -> None:
    """No number is on the ring, not even with its upper or lower edge."""
    topology = lattice((24, 24), (True, True))
    case, drawn = matched(topology), stage("light", size)
    scene = drawn.scene
    placed = lay_out(case.match, case.matrix, "torus")
    scene.show(case.match, placed, case.matrix)
    assert scene.tiled
    pixels = project(scene.pose, placed.positions, scene.size)
    hull = Delaunay(pixels[ConvexHull(pixels).vertices])
    numbers = [label for label in scene.axis_labels() if label.text.isdigit()]
    assert len(numbers) > 8
    for label in numbers:
        for high in (-LINE_HEIGHT / 2, 0, LINE_HEIGHT / 2):
            assert hull.find_simplex((label.x, label.y + high)) < 0, label


def test_a_tile_is_as_large_as_neighbours_are_apart(stage: MakeStage) -> None:
    topology = lattice((24, 24), (True, True))
    case, drawn = matched(topology), stage("light", (891, 420))
    placed = lay_out(case.match, case.matrix, "torus")
    drawn.scene.show(case.match, placed, case.matrix)
    one, other = placed.positions[case.match.vertex.argsort()][topology.edges.T]
    apart = float(np.median(np.linalg.norm(one - other, axis=1)))
    middle = np.array([drawn.scene.pose.focal])
    unit = pixels_per_unit(drawn.scene.pose, middle, 420)[0]
    assert drawn.scene.rank_pixels == pytest.approx(apart * unit, rel=0.4)
    assert drawn.scene.rank_pixels > 6


def test_the_circle_of_an_all_to_all_is_no_axis(stage: MakeStage) -> None:
    case, drawn = matched(complete(12)), stage("light", (891, 420))
    assert case.layout.name == "circle"
    drawn.scene.show(case.match, case.layout, case.matrix)
    labels = drawn.scene.axis_labels()
    assert {label.text for label in labels} == {str(rank) for rank in range(12)}


def test_an_axis_that_wraps_says_so_where_there_is_little_room() -> None:
    places = np.stack([np.linspace(30, 130, 8), np.full(8, 60.0)], 1)
    axis = ProjectedAxis(
        "x EAST, 8, periodic", places, np.tile([0.0, 1.0], (8, 1)), 14.0
    )
    written = []
    for width in range(120, 480, 10):
        found = label_axes([axis], (width, 120), np.zeros((0, 2))).labels
        written += [label.text for label in found if label.strong]
    assert list(dict.fromkeys(written)) == ["x EAST, 8 \u21bb", "x EAST, 8, periodic"]
