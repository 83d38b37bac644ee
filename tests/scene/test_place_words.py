"""Names of places off all axes: they stand beside what they name, and on no rank."""

import numpy as np
import pytest
from scene_cases import MakeStage, matched

from topoview.model import Topology
from topoview.scene.axes.axis_labels import LINE_HEIGHT, label_width
from topoview.topology import directions, lattice
from topoview.topology.kinds.composite import copies, product
from topoview.topology.kinds.star import star
from topoview.topology.kinds.tree import complete_tree

RING = lattice((6,), (True,))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_master_is_whom_the_logical_trace_calls_so(
    stage: MakeStage, seed: int
) -> None:
    case, drawn = matched(star(24), numbering=seed), stage(size=(900, 600))
    drawn.scene.show(case.match, case.layout, case.matrix)
    (label,) = drawn.scene.axis_labels()
    apart = drawn.scene.project(np.arange(24, dtype=np.int32)) - (label.x, label.y)
    nearest = int(np.argmin(np.hypot(*apart.T)))
    named = directions(case.match)
    other = (nearest + 1) % 24
    assert named.partner(other, label.text) == nearest


@pytest.mark.parametrize(
    ("topology", "wanted"),
    [
        (star(9), {"MASTER"}),
        (star(12, 2), {"MASTER 0", "MASTER 1"}),
        (product(RING, star(4)), {"WORKER 1", "WORKER 2", "WORKER 3"}),
        (product(complete_tree(7, 2), lattice((5,), (True,))), {"2", "3"}),
        (product(star(5), lattice((3, 3), (False, False))), {"1, 2", "MASTER"}),
        (copies(4, RING), {"copy 0", "copy 1", "copy 2", "copy 3"}),
        (copies(4, RING, interleaved=True), {"copy 0", "copy 3", "5"}),
    ],
    ids=lambda found: found.name if isinstance(found, Topology) else "",
)
def test_names_touch_neither_ranks_nor_each_other(
    stage: MakeStage, topology: Topology, wanted: set[str]
) -> None:
    case, drawn = matched(topology, numbering=4), stage(size=(1100, 700))
    drawn.scene.show(case.match, case.layout, case.matrix)
    labels = drawn.scene.axis_labels()
    assert wanted <= {label.text for label in labels}
    places = drawn.scene.project(np.arange(topology.vertices, dtype=np.int32))
    for number, label in enumerate(labels):
        half = label_width(label.text) / 2 - 4
        right, down = np.abs(places - (label.x, label.y)).T
        assert not ((right < half) & (down < LINE_HEIGHT / 2)).any()
        for other in labels[:number]:
            wide = half + label_width(other.text) / 2
            beside = abs(label.x - other.x) >= wide - 4
            assert beside or abs(label.y - other.y) >= LINE_HEIGHT


def test_a_copys_name_stands_at_its_ranks(stage: MakeStage) -> None:
    case, drawn = matched(copies(4, RING), numbering=7), stage(size=(1100, 700))
    drawn.scene.show(case.match, case.layout, case.matrix)
    copy = case.match.coordinates[:, -1]
    places = drawn.scene.project(np.arange(24, dtype=np.int32))
    middles = np.array([places[copy == k].mean(axis=0) for k in range(4)])
    for label in drawn.scene.axis_labels():
        if label.text.startswith("copy"):
            nearest = np.hypot(*(middles - (label.x, label.y)).T).argmin()
            assert label.text == f"copy {nearest}"


@pytest.mark.parametrize("size", [(891, 420), (891, 386), (1399, 648)])
def test_every_rank_of_every_copy_has_its_number(
    stage: MakeStage, size: tuple[int, int]
) -> None:
    case, drawn = matched(copies(4, RING)), stage("light", size)
    drawn.scene.resize(size, 1.0, 0.0)
    drawn.scene.show(case.match, case.layout, case.matrix)
    found = [label.text for label in drawn.scene.axis_labels()]
    numbers = sorted(text for text in found if text.isdecimal())
    assert numbers == sorted(4 * ["0", "1", "2", "3", "4", "5"])
    places = drawn.scene.project(np.arange(24, dtype=np.int32))
    for label in drawn.scene.axis_labels():
        if label.text.isdecimal():  # it stands at a rank with that number
            nearest = int(np.hypot(*(places - (label.x, label.y)).T).argmin())
            assert case.match.coordinates[nearest, 0] == int(label.text)
