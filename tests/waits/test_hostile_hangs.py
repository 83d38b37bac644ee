"""Small traces of calls that are never left, and of such as only look like it.

As `test_hostile`: written record by record, and only what is planted waits.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from plain_archive import NONE, Archive
from test_hostile import END, OFF, ON, OPERATION, US, Case, begun, check, message
from test_hostile_requests import received, sent

CASES: dict[str, Callable[[], Case]] = {}


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


def aborted(archive: Archive, rank: int) -> Archive:
    archive.call(rank, END - US, END, "MPI_Abort")
    return archive


@case
def hang_in_waitall() -> Case:
    """Rank 1 has sent, rank 2 waits for rank 0 itself: a cycle of 0 and 2."""
    archive = begun(4)
    for turn in range(4):
        begin = (10 + 20 * turn) * US
        last = turn == 3
        for k in (1, 2):
            post = begin + 200 * k
            record = post + 1, "MpiIrecvRequest", k
            archive.call(0, post, post + 100, "MPI_Irecv", record)
        archive.call(1, begin, begin + 100, "MPI_Send", sent(0, begin))
        if last:
            archive.call(0, begin + US, None, "MPI_Waitall")
            archive.call(2, begin, None, "MPI_Recv")
            continue
        archive.call(2, begin, begin + 100, "MPI_Send", sent(0, begin))
        end = begin + 2 * US
        done = [received(k, end - 3 + k, k) for k in (1, 2)]
        archive.call(0, begin + US, end, "MPI_Waitall", *done)
        when = begin + 3 * US
        archive.call(0, when, when + 100, "MPI_Send", sent(2, when))
        archive.call(2, when, when + 200, "MPI_Recv", received(0, when + 200))
    return Case(
        aborted(archive, 3),
        {"never_completed": [END / US - 71, 0, END / US - 70, 0]},
        never_left=2,
        hung=((0, 2), (2, 0)),
    )


@case
def hang_in_waits_for_sends() -> Case:
    """Two wait until their large messages are received, one of them for a third."""
    archive = begun(4)
    for turn in range(3):
        begin = (10 + 20 * turn) * US
        for rank in (0, 1):
            isend = begin + 1, "MpiIsend", 1 - rank, 0, 0, 8, 5
            archive.call(rank, begin, begin + 100, "MPI_Isend", isend)
            when = begin + 200
            if turn == 2:
                archive.call(rank, when, None, "MPI_Waitall")
                continue
            archive.call(
                rank, when, when + 100, "MPI_Recv", received(1 - rank, when + 100)
            )
            done = when + 299, "MpiIsendComplete", 5
            archive.call(rank, when + 200, when + 300, "MPI_Waitall", done)
    isend = 20 * US + 1, "MpiIsend", 3, 0, 0, 8, 5
    archive.call(2, 20 * US, 20 * US + 100, "MPI_Isend", isend)
    archive.call(2, 50 * US, None, "MPI_Wait")
    left = END / US - 50.2
    return Case(
        aborted(archive, 3),
        {"never_completed": [left, left, END / US - 50, 0]},
        never_left=3,
        hung=((0, 1), (1, 0), (2, 3)),
    )


@case
def hang_in_operations_of_some() -> Case:
    """Ranks 1 and 3 wait for 5, which is at the same operation of other ranks."""
    archive = begun(6)
    odd = archive.communicator([1, 3, 5], "odd")
    high = archive.communicator([4, 5], "high")
    for turn in range(3):
        begin = (10 + 20 * turn) * US
        enters = dict.fromkeys((1, 3, 5), begin)
        archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, begin + US, odd)
        enters = dict.fromkeys((4, 5), begin + 2 * US)
        end = begin + 3 * US
        archive.collective("MPI_Allreduce", OPERATION.ALLREDUCE, enters, end, high)
    for rank in (1, 3):
        archive.call(rank, 100 * US, None, "MPI_Barrier")
    archive.call(5, 100 * US, None, "MPI_Allreduce")
    left = END / US - 100
    return Case(
        aborted(archive, 0),
        {"never_completed": [0, left, 0, left, 0, left]},
        never_left=3,
        hung=((1, 5), (3, 5), (5, 4)),
    )


@case
def hang_in_one_operation_of_two_groups() -> Case:
    """All are at a barrier, but of different communicators: 0 and 1 of a, 2 of b."""
    archive = begun(4)
    first = archive.communicator([0, 1, 2], "first")
    second = archive.communicator([2, 3], "second")
    for turn in range(3):
        begin = (10 + 20 * turn) * US
        enters = dict.fromkeys((0, 1, 2), begin)
        for rank, enter in enters.items():
            end = (
                begin + US - 1,
                "MpiCollectiveEnd",
                OPERATION.BARRIER,
                first,
                NONE,
                0,
                0,
            )
            archive.call(
                rank,
                enter,
                begin + US,
                "MPI_Barrier",
                (enter + 1, "MpiCollectiveBegin"),
                end,
            )
        enters = dict.fromkeys((2, 3), begin + 2 * US)
        end = begin + 3 * US
        archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, end, second)
    for rank in (0, 1, 2):
        # The next barrier of rank 2 is that of the second communicator: it alternates.
        archive.call(rank, 100 * US, None, "MPI_Barrier")
    left = END / US - 100
    return Case(
        aborted(archive, 3),
        {"never_completed": [left, left, left, 0]},
        never_left=3,
        hung=((0, 2), (1, 2), (2, 3)),
    )


@case
def hang_of_three_and_a_bystander() -> Case:
    """Ranks 1, 2 and 3 wait in a cycle, 0 for 1, and rank 4 ends."""
    archive = begun(5)
    senders = {1: 3, 2: 1, 3: 2, 0: 1}
    for turn in range(3):
        begin = (10 + 20 * turn) * US
        for k, (receiver, sender) in enumerate(senders.items()):
            when = begin + k * US
            message(archive, sender, receiver, when, when - 100)
    for rank in senders:
        archive.call(rank, 100 * US, None, "MPI_Recv")
    left = END / US - 100
    return Case(
        aborted(archive, 4),
        {
            "never_completed": [left, left, left, left, 0],
            "late_sender": [0.3] * 4 + [0],
        },
        never_left=4,
        hung=((0, 1), (1, 3), (2, 1), (3, 2)),
    )


@case
def thread_hangs_beside_its_rank() -> Case:
    archive = begun(2, threads=1)
    for turn in range(3):
        begin = (10 + 20 * turn) * US
        message(archive, (1, 1), (0, 1), begin, begin - 100, tag=1)
    archive.call((0, 1), 100 * US, None, "MPI_Recv")
    return Case(
        aborted(archive, 1),
        {"never_completed": [0, 0, END / US - 100, 0], "late_sender": [0, 0, 0.3, 0]},
        never_left=1,
        hung=((0, 1),),
    )


@case
def off_to_the_end_within_a_call() -> Case:
    """Switch off within a receive, for good: nothing hangs."""
    archive = begun(2)
    archive.call(1, 100 * US, None, "MPI_Recv")
    archive.event(1, 150 * US, "MeasurementOnOff", OFF)
    archive.call(0, 100 * US, 101 * US, "MPI_Barrier")
    archive.call(0, END, END + US, "MPI_Finalize")
    return Case(archive, {"not_recorded": [0, END / US + 1 - 150]})


@case
def killed_while_computing() -> Case:
    archive = begun(2)
    message(archive, 0, 1, 100 * US, 50 * US)
    for rank in range(2):
        archive.event(rank, 200 * US, "Enter", archive.region("solve"))
    return Case(aborted(archive, 0), {"late_sender": [0, 50]})


@case
def sends_in_a_cycle() -> Case:
    """Three synchronous sends, none of which is received."""
    archive = begun(3)
    for rank in range(3):
        record = sent((rank + 1) % 3, 100 * US)
        archive.call(rank, 100 * US, None, "MPI_Ssend", record)
    archive.event(0, END, "MeasurementOnOff", ON)
    return Case(
        archive,
        {"never_completed": [END / US - 100] * 3},
        never_left=3,
        hung=((0, 1), (1, 2), (2, 0)),
    )


@pytest.mark.parametrize("name", CASES)
def test_what_is_planted_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    check(CASES[name](), tmp_path)
