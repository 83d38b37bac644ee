"""Ranks that do the same calls in other orders, and messages of many sizes."""

import numpy as np
import pytest
from parts import logicalise
from programs import Grid, Step, entries_of, trace_of

from topoview.logical import expand
from topoview.logical.listing import listing
from topoview.model import LogicalTrace, Match, Trace
from topoview.topology import directions, lattice


def logical_of(trace: Trace, dims: tuple[int, ...], periodic: bool) -> LogicalTrace:
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(trace.ranks, dtype=np.int32)
    match = Match(
        lattice(dims, (periodic,) * len(dims)), ranks, 0, none, none, 1.0, 1.0
    )
    logical = logicalise(trace, directions(match), match=match)
    assert logical.ranks_verified == trace.ranks
    for rank in range(trace.ranks):
        assert expand(logical, rank) == entries_of(trace, rank)
    return logical


def red_black(dims: tuple[int, ...], periodic: bool, turns: int) -> Trace:
    """Exchange with all neighbours: even places send first, odd ones receive first."""
    grid = Grid(dims, periodic=periodic)
    steps: list[list[Step]] = [[] for _ in range(grid.ranks)]
    for _ in range(turns):
        for rank, own in enumerate(steps):
            even = sum(grid.place(rank)) % 2 == 0
            for axis in range(len(dims)):
                for sign in (1, -1) if even else (-1, 1):
                    offset = [sign * (k == axis) for k in range(len(dims))]
                    there = grid.towards(rank, offset)
                    if there is None:
                        continue
                    send, receive = (
                        Step("Send", sends=((there, 64),)),
                        Step("Recv", receives=(there,)),
                    )
                    own += [send, receive] if even else [receive, send]
            own.append(Step("Allreduce", part=(0, -1, 8)))
    return trace_of(steps)


@pytest.mark.parametrize(
    ("dims", "periodic"), [((9,), False), ((8,), True), ((4, 6), True), ((5, 4), False)]
)
@pytest.mark.parametrize("turns", [2, 20])
def test_red_and_black_ranks_are_two_programs_and_one_loop(
    dims: tuple[int, ...], periodic: bool, turns: int
) -> None:
    logical = logical_of(red_black(dims, periodic, turns), dims, periodic)
    assert logical.statements <= 8 * len(dims) + 1
    assert (logical.loops, logical.depth) == (1, 1)


def test_ever_larger_messages_are_one_loop() -> None:
    steps: list[list[Step]] = [[], []]
    for power in range(16):
        for rank in (0, 1):
            send = Step("Send", sends=((1 - rank, 1 << power),))
            receive = Step("Recv", receives=(1 - rank,))
            steps[rank] += [send, receive] if rank == 0 else [receive, send]
    logical = logical_of(trace_of(steps), (2,), False)
    assert logical.statements <= 8
    assert "sizes grow:" in listing(logical)
