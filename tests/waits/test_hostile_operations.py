"""Small traces of operations in gaps and flushes, of neighbours, sessions and I/O.

As `test_hostile`: written record by record, and only what is planted waits.
"""

from collections.abc import Callable
from pathlib import Path

import _otf2
import pytest
from plain_archive import NONE, Archive
from test_hostile import END, OFF, ON, OPERATION, US, Case, begun, check, ended, message
from test_hostile_requests import received, sent

CASES: dict[str, Callable[[], Case]] = {}


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


@case
def some_begin_switched_off() -> Case:
    """Ranks 1 and 2 are switched off up to the sixth of ten turns."""
    archive = begun(4)
    for rank in (1, 2):
        archive.event(rank, 2 * US, "MeasurementOnOff", OFF)
        archive.event(rank, 105 * US, "MeasurementOnOff", ON)
    for turn in range(10):
        begin = (10 + 20 * turn) * US
        on = (0, 3) if turn < 5 else range(4)
        enters = {rank: begin + 5 * US * (rank == 3) for rank in on}
        end = begin + 6 * US
        archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, end)
        when = begin + 8 * US
        archive.call(0, when, when + 100, "MPI_Send", sent(1, when))
        if turn >= 5:
            record = received(0, when + 100)
            archive.call(1, when - US, when + 100, "MPI_Recv", record)
    return Case(
        ended(archive),
        {
            "wait_at_barrier": [50, 25, 25, 0],
            "late_sender": [0, 5, 0, 0],
            "not_recorded": [0, 103, 103, 0],
        },
    )


@case
def lost_from_one_operation_to_another() -> Case:
    """Rank 1 is off from within the third to within the sixth of eight Allreduces."""
    archive = begun(3)
    for turn in range(8):
        begin = (10 + 20 * turn) * US
        end = begin + 6 * US
        enters = {rank: begin + 5 * US * (rank == 2) for rank in range(3)}
        if turn not in (2, 3, 4, 5):
            archive.collective("MPI_Allreduce", OPERATION.ALLREDUCE, enters, end)
            continue
        some = {rank: enters[rank] for rank in (0, 2)}
        archive.collective("MPI_Allreduce", OPERATION.ALLREDUCE, some, end)
        done = end - 1, "MpiCollectiveEnd", OPERATION.ALLREDUCE, 0, NONE, 8, 8
        if turn == 2:
            start = begin + 1, "MpiCollectiveBegin"
            archive.call(1, begin, None, "MPI_Allreduce", start)
            archive.event(1, begin + 2 * US, "MeasurementOnOff", OFF)
        if turn == 5:
            archive.event(1, begin + 2 * US, "MeasurementOnOff", ON)
            archive.call(1, None, end, "MPI_Allreduce", done)
    return Case(ended(archive), {"wait_at_nxn": [40, 22, 0]})


@case
def flush_over_the_end_of_a_wait() -> Case:
    """Flush from before the last send of a Waitall to behind it."""
    archive = begun(3)
    for k in (1, 2):
        post = 50 * US + 200 * k
        record = post + 1, "MpiIrecvRequest", k
        archive.call(0, post, post + 100, "MPI_Irecv", record)
    done = [received(k, 400 * US - 3 + k, k) for k in (1, 2)]
    flush = 250 * US, "BufferFlush", 320 * US
    archive.call(0, 100 * US, 400 * US, "MPI_Waitall", flush, *done)
    for k, when in ((1, 200 * US), (2, 300 * US)):
        archive.call(k, when, when + 100, "MPI_Send", sent(0, when))
    return Case(ended(archive), {"late_sender": [150, 0, 0], "measurement": [70, 0, 0]})


@case
def flush_at_a_barrier() -> Case:
    """Two flush while they wait, the last one before it comes."""
    archive = begun(3)
    enters = {0: 100 * US, 1: 110 * US, 2: 200 * US}
    archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, 201 * US)
    archive.event(0, 120 * US, "BufferFlush", 150 * US)
    archive.event(1, 190 * US, "BufferFlush", 201 * US - 10)
    archive.event(2, 120 * US, "BufferFlush", 180 * US)
    return Case(
        ended(archive),
        {"wait_at_barrier": [70, 80, 0], "measurement": [30, 10.99, 60]},
    )


@case
def each_thread_at_its_own_barrier() -> Case:
    archive = begun(2, threads=1)
    world = archive.communicator([0, 1], "of the threads")
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        for thread, group, late in ((0, 0, (0, 20)), (1, world, (30, 0))):
            for rank in range(2):
                enter, end = begin + late[rank] * US, begin + 40 * US
                done = end - 1, "MpiCollectiveEnd", OPERATION.BARRIER, group, NONE, 0, 0
                start = enter + 1, "MpiCollectiveBegin"
                archive.call((rank, thread), enter, end, "MPI_Barrier", start, done)
    return Case(ended(archive), {"wait_at_barrier": [60, 0, 0, 90]})


@case
def cancelled_receives() -> Case:
    """Cancel two receives, one of which is posted again for a message that comes."""
    archive = begun(2)
    for k in (1, 2, 3):
        post = (10 + k) * US
        record = post + 1, "MpiIrecvRequest", k
        archive.call(1, post, post + 100, "MPI_Irecv", record)
    for k in (1, 2):
        when = (20 + k) * US
        archive.call(1, when, when + 100, "MPI_Cancel")
        gone = when + 249, "MpiRequestCancelled", k
        archive.call(1, when + 200, when + 250, "MPI_Wait", gone)
    archive.call(1, 30 * US, 80 * US + 100, "MPI_Wait", received(0, 80 * US + 100, 3))
    archive.call(0, 80 * US, 80 * US + 100, "MPI_Send", sent(1, 80 * US))
    return Case(ended(archive), {"late_sender": [0, 50]})


@case
def sent_and_received_without_blocking() -> Case:
    """Isendrecv: its Wait lasts until the other rank has begun its own."""
    archive = begun(2)
    for turn in range(3):
        begin = (20 + 100 * turn) * US
        for rank, late in ((0, 0), (1, 40)):
            own, end = begin + late * US, begin + 41 * US
            records = (
                (own + 1, "MpiIsend", 1 - rank, 0, 0, 8, 1),
                (own + 2, "MpiIrecvRequest", 2),
            )
            archive.call(rank, own, own + 100, "MPI_Isendrecv", *records)
            done = (end - 2, "MpiIsendComplete", 1), received(1 - rank, end, 2)
            archive.call(rank, own + 200, end, "MPI_Waitall", *done)
    return Case(ended(archive), {"late_sender": [3 * 39.8, 0]})


@case
def persistent_collectives() -> Case:
    archive = begun(3)
    for name in ("MPI_Bcast_init", "MPI_Allreduce_init", "MPI_Barrier_init"):
        archive.all_call(5 * US + len(name), 5 * US + len(name) + 1, name)
    kinds = (OPERATION.BCAST, 2), (OPERATION.ALLREDUCE, NONE), (OPERATION.BARRIER, NONE)
    for turn in range(3):
        for number, (kind, root) in enumerate(kinds):
            begin = (20 + 120 * turn + 35 * number) * US
            for rank in range(3):
                own, end = begin + 30 * US * (rank == 2), begin + 31 * US
                request = own + 1, "NonBlockingCollectiveRequest", number
                archive.call(rank, own, own + 100, "MPI_Start", request)
                done = "NonBlockingCollectiveComplete", kind, 0, root, 8, 8, number
                archive.call(rank, own + 200, end, "MPI_Wait", (end - 1, *done))
    waited = 3 * 29.8
    rows = [waited, waited, 0]
    return Case(
        ended(archive),
        {"late_broadcast": rows, "wait_at_nxn": rows, "wait_at_barrier": rows},
    )


@case
def neighbours_of_a_chain() -> Case:
    """Neighbourhood collectives on a chain: who waits is a neighbour of who is late."""
    archive = begun(4)
    archive.communicator(range(4), "chain")
    no = _otf2.CartPeriodicity.FALSE
    archive.define("CartDimension", 0, archive.text("x"), 4, no)
    archive.define("CartTopology", 0, archive.text("chain"), 1, [0])
    for rank in range(4):
        archive.define("CartCoordinate", 0, rank, [rank])
    names = "alltoallw", "allgatherv", "alltoallv"
    kinds = OPERATION.ALLTOALLW, OPERATION.ALLGATHERV, OPERATION.ALLTOALLV
    for turn, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        begin = (100 + 100 * turn) * US
        for rank in range(4):
            own = begin + 20 * US * (rank == 3)
            end = begin + (21 if rank > 1 else 1) * US
            done = end - 1, "MpiCollectiveEnd", kind, 1, NONE, 16, 16
            start = own + 1, "MpiCollectiveBegin"
            archive.call(rank, own, end, f"MPI_Neighbor_{name}", start, done)
    return Case(ended(archive), {"wait_at_nxn": [0, 0, 60, 0]})


@case
def names_of_fortran_2008() -> Case:
    archive = begun(2)
    message(archive, 0, 1, 100 * US, 50 * US, call="MPI_Send_f08")
    names = (
        "MPI_Barrier_f08",
        "mpi_barrier_f08_",
        "pmpi_barrier_f08ts_",
        "MPI_Barrier_c",
    )
    for turn, name in enumerate(names):
        begin = (150 + 20 * turn) * US
        enters = {0: begin, 1: begin + 10 * US}
        end = begin + 11 * US
        archive.collective(name, OPERATION.BARRIER, enters, end)
    return Case(ended(archive), {"late_sender": [0, 50], "wait_at_barrier": [40, 0]})


@case
def communicators_of_a_session() -> Case:
    """Make a communicator of a group of a session: there is no other one."""
    archive = Archive(3)
    archive.definitions = [d for d in archive.definitions if d[0] != "Comm"]
    name = archive.text("mpi://WORLD")
    archive.define("Comm", 0, name, 1, NONE, _otf2.CommFlag.NONE)
    archive.all_call(0, US, "MPI_Session_init")
    for turn in range(2):
        begin = (10 + 50 * turn) * US
        for rank in range(3):
            enter = begin + 20 * US * (rank == 1)
            end = begin + 21 * US
            archive.call(rank, enter, end, "MPI_Comm_create_from_group")
    enters = {0: 200 * US, 1: 200 * US, 2: 230 * US}
    archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, 231 * US)
    archive.all_call(END, END + US, "MPI_Session_finalize")
    return Case(archive, {"wait_at_setup": [40, 0, 40], "wait_at_barrier": [30, 30, 0]})


@case
def split_collective_io() -> Case:
    """Begin to write together, and end: the wait is for who begins late."""
    archive = begun(3)
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        for rank in range(3):
            enter = begin + 40 * US * (rank == 2)
            archive.call(rank, enter, begin + 41 * US, "MPI_File_write_at_all_begin")
            end = begin + 50 * US
            archive.call(rank, begin + 45 * US, end, "MPI_File_write_at_all_end")
    return Case(ended(archive), {"wait_at_io": [120, 120, 0]})


@pytest.mark.parametrize("name", CASES)
def test_what_is_planted_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    check(CASES[name](), tmp_path)
