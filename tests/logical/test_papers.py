"""Programs whose structure is published, and what their logical traces say.

The structures are those of the pseudocode that a second paper on structure
extraction gives for its examples and for LULESH and CG.
"""

from dataclasses import replace
from itertools import product

import numpy as np
from parts import logicalise, measure_lines
from programs import Grid, Step, trace_of

from topoview.analysis.logical.positions import call_positions
from topoview.logical.listing import listing, spelled_out
from topoview.model import LogicalTrace, Loop, Sometimes, Statement, When, whole_part
from topoview.report.logical.lines import timed_listing

HALF = np.random.default_rng(5).permutation(100) < 50
"""Half of a hundred iterations, without a rule."""


def lines(logical: LogicalTrace) -> list[str]:
    return [
        line for line in listing(logical).split("\n") if line and line[0] not in "#"
    ]


def sometimes(body: tuple[Statement, ...]) -> list[Sometimes]:
    found: list[Sometimes] = []
    for statement in body:
        if isinstance(statement, Sometimes):
            found.append(statement)
        if isinstance(statement, Sometimes | Loop | When):
            found += sometimes(statement.body)
    return found


def pair(steps: list[list[Step]]) -> None:
    """Rank 1 sends, rank 0 receives."""
    steps[0].append(Step("Recv", receives=(1,)))
    steps[1].append(Step("Send", sends=((0, 64),)))


def barrier(steps: list[list[Step]]) -> None:
    for own in steps:
        own.append(Step("Barrier", part=(0, -1, 0)))


def test_loops_one_after_the_other() -> None:
    steps: list[list[Step]] = [[], []]
    for _ in range(50):
        barrier(steps)
        for _ in range(2):
            pair(steps)
    for _ in range(100):
        for _ in range(2 * 2):
            pair(steps)
        barrier(steps)
    logical = logicalise(trace_of(steps), Grid((2,)))
    assert logical.ranks_verified == 2
    assert logical.statements == 6
    text = lines(logical)
    heads = [line.strip() for line in text if line.strip().startswith("repeat")]
    # no trace tells 2 x 2 x from 4 x
    assert heads == ["repeat 50:", "repeat 2:", "repeat 100:", "repeat 4:"]
    assert text[1].strip() == "Barrier"
    assert text[-1].strip() == "Barrier"


def test_a_barrier_in_half_of_the_iterations() -> None:
    steps: list[list[Step]] = [[], []]
    for some in HALF:
        if some:
            barrier(steps)
        pair(steps)
        pair(steps)
    logical = logicalise(trace_of(steps), Grid((2,)))
    assert logical.ranks_verified == 2
    assert logical.statements == 3
    (part,) = sometimes(logical.body)
    assert len(logical.patterns[part.pattern]) == 100
    assert 0.49 <= part.share <= 0.5
    assert "repeat 100:" in lines(logical)
    assert any(line.strip() in ("50 %:", "49 %:") for line in lines(logical))


def test_lulesh() -> None:
    # 5 x 5 x 5 ranks, 26 neighbours, 30 time steps with an allreduce in all but one
    grid = Grid((5, 5, 5))
    offsets = [o for o in product((-1, 0, 1), repeat=3) if any(o)]
    steps: list[list[Step]] = []
    for rank in range(grid.ranks):
        partners = [grid.towards(rank, offset) for offset in offsets]
        there = [partner for partner in partners if partner is not None]
        phase = [
            *(Step("Irecv", receives=(partner,)) for partner in there[::-1]),
            *(Step("Isend", sends=((partner, 800),)) for partner in there),
            Step("Waitall"),
        ]
        reduce = Step("Allreduce", part=(0, -1, 8))
        steps.append([*phase, *[reduce, *phase] * 29])
    logical = logicalise(trace_of(steps), grid)
    assert logical.ranks_verified == 125
    assert logical.groups == 27
    assert logical.statements == 26 + 26 + 1 + 1
    (part,) = sometimes(logical.body)
    assert part.share == 29 / 30
    assert any(
        line.strip().startswith("96.6 %, all but the") for line in lines(logical)
    )
    assert "repeat 30:" in lines(logical)


def test_cg_goes_over_the_exchanges() -> None:
    # the distances of a reduction within a row of 8: EXCHANGE 1, 2, 4
    class Exchanges:
        def names(
            self, ranks: np.ndarray, partners: np.ndarray
        ) -> tuple[np.ndarray, list[str]]:
            step = np.log2(ranks ^ partners).astype(np.int32)
            return step, ["EXCHANGE 1", "EXCHANGE 2", "EXCHANGE 4"]

        def partner(self, rank: int, name: str) -> int:
            return rank ^ int(name.split()[1])

    steps = []
    for rank in range(8):
        own: list[Step] = []
        for _ in range(15 * 25):
            for k in (1, 2, 4):
                posted = len(own)
                own += [
                    Step("Irecv", receives=(rank ^ k,)),
                    Step("Send", sends=((rank ^ k, 1400),)),
                    Step("Wait", posted=posted),
                ]
            if len(own) % (25 * 9 + 1) == 25 * 9:
                own.append(Step("Allreduce", part=(0, -1, 8)))
        steps.append(own)
    logical = logicalise(trace_of(steps), Exchanges())
    assert logical.ranks_verified == 8
    assert lines(logical) == [
        "repeat 15:",
        "    repeat 25:",
        "        for k in 1, 2, 4:",
        "            Irecv from EXCHANGE k 1400 B",
        "            Send to EXCHANGE k 1400 B",
        "            Wait (Irecv from EXCHANGE k)",
        "    Allreduce 8 B",
    ]


def test_lulesh_computes_in_five_bursts() -> None:
    # before five calls of each time step a rank computes 7 ms, before others 1 ms
    grid = Grid((3, 3, 3))
    sizes = (800, 600, 400, 200, 100)
    steps: list[list[Step]] = []
    for rank in range(grid.ranks):
        step: list[Step] = []
        for size in sizes:
            for axis in range(3):
                for sign in (1, -1):
                    there = grid.towards(rank, [sign * (k == axis) for k in range(3)])
                    if there is not None:
                        step.append(Step("Irecv", receives=(there,)))
                        step.append(Step("Isend", sends=((there, size),)))
            step.append(Step("Waitall"))
        steps.append(step * 30)
    trace = trace_of(steps)
    computed = np.where([s.operation == "Waitall" for own in steps for s in own], 7, 1)
    ends = np.cumsum(1000 * computed + 10)
    begins = trace.calls.offsets[:-1]
    before = np.repeat(np.append(0, ends)[begins], np.diff(trace.calls.offsets))
    calls = replace(trace.calls, enter=ends - before - 10, leave=ends - before)
    trace = replace(trace, calls=calls)
    logical = spelled_out(logicalise(trace, grid))
    known = measure_lines(
        trace, logical, None, call_positions(whole_part(trace), logical)
    )
    assert known.logical.statements == 5 * 13

    def bursts(seconds: float) -> int:
        text = timed_listing(known, burst=seconds)
        return sum("compute" in line for line in text.split("\n")[1:])

    assert bursts(0.006) == 5
    assert bursts(0.008) == 0
    assert bursts(0.0005) == 5 * 13
