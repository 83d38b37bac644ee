"""The network in space: every cable is drawn, neighbours are near, slices planes."""

import numpy as np
import pytest

from topoview.analysis.network.networks import dragonfly, fat_tree, graph, grid
from topoview.model import Network
from topoview.scene.network_shape import (
    STUB,
    Projection,
    cables_of,
    cables_shown,
    network_shape,
)

NETWORKS = [
    grid((4,)),
    grid((4, 3)),
    grid((4, 4, 4)),
    grid((3, 3, 3), periodic=False),
    grid((3, 2, 3, 2, 4)),
    grid((2, 3, 2, 2, 2, 2)),
    fat_tree((6,)),
    fat_tree((4, 4)),
    fat_tree((4, 2, 3)),
    dragonfly(2, 4, 5),
    graph(5, np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), list("abcde")),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_every_cable_is_drawn_between_its_ends(network: Network) -> None:
    shape = network_shape(network)
    assert len(np.unique(shape.places.round(6), axis=0)) == network.vertices
    assert sorted(shape.cables.ravel().tolist()) == list(range(len(network.links)))
    one, other = (network.links[shape.cables[:, k]] for k in (0, 1))
    assert (one == other[:, ::-1]).all()
    assert set(shape.cable.tolist()) == set(range(len(shape.cables)))
    # each piece begins or ends at an end of its cable
    for piece, cable in zip(shape.pieces, shape.cable, strict=True):
        ends = shape.places[network.links[shape.cables[cable, 0]]]
        apart = np.linalg.norm(piece[:, None] - ends[None], axis=2)
        assert apart.min() < 1e-9


def test_neighbours_are_one_apart_and_wraps_are_stubs() -> None:
    network = grid((4, 4, 4))
    shape = network_shape(network)
    length = np.linalg.norm(shape.pieces[:, 1] - shape.pieces[:, 0], axis=1)
    stubs = np.bincount(shape.cable) == 2
    assert stubs.sum() == 3 * 16
    assert np.allclose(length[~stubs[shape.cable]], 1)
    assert np.allclose(length[stubs[shape.cable]], STUB)


def test_slices_are_planes() -> None:
    network = grid((4, 3, 2), periodic=False)
    shape = network_shape(network)
    shown = cables_shown(network, shape, 0, 2)
    ends = network.coordinates()[network.links[shape.cables[shown, 0]]]
    assert (ends[:, :, 0] == 2).all()
    assert shown.sum() == 2 * 2 + 3 * 1  # a mesh of 3x2
    assert cables_shown(network, shape, -1, 0).all()
    assert cables_shown(network, shape, 7, 0).all()


def test_links_of_one_way_are_cables_of_their_own() -> None:
    network = grid((3,), periodic=False)
    assert cables_of(network).shape == (2, 2)


def test_what_is_nearer_is_larger() -> None:
    seen = Projection(0.0, 0.0, 10.0, (100.0, 50.0), 4.0)
    points, depth = seen.points(np.array([[0, 0, 0], [2, 1, 0], [-2, 1, 0], [0, 0, 1]]))
    assert points[0].tolist() == [100.0, 50.0]
    assert depth[1] > depth[0] > depth[2]
    assert abs(points[1, 0] - 100) > abs(points[2, 0] - 100)
    assert points[3, 1] < 50  # up


def test_axes_that_share_a_direction_are_named_apart() -> None:
    """The first was called xw."""
    names = [name for name, _ in network_shape(grid((3, 2, 2, 2, 2))).words]
    assert names == ["x, w", "y, v", "z"]
