"""The published structures of `test_papers`, in programs that record functions."""

from itertools import product

import numpy as np
from functions import Told, trace_in_functions
from parts import logicalise
from programs import Grid, Step

from topoview.logical.listing import listing
from topoview.model import LogicalTrace

HALF = np.random.default_rng(5).permutation(100) < 50
"""Half of a hundred iterations, without a rule."""

BARRIER = Step("Barrier", part=(0, -1, 0))
SIDES = (Step("Recv", receives=(1,)), Step("Send", sends=((0, 64),)))
"""What rank 0 and rank 1 do."""

PAIR = ["if rank 0:", "    Recv from 1 64 B", "if rank 1:", "    Send to -1 64 B"]

Program = tuple[list[Told], list[Told]]


def body(logical: LogicalTrace) -> list[str]:
    assert logical.ranks_verified == logical.ranks
    return [x for x in listing(logical).splitlines() if x and x[0] != "#"]


def within(head: str, *lines: str) -> list[str]:
    return [head, *(f"    {line}" for line in lines)]


def pair(ranks: Program, functions: str) -> None:
    """Rank 1 sends, rank 0 receives."""
    for own, step in zip(ranks, SIDES, strict=True):
        own.append((functions, step))


def barrier(ranks: Program, functions: str) -> None:
    for own in ranks:
        own.append((functions, BARRIER))


def test_loops_one_after_the_other() -> None:
    """2 x 2 x is 4 x, but where each two are a visit of a function."""
    ranks: Program = ([], [])
    for _ in range(50):
        barrier(ranks, "main > !warm_up")
        for _ in range(2):
            pair(ranks, "main > warm_up > !give")
    for _ in range(100):
        pair(ranks, "main > !work > !half > !give")
        pair(ranks, "main > work > half > !give")
        pair(ranks, "main > work > !half > !give")
        pair(ranks, "main > work > half > !give")
        barrier(ranks, "main > work")
    logical = logicalise(trace_in_functions(ranks), Grid((2,)))
    give = within("give:", *PAIR)
    half = within("half:", *within("repeat 2:", *give))
    work = within("work:", *within("repeat 2:", *half), "Barrier")
    warm = within("warm_up:", "Barrier", *within("repeat 2:", *give))
    assert body(logical) == [
        *within("repeat 50:", *warm),
        *within("repeat 100:", *work),
    ]
    assert logical.statements == 6


def test_a_barrier_in_half_of_the_iterations() -> None:
    """A function that is entered in some iterations stands where it is entered."""
    ranks: Program = ([], [])
    for some in HALF:
        if some:
            barrier(ranks, "main > !step > !check")
        pair(ranks, "main > step > !give" if some else "main > !step > !give")
        pair(ranks, "main > step > !give")
    logical = logicalise(trace_in_functions(ranks), Grid((2,)))
    give = within("repeat 2:", *within("give:", *PAIR))
    check = within("50 %:", *within("check:", "Barrier"))
    step = within("step:", *check, *give)
    assert body(logical) == within("repeat 100:", *step)


def test_lulesh() -> None:
    """A condition that has calls of two functions is parted between them."""
    grid = Grid((5, 5, 5))
    offsets = [o for o in product((-1, 0, 1), repeat=3) if any(o)]
    ranks: list[list[Told]] = []
    for rank in range(grid.ranks):
        partners = [grid.towards(rank, offset) for offset in offsets]
        there = [partner for partner in partners if partner is not None]
        own: list[Told] = []
        for turn in range(30):
            if turn:
                reduce = Step("Allreduce", part=(0, -1, 8))
                own.append(("main > !TimeIncrement", reduce))
            receives = [Step("Irecv", receives=(partner,)) for partner in there[::-1]]
            sends = [Step("Isend", sends=((partner, 800),)) for partner in there]
            step = "main > LagrangeLeapFrog"
            own.append(("main > !LagrangeLeapFrog > !CommRecv", receives[0]))
            own += [(f"{step} > CommRecv", call) for call in receives[1:]]
            own.append((f"{step} > !CommSend", sends[0]))
            own += [(f"{step} > CommSend", call) for call in sends[1:]]
            own.append((f"{step} > CommSend", Step("Waitall")))
        ranks.append(own)
    logical = logicalise(trace_in_functions(ranks), grid)
    assert logical.statements == 26 + 26 + 1 + 1
    told = [x for x in body(logical) if not x.strip().startswith(("if", "I"))]
    assert told == [
        "repeat 30:",
        "    LagrangeLeapFrog:",
        "        CommRecv:",
        "        CommSend:",
        "            Waitall",
        "    96.6 %, all but the last:",
        "        TimeIncrement:",
        "            Allreduce 8 B",
    ]
