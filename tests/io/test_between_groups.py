"""Intercommunicators that a tracer records as two communicators, one of each group."""

# ruff: noqa: ANN001, ANN002, ANN201

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.io.definitions.communicators import Communicators
from topoview.io.repairs.intercommunicators import (
    Endpoints,
    created_intercommunicators,
    creates_intercommunicators,
    pair_intercommunicators,
)
from topoview.model import Communicator, Regions

OPERATIONS = ("Send", "Comm_split", "Intercomm_create")


def communicators(*members):
    """Make communicators, the world first, with identifiers from 10 on."""
    items = tuple(
        Communicator(f"c{i}", np.array(ranks, np.int32))
        for i, ranks in enumerate(members)
    )
    return Communicators(items, {10 + i: i for i in range(len(items))}, {})


def ends(*rows):
    """Make sends or receives of rows: communicator, own rank, other's number, tag."""
    columns = np.array(rows, np.int32).reshape(-1, 4).T
    return Endpoints(*columns)


def regions():
    """Make a region for each operation."""
    count = len(OPERATIONS)
    return Regions(
        tuple(f"MPI_{name}" for name in OPERATIONS),
        np.zeros(count, np.uint8),
        np.arange(count, dtype=np.int32),
        OPERATIONS,
    )


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_two_groups_are_paired_by_what_is_received(one, other, data):
    groups = np.arange(one), one + np.arange(other)
    # Two communicators of each group: within it, and to the other one.
    known = communicators(np.arange(one + other), *groups, *groups)
    pairs = st.tuples(
        st.integers(0, one - 1), st.integers(0, other - 1), st.integers(0, 3)
    )
    messages = data.draw(st.lists(pairs, min_size=1))
    # Sends to numbers that the own group does not have are not read.
    sends = [(3, i, j, tag) for i, j, tag in messages if j < one]
    receives = [(4, one + j, i, tag) for i, j, tag in messages]
    found = pair_intercommunicators(
        known, ends(*sends), ends(*receives), {3: True, 4: True}
    )
    told = any(j < one for _, j, _ in messages)
    assert found == (((3, 4),) if told else ((4, -1),))


def test_what_groups_made_alone_is_paired_in_order():
    known = communicators(range(5), [0, 1], [2, 3, 4], [0, 1], [2, 3, 4])
    made = {1: True, 2: True, 3: True, 4: True}
    assert pair_intercommunicators(known, ends((1, 0, 0, 7)), ends(), made) == (
        (1, 2),
        (3, 4),
    )


def test_several_partners_that_fit_are_not_told():
    known = communicators(range(6), [0, 1], [2, 3], [4, 5])
    sends = ends((1, 0, 0, 7), (2, 2, 0, 7), (3, 4, 0, 7))
    found = pair_intercommunicators(known, sends, sends, {1: True, 2: True, 3: True})
    assert found == ((1, -1), (2, -1), (3, -1))


def test_a_communicator_that_works_alone_is_left():
    known = communicators(range(4), [0, 1], [2, 3])
    sends, receives = ends((1, 0, 1, 7), (2, 2, 1, 7)), ends((1, 1, 0, 7))
    assert pair_intercommunicators(known, sends, receives, {}) == ()


@pytest.mark.parametrize("split", [0, 1])
def test_the_order_of_calls_tells_what_they_made(split):
    # Each rank has two of itself alone; rank 0 leads two more.
    known = communicators(range(3), [0], [0], [1], [1], [0, 1], [0, 1])
    made = [1, 2] if split == 0 else [2, 1]
    region = np.array([0, *made, 0, 1, 2], np.int32)
    offsets = np.array([0, 4, 6, 6], np.int64)
    assert creates_intercommunicators(region, regions())
    assert not creates_intercommunicators(region[:1], regions())
    found = created_intercommunicators(known, region, offsets, regions())
    # Rank 1 made two as well, and leads none of them.
    assert found == {5: split == 1, 6: split == 0}


def test_a_pair_becomes_one_communicator():
    known = communicators(range(4), [0, 1], [2], [3])
    joined = known.joined(((1, 2), (3, -1)))
    assert [c.ranks.tolist() for c in joined.items] == [[0, 1, 2, 3], [0, 1, 2], [3]]
    assert joined.numbers == {10: 0, 11: 1, 12: 1, 13: 2}
    sides = {n: [g.tolist() for g in both] for n, both in joined.remote.items()}
    assert sides == {1: [[0, 1], [2]], 2: [[3], []]}
