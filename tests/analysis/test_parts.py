"""Communicators, components and declared topologies of programs that are known."""

import numpy as np
import pytest
import traces
from patterns import Stage, both_ways, run

from topoview.analysis.partners.declared_topologies import compare_declared
from topoview.analysis.parts.identified import (
    MAX_COMMUNICATORS,
    communicator_parts,
    find_parts,
)
from topoview.analysis.parts.plans import find_plans
from topoview.analysis.parts.splits import component_parts
from topoview.model import (
    CartesianTopology,
    DeclaredTopology,
    IdentifiedPart,
    Plan,
    Trace,
)
from topoview.report.identification.parts import declared_words, part_lines
from topoview.topology import communication_matrix, identify, lattice


def names(parts: tuple[IdentifiedPart, ...]) -> list[str]:
    return [part.matches[0].topology.name for part in parts]


def plans_of(trace: Trace) -> tuple[Plan, ...]:
    matrix = communication_matrix(trace)
    return find_plans(trace, matrix, identify(matrix))


def grid_groups(columns: int, rows: int, order: np.ndarray) -> list[list[int]]:
    """Rows, then columns, of a grid with x fastest."""
    table = order.reshape(rows, columns)
    return [*table.tolist(), *table.T.tolist()]


@pytest.mark.parametrize("seed", [None, 3])
def test_collectives_in_rows_and_columns_tell_the_grid(seed: int | None) -> None:
    order = (
        np.arange(24) if seed is None else np.random.default_rng(seed).permutation(24)
    )
    groups = grid_groups(6, 4, order)
    stages = [
        Stage(communicator=1 + i, collective=True, times=2) for i in range(len(groups))
    ]
    trace, _ = run(24, stages, groups)
    each = communicator_parts(trace)
    (plan,) = plans_of(trace)
    best = plan.match
    upright = best.topology.dims == (6, 4)
    assert upright or (seed is not None and best.topology.dims == (4, 6))
    assert plan.name == f"rows and columns {'6x4' if upright else '4x6'}"
    joined = {(u, v) for g in groups for u in g for v in g if u < v}
    assert set(map(tuple, best.rank_edges.tolist())) == joined
    assert {axis.by for axis in plan.axes} == {("Alltoall",)}
    assert names(each) == ["all-to-all 6"] * 4 + ["all-to-all 4"] * 6
    for part, group in zip(each, groups, strict=True):
        assert part.ranks.tolist() == sorted(group)
        expected = {(u, v) for u in group for v in group if u < v}
        assert set(map(tuple, part.matches[0].rank_edges.tolist())) == expected


def test_operations_with_one_root_are_a_star() -> None:
    stage = Stage(communicator=1, collective=True, root=5, times=3)
    trace, _ = run(8, [stage], [[1, 3, 5, 7]])
    (part,) = communicator_parts(trace)
    best = part.matches[0]
    assert best.topology.name == "star 4"
    assert best.rank_edges.tolist() == [[1, 5], [3, 5], [5, 7]]


def test_collectives_of_all_ranks_tell_nothing() -> None:
    stage = Stage(communicator=1, collective=True, times=3)
    trace, _ = run(8, [stage], [list(range(8))])
    assert communicator_parts(trace) == ()


def test_messages_in_a_communicator_are_identified() -> None:
    group = [1, 4, 6, 7, 9, 3]
    ring = [(group[i], group[(i + 1) % 6]) for i in range(6)]
    stages = [Stage(ring, 3, communicator=1), Stage([(0, 1), (2, 8)])]
    trace, _ = run(10, stages, [group])
    (part,) = communicator_parts(trace)
    assert names((part,)) == ["ring 6"]
    assert part.ranks.tolist() == sorted(group)


def test_a_communicator_with_all_messages_is_the_run_once_more() -> None:
    ring = [(i, (i + 1) % 6) for i in range(6)]
    trace, _ = run(6, [Stage(ring, 3, communicator=1)], [list(range(6))])
    assert communicator_parts(trace) == ()


def test_many_communicators_are_told_together() -> None:
    groups = grid_groups(16, 16, np.arange(256))
    stages = [Stage(communicator=1 + i, collective=True) for i in range(len(groups))]
    trace, _ = run(256, stages, groups)
    assert len(groups) > MAX_COMMUNICATORS
    families = communicator_parts(trace)
    assert [plan.name for plan in plans_of(trace)] == ["rows and columns 16x16"]
    assert [part.name for part in families] == ["16 communicators of 16"] * 2
    assert all(len(part.ranks) == 256 for part in families)


def test_components_are_identified_one_by_one() -> None:
    ring = both_ways(lattice((5,), (True,)).edges)
    grid = [(u + 5, v + 5) for u, v in both_ways(lattice((3, 3), (False,) * 2).edges)]
    trace, _ = run(15, [Stage([*ring, *grid], 4)])
    parts = component_parts(trace, communication_matrix(trace))
    assert names(parts) == ["ring 5", "2D grid 3x3"]
    assert [part.ranks.tolist() for part in parts] == [
        list(range(5)),
        list(range(5, 14)),
    ]
    assert part_lines(parts) == [
        "ring 5 in component 1",
        "2D grid 3x3 in component 2",
    ]


def test_one_component_is_no_part() -> None:
    trace = traces.simulated("torus", (4, 3), numbering=1)
    assert find_parts(trace, communication_matrix(trace)) == ()


def declare(
    dims: tuple[int, ...], periodic: tuple[bool, ...], order: np.ndarray
) -> CartesianTopology:
    """Declare as MPI does: the last dimension changes fastest."""
    places = np.stack(np.unravel_index(np.arange(len(order)), dims), 1)
    return CartesianTopology(
        "cart",
        0,
        dims,
        np.array(periodic),
        (),
        order.astype(np.int32),
        places.astype(np.int32),
    )


def verdict(trace: Trace) -> DeclaredTopology:
    (found,) = compare_declared(trace, identify(communication_matrix(trace)))
    return found


def test_what_was_declared_is_compared() -> None:
    rng = np.random.default_rng(1)
    order = rng.permutation(24)
    torus = lattice((6, 4), (True, True)).edges
    declared = (declare((4, 6), (True, True), order),)
    program = both_ways(order[torus])
    same = verdict(run(24, [Stage(program, 2)], topologies=declared)[0])
    assert (same.verdict, same.topology) == ("same", "2D torus 6x4")
    assert (same.edges, same.used, same.further) == (48, 48, 0)
    assert "exactly these pairs" in declared_words(same)

    other = both_ways(rng.permutation(24)[torus])
    permuted = verdict(run(24, [Stage(other, 2)], topologies=declared)[0])
    assert permuted.verdict == "permuted"

    opened = both_ways(order[lattice((6, 4), (False, False)).edges])
    different = verdict(run(24, [Stage(opened, 2)], topologies=declared)[0])
    assert (different.verdict, different.used) == ("different", 38)
    assert different.observed == "2D grid 6x4"

    far = [(int(order[i]), int(order[i + 14])) for i in range(10)]
    unused = verdict(run(24, [Stage(far, 2)], topologies=declared)[0])
    assert (unused.verdict, unused.used) == ("unused", 0)


def test_a_dimension_of_one_is_no_axis() -> None:
    order = np.arange(6)
    ring = both_ways(lattice((6,), (True,)).edges)
    declared = (declare((1, 6), (True, True), order),)
    found = verdict(run(6, [Stage(ring, 2)], topologies=declared)[0])
    assert (found.verdict, found.topology) == ("same", "ring 6")


@pytest.mark.parametrize(
    ("name", "topology"),
    [
        ("sp-jacobi2d-8x4-periodic-idlewave", "2D torus 4x8"),
        ("sp-jacobi2d-6x6-idlewave", "2D grid 6x6"),
    ],
)
def test_real_programs_use_what_they_declare(name: str, topology: str) -> None:
    found = verdict(traces.read_real(name))
    assert (found.verdict, found.topology, found.observed) == ("same",) + (
        topology,
    ) * 2


def test_a_real_program_with_row_and_column_communicators() -> None:
    trace = traces.read_real("sp-rowcol-6x4")
    parts = communicator_parts(trace)
    assert [plan.name for plan in plans_of(trace)] == ["rows and columns 6x4"]
    rows = [part for part in parts if part.name.startswith("row")]
    assert names(tuple(rows)) == ["ring 6"] * 4
