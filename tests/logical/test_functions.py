"""Calls tell the function of the program that makes them."""

from dataclasses import replace

import numpy as np
from programs import Step, trace_of

from topoview.logical import listing, logicalise
from topoview.model import LogicalTrace, Match, MPIState, Timeline, Trace
from topoview.topology import directions, lattice

RANKS = 6


def with_functions(trace: Trace, functions: list[str]) -> Trace:
    """Let each call be in a function, all of the time that is left before it.

    Calls begin every 10 ticks and last 3. Every third call begins at once after the
    one before in the timeline: its function is known from what comes after it.
    """
    regions = trace.regions
    named = sorted(set(functions))
    n = len(regions.names)
    everything = replace(
        regions,
        names=(*regions.names, *named),
        state=np.append(regions.state, np.zeros(len(named), np.uint8)),
        operation=np.append(regions.operation, np.full(len(named), -1, np.int32)),
    )
    time, region = [], []
    offsets = [0]
    for rank in range(trace.ranks):
        begin, end = trace.calls.offsets[rank : rank + 2].tolist()
        for index, call in enumerate(range(begin, end)):
            own = n + named.index(functions[index])
            enter = int(trace.calls.enter[call])
            at_once = index % 3 == 0  # nothing is known of before it
            last = index + 1 < end - begin and (index + 1) % 3 == 0
            time += [enter - 1] * (not at_once) + [enter] + [enter + 3] * (not last)
            region += [own] * (not at_once) + [int(trace.calls.region[call])]
            region += [own] * (not last)
        offsets.append(len(time))
    timeline = Timeline(
        np.array(offsets, np.int64),
        np.array(time, np.int64),
        np.full(len(time), MPIState.COMPUTE, np.uint8),
        np.array(region, np.int32),
    )
    return replace(trace, regions=everything, timeline=timeline)


def made(names: list[str]) -> Trace:
    """Send to the next rank of a ring and receive, once in each function."""
    steps: list[list[Step]] = []
    for rank in range(RANKS):
        sends = ((rank + 1) % RANKS, 64)
        pair = [
            Step("Send", sends=(sends,)),
            Step("Recv", receives=((rank - 1) % RANKS,)),
        ]
        steps.append(pair * len(names))
    return with_functions(trace_of(steps), [name for name in names for _ in range(2)])


def logical_of(trace: Trace, rule: str = "all") -> LogicalTrace:
    none = np.zeros((0, 2), np.int32)
    ranks = np.arange(RANKS, dtype=np.int32)
    match = Match(lattice((RANKS,), (True,)), ranks, 0, none, none, 1.0, 1.0)
    logical = logicalise(trace, directions(match), match=match, rule=rule)
    assert logical.ranks_verified == RANKS
    return logical


def body(logical: LogicalTrace) -> list[str]:
    return [x for x in listing(logical).splitlines() if not x.startswith("#")]


def test_one_function_after_another_is_told() -> None:
    assert body(logical_of(made(["solve"] * 10 + ["norm"] * 5), "functions")) == [
        "repeat 10:  # solve",
        "    Send to EAST 64 B",
        "    Recv from WEST 64 B",
        "repeat 5:  # norm",
        "    Send to EAST 64 B",
        "    Recv from WEST 64 B",
    ]


def test_a_call_in_two_places_stays_one_where_that_is_shorter() -> None:
    trace = made(["left", "right"] * 10)
    assert body(logical_of(trace)) == [
        "repeat 20:",
        "    Send to EAST 64 B",
        "    Recv from WEST 64 B",
    ]
    assert body(logical_of(trace, "functions")) == [
        "repeat 10:",
        "    Send to EAST 64 B  # left",
        "    Recv from WEST 64 B",
        "    Send to EAST 64 B  # right",
        "    Recv from WEST 64 B",
    ]


def test_one_function_is_not_worth_telling() -> None:
    assert "#" not in "".join(body(logical_of(made(["main"] * 10))))
