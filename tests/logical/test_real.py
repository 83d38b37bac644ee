"""Logical traces of real programs, as their sources say they run."""

from collections.abc import Callable

import numpy as np
import pytest
from parts import logicalise
from traces import results_of_real

from topoview.logical import expand
from topoview.logical.listing import listing, spelled_out
from topoview.model import Trace
from topoview.topology import communication_matrix, directions, identify
from topoview.topology.library import alternatives


def messages_of(trace: Trace, rank: int) -> list[tuple[int | None, int, int | None]]:
    """Read partners and bytes of a rank's calls in program order from the trace."""
    messages = trace.messages
    found = [
        (int(call), int(to), int(size), None)
        for call, to, size in zip(
            messages.send_call, messages.receiver, messages.size, strict=True
        )
    ]
    found += [
        (int(call), None, int(size), int(source))
        for call, source, size in zip(
            messages.receive_call, messages.sender, messages.size, strict=True
        )
    ]
    begin, end = trace.calls.offsets[rank : rank + 2]
    own = [entry for entry in found if begin <= entry[0] < end]
    return [entry[1:] for entry in sorted(own, key=lambda entry: entry[0])]


@pytest.mark.parametrize(
    ("name", "statements", "words"),
    [
        ("ez-bt-9", 102, {"EAST", "WEST", "NORTH", "SOUTH"}),
        pytest.param(
            "ez-sp-16", 87, {"EAST", "WEST", "NORTH", "SOUTH"}, marks=pytest.mark.slow
        ),
        pytest.param(
            "ez-halo3d7-3x4x4",
            17,
            {"EAST", "WEST", "NORTH", "SOUTH", "UP", "DOWN"},
            marks=pytest.mark.slow,
        ),
        ("sp-halo3d7-3x4x4-permuted", 17, {"UP", "DOWN"}),
        ("sp-jacobi2d-8x4-periodic-idlewave", 15, {"EAST", "NORTH"}),
        ("public-tracer-stencil4d-32", 20, set()),
    ],
)
def test_all_ranks_are_expanded_exactly(
    real_trace: Callable[[str], Trace], name: str, statements: int, words: set[str]
) -> None:
    trace = real_trace(name)
    named = directions(identify(communication_matrix(trace)).best)
    logical = logicalise(trace, named)
    assert logical.ranks_verified == trace.ranks
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    assert logical.statements <= statements
    assert words <= set(listing(spelled_out(logical)).replace("\n", " ").split(" "))
    for rank in (0, trace.ranks // 2, trace.ranks - 1):
        said = [
            (to, size, source)
            for _, to, size, source in expand(logical, rank)
            if to is not None or source is not None
        ]
        assert said == messages_of(trace, rank)


@pytest.mark.traces
def test_what_the_maximal_process_leaves_out_is_small_in_lu(
    real_trace: Callable[[str], Trace],
) -> None:
    """Some border ranks alone take part in the sums along the border (pintgr)."""
    trace = real_trace("ez-lu-16")
    named = directions(identify(communication_matrix(trace)).best)
    alone = logicalise(trace, named).maximal
    assert alone is not None
    assert 0 < alone.calls_excluded < 0.005
    assert 0 < alone.bytes_excluded < 0.001


@pytest.mark.traces
def test_the_papers_sample(real_trace: Callable[[str], Trace]) -> None:
    """BT on 16 ranks, rank 0: the table of the paper's section on directions."""
    trace = real_trace("ez-bt-16")
    named = directions(identify(communication_matrix(trace)).best)
    partners = np.array([1, 3, 4, 12, 7, 13], np.int32)
    found, names = named.names(np.zeros(6, np.int32), partners)
    assert [names[index] for index in found] == [
        "EAST",
        "WEST",
        "SOUTH",
        "NORTH",
        "SOUTHWEST",
        "NORTHEAST",
    ]


@pytest.mark.parametrize(
    ("name", "statements", "lines"),
    [
        (
            "sp-twophase-6x6-user-metrics",
            16,
            {
                "Irecv from TRANSPOSE 4 KiB",
                "for k in 0..3:",
                "phase halo with cycle = k:",
            },
        ),
        ("sp-bintree-32", 12, {"Send to each of CHILD 3..0 1 KiB"}),
        ("sp-masterworker-24", 11, {"if master:", "repeat 21..29 by rank:"}),
        ("public-pipit-ping-pong-otf2", 4, {"Send to EAST 16 KiB..2 MiB"}),
        ("ez-cg-8", 18, {"for k in 1, 2:", "Send to EXCHANGE k 2800 B"}),
        pytest.param(
            "ez-lu-16",
            60,
            {"if not at west edge:", "Recv from NORTH 80..120 B"},
            marks=pytest.mark.slow,
        ),
        ("ez-threads-halo", 9, {"if x even:", "Send to WEST 512 B"}),
    ],
)
def test_all_that_ranks_do_under_conditions_is_exact(
    real_trace: Callable[[str], Trace], name: str, statements: int, lines: set[str]
) -> None:
    trace = real_trace(name)
    best = identify(communication_matrix(trace)).best
    logical = logicalise(trace, directions(best), match=best, others=alternatives(best))
    assert logical.ranks_verified == trace.ranks
    assert (logical.calls_excluded, logical.bytes_excluded) == (0, 0)
    assert logical.statements <= statements
    assert lines <= {line.strip() for line in listing(logical).splitlines()}
    for rank in range(0, trace.ranks, 5):
        said = [
            (to, size, source)
            for _, to, size, source in expand(logical, rank)
            if to is not None or source is not None
        ]
        assert said == messages_of(trace, rank)


def test_only_conditions_of_statements_are_kept() -> None:
    """Those of the workers' turns went when these were joined."""
    logical = results_of_real("sp-masterworker-24").make("logical")
    listed = listing(logical)
    assert len(logical.guards) == 2
    assert all(f"if {guard.text}:" in listed for guard in logical.guards)
