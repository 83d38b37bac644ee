"""Kinds of calls that the real traces have few of, in generated ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from parts import logicalise
from programs import Grid, Step, trace_of
from writer import write_trace

from topoview.logical import expand
from topoview.logical.listing import listing
from topoview.model import LogicalTrace, Trace
from topoview.worker import open_trace

RANKS = 6
TURNS = 4
Program = Callable[[int], list[Step]]


def around(rank: int) -> tuple[int, int]:
    return (rank - 1) % RANKS, (rank + 1) % RANKS


def shown(logical: LogicalTrace) -> list[str]:
    return [x for x in listing(logical).splitlines() if not x.startswith("#")]


def persistent(rank: int) -> list[Step]:
    """Make two requests once, start and await them in each turn."""
    left, right = around(rank)
    own = [Step("Recv_init"), Step("Send_init")]
    for _ in range(TURNS):
        at = len(own)
        own += [Step("Start", receives=(left,)), Step("Start", ((right, 64),))]
        own += [Step("Wait", posted=at), Step("Wait", posted=at + 1)]
    return [*own, Step("Request_free"), Step("Request_free")]


def fenced(rank: int) -> list[Step]:
    """Fence windows; even ranks get, odd ones put."""
    access = Step("Put") if rank % 2 else Step("Get")
    turn = [Step("Win_fence"), access, Step("Accumulate"), Step("Win_fence")]
    return [Step("Win_create"), *turn * TURNS, Step("Win_free")]


def locked(rank: int) -> list[Step]:
    """Lock the first rank's window at all others, and await a request."""
    own = [Step("Win_allocate")]
    for _ in range(TURNS):
        if rank:
            own.append(Step("Win_lock"))
            own.append(Step("Rput"))
            own.append(Step("Wait", posted=len(own) - 1))
            own.append(Step("Win_unlock"))
    return [*own, Step("Win_free")]


def posted(rank: int) -> list[Step]:
    """Post, start, complete and wait: one half exposes, the other accesses."""
    if rank < RANKS // 2:
        return [Step("Win_start"), Step("Put"), Step("Win_complete")] * TURNS
    return [Step("Win_post"), Step("Win_wait")] * TURNS


def files(rank: int) -> list[Step]:
    """Write together and alone, and wait for one of them."""
    del rank
    own = [Step("File_open"), Step("File_set_view"), Step("File_get_size")]
    for _ in range(TURNS):
        own += [Step("File_write_at_all"), Step("File_iwrite_at")]
        own.append(Step("Wait", posted=len(own) - 1))
    return [*own, Step("File_close")]


def neighbourhood(rank: int) -> list[Step]:
    """Call neighbourhood collectives, blocking and not."""
    del rank
    own = [Step("Cart_create", part=(0, -1, 0))]
    for _ in range(TURNS):
        own.append(Step("Neighbor_allgather", part=(0, -1, 16)))
        own.append(Step("Ineighbor_alltoall", part=(0, -1, 32)))
        own.append(Step("Wait", posted=len(own) - 1))
    return own


def any_order(rank: int) -> list[Step]:
    """Complete requests one by one, in another order at each rank and turn."""
    left, right = around(rank)
    rng = np.random.default_rng(rank)
    own = []
    for _ in range(TURNS):
        at = len(own)
        own += [Step("Irecv", receives=(left,)), Step("Irecv", receives=(right,))]
        own += [Step("Isend", ((left, 8),)), Step("Isend", ((right, 8),))]
        own += [Step("Waitany", posted=at + int(k)) for k in rng.permutation(4)]
    return own


def some_at_a_time(rank: int) -> list[Step]:
    """Call Waitsome and Testsome as often as it happens to take."""
    left, right = around(rank)
    rng = np.random.default_rng(rank)
    own = []
    for _ in range(TURNS):
        own += [Step("Irecv", receives=(left,)), Step("Isend", ((right, 8),))]
        own += [Step("Waitsome")] * int(rng.integers(1, 3))
        own += [Step("Testsome")] * int(rng.integers(1, 9))
        own.append(Step("Barrier", part=(0, -1, 0)))
    return own


def probed(rank: int) -> list[Step]:
    """Look at a message of unknown size before it is received."""
    left, right = around(rank)
    turn = [
        Step("Isend", ((right, 24),)),
        Step("Probe"),
        Step("Recv", receives=(left,)),
    ]
    matched = [Step("Mprobe"), Step("Mrecv", receives=(left,))]
    own = []
    for _ in range(TURNS):
        at = len(own)
        own += [*turn, Step("Wait", posted=at)]
        own += [Step("Ssend", ((right, 8),)), *matched]
    return own


def at_once(rank: int) -> list[Step]:
    """Begin two collectives before the first is waited for."""
    del rank
    own = []
    for _ in range(TURNS):
        at = len(own)
        own += [Step("Ibcast", part=(0, 2, 40)), Step("Iallreduce", part=(0, -1, 8))]
        own += [Step("Wait", posted=at + 1), Step("Wait", posted=at)]
    return own


def at_all_at_once(rank: int) -> list[Step]:
    """Make persistent collective requests, start them, and write files together."""
    del rank
    own = [Step("Intercomm_create", part=(0, -1, 0)), Step("Comm_get_parent")]
    own += [Step("Allreduce_init"), Step("File_open", part=(0, -1, 0))]
    for _ in range(TURNS):
        own += [Step("Start"), Step("Test"), Step("Test")]
        own += [Step("Wait", posted=len(own) - 3), Step("File_iwrite_at_all")]
        own += [Step("Wait", posted=len(own) - 1), Step("Win_test"), Step("Win_test")]
    return [*own, Step("Comm_spawn", part=(0, 0, 0)), Step("Session_finalize")]


def timed(trace: Trace) -> Trace:
    """Give messages the times of their calls; receives end where they are awaited."""
    messages, calls = trace.messages, trace.calls
    ends = np.arange(len(calls))
    awaited = np.flatnonzero(calls.completes >= 0)
    ends[calls.completes[awaited]] = awaited
    completion = ends[messages.receive_call]
    return replace(
        trace,
        messages=replace(
            messages,
            completion_call=completion,
            send_time=calls.enter[messages.send_call] + 1,
            receive_time=calls.leave[completion] - 1,
        ),
    )


EXPECTED: dict[Program, Sequence[str]] = {
    persistent: (
        "repeat 4:",
        "    Start from -1 64 B",
        "    Start to 1 64 B",
        "    Wait (Start from -1)",
        "    Wait (Start to 1)",
    ),
    fenced: (
        "Win_create",
        "repeat 4:",
        "    Win_fence",
        "    if rank even:",
        "        Get",
        "    if rank odd:",
        "        Put",
        "    Accumulate",
        "    Win_fence",
        "Win_free",
    ),
    locked: (
        "Win_allocate",
        "if rank >= 1:",
        "    repeat 4:",
        "        Win_lock",
        "        Rput",
        "        Wait (Rput)",
        "        Win_unlock",
        "Win_free",
    ),
    posted: (
        "repeat 4:",
        "    if rank <= 2:",
        "        Win_start",
        "        Put",
        "        Win_complete",
        "    if rank >= 3:",
        "        Win_post",
        "        Win_wait",
    ),
    files: (
        "File_open",
        "File_set_view",
        "repeat 4:",
        "    File_write_at_all",
        "    File_iwrite_at",
        "    Wait (File_iwrite_at)",
        "File_close",
    ),
    neighbourhood: (
        "Cart_create",
        "repeat 4:",
        "    Neighbor_allgather 16 B",
        "    Ineighbor_alltoall 32 B",
        "    Wait (Ineighbor_alltoall)",
    ),
    any_order: (
        "repeat 4:",
        "    Irecv from -1 8 B",
        "    Irecv from 1 8 B",
        "    Isend to -1 8 B",
        "    Isend to 1 8 B",
        "    repeat 4:",
        "        Waitany",
    ),
    some_at_a_time: (
        "repeat 4:",
        "    Irecv from -1 8 B",
        "    Isend to 1 8 B",
        "    Waitsome",
        "    Testsome",
        "    Barrier",
    ),
    probed: (
        "repeat 4:",
        "    Isend to 1 24 B",
        "    Probe",
        "    Recv from -1 24 B",
        "    Wait (Isend to 1)",
        "    Ssend to 1 8 B",
        "    Mprobe",
        "    Mrecv from -1 8 B",
    ),
    at_all_at_once: (
        "Intercomm_create",
        "Allreduce_init",
        "File_open",
        "repeat 4:",
        "    Start",
        "    Test",
        "    Wait (Start)",
        "    File_iwrite_at_all",
        "    Wait (File_iwrite_at_all)",
        "    Win_test",
        "Comm_spawn (root 0)",
    ),
    at_once: (
        "repeat 4:",
        "    Ibcast 40 B (root 2)",
        "    Iallreduce 8 B",
        "    Wait (Iallreduce)",
        "    Wait (Ibcast)",
    ),
}


@pytest.mark.parametrize("program", EXPECTED, ids=lambda p: p.__name__)
def test_kinds_of_calls(program: Program) -> None:
    steps = [program(rank) for rank in range(RANKS)]
    logical = logicalise(trace_of(steps), Grid((RANKS,), periodic=True))
    assert shown(logical) == list(EXPECTED[program])
    assert logical.ranks_verified == RANKS
    for rank in range(RANKS):
        messages = [s for s in steps[rank] if s.sends]
        sent = [e for e in expand(logical, rank) if e[1] is not None]
        assert [e[:3] for e in sent] == [(s.operation, *s.sends[0]) for s in messages]


@pytest.mark.parametrize(
    "program", [persistent, any_order, probed], ids=lambda p: p.__name__
)
def test_kinds_of_calls_that_were_written_and_read(
    program: Program, tmp_path: Path
) -> None:
    made = timed(trace_of([program(rank) for rank in range(RANKS)]))
    trace = open_trace(write_trace(made, tmp_path / "run"))
    logical = logicalise(trace, Grid((RANKS,), periodic=True))
    assert shown(logical) == list(EXPECTED[program])
    assert logical.ranks_verified == RANKS
