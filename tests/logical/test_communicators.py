"""Ranks in communicators, as looked up one by one."""

from dataclasses import replace

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from parts import logicalise
from programs import Grid, Step, trace_of

from topoview.logical.calls.communicators import families, local_ranks
from topoview.logical.listing import listing
from topoview.model import Communicator, Trace

RANKS = 12


@given(
    st.lists(
        st.permutations(range(-1, RANKS)).flatmap(
            lambda order: st.integers(0, RANKS).map(lambda n: order[:n])
        ),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_local_ranks(members: list[list[int]], data: st.DataObject) -> None:
    made = tuple(Communicator("", np.array(m, np.int32)) for m in members)
    trace = replace(traces.simulated("torus", (4, 3)), communicators=made)
    pair = st.tuples(st.integers(0, len(made) - 1), st.integers(0, RANKS - 1))
    asked = data.draw(st.lists(pair, max_size=20))
    which, rank = np.array(asked, np.int64).reshape(-1, 2).T
    told = local_ranks(trace, which, rank).tolist()
    for (index, world), local in zip(asked, told, strict=True):
        if not members[index]:  # in MPI_COMM_SELF everybody is the first
            assert local == 0
        elif world in members[index]:
            assert members[index][local] == world
        else:
            assert local == -1


def test_letters_follow_the_order_of_use() -> None:
    """The communicator that was made last but is used first is A."""
    sets = ((0, 2, 3), (1, 2))
    steps = []
    for rank in range(4):
        own = [Step("Allreduce", part=(2, -1, 8))] if rank in sets[1] else []
        own.append(Step("Barrier", part=(0, -1, 0)))
        own += [Step("Allreduce", part=(1, -1, 8))] if rank in sets[0] else []
        steps.append(own)
    _, names = families(trace_of(steps, sets))
    assert names[2:] == ["communicator B of 3", "communicator A of 2"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("row 0", "row 1", "half"), ["row", "half"]),
        (("ocean", "land", "half"), ["communicator A of 2", "half"]),
        (("row", "row", "row"), ["row", "row #2"]),
        (
            ("MPI_COMM_3", "MPI_COMM_4", ""),
            ["communicator A of 2", "communicator B of 2"],
        ),
        (("self", "self", "row"), ["self #2", "row"]),
    ],
)
def test_the_program_s_own_names(given: tuple[str, ...], told: list[str]) -> None:
    sets = ((0, 1), (2, 3), (1, 2))
    steps = []
    for rank in range(4):
        own = [Step("Allreduce", part=(1 + rank // 2, -1, 8))]
        own += [Step("Allreduce", part=(3, -1, 8))] if rank in sets[2] else []
        steps.append(own)
    trace = trace_of(steps, sets)
    world, *further = trace.communicators
    named = [replace(c, name=n) for c, n in zip(further, given, strict=True)]
    _, names = families(replace(trace, communicators=(world, *named)))
    assert names[2:] == told


def made(sets: list[list[int]]) -> Trace:
    communicators = tuple(Communicator("", np.array(m, np.int32)) for m in sets)
    return replace(traces.simulated("torus", (4, 3)), communicators=communicators)


@given(st.permutations(range(RANKS)), st.sampled_from(((2, 6), (3, 4), (6, 2))))
def test_families_that_cross_are_rows_and_columns(
    order: list[int], extents: tuple[int, int]
) -> None:
    """Whatever ranks they are of: each row meets each column in one rank."""
    grid = np.array(order).reshape(extents)
    sets = [list(range(RANKS)), *grid.tolist(), *grid.T.tolist()]
    family, names = families(made(sets))
    rows, columns = names.index("row"), names.index("column")
    reach = [0, *([int(np.ptp(line).max()) for line in sets[1:]])]
    widest = {
        k: max(r for f, r in zip(family.tolist(), reach, strict=True) if f == k)
        for k in (rows, columns)
    }
    assert widest[rows] <= widest[columns]
    assert {rows, columns} == set(family[1:].tolist())


def test_families_that_do_not_cross_have_letters() -> None:
    pairs = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    others = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    _, names = families(made([list(range(RANKS)), *pairs, *others]))
    assert names[2:] == ["communicator A of 2", "communicator B of 4"]


def test_calls_without_a_rule_tell_their_communicator() -> None:
    halves = [[0, 1, 2, 3], [4, 5, 6, 7]]
    luck = np.random.default_rng(7).random((2, 60)) < 0.5
    steps = [
        [
            step
            for here in luck[half]
            for step in [Step("Barrier", part=(1 + half, -1, 0))] * int(here)
            + [Step("Allreduce", part=(0, -1, 8))]
        ]
        for half, ranks in enumerate(halves)
        for _ in ranks
    ]
    logical = logicalise(trace_of(steps, halves), Grid((8,)))
    assert logical.ranks_verified == 8
    assert "Barrier by table (communicator A of 4)" in listing(logical)
