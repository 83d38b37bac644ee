"""Matrices of parts of a run: against a loop over the events, and over the columns."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from topoview.analysis.network.traffic import SHORT_BYTES, collective_matrix
from topoview.errors import TopoviewError
from topoview.io.archive.finding import open_trace
from topoview.live.tables.pairs import binary_pairs, counted_matrix
from topoview.live.tables.scope import Scope, scope_of
from topoview.model import WAIT_KINDS, Analysis, CommunicationMatrix, Subset, Trace
from topoview.report.formats.matrix import square_text
from topoview.scene.flat.matrix_pixels import matrix_amounts
from topoview.topology import communication_matrix, lattice
from topoview.topology.identification.traffic import cut_matrix

Counted = dict[tuple[int, int], tuple[int, int]]


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("torus", (4, 3), numbering=1))


def pairs_of(matrix: CommunicationMatrix) -> Counted:
    columns = matrix.columns()
    names = ("sender", "receiver", "calls", "bytes")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    return {(a, b): (calls, size) for a, b, calls, size in rows if calls}


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
    assert known.profile is not None
    exchange = known.profile.span.window
    found = counted_matrix(known, window=exchange, waits=True, collectives=True).waits
    assert found is not None
    expected = np.zeros(found.shape)
    expected[sums.pair_whom, sums.pair_rank] = sums.pair_ticks
    expected /= known.trace.clock.resolution
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-9)


def test_rates_are_of_the_time_that_is_counted(known: Analysis) -> None:
    clock = known.trace.clock
    middle = clock.length // 2
    for window, ticks in (
        (None, clock.length),
        ((0, middle), middle),
        ((middle, 2 * clock.length), clock.length - middle),
    ):
        found = counted_matrix(known, window=window)
        seconds = ticks / clock.resolution
        columns = found.columns()
        assert found.seconds == seconds
        assert scope_of(known).matrix().seconds == clock.length / clock.resolution
        for unit, counted in (("calls", found.calls), ("bytes", found.volume)):
            rates, per = matrix_amounts(found, f"{unit}/s")
            assert per is None
            np.testing.assert_allclose(rates.data, counted.data / seconds)
            told = columns[f"{unit}_per_second"]
            np.testing.assert_allclose(told, columns[unit] / seconds)
            rank, other = np.argwhere(counted.toarray())[0]
            square = square_text(found, f"{unit}/s").splitlines()
            cell = float(square[1 + rank].split()[1 + other])
            assert cell == pytest.approx(counted[rank, other] / seconds, rel=6e-3)


def test_rates_of_a_part_that_was_read_are_of_its_time() -> None:
    whole = traces.read_real("sp-rowcol-6x4").clock
    begin, end = (whole.seconds(whole.length) * share for share in (0.4, 0.6))
    path = traces.real_path("sp-rowcol-6x4")
    part = Analysis(open_trace(path, subset=Subset(begin, end)))
    found = counted_matrix(part)
    tick = 1 / whole.resolution
    assert found.seconds == pytest.approx(end - begin, abs=2 * tick)
    ends = round(begin / tick), round(end / tick)
    again = counted_matrix(part, window=(ends[0] - 1000, ends[1] + 1000))
    assert again.seconds == found.seconds
    half = counted_matrix(part, window=(0, sum(ends) // 2))
    assert half.seconds == pytest.approx((end - begin) / 2, abs=2 * tick)


def test_collectives_come_on_top(real_trace: Callable[[str], Trace]) -> None:
    known = Analysis(real_trace("sp-rowcol-6x4"))
    parts = known.trace.collectives
    modelled, told = collective_matrix(known.trace)
    found = counted_matrix(known, collectives=True)
    assert found.modelled == told == ("Alltoall: each sends to each",)
    messages = counted_matrix(known)
    assert ((messages.calls + modelled.calls) != found.calls).nnz == 0
    assert ((messages.volume + modelled.volume) != found.volume).nnz == 0
    for number, communicator in enumerate(known.trace.communicators):
        both = counted_matrix(known, collectives=True, communicator=number).calls
        alone = counted_matrix(known, communicator=number).calls
        members = communicator.ranks.tolist()
        times = int((parts.communicator == number).sum()) // max(len(members), 1)
        expected = np.zeros(both.shape, np.int64)
        if times:
            expected[np.ix_(members, members)] = times  # an all-to-all
            expected[members, members] = 0
        assert ((both - alone).toarray() == expected).all()


@pytest.mark.parametrize("long", [False, True])
def test_steps_of_an_operation(known: Analysis, long: bool) -> None:
    """An allreduce of 12 ranks: with little data each of 8 has a partner in 3 steps.

    With more, on the bound's other side: 11 steps of reduce-scatter on a ring, as many
    of allgather.
    """
    parts, calls = known.trace.collectives, known.trace.calls
    regions, ranks = known.trace.regions, known.trace.ranks
    names = [regions.names[r] for r in calls.region[parts.call].tolist()]
    reduces = np.array([name == "MPI_Allreduce" for name in names])
    times = int(reduces.sum()) // ranks
    assert times
    assert ranks == 12
    sent = np.where(reduces, SHORT_BYTES + long, 0)
    one = replace(known.trace, collectives=replace(parts, sent=sent))
    modelled, told = collective_matrix(one)
    how = {
        False: f"Allreduce up to {SHORT_BYTES} B: recursive doubling",
        True: f"Allreduce above {SHORT_BYTES} B: ring: reduce-scatter, then allgather",
    }
    assert told == (how[long],)
    assert set(modelled.calls.data.tolist()) == {times * 22 if long else times}
    assert modelled.calls.nnz == (ranks if long else 3 * 8 + 2 * 4)
    size = 2 * (SHORT_BYTES + 1) * 11 / 12 if long else SHORT_BYTES
    assert modelled.volume.data == pytest.approx(times * size, abs=1)


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


@pytest.mark.traces
def test_mg_full_and_binary_as_published(real_trace: Callable[[str], Trace]) -> None:
    """The 2x2x4 torus, and the four faint pairs of coarse levels that the cut leaves.

    Xu, Prithivathi, Subhlok, Zheng, 2008, print both matrices of MG on 16 ranks.
    """
    matrix = communication_matrix(real_trace("ez-mg-16"))
    full = matrix.volume.toarray()
    ones, words = binary_pairs(matrix, 1)
    torus = np.zeros((16, 16))
    one, other = lattice((2, 2, 4), (True,) * 3).edges.T
    torus[one, other] = torus[other, one] = 1
    assert (ones.toarray() == torus).all()
    faint = np.argwhere(np.triu(full * (1 - torus))).tolist()
    assert faint == [[4, 12], [5, 13], [6, 14], [7, 15]]
    assert words == "32 pairs of 95.7 KiB or more; 4 of 2.81 KiB or less"
    shown = square_text(cut_matrix(matrix, 1)[0], "binary").split()
    expected = ["".join(".1"[int(cell)] for cell in row) for row in torus]
    assert shown == expected


def test_waits_of_pairs_below_the_cut_are_left_out() -> None:
    from topoview.topology.matrix import matrix_of

    ends, size = (np.array([0, 1, 2]), np.array([1, 2, 0])), np.array([10, 1000, 1000])
    matrix = matrix_of(3, *ends, np.ones(3, np.int64), size)
    seconds = csr_array((np.array([1.0, 2.0, 4.0]), ends[::-1]), shape=(3, 3))
    found, _ = cut_matrix(replace(matrix, waits=seconds), 1)
    assert found.waits is not None
    assert found.waits.toarray().tolist() == [[0, 0, 4], [0, 0, 0], [0, 2, 0]]


def test_waits_that_are_not_known_are_no_zeros(known: Analysis) -> None:
    with pytest.raises(TopoviewError, match="clocks of its ranks cannot be aligned"):
        Scope(replace(known, waits=None)).matrix(waits=True)
