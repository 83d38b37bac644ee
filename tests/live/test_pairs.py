"""Matrices of parts of a run: against a loop over the events, and over the columns."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import otf2
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from otf2_reader import read_through_library

from topoview.analysis.network.traffic import collective_matrix
from topoview.live.tables.pairs import binary_pairs, counted_matrix
from topoview.live.tables.scope import scope_of
from topoview.model import WAIT_KINDS, Analysis, CommunicationMatrix, Trace
from topoview.pipeline import analyse
from topoview.topology.identification.traffic import cut_matrix

Counted = dict[tuple[int, int], tuple[int, int]]


@pytest.fixture(scope="module")
def known() -> Analysis:
    *_, last = analyse(traces.simulated("torus", (4, 3), numbering=1))
    return last


def pairs_of(matrix: CommunicationMatrix) -> Counted:
    columns = matrix.columns()
    names = ("sender", "receiver", "calls", "bytes")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    return {(a, b): (calls, size) for a, b, calls, size in rows if calls}


def sends_of_events(path: Path) -> list[tuple[str, int, int, int, int]]:
    """Sends: communicator, sender, receiver, bytes, ticks; a loop over the package."""
    found, kinds = [], (otf2.events.MpiSend, otf2.events.MpiIsend)
    with otf2.reader.open(str(path)) as archive:
        world = next(
            list(one.members)
            for one in archive.definitions.groups
            if one.group_type == otf2.GroupType.COMM_LOCATIONS
            and one.paradigm == otf2.Paradigm.MPI
        )
        rank = {location: number for number, location in enumerate(world)}
        begin = archive.definitions.clock_properties.global_offset
        for location, event in archive.events:
            if isinstance(event, kinds):
                to = rank[event.communicator.group.members[event.receiver]]
                name, size = event.communicator.name, event.msg_length
                found.append((name, rank[location], to, size, event.time - begin))
    return found


def sends_of_library(path: Path) -> list[tuple[str, int, int, int, int]]:
    """The same of archives that the package refuses: EZTrace defines groups twice."""
    trace = read_through_library(path)
    messages = trace.messages
    columns = messages.sender, messages.receiver, messages.size, messages.send_time
    names = [trace.communicators[c].name for c in messages.communicator.tolist()]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(name, *row) for name, row in zip(names, rows, strict=True)]


def summed(rows: list[tuple[str, int, int, int, int]]) -> Counted:
    found: Counted = {}
    for _, sender, receiver, size, _ in rows:
        calls, volume = found.get((sender, receiver), (0, 0))
        found[sender, receiver] = calls + 1, volume + size
    return found


@pytest.mark.parametrize(
    ("name", "sends"),
    [
        ("sp-masterworker-24", sends_of_events),
        ("sp-twophase-6x6-user-metrics", sends_of_events),
        ("ez-cg-8", sends_of_library),
    ],
)
def test_pairs_equal_a_loop_over_the_events(
    name: str,
    sends: Callable[[Path], list[tuple[str, int, int, int, int]]],
    real_path: Callable[[str], Path],
    real_trace: Callable[[str], Trace],
) -> None:
    trace = real_trace(name)
    known = Analysis(trace)
    rows = sends(real_path(name))
    assert pairs_of(counted_matrix(known)) == summed(rows)
    for number, communicator in enumerate(trace.communicators):
        own = [row for row in rows if row[0] == communicator.name]
        same = [c for c in trace.communicators if c.name == communicator.name]
        if len(same) == 1:
            found = counted_matrix(known, communicator=number)
            assert pairs_of(found) == summed(own)
    middle = sorted(row[4] for row in rows)[len(rows) // 2]
    some = tuple(range(0, trace.ranks, 3))
    inside = [row for row in rows if row[4] < middle and {row[1], row[2]} & set(some)]
    found = counted_matrix(known, window=(0, middle), ranks=some)
    aligned = trace.clock.alignment is not None  # moves times, by little
    assert aligned or pairs_of(found) == summed(inside)
    scoped = scope_of(known, window=(0, None), ranks=some).matrix()
    assert pairs_of(scoped) == summed(
        [row for row in rows if {row[1], row[2]} & set(some)]
    )


@given(
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    ranks=st.sets(st.integers(0, 11)),
    collectives=st.booleans(),
    communicator=st.sampled_from([None, 0, 1]),
)
def test_waits_equal_a_loop_over_the_calls(
    known: Analysis,
    ends: tuple[float, float],
    ranks: set[int],
    collectives: bool,
    communicator: int | None,
) -> None:
    trace, waits, length = known.trace, known.waits, known.trace.clock.length
    assert waits is not None
    begin, end = sorted(round(share * length) for share in ends)
    expected = np.zeros((trace.ranks, trace.ranks))
    for rank in range(trace.ranks):
        for call in range(*trace.calls.offsets[rank : rank + 2].tolist()):
            until = min(waits.until[call], trace.calls.leave[call], end)
            late = until - max(trace.calls.enter[call], begin)
            whom, kind = int(waits.whom[call]), int(waits.kind[call])
            counts = kind < len(WAIT_KINDS) and (
                collectives or WAIT_KINDS[kind] in ("late_sender", "late_receiver")
            )
            if communicator is not None and waits.communicator[call] != communicator:
                continue
            if ranks and not {whom, rank} & ranks:
                continue
            if counts and late > 0 and whom >= 0:
                expected[whom, rank] += late / trace.clock.resolution
    found = counted_matrix(
        known,
        window=(begin, end),
        ranks=tuple(sorted(ranks)),
        communicator=communicator,
        collectives=collectives,
        waits=True,
    )
    assert found.waits is not None
    np.testing.assert_allclose(found.waits.toarray(), expected, rtol=1e-9)


def test_waits_of_the_run_are_those_of_the_sums(known: Analysis) -> None:
    sums = known.wait_sums
    assert sums is not None
    found = counted_matrix(known, waits=True, collectives=True).waits
    assert found is not None
    expected = np.zeros(found.shape)
    expected[sums.pair_whom, sums.pair_rank] = sums.pair_ticks
    expected /= known.trace.clock.resolution
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-9)


def test_collectives_come_on_top(real_trace: Callable[[str], Trace]) -> None:
    known = Analysis(real_trace("sp-rowcol-6x4"))
    modelled, told = collective_matrix(known.trace)
    found = counted_matrix(known, collectives=True)
    assert found.modelled == told == ("Alltoall: each sends to each",)
    assert pairs_of(found) == pairs_of(modelled)  # there are no messages
    parts = known.trace.collectives
    row = known.trace.communicators[int(parts.communicator[0])]
    inner = [r for r in row.ranks.tolist() if r != row.ranks[0]]
    own = counted_matrix(
        known, collectives=True, communicator=int(parts.communicator[0])
    )
    times = int((parts.communicator == parts.communicator[0]).sum()) // len(row.ranks)
    first = {b: n for (a, b), (n, _) in pairs_of(own).items() if a == row.ranks[0]}
    assert first == dict.fromkeys(inner, times)


def test_messages_of_a_ring_of_operations() -> None:
    """An allreduce of p ranks: p - 1 steps of reduce-scatter, as many of allgather."""
    *_, last = analyse(traces.simulated("torus", (4, 3), numbering=1))
    parts = last.trace.collectives
    if not len(parts):
        pytest.skip("the simulated program has no collective operations")
    modelled, told = collective_matrix(last.trace)
    if told == ("Allreduce: ring: reduce-scatter, then allgather",):
        times = len(parts) // last.trace.ranks
        assert set(modelled.calls.data.tolist()) == {times * 2 * 11}


def test_a_binary_matrix_has_the_pairs_above_the_cut() -> None:
    from topoview.topology.matrix import matrix_of

    sender, receiver = np.array([0, 1, 2, 3, 0]), np.array([1, 2, 3, 0, 2])
    size = np.array([1000, 1000, 900, 1000, 10])
    matrix = matrix_of(4, sender, receiver, np.ones(5, np.int64), size)
    ones, words = binary_pairs(matrix, 1)
    assert words == "4 pairs of 900 B or more; 1 of 10 B or less"
    assert ones.toarray().tolist() == [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [1, 0, 0, 0],
    ]
    found, cut = cut_matrix(matrix, 0, threshold=0.95)
    assert cut is not None
    assert cut.least == 1000
    assert found.calls.nnz == 3
    assert binary_pairs(matrix, 0)[1] == "all 5 pairs"
