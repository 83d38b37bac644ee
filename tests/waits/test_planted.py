"""Waits of all kinds, flushes, gaps, hangs and threads, planted in drawn programs.

A program is a list of rounds of 200 µs. Each does one thing in which one rank is late
by so many ns as is drawn: who waits for how long is known from how it is written.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import _otf2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from plain_archive import NONE, Archive, Place
from traces import examples

from topoview.io.archive.finding import open_trace
from topoview.model import TimeState, Trace, class_name
from topoview.pipeline import Results

RANKS, ROUND, SETUP, SHORT = 4, 200_000, 10_000, 100
"""Ranks; ns that a round takes, the set-up, and a call that does not wait."""

OPERATION = _otf2.CollectiveOp
OFF, ON = _otf2.MeasurementMode.OFF, _otf2.MeasurementMode.ON
Planted = dict[tuple[str, int], int]
"""Ticks by class, and row of the account."""

Round = Callable[[Archive, int, int, int, Planted], None]
"""Writes what happens in a round: from when on, by how much the rank is late."""

ROUNDS: dict[str, Round] = {}


def round_of(write: Round) -> Round:
    ROUNDS[write.__name__] = write
    return write


def sent(to: int, request: int | None = None, size: int = 8) -> tuple[object, ...]:
    return ("MpiSend" if request is None else "MpiIsend", to, 0, 0, size) + (
        () if request is None else (request,)
    )


def pair(rank: int) -> tuple[int, int]:
    return rank, (rank + 1) % RANKS


def send(archive: Archive, place: Place, to: int, when: int) -> None:
    archive.call(place, when, when + SHORT, "MPI_Send", (when + 1, *sent(to)))


def receive(
    archive: Archive,
    place: Place,
    of: int,
    posted: int,
    until: int,
    name: str,
    size: int = 8,
) -> None:
    record = until - 1, "MpiRecv", of, 0, 0, size
    archive.call(place, posted, until, name, record)


@round_of
def blocking(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Receive from a rank that sends late."""
    source, target = pair(rank)
    send(archive, source, target, begin + late)
    receive(archive, target, source, begin, begin + late + SHORT, "MPI_Recv")
    waits["late_sender", target] += late


@round_of
def probed(archive: Archive, begin: int, late: int, rank: int, waits: Planted) -> None:
    source, target = pair(rank)
    send(archive, source, target, begin + late)
    end = begin + late + SHORT
    archive.call(target, begin, end, "MPI_Probe")
    receive(archive, target, source, end + 5, end + 50, "MPI_Recv")
    waits["late_sender", target] += late


@round_of
def posted(archive: Archive, begin: int, late: int, rank: int, waits: Planted) -> None:
    """Complete two receives together: the wait is for the later one."""
    source, target = pair(rank)
    other = (rank + 2) % RANKS
    posts = [(begin + 10 + k, "MpiIrecvRequest", 70 + k) for k in (0, 1)]
    archive.call(target, begin, begin + SHORT, "MPI_Startall", *posts)
    send(archive, source, target, begin + late + 300)
    send(archive, other, target, begin + (late + 300) // 2)
    end = begin + late + 300 + SHORT
    done = [
        (end - 2 + k, "MpiIrecv", of, 0, 0, 8, 70 + k)
        for k, of in ((0, source), (1, other))
    ]
    archive.call(target, begin + 300, end, "MPI_Waitall", *done)
    waits["late_sender", target] += late


@round_of
def synchronous(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Send to a rank that posts its receive late."""
    target, source = pair(rank)
    end = begin + late + SHORT
    archive.call(source, begin, end, "MPI_Ssend", (begin + 1, *sent(target)))
    receive(archive, target, source, begin + late, end, "MPI_Recv")
    waits["late_receiver", source] += late


@round_of
def too_large_to_be_sent_ahead(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    target, source = pair(rank)
    end, size = begin + late + SHORT, 1 << 16
    record = begin + 1, *sent(target, size=size)
    archive.call(source, begin, end, "MPI_Send", record)
    receive(archive, target, source, begin + late, end, "MPI_Recv", size)
    waits["late_receiver", source] += late


@round_of
def sent_ahead(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Send twice; the second takes long, but not because of the receiver."""
    target, source = pair(rank)
    end = begin + late + 1000
    send(archive, source, target, begin)
    record = begin + 201, *sent(target)
    archive.call(source, begin + 200, end, "MPI_Send", record)
    receive(archive, target, source, end - 500, end - 300, "MPI_Recv")
    receive(archive, target, source, end - 200, end, "MPI_Recv")
    waits["late_receiver", source] += 0


@round_of
def issued(archive: Archive, begin: int, late: int, rank: int, waits: Planted) -> None:
    target, source = pair(rank)
    end = begin + late + 300 + SHORT
    record = begin + 1, *sent(target, 9)
    archive.call(source, begin, begin + SHORT, "MPI_Issend", record)
    done = end - 1, "MpiIsendComplete", 9
    archive.call(source, begin + 300, end, "MPI_Wait", done)
    receive(archive, target, source, begin + late + 300, end, "MPI_Recv")
    waits["late_receiver", source] += late


@round_of
def issued_together(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Complete two sends together: the wait is for the later receiver."""
    target, source = pair(rank)
    other = (rank + 2) % RANKS
    for request, to in ((9, target), (10, other)):
        record = begin + request, *sent(to, request)
        archive.call(source, begin + request, begin + request + 1, "MPI_Issend", record)
    end = begin + late + 300 + SHORT
    done = [(end - 1, "MpiIsendComplete", request) for request in (9, 10)]
    archive.call(source, begin + 300, end, "MPI_Waitall", *done)
    receive(archive, target, source, begin + late + 300, end, "MPI_Recv")
    receive(archive, other, source, begin + late // 2 + 300, end, "MPI_Recv")
    waits["late_receiver", source] += late


def all_wait(name: str, operation: object, kind: str, communicator: int = 0) -> Round:
    """Write an operation in which all members wait for the last one."""

    def write(
        archive: Archive, begin: int, late: int, rank: int, waits: Planted
    ) -> None:
        members = (
            range(RANKS) if communicator == 0 else (rank // 2 * 2, rank // 2 * 2 + 1)
        )
        number = 0 if communicator == 0 else 1 + rank // 2
        enters = {m: begin + late * (m == rank) for m in members}
        end = begin + late + SHORT
        archive.collective(name, operation, enters, end, number)
        for member in members:
            if member != rank:
                waits[kind, member] += late

    return write


ROUNDS["barrier"] = all_wait("MPI_Barrier", OPERATION.BARRIER, "wait_at_barrier")
ROUNDS["reduced"] = all_wait("MPI_Allreduce", OPERATION.ALLREDUCE, "wait_at_nxn")
ROUNDS["of_some"] = all_wait("MPI_Alltoall", OPERATION.ALLTOALL, "wait_at_nxn", 1)


def rooted(name: str, operation: object, kind: str, *, root_waits: bool) -> Round:
    """Write an operation in which one waits for all, or all wait for one."""

    def write(
        archive: Archive, begin: int, late: int, rank: int, waits: Planted
    ) -> None:
        root = (rank + 1) % RANKS if root_waits else rank
        for member in range(RANKS):
            enter = begin + late * (member == rank)
            left = begin + late + SHORT
            if root_waits and member not in (root, rank):
                left = enter + SHORT  # has given its part
            end = left - 1, "MpiCollectiveEnd", operation, 0, root, 8, 8
            records = (enter + 1, "MpiCollectiveBegin"), end
            archive.call(member, enter, left, name, *records)
            if member != rank and (not root_waits or member == root):
                waits[kind, member] += late

    return write


ROUNDS["broadcast"] = rooted(
    "MPI_Bcast", OPERATION.BCAST, "late_broadcast", root_waits=False
)
ROUNDS["gathered"] = rooted(
    "MPI_Reduce", OPERATION.REDUCE, "early_reduce", root_waits=True
)


@round_of
def not_blocking(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Wait for an operation of all in the call that completes it."""
    end, kind = begin + late + 500, "NonBlockingCollectiveComplete"
    for member in range(RANKS):
        own = begin + late * (member == rank)
        request = own + 1, "NonBlockingCollectiveRequest", 40
        archive.call(member, own, own + SHORT, "MPI_Iallreduce", request)
        done = end - 1, kind, OPERATION.ALLREDUCE, 0, NONE, 8, 8, 40
        archive.call(member, own + 200, end, "MPI_Wait", done)
        if member != rank:
            waits["wait_at_nxn", member] += max(late - 200, 0)


def unrecorded(name: str, kind: str) -> Round:
    """Write an operation of all of which there is no record but the call."""

    def write(
        archive: Archive, begin: int, late: int, rank: int, waits: Planted
    ) -> None:
        for member in range(RANKS):
            enter = begin + late * (member == rank)
            archive.call(member, enter, begin + late + SHORT, name)
            if member != rank:
                waits[kind, member] += late

    return write


ROUNDS["written"] = unrecorded("MPI_File_write_all", "wait_at_io")
ROUNDS["duplicated"] = unrecorded("MPI_Comm_dup", "wait_at_setup")


@round_of
def flushed(archive: Archive, begin: int, late: int, rank: int, waits: Planted) -> None:
    """Flush the buffer of a rank for so long; others wait for it."""
    archive.event(rank, begin, "BufferFlush", begin + late)
    waits["measurement", rank] += late
    source, target = pair(rank)
    send(archive, source, target, begin + late + 1)
    receive(archive, target, source, begin, begin + late + 1 + SHORT, "MPI_Recv")
    waits["late_sender", target] += late + 1


@round_of
def switched_off(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Record nothing of a rank, to which a message is sent meanwhile."""
    archive.event(rank, begin, "MeasurementOnOff", OFF)
    archive.event(rank, begin + ROUND // 2, "MeasurementOnOff", ON)
    waits["not_recorded", rank] += ROUND // 2
    send(archive, (rank + 1) % RANKS, rank, begin + 1000 + late // 4)


@round_of
def of_threads(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Let a thread wait for a message while its rank waits for another one."""
    source, target = pair(rank)
    send(archive, source, target, begin + late)
    receive(archive, target, source, begin, begin + late + SHORT, "MPI_Recv")
    waits["late_sender", target] += late
    tagged = begin + late + 1, "MpiSend", target, 0, 5, 8
    archive.call((source, 1), begin + late, begin + late + SHORT, "MPI_Send", tagged)
    record = begin + late + SHORT - 1, "MpiRecv", source, 0, 5, 8
    end = begin + late + SHORT
    archive.call((target, 1), begin + 7, end, "MPI_Recv", record)
    waits["late_sender", RANKS + target] += late - 7


@round_of
def with_threads(
    archive: Archive, begin: int, late: int, rank: int, waits: Planted
) -> None:
    """Let a main thread wait for its other one at a barrier of OpenMP."""
    region = archive.region("!$omp implicit barrier @a.c:1")
    archive.event(rank, begin, "Enter", region)
    archive.event(rank, begin + late, "Leave", region)
    waits["wait_for_threads", rank] += late


rounds = st.lists(
    st.tuples(
        st.sampled_from(sorted(ROUNDS)),
        st.integers(0, RANKS - 1),
        st.integers(2_000, 90_000),
    ),
    min_size=1,
    max_size=12,
)


def written(
    program: list[tuple[str, int, int]], hanging: bool
) -> tuple[Archive, Planted]:
    archive, waits = Archive(RANKS, threads=1), defaultdict[tuple[str, int], int](int)
    for first in (0, 2):
        archive.communicator([first, first + 1], f"half {first}")
    archive.all_call(0, 1000, "MPI_Init")
    begin = SETUP
    for name, rank, late in program:
        ROUNDS[name](archive, begin, late, rank, waits)
        begin += ROUND
    if hanging:
        for rank in range(RANKS - 1):
            archive.call(
                rank, begin, None, "MPI_Barrier", (begin + 1, "MpiCollectiveBegin")
            )
            waits["never_completed", rank] += ROUND
        archive.call(RANKS - 1, begin + ROUND - 10, begin + ROUND, "MPI_Abort")
    else:
        archive.all_call(begin, begin + 1000, "MPI_Finalize")
    return archive, waits


def computed(archive: Archive, length: int) -> list[int]:
    """Ticks of main threads outside of calls, flushes and gaps: a walk over records."""
    result = []
    for rank in range(RANKS):
        outside, depth, since, off, busy = 0, 0, 0, False, 0
        for time, _, kind, fields in sorted(archive.events[rank], key=lambda e: e[:2]):
            if not depth and not off:
                outside += max(time - max(since, busy), 0)
            since = time
            if kind == "BufferFlush":
                busy = fields[0]
            elif kind == "MeasurementOnOff":
                off = fields[0] == OFF
            depth += (kind == "Enter") - (kind == "Leave")
        result.append(outside)
    del length
    return result


def seen(trace: Trace) -> Planted:
    """Ticks by class and row in the run."""
    profile = Results(trace).make("profile_of_run")
    sums = profile.class_ticks.sum(axis=1)
    assert (sums == np.diff(profile.span.window)).all()
    codes = profile.classes.tolist()
    return {
        (class_name(code), row): int(profile.class_ticks[row, column])
        for column, code in enumerate(codes)
        for row in range(trace.timeline.rows)
        if profile.class_ticks[row, column]
    }


NOT_PLANTED = {
    "compute", "send", "receive", "collective", "barrier", "one_sided", "io",
    "mpi_setup", "gpu_call", "not_recorded",
}  # fmt: skip


@examples(160)
@given(rounds, st.booleans())
def test_every_planted_wait_is_found_and_no_other(
    program: list[tuple[str, int, int]], hanging: bool
) -> None:
    archive, waits = written(program, hanging)
    with TemporaryDirectory() as folder:
        trace = open_trace(archive.write(Path(folder) / "trace"))
        classes = seen(trace)
    for (kind, row), ticks in waits.items():
        assert abs(classes.get((kind, row), 0) - ticks) <= 0.02 * ticks, (kind, row)
    for (kind, row), ticks in classes.items():
        assert kind in NOT_PLANTED or abs(waits[kind, row] - ticks) <= 0.02 * ticks
    outside = computed(archive, trace.clock.length)
    compute = [classes.get(("compute", rank), 0) for rank in range(RANKS)]
    assert compute == outside
    assert class_name(TimeState.COMPUTE) == "compute"


def test_each_round_alone() -> None:
    for name in ROUNDS:
        for rank in range(RANKS):
            test_every_planted_wait_is_found_and_no_other.hypothesis.inner_test(
                [(name, rank, 40_000), (name, rank, 3_000)], hanging=rank == 1
            )
