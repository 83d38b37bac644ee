"""Receives from whoever comes first: all ranks do the same, in orders of their own."""

import numpy as np
import pytest
from parts import read_calls
from programs import Grid, Step, trace_of
from traces import logical_of

from topoview.logical.calls.partners import Naming
from topoview.logical.calls.wildcards import probed_receives
from topoview.logical.listing import listing
from topoview.model import LogicalTrace, Trace

STEPS = (1, 3, -2)
RANKS = 12


def sends(rank: int) -> list[Step]:
    return [
        Step("Issend", sends=((((rank + far) % RANKS), 100 * (k + 1)),))
        for k, far in enumerate(STEPS)
    ]


def arrivals(rank: int, rng: np.random.Generator) -> list[int]:
    """Who sends to a rank, in an order of its own."""
    return rng.permutation([(rank - far) % RANKS for far in STEPS]).tolist()


def probing(rng: np.random.Generator) -> Trace:
    """Messages of unknown senders and sizes, as many as are known to come."""
    return trace_of(
        [
            [
                step
                for _ in range(6)
                for step in (
                    *sends(rank),
                    *(
                        half
                        for sender in arrivals(rank, rng)
                        for half in (Step("Probe"), Step("Recv", receives=(sender,)))
                    ),
                    Step("Waitall"),
                )
            ]
            for rank in range(RANKS)
        ]
    )


def consensus(rng: np.random.Generator) -> Trace:
    """Poll until a non-blocking barrier ends: NBX (Hoefler et al. 2010)."""
    ranks = []
    for rank in range(RANKS):
        steps = []
        for _ in range(6):
            steps += sends(rank)
            for sender in arrivals(rank, rng):
                for _ in range(int(rng.integers(3))):
                    steps += [Step("Iprobe"), Step("Testall")]
                steps += [Step("Iprobe"), Step("Recv", receives=(sender,))]
            steps.append(Step("Testall"))
            steps.append(Step("Ibarrier", part=(0, -1, 0)))
            for _ in range(int(rng.integers(1, 9))):
                steps += [Step("Iprobe"), Step("Test")]
        ranks.append(steps)
    return trace_of(ranks)


def exact(trace: Trace) -> tuple[LogicalTrace, str]:
    _, logical = logical_of(trace)
    assert logical.ranks_verified == trace.ranks
    return logical, listing(logical)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_probes_take_whatever_comes(seed: int) -> None:
    trace = probing(np.random.default_rng(seed))
    logical, text = exact(trace)
    assert logical.statements == 6
    assert "Recv from ANY 100..300 B" in text
    assert "Issend to EAST x3 200 B" in text
    assert any("order of arrival" in note for note in logical.notes)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_polling_until_all_have_heard_is_one_poll(seed: int) -> None:
    logical, text = exact(consensus(np.random.default_rng(seed)))
    assert logical.statements <= 8
    assert text.count("Iprobe") <= 2


def test_senders_are_told_where_ranks_agree_about_their_order() -> None:
    """Probes of a fixed order: nothing is gained by forgetting it."""
    ranks = [
        [
            step
            for _ in range(6)
            for step in (
                *sends(rank),
                *(
                    half
                    for far in STEPS
                    for half in (
                        Step("Probe"),
                        Step("Recv", receives=((rank - far) % RANKS,)),
                    )
                ),
            )
        ]
        for rank in range(RANKS)
    ]
    _, text = exact(trace_of(ranks))
    assert "ANY" not in text
    assert "Recv from WEST x3 200 B" in text


def test_two_masters_serve_their_workers_in_order_of_arrival() -> None:
    rng = np.random.default_rng(3)
    masters, tasks = 2, 6
    ranks: list[list[Step]] = [[] for _ in range(RANKS)]
    for master in range(masters):
        workers = range(masters + master, RANKS, masters)
        for worker in rng.permutation(np.repeat(workers, tasks)).tolist():
            ranks[master] += [
                Step("Recv", receives=(worker,)),
                Step("Send", sends=((worker, 800),)),
            ]
        for worker in workers:
            for _ in range(tasks):
                ranks[worker] += [
                    Step("Send", sends=((master, 80),)),
                    Step("Recv", receives=(master,)),
                ]
    logical, text = exact(trace_of(ranks))
    assert logical.statements == 4
    assert "Recv from WORKER 80 B" in text
    assert "WORKER 1" not in text


def test_a_grid_keeps_its_directions() -> None:
    """Ranks at edges differ from each other, but not by what comes first."""
    grid = Grid((3, 3))
    ranks: list[list[Step]] = []
    for rank in range(9):
        steps = []
        for _ in range(5):
            near = [grid.towards(rank, o) for o in ((1, 0), (-1, 0), (0, 1), (0, -1))]
            steps += [Step("Isend", sends=((r, 64),)) for r in near if r is not None]
            steps += [Step("Recv", receives=(r,)) for r in near if r is not None]
            steps.append(Step("Waitall"))
        ranks.append(steps)
    _, text = exact(trace_of(ranks))
    assert "ANY" not in text


def test_a_poll_stands_for_those_of_its_own_rank() -> None:
    """A rank's first poll may come right behind a receive that takes what comes."""
    steps = [
        *(Step("Send", sends=(((rank + 1) % 3, 8),)) for rank in range(3)),
        *(Step("Recv", receives=((rank - 1) % 3,)) for rank in range(3)),
    ]
    behind = [Step("Iprobe"), Step("Iprobe"), Step("Testall"), Step("Barrier")]
    trace = trace_of(
        [[steps[k], Step("Probe"), steps[3 + k], *behind] for k in range(3)]
    )
    reader = read_calls(trace, Naming(Grid((3,))), arrives=probed_receives)
    rows = reader.table(slice(0, 3))
    owner = np.searchsorted(trace.calls.offsets, rows.polled, side="right")
    assert (owner[:, 0] == owner[:, 1]).all()
    assert (rows.polled[:, 1] % 7 == 3).all()
    assert len(rows.polled) == 3 * 2
