"""Partners are named by what says most with fewest names, phase by phase."""

from dataclasses import replace

import numpy as np
import pytest
from parts import logicalise
from programs import Grid, Step, entries_of, trace_of
from traces import logical_of, results_of_real

from topoview.logical import expand
from topoview.logical.listing import listing, spelled_out
from topoview.model import (
    Call,
    Each,
    Guard,
    LogicalTrace,
    Match,
    Partners,
    TimeState,
    Trace,
    When,
)
from topoview.topology import directions, lattice, star
from topoview.topology.direction_names import COMPASS
from topoview.topology.library import alternatives


def match_of(topology_of: str, dims: tuple[int, ...]) -> Match:
    none = np.zeros((0, 2), np.int32)
    if topology_of == "star":
        found = star(dims[0])
    else:
        found = lattice(dims, (False,) * len(dims))
    vertex = np.arange(found.vertices, dtype=np.int32)
    return Match(found, vertex, 0, none, none, 1.0, 1.0)


def shown(logical: LogicalTrace) -> list[str]:
    return [x.strip() for x in listing(logical).splitlines() if x[:1] != "#"]


def assert_exact(logical: LogicalTrace, trace: Trace) -> None:
    assert logical.ranks_verified == trace.ranks
    for rank in range(trace.ranks):
        assert expand(logical, rank) == entries_of(trace, rank)


def tagged(trace: Trace, halo: int) -> Trace:
    """Give the first `halo` messages of each pair tag 1, others tag 2."""
    messages = trace.messages
    first = messages.size == halo
    return replace(
        trace, messages=replace(messages, tag=np.where(first, 1, 2).astype(np.int32))
    )


def test_a_phase_that_transposes_says_so() -> None:
    grid = Grid((4, 4))
    steps: list[list[Step]] = []
    for rank in range(16):
        x, y = grid.place(rank)
        across = y + 4 * x
        east, west = grid.towards(rank, (1, 0)), grid.towards(rank, (-1, 0))
        own = [Step("Irecv", receives=(west,))] * 3 if west is not None else []
        own += [Step("Send", sends=((east, 64),))] * 3 if east is not None else []
        own += [Step("Irecv", receives=(across,)), Step("Send", ((across, 8),))]
        steps.append(own)
    trace = tagged(trace_of(steps), 64)
    match = match_of("lattice", (4, 4))
    logical = logicalise(
        trace, directions(match), match=match, others=alternatives(match)
    )
    assert_exact(logical, trace)
    assert shown(logical)[-2:] == [
        "Irecv from TRANSPOSE 8 B",
        "Send to TRANSPOSE 8 B",
    ]


def test_results_to_one_rank_are_its_workers() -> None:
    """Ranks of a grid send to rank 0, which takes them as they arrive."""
    order = [5, 3, 8, 1, 2, 4, 6, 7]
    steps = [[Step("Send", ((0, 80 + rank),))] for rank in range(9)]
    steps[0] = [Step("Recv", receives=(source,)) for source in order]
    trace = trace_of(steps)
    match = match_of("lattice", (3, 3))
    logical = logicalise(trace, directions(match), match=match)
    assert_exact(logical, trace)
    assert logical.statements == 2
    assert "Recv from WORKER 81..88 B" in shown(logical)
    assert "Send to rank 0 81..88 B" in shown(logical)
    assert logical.peers.values.tolist() == order
    assert any("order" in note for note in logical.notes)


def test_irregular_neighbours_are_numbered() -> None:
    rng = np.random.default_rng(3)
    pairs = sorted({(min(p), max(p)) for p in rng.integers(0, 30, (60, 2)).tolist()})
    around: list[list[int]] = [[] for _ in range(30)]
    for u, v in pairs:
        if u != v:
            around[u].append(v)
            around[v].append(u)
    steps = [
        [
            step
            for _ in range(5)
            for step in (
                *(Step("Irecv", receives=(p,)) for p in sorted(own)),
                *(Step("Send", ((p, 32),)) for p in sorted(own)),
                Step("Waitall"),
            )
        ]
        for own in around
    ]
    trace = trace_of(steps)
    _, logical = logical_of(trace)
    assert_exact(logical, trace)
    assert logical.statements <= 2 * max(map(len, around)) + 1
    spelled = shown(spelled_out(logical))
    assert any("Send to NEIGHBOUR" in line for line in spelled)


def test_a_tag_of_a_neighbour_and_of_another_rank_is_split_pair_by_pair() -> None:
    """Tag is the sender's rank, as in gslib; once rank 5 sends to rank 0, too."""
    grid = Grid((4, 3))
    around = ((1, 0), (-1, 0), (0, 1), (0, -1))
    steps: list[list[Step]] = [[] for _ in range(12)]
    steps[5].append(Step("Send", ((0, 8),)))
    steps[0].append(Step("Recv", receives=(5,)))
    for rank, own in enumerate(steps):
        beside = [grid.towards(rank, offset) for offset in around]
        near = [other for other in beside if other is not None]
        own += [Step("Send", ((other, 64),)) for other in near]
        own += [Step("Recv", receives=(other,)) for other in near]
    trace = trace_of(steps)
    messages = replace(trace.messages, tag=trace.messages.sender)
    trace = replace(trace, messages=messages)
    match = match_of("lattice", (4, 3))
    logical = logicalise(trace, directions(match), match=match)
    assert logical.ranks_verified == 12
    text = listing(spelled_out(logical))
    assert "WORKER" not in text
    assert "Send to rank 0 8 B" in text
    assert "Recv from rank 5 8 B" in text
    assert all(f"Send to {way} 64 B" in text for way in ("EAST", "WEST", "NORTH"))


def test_no_more_neighbours_are_counted_than_a_rank_has() -> None:
    """On 2x2 ranks each has three of the eight directions of a stencil."""
    stencil = lattice((2, 2), (False, False), ((1, 0), (0, 1), (1, 1), (1, -1)))
    match = replace(match_of("lattice", (2, 2)), topology=stencil)
    steps = [
        [
            *(Step("Isend", ((other, 8),)) for other in range(4) if other != rank),
            *(Step("Recv", receives=(other,)) for other in range(4) if other != rank),
        ]
        for rank in range(4)
    ]
    logical = logicalise(trace_of(steps), directions(match), match=match)
    assert set(COMPASS) <= set(logical.partners.names)
    assert "Isend to each of the 3 neighbours 8 B" in listing(logical)


def test_names_of_other_partners_do_not_count_as_neighbours() -> None:
    """Each rank has partners of all names, and sends here to two of them."""
    halves = [np.array(own, np.int32) for own in ((0, 1), (2, 3))]
    names = ("NEIGHBOUR 0", "NEIGHBOUR 1", "NEIGHBOUR 2")
    calls = [
        Call(index, "Send", name, None, 8, None, "", TimeState.SEND)
        for index, name in enumerate(names)
    ]
    some = tuple(When(k, (call,)) for k, call in enumerate(calls[:2]))
    ring = [[Step("Barrier", part=(0, -1, 0))]] * 4
    logical = replace(
        logicalise(trace_of(ring), Grid((4,))),
        body=(Each((*some, calls[2]), neighbours=True),),
        guards=tuple(Guard(f"half {k}", own) for k, own in enumerate(halves)),
        partners=Partners(
            names,
            3 * np.arange(5),
            np.tile(np.arange(3, dtype=np.int32), 4),
            np.zeros(12, np.int32),
        ),
    )
    assert "Send to each of the 2 neighbours 8 B" in listing(logical)


@pytest.mark.traces
def test_what_is_known_of_receives_makes_no_listing_longer() -> None:
    """One tracer tells from whom messages come, the other does not."""
    told, untold = (
        results_of_real(name).make("logical") for name in ("sp-minife-18", "app-minife")
    )
    assert told.ranks_verified == untold.ranks_verified == 18
    assert told.statements == untold.statements
    assert len(shown(told)) == len(shown(untold))
    for text in (listing(told), listing(untold)):
        assert "Allreduce 72 B" in text
        assert "Irecv for each neighbour" in text
