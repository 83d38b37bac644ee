"""Directions lead back to the partner they name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import matrix_of, renumbered

from topoview.model import Directions, Match
from topoview.topology import complete, directions, identify, lattice, star
from topoview.topology.direction_names import offset_name, offset_of
from topoview.topology.lattices.lattice import STENCILS


def name_of(named: Directions, rank: int, partner: int) -> str | None:
    index, names = named.names(
        np.array([rank], np.int32), np.array([partner], np.int32)
    )
    return names[index[0]] if index[0] >= 0 else None


def check_all_pairs(match: Match) -> None:
    named = directions(match)
    ranks = len(match.vertex)
    here, there = (a.ravel().astype(np.int32) for a in np.indices((ranks, ranks)))
    index, names = named.names(here, there)
    assert len(set(names)) == len(names)
    for rank, partner, i in zip(here.tolist(), there.tolist(), index, strict=True):
        if rank == partner:
            assert names[i] in ("SELF", "TRANSPOSE")
        inside = match.vertex[rank] >= 0 and match.vertex[partner] >= 0
        assert (i >= 0) == (inside or rank == partner)
        if i >= 0:
            assert named.partner(rank, names[i]) == partner


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(2, 5), st.booleans()), min_size=1, max_size=4),
    st.integers(0, 1000),
)
def test_lattices(axes: list[tuple[int, bool]], seed: int) -> None:
    truth = lattice([n for n, _ in axes], [p for _, p in axes])
    if truth.vertices <= 120:
        check_all_pairs(identify(renumbered(truth, seed)).best)


@settings(max_examples=25)
@given(st.integers(3, 14), st.integers(1, 30), st.integers(0, 1000))
def test_any_graph(n: int, m: int, seed: int) -> None:
    edges = np.random.default_rng(seed).integers(0, n, (m, 2))
    check_all_pairs(identify(matrix_of(n, edges[edges[:, 0] != edges[:, 1]])).best)


def test_star_and_complete() -> None:
    for topology in (star(9), complete(8), lattice((2,) * 4, (False,) * 4)):
        check_all_pairs(identify(matrix_of(topology.vertices, topology.edges)).best)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_offset_names_can_be_read_back(steps: tuple[int, ...]) -> None:
    assert offset_of(offset_name(steps), len(steps)) == tuple(steps)


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        ((1,), "EAST"), ((-1,), "WEST"), ((0, 1), "SOUTH"), ((0, -1), "NORTH"),
        ((-1, 1), "SOUTHWEST"), ((1, -1), "NORTHEAST"), ((0, 0, 1), "UP"),
        ((0, 0, -1), "DOWN"), ((-1, 1, 1), "UP-SOUTHWEST"), ((1, 0, -1), "DOWN-EAST"),
        ((2, 0), "EAST x2"), ((2, 1), "SOUTH-EAST x2"), ((0, 0, 0, 1), "+w"),
        ((1, 0, 0, -2), "EAST -2w"), ((0, 0, 0, 1, -1), "+w -v"), ((0, 0), "SELF"),
    ],
)  # fmt: skip
def test_offset_names(steps: tuple[int, ...], name: str) -> None:
    assert offset_name(steps) == name


@pytest.mark.parametrize("name", ["", "EASTER", "EAST x", "+x", "UPSIDE", "-", "+1w+"])
def test_what_is_no_name(name: str) -> None:
    assert offset_of(name, 3) in (None, (0, 0, 0))
    match = identify(matrix_of(6, lattice((3, 2), (False, False)).edges)).best
    assert directions(match).partner(0, name) in (None, 0)


def test_torus_wraps_the_shortest_way() -> None:
    match = identify(matrix_of(32, lattice((8, 4), (True, True)).edges)).best
    named = directions(match)
    assert name_of(named, 7, 0) == "EAST"
    assert name_of(named, 0, 7) == "WEST"
    assert name_of(named, 0, 8) == "SOUTH"
    assert name_of(named, 0, 24) == "NORTH"
    assert named.partner(7, "EAST") == 0


def test_open_grid_ends() -> None:
    match = identify(matrix_of(12, lattice((4, 3), (False, False)).edges)).best
    named = directions(match)
    assert named.partner(3, "EAST") is None
    assert named.partner(0, "NORTH") is None
    assert named.partner(0, "SOUTHEAST") == 5


def test_axis_of_two_leads_east_from_both_in_a_torus() -> None:
    torus = lattice((2, 2, 6), (True, True, True))
    named = directions(identify(matrix_of(24, torus.edges)).best)
    assert name_of(named, 0, 1) == name_of(named, 1, 0) == "EAST"


def test_hypercube_exchanges() -> None:
    match = identify(matrix_of(32, lattice((2,) * 5, (False,) * 5).edges)).best
    assert match.topology.name == "hypercube 2^5"
    assert name_of(directions(match), 5, 7) == "EXCHANGE 2"
    assert name_of(directions(match), 7, 5) == "EXCHANGE 2"


def test_six_point() -> None:
    truth = lattice((4, 4), (True, True), STENCILS["6-point"](2))
    named = directions(identify(matrix_of(16, truth.edges)).best)
    here, there = truth.edges.T
    both = np.concatenate([here, there]), np.concatenate([there, here])
    assert set(named.names(*both)[1]) == {
        "EAST", "WEST", "SOUTH", "NORTH", "NORTHEAST", "SOUTHWEST"
    }  # fmt: skip


def test_star_names_master_and_workers() -> None:
    match = identify(matrix_of(5, [(2, 0), (2, 1), (2, 3), (2, 4)])).best
    named = directions(match)
    assert name_of(named, 0, 2) == "MASTER"
    assert name_of(named, 2, 0) == "WORKER 1"
    assert named.partner(2, "WORKER 4") == 4
    assert named.partner(2, "WORKER 9") is None


def test_all_to_all_names_differences() -> None:
    match = identify(matrix_of(6, complete(6).edges)).best
    assert name_of(directions(match), 5, 0) == "+1"
    assert name_of(directions(match), 0, 5) == "-1"


def test_unknown_takes_the_scheme_with_fewest_names() -> None:
    # a hypercube with all far corners joined but one pair: no library member
    edges = [(r, r ^ bits) for r in range(16) for bits in (1, 2, 4, 8, 15)]
    edges = [pair for pair in edges if sorted(pair) != [0, 15]]
    matches = identify(matrix_of(16, edges)).matches
    match = next(m for m in matches if m.topology.kind == "unknown")
    assert name_of(directions(match), 3, 5) == "EXCHANGE 6"


def test_silent_partner_has_no_name() -> None:
    match = identify(matrix_of(5, [(0, 1), (1, 2)])).best
    assert name_of(directions(match), 0, 4) is None
    assert name_of(directions(match), 4, 4) == "SELF"
    assert directions(match).partner(4, "EAST") is None
