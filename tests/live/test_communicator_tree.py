"""The tree of communicators: inclusion by brute force, shapes of a known program."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.live.tables.parts.communicator_tree import (
    CommunicatorNode,
    communicator_tree,
    parents_of,
    shape_words,
)
from topoview.live.tables.parts.parts import communicator_table
from topoview.model import Match, Trace
from topoview.pipeline import first_look
from topoview.topology import lattice

RANKS = 7


@given(st.lists(st.frozensets(st.integers(0, RANKS - 1)), max_size=8))
def test_parents_by_brute_force(groups: list[frozenset[int]]) -> None:
    members = [np.array(sorted(group), np.int64) for group in groups]
    found = parents_of(members, RANKS)
    for i, own in enumerate(groups):
        above = [
            (len(other), j)
            for j, other in enumerate(groups)
            if own and (own < other or (own == other and j < i))
        ]
        assert found[i] == (min(above)[1] if above else -1)


def matched(dims: tuple[int, ...]) -> Match:
    """Give a match of ranks in row-major order with a grid."""
    topology = lattice(dims, (False,) * len(dims))
    vertices = np.arange(topology.vertices, dtype=np.int32)
    none = np.zeros((0, 2), np.int32)
    return Match(topology, vertices, 0, none, none, 1.0, 1.0)


@pytest.mark.parametrize(
    ("dims", "chosen", "words"),
    [
        ((4, 3), (slice(None), 1), ("row", "y 1")),
        ((4, 3), (2, slice(None)), ("column", "x 2")),
        ((4, 3), (slice(None), slice(None)), ("all ranks", "")),
        ((4, 3), (slice(1, 3), slice(None)), ("block", "x 1-2")),
        ((4, 3), (3, 2), ("single rank", "x 3, y 2")),
        ((4, 3, 2), (slice(None), 1, 0), ("line along x", "y 1, z 0")),
        ((4, 3, 2), (slice(None), slice(None), 1), ("plane", "z 1")),
        ((4, 3, 2), (slice(None), 2, slice(None)), ("plane", "y 2")),
    ],
)
def test_shapes_in_words(
    dims: tuple[int, ...], chosen: tuple[object, ...], words: tuple[str, str]
) -> None:
    match = matched(dims)
    places = match.coordinates
    own = np.ones(len(places), bool)
    for axis, part in enumerate(chosen):
        there = np.arange(dims[axis])[part]  # type: ignore[call-overload]
        own &= np.isin(places[:, axis], there)
    assert shape_words(match, np.flatnonzero(own)) == words


def test_what_is_no_box_has_no_words() -> None:
    assert shape_words(matched((4, 3)), np.array([0, 5])) == ("", "")
    assert shape_words(None, np.array([0, 1])) == ("", "")


def every(nodes: tuple[CommunicatorNode, ...]) -> list[CommunicatorNode]:
    return [each for node in nodes for each in (node, *every(node.nodes))]


def test_rows_and_columns_of_a_real_program(
    real_trace: Callable[[str], Trace],
) -> None:
    """Its source splits the world into 4 rows of 6 and 6 columns of 4."""
    known = first_look(real_trace("sp-rowcol-6x4"))
    tree = communicator_tree(known, None)
    assert len(tree) == 1
    assert tree[0].members == 24
    single = [node for node in every(tree[0].nodes) if node.number >= 0]
    assert sorted(node.members for node in single) == [4] * 6 + [6] * 4
    table = communicator_table(known).to_pandas().set_index("communicator")
    for node in single:
        row = table.loc[node.number]
        assert (node.operations, node.messages) == (row.operations, row.messages)
        assert node.seconds == row.seconds
    for node in every(tree):
        if node.number < 0:
            assert node.operations == sum(each.operations for each in node.nodes)
            assert np.isclose(node.seconds, sum(each.seconds for each in node.nodes))
            most = max(each.spread_most for each in node.nodes)
            assert node.spread_most == most
