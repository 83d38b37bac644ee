"""Iterations, waits by direction, arrivals: against plain loops over the events."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
import traces
from plain_events import Plain

from topoview.live.tables.calls import Search
from topoview.live.tables.iteration_grid import direction_waits
from topoview.live.tables.scope import Scope
from topoview.live.tables.search.query import parse_query
from topoview.worker.results import shown_of

JACOBI = [
    "sp-jacobi2d-8x4-periodic-idlewave",
    pytest.param("sp-jacobi2d-6x6-idlewave", marks=pytest.mark.slow),
    pytest.param("ez-jacobi2d-8x4-periodic-idlewave", marks=pytest.mark.slow),
]
"""Each step posts receives and sends, at edges to ``MPI_PROC_NULL``, and ends with the
only Waitall."""


@pytest.mark.parametrize("name", JACOBI)
def test_iterations_equal_a_plain_loop(
    plain: Callable[[str], Plain], name: str
) -> None:
    known, events = shown_of(traces.real_path(name)), plain(name)
    sent: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for message in events.messages:
        sent[message[0]].append((message[5], message[2]))
    true, begun, numbers = {}, {}, defaultdict(int)
    before: dict[int, int] = {}
    for rank, function, _, enter, leave in events.calls:
        if function == "Irecv" and rank not in begun:
            begun[rank] = [before[rank], 0]
        if rank in begun:
            begun[rank][1] += leave - enter
        if function == "Waitall":
            begin, inside = begun.pop(rank)
            volume = sum(size for time, size in sent[rank] if begin <= time <= leave)
            numbers[rank] += 1
            true[rank, numbers[rank]] = (leave - begin, inside, volume)
        before[rank] = leave
    table = Scope(known).iterations().to_pandas().set_index(["rank", "iteration"])
    assert set(table.index) == set(true)
    for key, column in enumerate(("seconds", "mpi")):
        ticks = [true[at][key] for at in table.index]
        scale = known.trace.clock.resolution
        np.testing.assert_allclose(table[column], np.array(ticks) / scale)
    assert table.bytes.tolist() == [true[at][2] for at in table.index]


@pytest.mark.parametrize("name", JACOBI)
def test_waits_by_direction_equal_a_plain_loop(
    plain: Callable[[str], Plain], name: str
) -> None:
    """A Waitall waits until the last of its messages is begun to be sent."""
    known, events = shown_of(traces.real_path(name)), plain(name)
    assert known.identification is not None
    begins: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for rank, function, _, enter, leave in events.calls:
        begins[rank].append(enter)
        if function == "Waitall":
            ends[rank].append((enter, leave))
    last: dict[tuple[int, int, int], tuple[int, int]] = {}
    for sender, receiver, _, _, _, sent, arrived in events.messages:
        at = bisect(ends[receiver], (arrived, arrived)) - 1
        call = receiver, *ends[receiver][at]
        begin = begins[sender][bisect(begins[sender], sent) - 1]
        last[call] = max(last.get(call, (0, 0)), (begin, sender))
    match = known.identification.best
    places, size = match.coordinates, match.topology.dims
    steps = {"EAST": (1, 0), "WEST": (-1, 0), "SOUTH": (0, 1), "NORTH": (0, -1)}
    true: dict[str, list[int]] = defaultdict(list)
    for (rank, enter, leave), (until, sender) in last.items():
        if until > enter:
            way = tuple((places[sender] - places[rank]).tolist())
            (label,) = (
                name
                for name, step in steps.items()
                if all(
                    (a - b) % n == 0 for a, b, n in zip(way, step, size, strict=True)
                )
            )
            true[label].append(min(until, leave) - enter)
    found = direction_waits(known, Search(known).calls(parse_query("waitall")))
    told = dict(zip(found.labels, found.seconds.tolist(), strict=True))
    scale = known.trace.clock.resolution
    assert told == pytest.approx({way: sum(t) / scale for way, t in true.items()})
    number = dict(zip(found.labels, found.calls.tolist(), strict=True))
    assert number == {way: len(ticks) for way, ticks in true.items()}


def test_arrivals_equal_a_plain_loop(plain: Callable[[str], Plain]) -> None:
    """Of operations of all ranks: the n-th call of each rank is of the n-th one."""
    name = "ez-cg-8"
    known = shown_of(traces.real_path(name))
    times: dict[str, list[list[int]]] = defaultdict(
        lambda: [[] for _ in range(known.trace.ranks)]
    )
    for rank, function, _, enter, _ in plain(name).calls:
        times[function][rank].append(enter)
    table = Scope(known).statistics("collective").to_pandas()
    kinds = table.collective.astype(str).str.partition(" on ")
    assert set(kinds[2]) == {"MPI_COMM_WORLD"}
    for kind, row in zip(kinds[0], table.itertuples(), strict=True):
        turns = np.array(times[kind])
        spread = (turns.max(axis=0) - turns.min(axis=0)) / known.trace.clock.resolution
        assert row.operations == len(spread)
        told = [row.spread, row.spread_min, row.spread_median, row.spread_max]
        true = [spread.sum(), spread.min(), np.median(spread), spread.max()]
        assert told == pytest.approx(true)
