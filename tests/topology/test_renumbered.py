"""The answer is one whatever numbers the ranks have, for all kinds and past noise."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from test_shortest import hub, renumbered, traffic
from traces import examples, slow_tests_run

from topoview.model import CommunicationMatrix, Topology
from topoview.topology import complete, identify, lattice
from topoview.topology.identification.description import left_out
from topoview.topology.kinds.complete import rook
from topoview.topology.kinds.composite import copies, product, union
from topoview.topology.kinds.folded import folded_grid
from topoview.topology.kinds.groups import led_groups, linked_groups
from topoview.topology.kinds.sphere import cubed_sphere
from topoview.topology.kinds.star import star
from topoview.topology.kinds.tree import binomial_tree, complete_tree
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.lattices.partial import partial_lattice

MAX_RANKS = 64


def of_any_name(matrix: CommunicationMatrix) -> tuple[object, ...]:
    """Tell what of an answer does not depend on which of its names comes first."""
    best = identify(matrix).best
    names = frozenset(_in_any_order(name) for name in (best.topology.name, *best.also))
    edits = best.missing, best.extra, best.level, left_out(best.topology)
    return names, *edits, int((best.vertex >= 0).sum())


def _in_any_order(name: str) -> str:
    """Sort dims, and factors, which are told in the order of the ranks."""
    words = [
        "x".join(sorted(word.strip(",").split("x"))) if word[:1].isdigit() else word
        for word in name.replace("periodic in ", "periodic ").split(" ")
    ]
    return " ".join(sorted(word for word in words if word.strip(",") not in set("xyz")))


@st.composite
def lattices(draw: st.DrawFn) -> Topology:
    dims = draw(
        st.sampled_from(
            [(12,), (5, 7), (8, 8), (3, 4, 5), (4, 4, 4), (9, 4), (16, 4), (6, 6)]
        )
    )
    flags = draw(st.tuples(*(st.booleans() for _ in dims)))
    stencil = draw(st.sampled_from(["plain", "plain", "box"])) if len(dims) > 1 else ""
    return lattice(dims, flags, STENCILS[stencil or "plain"](len(dims)))


@st.composite
def parts(draw: st.DrawFn) -> Topology:
    """Lattices without a block at a corner, or without single places far apart."""
    x, y = draw(st.integers(5, 8)), draw(st.integers(5, 8))
    held = np.ones((y, x), bool)
    if draw(st.booleans()):
        held[draw(st.integers(y // 2 + 1, y - 2)) :, draw(st.integers(2, x - 2)) :] = 0
    else:
        held[2, 2] = False
        held[y - 3, x - 3] = False
    wraps = draw(st.booleans()), False
    offsets = STENCILS[draw(st.sampled_from(["plain", "box"]))](2)
    return partial_lattice((x, y), wraps, offsets, held.ravel())


OTHERS: dict[str, Topology] = {
    made.name: made
    for made in (
        complete(9),
        star(17),
        star(20, 3),
        binomial_tree(32),
        complete_tree(31, 2),
        rook((6, 5)),
        cubed_sphere(2),
        cubed_sphere(3),
        cubed_sphere(3, 1),
        folded_grid(8, 6),
        led_groups([4] * 5, complete(5)),
        led_groups([5, 5, 5, 5, 5, 3], lattice((6,), (True,))),
        led_groups([4] * 6, complete(6), starred=True),
        linked_groups(4, 5),
        copies(3, lattice((5, 3), (False, False))),
        union([lattice((6, 6), (True, True)), lattice((5, 4), (False, False))]),
        product(star(5), lattice((6,), (True,))),
        lattice((6, 6), (False, False), STENCILS["diagonals only"](2)),
        lattice((4, 4, 4), (False,) * 3, STENCILS["face diagonals only"](3)),
        lattice((4, 4, 3), (False,) * 3, STENCILS["face-centred stencil"](3)),
    )
}


def edited(
    topology: Topology, missing: int, extra: int, seed: int
) -> CommunicationMatrix:
    """Take edges out, and put others in."""
    rng = np.random.default_rng(seed)
    kept = topology.edges[rng.permutation(len(topology.edges))[missing:]]
    added = rng.integers(0, topology.vertices, (extra, 2))
    return traffic(topology.vertices, (np.concatenate([kept, added]), 1, 100))


TRIED = examples(40, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", OTHERS)
def test_each_kind(name: str) -> None:
    made = OTHERS[name]
    assert made.vertices <= MAX_RANKS
    matrix = traffic(made.vertices, (made.edges, 3, 100))
    seeds = range(3 if slow_tests_run() else 2)
    answers = {of_any_name(renumbered(matrix, seed)) for seed in seeds}
    assert len(answers) == 1
    names, missing, extra, *_ = answers.pop()
    assert _in_any_order(name) in names  # type: ignore[operator]
    assert missing == extra == 0


@TRIED
@given(st.one_of(lattices(), parts()), st.integers(0, 2**16))
def test_lattices_and_parts_of_them(made: Topology, seed: int) -> None:
    matrix = traffic(made.vertices, (made.edges, 3, 100))
    answers = {of_any_name(renumbered(matrix, seed + i)) for i in range(2)}
    assert len(answers) == 1


@TRIED
@given(
    st.one_of(lattices(), parts()),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.integers(0, 2**16),
)
def test_past_noise(made: Topology, edits: tuple[int, int], seed: int) -> None:
    matrix = edited(made, *edits, seed)
    answers = {of_any_name(renumbered(matrix, seed + i)) for i in range(2)}
    assert len(answers) == 1


@TRIED
@given(
    st.one_of(lattices(), parts(), st.sampled_from(list(OTHERS.values()))),
    st.sampled_from([1, 20]),
    st.integers(0, 2**16),
)
def test_beside_a_manager(made: Topology, times: int, seed: int) -> None:
    n = made.vertices
    star_pairs = hub(n, range(n))
    matrix = traffic(n + 1, (made.edges, times, 900), (star_pairs, 1, 900))
    answers = {of_any_name(renumbered(matrix, seed + i)) for i in range(2)}
    assert len(answers) == 1
