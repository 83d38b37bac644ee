"""Wait states one by one, by Scalasca's definitions, in traces written by hand."""

from dataclasses import replace

import numpy as np
import pytest
from handmade import handmade
from traces import read_real, results_of_real, results_of_small, simulated

from topoview.model import WAIT_KINDS, EventRecords, Trace, WaitSums

BARRIER, BCAST, GATHER, SCATTER, ALLREDUCE, REDUCE, SCAN = 0, 1, 2, 4, 11, 12, 14
ALLGATHER, ALLTOALLV, REDUCE_SCATTER, EXSCAN = 6, 9, 13, 15


def sums_of(trace: Trace) -> WaitSums:
    found: WaitSums = results_of_small(trace).make("wait_sums")
    return found


def sums_of_real(name: str) -> WaitSums:
    found: WaitSums = results_of_real(name).make("wait_sums")
    return found


def suffered(trace: Trace) -> dict[str, list[int]]:
    """List the waiting of each rank, by the kinds that there are."""
    found = sums_of(trace)
    return {
        kind: found.suffered[code].tolist()
        for code, kind in enumerate(WAIT_KINDS)
        if found.suffered[code].any()
    }


def test_late_sender() -> None:
    trace = handmade(
        [[("Send", 50, 55)], [("Recv", 20, 60)]], [((0, 0), (1, 0), (1, 0))]
    )
    assert suffered(trace) == {"late_sender": [0, 30]}
    found = sums_of(trace)
    assert found.held_up.sum(axis=0).tolist() == [30, 0]
    assert (found.pair_rank.tolist(), found.pair_whom.tolist()) == ([1], [0])
    assert (found.pair_ticks.tolist(), found.pair_calls.tolist()) == ([30], [1])
    assert found.by_communicator.tolist() == [30]


def test_late_sender_in_the_call_that_completes_the_receive() -> None:
    trace = handmade(
        [
            [("Isend", 50, 52), ("Wait", 52, 53)],
            [("Irecv", 10, 11), ("Wait", 30, 60)],
        ],
        [((0, 0), (1, 0), (1, 1))],
        completes=[((0, 1), (0, 0)), ((1, 1), (1, 0))],
    )
    assert suffered(trace) == {"late_sender": [0, 20]}


def test_only_the_last_message_of_a_waitall_counts() -> None:
    trace = handmade(
        [
            [("Send", 40, 41)],
            [("Irecv", 1, 2), ("Irecv", 2, 3), ("Waitall", 10, 70)],
            [("Send", 60, 61)],
        ],
        [((0, 0), (1, 0), (1, 2)), ((2, 0), (1, 1), (1, 2))],
    )
    assert suffered(trace) == {"late_sender": [0, 50, 0]}
    assert sums_of(trace).held_up.sum(axis=0).tolist() == [0, 0, 50]


def test_late_receiver() -> None:
    trace = handmade(
        [[("Send", 20, 60)], [("Recv", 50, 65)]], [((0, 0), (1, 0), (1, 0))]
    )
    assert suffered(trace) == {"late_receiver": [30, 0]}


def test_late_receiver_in_the_call_that_completes_the_send() -> None:
    trace = handmade(
        [[("Isend", 5, 6), ("Wait", 20, 60)], [("Recv", 50, 65)]],
        [((0, 0), (1, 0), (1, 0))],
        completes=[((0, 1), (0, 0))],
    )
    assert suffered(trace) == {"late_receiver": [30, 0]}


@pytest.mark.parametrize(
    ("call", "waited"), [("Waitall", [60, 0, 0]), ("Waitsome", [20, 0, 0])]
)
def test_late_receivers_of_several_sends(call: str, waited: list[int]) -> None:
    """All are waited for, or the first."""
    trace = handmade(
        [
            [("Isend", 1, 2), ("Isend", 2, 3), (call, 10, 75)],
            [("Recv", 70, 76)],
            [("Recv", 30, 76)],
        ],
        [
            ((0, 0), (1, 0), (1, 0), (0, 2)),
            ((0, 1), (2, 0), (2, 0), (0, 2)),
        ],
    )
    assert suffered(trace) == {"late_receiver": waited}
    whom = 1 if call == "Waitall" else 2
    assert sums_of(trace).held_up.sum(axis=0)[whom] == waited[0]


@pytest.mark.parametrize(
    ("send", "sent", "posted", "expected"),
    [
        ("Isend", 30, 70, {"late_receiver": 60}),
        ("Isend", 60, 40, {"late_sender": 50}),
        # Sent ahead, most likely: the message of the other has just come.
        ("Isend", 60, 62, {"late_sender": 50}),
        ("Issend", 60, 62, {"late_receiver": 52}),
        ("Isend", 5, 62, {"late_receiver": 52}),
        ("Isend", 60, 80, {"late_sender": 50}),
    ],
)
def test_a_waitall_waits_for_what_explains_its_end(
    send: str, sent: int, posted: int, expected: dict[str, int]
) -> None:
    """Rank 0 receives from rank 2, and sends to rank 1, in one Waitall."""
    trace = handmade(
        [
            [("Irecv", 1, 2), (send, 2, 3), ("Waitall", 10, 75)],
            [("Recv", posted, 90)],
            [("Send", sent, sent + 1)],
        ],
        [
            ((0, 1), (1, 0), (1, 0), (0, 2)),
            ((2, 0), (0, 0), (0, 2)),
        ],
    )
    assert {kind: ticks[0] for kind, ticks in suffered(trace).items()} == expected


@pytest.mark.parametrize(
    ("size", "expected"), [(8, {}), (9, {"late_receiver": [30, 0]})]
)
@pytest.mark.parametrize(
    "calls",
    [[("Isend", 5, 6), ("Wait", 20, 60)], [("Barrier", 5, 6), ("Send", 20, 60)]],
)
def test_what_is_small_enough_to_be_sent_ahead_needs_no_receiver(
    calls: list[tuple[str, int, int]], size: int, expected: dict[str, list[int]]
) -> None:
    """Eight bytes were received long after they had been sent."""
    sends = 1 if calls[0][0] == "Isend" else 2
    trace = handmade(
        [[("Send", 1, 2), *calls], [("Recv", 50, 65), ("Recv", 66, 67)]],
        [((0, sends), (1, 0), (1, 0), (0, 2)), ((0, 0), (1, 1), (1, 1), (0, 0))],
    )
    sizes = np.where(trace.messages.send_call == sends, size, 8)
    trace = replace(trace, messages=replace(trace.messages, size=sizes))
    assert suffered(trace) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("Send", {}), ("Ssend", {"late_receiver": [30, 0]})]
)
def test_a_synchronous_send_needs_its_receiver_whatever_its_size(
    name: str, expected: dict[str, list[int]]
) -> None:
    trace = handmade(
        [[("Send", 1, 2), (name, 20, 60)], [("Recv", 50, 65), ("Recv", 66, 67)]],
        [((0, 1), (1, 0), (1, 0)), ((0, 0), (1, 1), (1, 1))],
    )
    assert suffered(trace) == expected


@pytest.mark.parametrize(("ahead", "waited"), [(1, 500), (2, 0)])
def test_few_sends_that_seem_to_be_ahead_are_errors_of_clocks(
    ahead: int, waited: int
) -> None:
    """Of a hundred that wait for their receive, and these."""
    sends = [("Send", 20 * k, 20 * k + 10) for k in range(100)]
    receives = [("Recv", begin + 5, end) for _, begin, end in sends]
    for k in range(ahead):
        sends.append(("Send", 3000 + 10 * k, 3001 + 10 * k))
        receives.append(("Recv", 3005 + 10 * k, 3006 + 10 * k))
    messages = [((0, k), (1, k), (1, k)) for k in range(len(sends))]
    waits = suffered(handmade([sends, receives], messages))
    assert waits.get("late_receiver", [0])[0] == waited


def test_a_send_that_returned_before_did_not_wait() -> None:
    trace = handmade(
        [[("Send", 20, 49)], [("Recv", 50, 65)]], [((0, 0), (1, 0), (1, 0))]
    )
    assert suffered(trace) == {}


def test_a_buffered_send_never_waits() -> None:
    trace = handmade(
        [[("Bsend", 20, 60)], [("Recv", 50, 65)]], [((0, 0), (1, 0), (1, 0))]
    )
    assert suffered(trace) == {}


def test_wrong_order() -> None:
    """Rank 2 receives from 0 first, though 1 had sent before."""
    trace = handmade(
        [
            [("Send", 50, 51)],
            [("Send", 10, 11)],
            [("Recv", 20, 52), ("Recv", 53, 54)],
        ],
        [((0, 0), (2, 0), (2, 0)), ((1, 0), (2, 1), (2, 1))],
    )
    assert suffered(trace) == {"late_sender": [0, 0, 30]}
    assert sums_of(trace).wrong_order.tolist() == [[0, 0, 30], [0, 0, 0]]


def test_wrong_order_of_messages_from_the_same_source() -> None:
    """Rank 1 receives the second message of rank 0 first, by its tag."""
    trace = handmade(
        [
            [("Send", 10, 11), ("Send", 50, 51)],
            [("Recv", 20, 52), ("Recv", 53, 54)],
        ],
        [((0, 0), (1, 1), (1, 1)), ((0, 1), (1, 0), (1, 0))],
    )
    assert suffered(trace) == {"late_sender": [0, 30]}
    assert sums_of(trace).wrong_order.tolist() == [[0, 0], [0, 30]]


def test_right_order() -> None:
    trace = handmade(
        [
            [("Send", 50, 51)],
            [("Send", 60, 61)],
            [("Recv", 20, 52), ("Recv", 53, 64)],
        ],
        [((0, 0), (2, 0), (2, 0)), ((1, 0), (2, 1), (2, 1))],
    )
    assert suffered(trace) == {"late_sender": [0, 0, 37]}
    assert not sums_of(trace).wrong_order.any()


def together(name: str, enter: list[int], leave: list[int]) -> list[list[tuple]]:
    """Let each rank make one call."""
    return [[(name, e, x)] for e, x in zip(enter, leave, strict=True)]


PLACES = [(0, 0), (1, 0), (2, 0)]


@pytest.mark.parametrize(
    ("name", "code", "root", "kind", "waits"),
    [
        ("Barrier", BARRIER, -1, "wait_at_barrier", [40, 0, 20]),
        ("Allreduce", ALLREDUCE, -1, "wait_at_nxn", [40, 0, 20]),
        ("Bcast", BCAST, 2, "late_broadcast", [20, 0, 0]),
        ("Scatter", SCATTER, 1, "late_broadcast", [40, 0, 20]),
        ("Reduce", REDUCE, 0, "early_reduce", [40, 0, 0]),
        ("Gather", GATHER, 2, "early_reduce", [0, 0, 20]),
        ("Scan", SCAN, -1, "early_scan", [0, 0, 20]),
        ("Exscan", EXSCAN, -1, "early_scan", [0, 0, 20]),
        ("Allgather", ALLGATHER, -1, "wait_at_nxn", [40, 0, 20]),
        ("Alltoallv", ALLTOALLV, -1, "wait_at_nxn", [40, 0, 20]),
        ("Reduce_scatter", REDUCE_SCATTER, -1, "wait_at_nxn", [40, 0, 20]),
    ],
)
def test_collective_operations(
    name: str, code: int, root: int, kind: str, waits: list[int]
) -> None:
    trace = handmade(
        together(name, [10, 50, 30], [60, 62, 64]), collectives=[(code, root, PLACES)]
    )
    assert suffered(trace) == {kind: waits}


def test_the_wait_of_a_nonblocking_operation_is_in_what_completes_it() -> None:
    trace = handmade(
        [
            [("Ibarrier", 5, 6), ("Wait", 10, 60)],
            [("Ibarrier", 50, 51), ("Wait", 52, 60)],
        ],
        collectives=[(BARRIER, -1, [(0, 0), (1, 0)])],
        completes=[((0, 1), (0, 0)), ((1, 1), (1, 0))],
    )
    assert suffered(trace) == {"wait_at_barrier": [40, 0]}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Win_fence", "wait_at_fence"),
        ("Win_create", "wait_at_create"),
        ("Win_free", "wait_at_free"),
    ],
)
def test_operations_of_all_ranks_of_a_window(name: str, kind: str) -> None:
    trace = handmade(together(name, [10, 50, 30], [60, 62, 64]))
    fields = (
        "operation",
        "sync_level",
        "window",
        "root",
        "bytes_sent",
        "bytes_received",
    )
    values = np.tile(np.array([0, 3, 7, 0, 0, 0]), (3, 1))
    ends = EventRecords(
        "RmaCollectiveEnd", fields, np.arange(4), trace.calls.leave - 1, values
    )
    trace = replace(trace, calls=replace(trace.calls), further=(ends,))
    assert suffered(trace) == {kind: [40, 0, 20]}
    assert sums_of(trace).held_up.sum(axis=0).tolist() == [0, 60, 0]


def test_completion_begins_when_the_first_rank_leaves() -> None:
    ranks = together("Barrier", [10, 50, 30], [60, 62, 64])
    for own, enter in zip(ranks, [70, 70, 70], strict=True):
        own.append(("Allreduce", enter, enter + 5 + len(own)))
    ranks[0][1] = ("Allreduce", 70, 75)
    ranks[1][1] = ("Allreduce", 72, 78)
    second = [(rank, 1) for rank in range(3)]
    trace = handmade(
        ranks, collectives=[(BARRIER, -1, PLACES), (ALLREDUCE, -1, second)]
    )
    assert sums_of(trace).completion.tolist() == [2 + 4, 3 + 1]


def test_nobody_waits_longer_than_the_call_lasts() -> None:
    trace = handmade(
        [[("Send", 50, 55)], [("Recv", 20, 40)]], [((0, 0), (1, 0), (1, 0))]
    )
    assert suffered(trace) == {"late_sender": [0, 20]}


def test_the_public_trace_of_known_waits() -> None:
    """Casita's example: late senders of 9, 10 and 11 s, then a barrier."""
    trace = read_real("public-casita-4_mpi_ls_barr")
    found, second = sums_of_real("public-casita-4_mpi_ls_barr"), trace.clock.resolution
    by_kind = dict(zip(WAIT_KINDS, found.suffered / second, strict=True))
    assert np.sort(by_kind["late_sender"]) == pytest.approx([0, 9, 10, 11], abs=0.1)
    barrier = [0, 6.7, 6.8, 7.8]
    assert np.sort(by_kind["wait_at_barrier"]) == pytest.approx(barrier, abs=0.1)
    assert found.error == 0


@pytest.mark.parametrize(
    "name",
    [
        "public-casita-2_cuda_simple",
        "public-casita-4_mpi_ls_barr",
        "public-casita-10_scorep_mpi_tags",
    ],
)
def test_late_senders_of_public_traces_follow_from_their_records(name: str) -> None:
    """Message by message: from the receive's begin to the send's, within the call."""
    results = results_of_real(name)
    trace = results.trace
    states, kind = results.make("waits"), WAIT_KINDS.index("late_sender")
    enter, leave = trace.calls.enter.tolist(), trace.calls.leave.tolist()
    messages, latest = trace.messages, dict[int, int]()
    pairs = zip(
        messages.send_call.tolist(), messages.completion_call.tolist(), strict=True
    )
    for send, done in pairs:
        if send >= 0 and done >= 0:
            latest[done] = max(latest.get(done, -1), enter[send])
    total = 0
    for call in np.flatnonzero(states.kind == kind).tolist():
        assert states.until[call] == latest[call]
        total += min(max(latest[call] - enter[call], 0), leave[call] - enter[call])
    assert results.make("wait_sums").suffered[kind].sum() == total > 0


def test_sums_of_many_ranks_are_those_of_all_calls() -> None:
    trace = simulated("torus", (20, 15), iterations=4)
    results = results_of_small(trace)
    waits, found = results.make("waits"), results.make("wait_sums")
    begin, end = results.make("outline").exchange
    calls, expected = trace.calls, np.zeros((len(WAIT_KINDS), trace.ranks), int)
    held_up = np.zeros(trace.ranks, int)
    for rank in range(trace.ranks):
        for call in range(calls.offsets[rank], calls.offsets[rank + 1]):
            until = min(waits.until[call], calls.leave[call], end)
            since = max(calls.enter[call], begin)
            if waits.until[call] >= 0 and until > since:
                expected[waits.kind[call], rank] += until - since
                held_up[waits.whom[call]] += until - since
    assert found.suffered.tolist() == expected.tolist()
    assert found.held_up.sum(axis=0).tolist() == held_up.tolist()
    assert found.by_direction.sum() == expected[0].sum()
    assert found.by_statement.sum() == found.by_iteration.sum() == expected.sum()


def test_delays_of_whom_the_trace_does_not_tell_what_they_did() -> None:
    """The rank that is waited for has just begun."""
    trace = handmade([[("Send", 0, 5)], [("Recv", 0, 60)]], [((0, 0), (1, 0), (1, 0))])
    assert results_of_small(trace).make("delays") is None
    trace = handmade(
        [[("Send", 50, 55)], [("Recv", 20, 60)]], [((0, 0), (1, 0), (1, 0))]
    )
    found = results_of_small(trace).make("delays")
    # what is done once takes as long as usual: it is a cause, and no delay
    assert (len(found), found.of_rank.tolist()) == (0, [30, 0])
    assert found.unattributed == found.waiting == 30


def test_waiting_is_passed_on_to_its_root() -> None:
    """Rank 1 is late since rank 0 was; rank 2 waits for both."""
    trace = handmade(
        [
            [("Send", 60, 60)],
            [("Recv", 10, 60), ("Send", 70, 70)],
            [("Recv", 20, 70)],
        ],
        [((0, 0), (1, 0), (1, 0)), ((1, 1), (2, 0), (2, 0))],
    )
    found = results_of_small(trace).make("delays")
    # rank 2 computes 20, rank 1 20 and waits 50: so all 50 of rank 2 are passed on
    assert found.of_rank.tolist() == [100, 0, 0]
    assert found.of_rank.sum() == found.waiting


@pytest.mark.traces
@pytest.mark.parametrize(
    "name", ["public-casita-10_scorep_mpi_tags", "public-casita-2_cuda_simple"]
)
def test_sums_agree_with_each_other(name: str) -> None:
    found = sums_of_real(name)
    assert found.held_up.sum() == found.total
    assert found.pair_ticks.sum() == found.total
    assert found.by_communicator.sum() == found.total
    assert found.by_iteration.sum() == found.total
    assert (found.wrong_order.sum(axis=0) <= found.suffered[0]).all()


def test_what_clocks_do_not_tell_is_between_bounds() -> None:
    assert sums_of_real("sp-jacobi2d-8x4-periodic-idlewave").error == 0
    trace = read_real("ez-threads-halo")
    found = sums_of_real("ez-threads-halo")
    assert trace.clock.alignment is not None
    assert found.least < found.total < found.most
    assert found.error == max(found.total - found.least, found.most - found.total)
