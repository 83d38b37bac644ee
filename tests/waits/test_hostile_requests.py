"""Small traces of requests, probes and threads that are completed in unusual ways.

As `test_hostile`: written record by record, and only what is planted waits.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from plain_archive import NONE, Place
from test_hostile import OFF, ON, OPERATION, US, Case, begun, check, ended

CASES: dict[str, Callable[[], Case]] = {}


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


def sent(to: int, when: int, *, tag: int = 0) -> tuple[object, ...]:
    return when + 1, "MpiSend", to, 0, tag, 8


def received(
    of: int, when: int, request: int | None = None, *, tag: int = 0
) -> tuple[object, ...]:
    if request is None:
        return when - 1, "MpiRecv", of, 0, tag, 8
    return when - 1, "MpiIrecv", of, 0, tag, 8, request


@case
def waitany_of_mixed_requests() -> Case:
    """Complete a receive, then a later one, then a send taken long ago."""
    archive = begun(3)
    for turn in range(3):
        begin = (10 + 100 * turn) * US
        posts = [(begin + k, "MpiIrecvRequest", k) for k in (1, 2)]
        archive.call(0, begin, begin + 100, "MPI_Irecv", posts[0])
        archive.call(
            0, begin + 200, begin + 300, "MPI_Irecv", (begin + 201, *posts[1][1:])
        )
        isend = begin + 401, "MpiIsend", 1, 0, 9, 8, 7
        archive.call(0, begin + 400, begin + 500, "MPI_Isend", isend)
        ends = (begin + 20 * US, begin + 50 * US, begin + 50 * US + 400)
        enters = (begin + US, ends[0] + 200, ends[1] + 200)
        done = (
            received(1, ends[0], 1),
            received(2, ends[1], 2),
            (ends[2] - 1, "MpiIsendComplete", 7),
        )
        for enter, end, record in zip(enters, ends, done, strict=True):
            archive.call(0, enter, end, "MPI_Waitany", record)
        for rank, end in ((1, ends[0]), (2, ends[1])):
            archive.call(rank, end - 100, end - 50, "MPI_Send", sent(0, end - 100))
        late = begin + 60 * US
        archive.call(1, late, late + 100, "MPI_Recv", received(0, late + 100, tag=9))
    waited = 3 * (20 - 1 - 0.1 + 30 - 0.2 - 0.1)
    return Case(ended(archive), {"late_sender": [waited, 0, 0]})


@case
def waitsome_waits_for_the_first() -> Case:
    """Complete two receives at once: it could go on when the first was sent."""
    archive = begun(3)
    for k in (1, 2):
        post = 10 * US + 200 * k
        archive.call(0, post, post + 100, "MPI_Irecv", (post + 1, "MpiIrecvRequest", k))
    end = 80 * US
    done = [received(k, end - 3 + k, k) for k in (1, 2)]
    archive.call(0, 20 * US, end, "MPI_Waitsome", *done)
    archive.call(1, 60 * US, 61 * US, "MPI_Send", sent(0, 60 * US))
    archive.call(2, 79 * US, 79 * US + 100, "MPI_Send", sent(0, 79 * US))
    return Case(ended(archive), {"late_sender": [40, 0, 0]})


@case
def probe_then_count_then_receive() -> Case:
    archive = begun(2)
    for turn in range(3):
        begin = (20 + 100 * turn) * US
        late = begin + 50 * US
        archive.call(1, begin, late + 100, "MPI_Probe")
        archive.call(1, late + 200, late + 300, "MPI_Get_count")
        archive.call(1, late + 400, late + 450, "MPI_Type_size")
        end = late + US
        archive.call(1, late + 500, end, "MPI_Recv", received(0, end))
        archive.call(0, late, late + 100, "MPI_Send", sent(1, late))
    return Case(ended(archive), {"late_sender": [0, 150]})


@case
def mprobe_then_imrecv() -> Case:
    archive = begun(2)
    for turn in range(3):
        begin = (20 + 100 * turn) * US
        late = begin + 50 * US
        archive.call(1, begin, late + 100, "MPI_Mprobe")
        post = late + 201, "MpiIrecvRequest", turn
        archive.call(1, late + 200, late + 300, "MPI_Imrecv", post)
        end = late + US
        archive.call(1, late + 500, end, "MPI_Wait", received(0, end, turn))
        archive.call(0, late, late + 100, "MPI_Send", sent(1, late))
    return Case(ended(archive), {"late_sender": [0, 150]})


@case
def probe_of_another_message() -> Case:
    """Probe for one, and receive another first: whom it waited for is not told."""
    archive = begun(3)
    archive.call(1, 10 * US, 10 * US + 50, "MPI_Send", sent(0, 10 * US))
    archive.call(2, 60 * US, 60 * US + 50, "MPI_Send", sent(0, 60 * US))
    archive.call(0, 20 * US, 60 * US + 100, "MPI_Probe")
    archive.call(0, 61 * US, 62 * US, "MPI_Recv", received(1, 62 * US))
    archive.call(0, 63 * US, 64 * US, "MPI_Recv", received(2, 64 * US))
    return Case(ended(archive), {})


@case
def request_completed_by_another_thread() -> Case:
    archive = begun(2, threads=1)
    for turn in range(3):
        begin = (20 + 100 * turn) * US
        post = begin + 1, "MpiIrecvRequest", turn
        archive.call(1, begin, begin + 100, "MPI_Irecv", post)
        end = begin + 60 * US + 100
        archive.call((1, 1), begin + 10 * US, end, "MPI_Wait", received(0, end, turn))
        late = begin + 60 * US
        archive.call(0, late, late + 50, "MPI_Send", sent(1, late))
    return Case(ended(archive), {"late_sender": [0, 0, 0, 150]})


@case
def two_threads_in_one_receive() -> Case:
    """Give the first message to the thread that came first, or to the other."""
    archive = begun(2, threads=2)
    for turn, order in enumerate(((1, 2), (2, 1))):
        begin = (20 + 200 * turn) * US
        for thread in (1, 2):
            end = begin + (50 if thread == order[0] else 70) * US + 100
            place: Place = (1, thread)
            enter = begin + 10 * US * (thread - 1)
            archive.call(place, enter, end, "MPI_Recv", received(0, end))
        for late in (50, 70):
            when = begin + late * US
            archive.call(0, when, when + 50, "MPI_Send", sent(1, when))
    rows = [0, 0, 0, 0, 50 + 70, 60 + 40]
    return Case(ended(archive), {"late_sender": rows})


@case
def recording_off_inside_a_call() -> Case:
    archive = begun(2)
    archive.call(1, 100 * US, 300 * US, "MPI_Recv", received(0, 300 * US))
    archive.event(1, 150 * US, "MeasurementOnOff", OFF)
    archive.event(1, 250 * US, "MeasurementOnOff", ON)
    archive.call(0, 290 * US, 290 * US + 100, "MPI_Send", sent(1, 290 * US))
    return Case(
        ended(archive),
        {"late_sender": [0, 90], "not_recorded": [0, 100]},
    )


@case
def late_message_between_groups() -> Case:
    """Name ranks of the other group, as messages over an intercommunicator do."""
    archive = begun(4)
    between = archive.between([0, 1], [2, 3], "between")
    for turn in range(3):
        begin = (20 + 100 * turn) * US
        late = begin + 40 * US
        record = late + 1, "MpiSend", 1, between, 0, 8  # rank 3
        archive.call(0, late, late + 100, "MPI_Send", record)
        end = late + 200
        record = end - 1, "MpiRecv", 0, between, 0, 8
        archive.call(3, begin, end, "MPI_Recv", record)
    return Case(ended(archive), {"late_sender": [0, 0, 0, 120]})


@case
def neighbours_asked_for_again_and_again() -> Case:
    """Complete a neighbourhood collective in the third Testsome: none of them waits."""
    archive = begun(4)
    archive.communicator(range(4), "ring")
    for rank in range(4):
        own = (20 + 20 * (rank == 2)) * US
        request = own + 1, "NonBlockingCollectiveRequest", 1
        archive.call(rank, own, own + 100, "MPI_Ineighbor_alltoallv", request)
        for test in range(3):
            when = own + (1 + 25 * test) * US
            kind = "NonBlockingCollectiveComplete"
            end = when + 98, kind, OPERATION.ALLTOALLV, 1, NONE, 16, 16, 1
            done = (end,) * (test == 2)
            archive.call(rank, when, when + 100, "MPI_Testsome", *done)
    return Case(ended(archive), {})


@case
def request_freed() -> Case:
    """Free the request of a send: nobody waits for its receive."""
    archive = begun(2)
    isend = 20 * US + 1, "MpiIsend", 1, 0, 0, 8, 3
    archive.call(0, 20 * US, 20 * US + 100, "MPI_Isend", isend)
    archive.call(0, 21 * US, 21 * US + 100, "MPI_Request_free")
    archive.call(1, 80 * US, 80 * US + 100, "MPI_Recv", received(0, 80 * US + 100))
    return Case(ended(archive), {})


@case
def communicators_made_by_some() -> Case:
    """Split the world, then one half again: waits are told of what is known."""
    archive = begun(4)
    for rank in range(4):
        enter = (20 + 30 * (rank == 1)) * US
        archive.call(rank, enter, 51 * US, "MPI_Comm_split_type")
    for rank in (0, 1):  # only these
        enter = (100 + 20 * (rank == 1)) * US
        archive.call(rank, enter, 121 * US, "MPI_Comm_split_type")
    return Case(ended(archive), {"wait_at_setup": [30, 0, 30, 30]})


@pytest.mark.parametrize("name", CASES)
def test_what_is_planted_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    check(CASES[name](), tmp_path)
