"""Small traces of what is seldom recorded: hangs, gaps, flushes, and newer MPI.

Each is written record by record, so that the right value is known from how; times are
microseconds here, nanoseconds in the archives. Only what is planted waits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import _otf2
import numpy as np
import pytest
from plain_archive import NONE, Archive, Place

from topoview.io.archive.finding import open_trace
from topoview.model import Trace, class_name
from topoview.pipeline import Results

OPERATION = _otf2.CollectiveOp
OFF, ON = _otf2.MeasurementMode.OFF, _otf2.MeasurementMode.ON
US = 1000
INIT, END = 1 * US, 500 * US

Seconds = dict[str, list[float]]


@dataclass
class Case:
    """An archive, and what is right of it."""

    archive: Archive
    waits: Seconds
    """Microseconds in each class of waiting, by row of the account."""
    never_left: int = 0
    hung: tuple[tuple[int, int], ...] = ()
    """Which rank waits for which, in calls that are never left."""
    quality: tuple[str, str] = ("", "")
    """A subject of the quality page, and what it says."""


CASES: dict[str, Callable[[], Case]] = {}


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


def begun(ranks: int, threads: int = 0) -> Archive:
    archive = Archive(ranks, threads=threads)
    archive.all_call(0, INIT, "MPI_Init")
    return archive


def ended(archive: Archive) -> Archive:
    archive.all_call(END, END + US, "MPI_Finalize")
    return archive


def message(
    archive: Archive,
    sender: Place,
    receiver: Place,
    sent: int,
    posted: int,
    *,
    tag: int = 0,
    call: str = "MPI_Send",
    blocks: bool = False,
) -> None:
    """Send a message; what waits ends 100 ns after the other began."""
    source, target = (
        place if isinstance(place, int) else place[0] for place in (sender, receiver)
    )
    end = max(sent, posted) + 100
    left = end if blocks else sent + 100
    archive.call(sender, sent, left, call, (sent + 1, "MpiSend", target, 0, tag, 8))
    record = end - 1, "MpiRecv", source, 0, tag, 8
    archive.call(receiver, posted, end, "MPI_Recv", record)


@case
def hang_in_waitany() -> Case:
    archive = begun(2)
    archive.call(1, 50 * US, 51 * US, "MPI_Irecv", (50 * US + 9, "MpiIrecvRequest", 7))
    archive.call(1, 100 * US, None, "MPI_Waitany")
    archive.call(0, END - US, END, "MPI_Abort")
    return Case(archive, {"never_completed": [0, 400]}, never_left=1)


@case
def hang_in_fence() -> Case:
    archive = begun(2)
    archive.call(1, 100 * US, None, "MPI_Win_fence")
    archive.call(0, END - US, END, "MPI_Abort")
    return Case(archive, {"never_completed": [0, 400]}, never_left=1)


@case
def one_rank_aborts() -> Case:
    archive = begun(4)
    enters = dict.fromkeys(range(4), 10 * US)
    archive.collective("MPI_Allreduce", OPERATION.ALLREDUCE, enters, 11 * US)
    for rank in range(3):
        begin = 100 * US + 1, "MpiCollectiveBegin"
        archive.call(rank, 100 * US, None, "MPI_Allreduce", begin)
    archive.call(3, END - US, END, "MPI_Abort")
    return Case(
        archive,
        {"never_completed": [400, 400, 400, 0]},
        never_left=3,
        hung=((0, 3), (1, 3), (2, 3)),
    )


@case
def gap_within_an_operation_of_some() -> Case:
    """Switch rank 2 off in the sixth barrier of ranks 1 and 2, and on behind it."""
    archive = begun(3)
    some = archive.communicator([1, 2], "some")
    for turn in range(10):
        begin = (10 + 20 * turn) * US
        if turn != 5:
            enters = {1: begin, 2: begin + 10 * US}
            end = begin + 11 * US
            archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, end, some)
            continue
        records = (
            (begin + 1, "MpiCollectiveBegin"),
            (begin + 999, "MpiCollectiveEnd", OPERATION.BARRIER, some, NONE, 0, 0),
        )
        archive.call(1, begin, begin + US, "MPI_Barrier", *records)
        archive.call(2, begin + 5, None, "MPI_Barrier", (begin + 6, records[0][1]))
        archive.event(2, begin + 500, "MeasurementOnOff", OFF)
        archive.event(2, begin + 5 * US, "MeasurementOnOff", ON)
    return Case(
        ended(archive),
        {"wait_at_barrier": [0, 90, 0]},
        quality=("collectives", "1 collective operation without some of the members"),
    )


@case
def flush_within_a_wait() -> Case:
    archive = begun(2)
    archive.call(1, 50 * US, 51 * US, "MPI_Irecv", (50 * US + 9, "MpiIrecvRequest", 7))
    archive.call(
        1,
        100 * US,
        400 * US,
        "MPI_Wait",
        (150 * US, "BufferFlush", 200 * US),
        (400 * US - 1, "MpiIrecv", 0, 0, 0, 8, 7),
    )
    archive.call(0, 300 * US, 301 * US, "MPI_Send", (300 * US + 1, *SENT))
    return Case(ended(archive), {"late_sender": [0, 150], "measurement": [0, 50]})


SENT = "MpiSend", 1, 0, 0, 8


@case
def message_within_regions_that_overlap() -> Case:
    archive = begun(2)
    first, second = archive.region("first"), archive.region("second")
    archive.event(1, 10 * US, "Enter", first)
    archive.event(1, 20 * US, "Enter", second)
    message(archive, 0, 1, 60 * US, 30 * US)
    archive.event(1, 70 * US, "Leave", first)
    archive.event(1, 80 * US, "Leave", second)
    return Case(
        ended(archive), {"late_sender": [0, 30]}, quality=("regions", "not nested")
    )


@case
def one_rank_begins_late() -> Case:
    archive = Archive(3)
    for rank in (0, 1):
        archive.call(rank, 0, INIT, "MPI_Init")
    for turn in range(20):
        begin = (10 + 20 * turn) * US
        message(archive, 0, 1, begin, begin - 2 * US)
        if turn >= 10:
            message(archive, 0, 2, begin + 2 * US, begin + US)
        else:
            sent = begin + 2 * US + 1, "MpiSend", 2, 0, 0, 8
            archive.call(0, sent[0] - 1, sent[0] + 99, "MPI_Send", sent)
    return Case(
        ended(archive),
        {"late_sender": [0, 40, 10], "not_recorded": [0, 0, 211]},
        quality=("receives", "10 were sent before the recording of the receiver began"),
    )


@case
def buffer_lost_up_to_a_leave() -> Case:
    """Begin rank 1's file in a receive, whose enter is lost."""
    archive = Archive(2)
    archive.call(0, 0, INIT, "MPI_Init")
    for turn in range(10):
        begin = (10 + 20 * turn) * US
        if turn > 5:
            message(archive, 0, 1, begin, begin - 2 * US)
            continue
        archive.call(0, begin, begin + 100, "MPI_Send", (begin + 1, *SENT))
        if turn == 5:
            record = begin + 99, "MpiRecv", 0, 0, 0, 8
            archive.call(1, None, begin + 100, "MPI_Recv", record)
    return Case(
        ended(archive),
        {"late_sender": [0, 8], "not_recorded": [0, 110.099]},
        quality=("receives", "were sent before the recording of the receiver began"),
    )


@case
def neighbours_completed_with_messages() -> Case:
    """Rank 2 of a ring is late: its neighbours wait, not rank 0 opposite."""
    archive = begun(4)
    archive.communicator(range(4), "ring")
    archive.define("CartDimension", 0, archive.text("x"), 4, _otf2.CartPeriodicity.TRUE)
    archive.define("CartTopology", 0, archive.text("ring"), 1, [0])
    for rank in range(4):
        archive.define("CartCoordinate", 0, rank, [rank])
    for turn in range(3):
        begin, end = 100 * (turn + 1) * US, 100 * (turn + 1) * US + 21 * US
        for rank in range(4):
            own = begin + 20 * US * (rank == 2)
            request = own + 1, "NonBlockingCollectiveRequest", 2 * turn
            archive.call(rank, own, own + 100, "MPI_Ineighbor_alltoall", request)
        post = begin + 250, "MpiIrecvRequest", 50 + turn
        archive.call(0, begin + 200, begin + 300, "MPI_Irecv", post)
        sent = begin + 201, "MpiSend", 0, 0, 0, 8
        archive.call(1, begin + 200, begin + 300, "MPI_Send", sent)
        kind = "NonBlockingCollectiveComplete"
        done = end - 1, kind, OPERATION.ALLTOALL, 1, NONE, 16, 16, 2 * turn
        for rank in range(4):
            own = begin + 20 * US * (rank == 2) + 400
            received = [(end - 2, "MpiIrecv", 1, 0, 0, 8, 50 + turn)] * (rank == 0)
            archive.call(rank, own, end, "MPI_Waitall", *received, done)
    return Case(ended(archive), {"wait_at_nxn": [0, 58.8, 0, 58.8]})


@case
def modes_of_sending() -> Case:
    """Send synchronously, which waits for the receive, and buffered, which does not."""
    archive = begun(2)
    message(archive, 0, 1, 100 * US, 150 * US, call="MPI_Ssend", blocks=True)
    message(archive, 0, 1, 200 * US, 190 * US, call="MPI_Rsend")
    message(archive, 0, 1, 300 * US, 350 * US, call="MPI_Bsend")
    sent = 400 * US + 1, "MpiIsend", 1, 0, 0, 8, 9
    archive.call(0, 400 * US, 400 * US + 100, "MPI_Issend", sent)
    done = 450 * US + 99, "MpiIsendComplete", 9
    archive.call(0, 410 * US, 450 * US + 100, "MPI_Wait", done)
    record = 450 * US + 99, "MpiRecv", 0, 0, 0, 8
    archive.call(1, 450 * US, 450 * US + 100, "MPI_Recv", record)
    return Case(ended(archive), {"late_receiver": [90, 0], "late_sender": [0, 10]})


@case
def persistent_requests() -> Case:
    archive = begun(3)
    for place in (2, 3):
        archive.call(0, place * US, place * US + 100, "MPI_Recv_init")
    for turn in range(4):
        begin = (10 + 100 * turn) * US
        posts = [(begin + k, "MpiIrecvRequest", k) for k in (1, 2)]
        archive.call(0, begin, begin + 100, "MPI_Startall", *posts)
        end = begin + 31 * US
        received = [(end - 3 + k, "MpiIrecv", k, 0, 0, 8, k) for k in (1, 2)]
        archive.call(0, begin + US, end, "MPI_Waitall", *received)
        sent = begin + 10 * US
        record = sent + 1, "MpiIsend", 0, 0, 0, 8, 5
        archive.call(1, sent, sent + 100, "MPI_Start", record)
        done = begin + 40 * US + 9, "MpiIsendComplete", 5
        archive.call(1, begin + 40 * US, begin + 40 * US + 100, "MPI_Wait", done)
        record = begin + 30 * US + 1, "MpiSend", 0, 0, 0, 8
        archive.call(2, begin + 30 * US, begin + 30 * US + 100, "MPI_Send", record)
    return Case(ended(archive), {"late_sender": [4 * 29, 0, 0]})


@case
def partitioned_requests() -> Case:
    """Record calls only, as tracers do: nothing of them is computation, or waits."""
    archive = begun(2)
    archive.call(0, 2 * US, 3 * US, "MPI_Psend_init")
    archive.call(1, 2 * US, 3 * US, "MPI_Precv_init")
    for rank in range(2):
        archive.call(rank, 10 * US, 11 * US, "MPI_Start")
        archive.call(rank, 50 * US, 60 * US, "MPI_Wait")
    for turn in range(4):
        begin = (20 + 5 * turn) * US
        archive.call(0, begin, begin + US, "MPI_Pready")
    archive.call(0, 40 * US, 41 * US, "MPI_Pready_range")
    archive.call(1, 20 * US, 21 * US, "MPI_Parrived")
    length = END / US + 1
    setup = INIT / US + 1
    return Case(
        ended(archive),
        {"compute": [length - setup - 17, length - setup - 13]},
    )


@case
def communicator_made_without_blocking() -> Case:
    archive = begun(3)
    kind = "NonBlockingCollectiveComplete"
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        end = begin + 21 * US
        for rank in range(3):
            own = begin + 20 * US * (rank == 2)
            request = own + 1, "NonBlockingCollectiveRequest", turn
            archive.call(rank, own, own + 100, "MPI_Comm_idup", request)
            done = end - 1, kind, OPERATION.CREATE_HANDLE, 0, NONE, 0, 0, turn
            archive.call(rank, own + 200, end, "MPI_Wait", done)
    return Case(ended(archive), {"wait_at_setup": [59.4, 59.4, 0]})


@case
def communicators_made_by_some() -> Case:
    """Split halves: who is late in one half keeps nobody in the other waiting."""
    archive = begun(4)
    for first in (0, 2):
        archive.communicator([first, first + 1], f"half {first}")
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        end = begin + 31 * US
        for rank, late in enumerate((0, 20, 30, 0)):
            made = end - 1, "MpiCollectiveEnd", OPERATION.CREATE_HANDLE
            record = (*made, 1 + rank // 2, NONE, 0, 0)
            archive.call(rank, begin + late * US, end, "MPI_Comm_split", record)
    return Case(ended(archive), {"wait_at_setup": [60, 0, 0, 90]})


@case
def communicators_made_by_some_nobody_says_which() -> Case:
    """Split all ranks, then each half twice: only the first is of all for certain."""
    archive = begun(4)
    for turn in range(3):
        for first in (0, 2):
            archive.communicator([first, first + 1], f"half {first}, {turn}")
        begin = (100 + 100 * turn) * US
        for rank, late in enumerate((0, 20, 30, 0)):
            end = begin + 31 * US
            archive.call(rank, begin + late * US, end, "MPI_Comm_split")
    return Case(ended(archive), {"wait_at_setup": [30, 10, 0, 30]})


@case
def communicators_made_of_all_nobody_says_so() -> Case:
    """Rows and columns of four ranks, the latter from all again."""
    archive = begun(4)
    for turn, members in enumerate((((0, 1), (2, 3)), ((0, 2), (1, 3)))):
        for some in members:
            archive.communicator(some, f"of some, {turn}")
        begin = (100 + 100 * turn) * US
        for rank, late in enumerate((0, 20, 30, 0)):
            end = begin + 31 * US
            archive.call(rank, begin + late * US, end, "MPI_Comm_split")
    return Case(ended(archive), {"wait_at_setup": [60, 20, 0, 60]})


@case
def communicators_made_by_some_without_blocking() -> Case:
    """Two at once, completed in the other order: each half waits for its own ranks."""
    archive = begun(4)
    for first in (0, 2):
        archive.communicator([first, first + 1], f"half {first}")
    asked, complete = "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete"
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        for rank, late in enumerate((0, 0, 50, 0)):
            own, done = begin + late * US, begin + (2, 52)[rank // 2] * US
            for request in (0, 1):
                post = own + 200 * request
                record = post + 1, asked, 2 * turn + request
                archive.call(rank, post, post + 100, "MPI_Comm_idup", record)
            for number, request in enumerate((1, 0)):
                wait = own + 400 if not number else done
                end = done - 10 + 20 * number
                made = OPERATION.CREATE_HANDLE, 1 + rank // 2, NONE, 0, 0
                record = (end - 1, complete, *made, 2 * turn + request)
                archive.call(rank, wait, end, "MPI_Wait", record)
    return Case(ended(archive), {"wait_at_setup": [0, 0, 0, 149.4]})


@case
def exchanged_in_place() -> Case:
    archive = begun(2)
    name = "MPI_Sendrecv_replace"
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        late = begin + 50 * US
        sent, received = (begin + 1, *SENT), (late + 99, "MpiRecv", 1, 0, 0, 8)
        archive.call(0, begin, late + 100, name, sent, received)
        sent = late + 1, "MpiSend", 0, 0, 0, 8
        received = late + 199, "MpiRecv", 0, 0, 0, 8
        archive.call(1, late, late + 200, name, sent, received)
    return Case(ended(archive), {"late_sender": [150, 0]})


@case
def probes_wait() -> Case:
    archive = begun(2)
    for turn, (probe, receive) in enumerate(
        (("MPI_Probe", "MPI_Recv"), ("MPI_Mprobe", "MPI_Mrecv"))
    ):
        begin = (100 + 200 * turn) * US
        archive.call(1, begin, begin + 50 * US + 100, probe)
        received = begin + 52 * US - 1, "MpiRecv", 0, 0, 0, 8
        archive.call(1, begin + 51 * US, begin + 52 * US, receive, received)
        sent = begin + 50 * US
        archive.call(0, sent, sent + 100, "MPI_Send", (sent + 1, *SENT))
    return Case(ended(archive), {"late_sender": [0, 100]})


@case
def operations_between_groups() -> Case:
    archive = begun(4)
    between = archive.between([0, 1], [2, 3], "between")
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        enters = {0: begin, 1: begin, 2: begin, 3: begin + 30 * US}
        end = begin + 31 * US
        archive.collective("MPI_Barrier", OPERATION.BARRIER, enters, end, between)
    return Case(ended(archive), {"wait_at_barrier": [90, 90, 90, 0]})


@case
def threads_wait_at_once() -> Case:
    archive = begun(2, threads=2)
    for turn in range(3):
        begin = (100 + 100 * turn) * US
        for thread in range(3):
            sent, posted = begin + 50 * US + thread, begin + thread * US
            message(archive, (0, thread), (1, thread), sent, posted, tag=thread)
    rows = [0, 150, 0, 0, 147.003, 144.006]
    return Case(ended(archive), {"late_sender": rows})


WAITED = {
    "late_sender", "late_receiver", "wait_at_barrier", "wait_at_nxn", "wait_at_setup",
    "wait_at_io", "never_completed", "measurement",
}  # fmt: skip


def classes_of(trace: Trace) -> dict[str, list[float]]:
    """Microseconds of each row in each class of the run."""
    profile = Results(trace).make("profile_of_run")
    assert (profile.class_ticks.sum(axis=1) == np.diff(profile.span.window)).all()
    return {
        class_name(code): (profile.class_ticks[:, column] / US).tolist()
        for column, code in enumerate(profile.classes.tolist())
    }


def check(planted: Case, folder: Path) -> None:
    """Compare what is found with what is planted; waits are those of the account."""
    trace = open_trace(planted.archive.write(folder / "trace"))
    classes = classes_of(trace)
    for kind, expected in planted.waits.items():
        assert classes.get(kind) == pytest.approx(expected, abs=0.02), kind
    others = WAITED - planted.waits.keys()
    assert {kind for kind in others if any(classes.get(kind, ()))} == set()
    hung = Results(trace).make("hung")
    assert len(trace.never_left) == planted.never_left
    edges = zip(hung.rank[hung.waiter].tolist(), hung.whom.tolist(), strict=True)
    assert tuple(edges) == planted.hung
    subject, words = planted.quality
    assert trace.health is not None
    texts = {one.subject: one.text for one in trace.health.findings}
    assert not subject or words in texts[subject]


@pytest.mark.parametrize("name", CASES)
def test_what_is_planted_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    check(CASES[name](), tmp_path)
