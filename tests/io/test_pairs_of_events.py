"""Who sends how much to whom: against plain loops over the records of the archives."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import otf2
import pytest
import traces
from event_files import read_with_library

from topoview.live.tables.pairs import counted_matrix
from topoview.live.tables.scope import scope_of
from topoview.model import Analysis, CommunicationMatrix, Trace

Counted = dict[tuple[int, int], tuple[int, int]]


class Sent(NamedTuple):
    """A send: name of the communicator, world ranks, bytes, time of the record."""

    communicator: str
    sender: int
    receiver: int
    size: int
    time: int


def sends_of_package(anchor: Path, ranks: int) -> list[Sent]:
    """Loop over the events with the otf2 package."""
    found, kinds = [], (otf2.events.MpiSend, otf2.events.MpiIsend)
    with otf2.reader.open(str(anchor)) as archive:
        world = next(
            list(one.members)
            for one in archive.definitions.groups
            if one.group_type == otf2.GroupType.COMM_LOCATIONS
            and one.paradigm == otf2.Paradigm.MPI
        )
        assert len(world) == ranks
        rank = {location: number for number, location in enumerate(world)}
        for location, event in archive.events:
            if isinstance(event, kinds):
                to = rank[event.communicator.group.members[event.receiver]]
                name, size = event.communicator.name, event.msg_length
                found.append(Sent(name, rank[location], to, size, event.time))
    return found


def sends_of_library(anchor: Path, ranks: int) -> list[Sent]:
    """Loop over the events through libotf2; all messages are on the world.

    The package refuses EZTrace's archives, which define groups twice.
    """
    found = []
    files = sorted(anchor.parent.rglob("*.evt"), key=lambda file: int(file.stem))
    assert len(files) == ranks
    for rank, file in enumerate(files):
        for time, kind, fields in read_with_library(anchor, int(file.stem)):
            if kind in ("MpiSend", "MpiIsend"):
                found.append(Sent("", rank, fields[0], fields[3], time))
    return found


def summed(rows: list[Sent]) -> Counted:
    found: Counted = {}
    for row in rows:
        calls, volume = found.get((row.sender, row.receiver), (0, 0))
        found[row.sender, row.receiver] = calls + 1, volume + row.size
    return found


def pairs_of(matrix: CommunicationMatrix) -> Counted:
    columns = matrix.columns()
    names = ("sender", "receiver", "calls", "bytes")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    return {(a, b): (calls, size) for a, b, calls, size in rows}


@pytest.mark.parametrize(
    ("name", "sends"),
    [
        ("sp-masterworker-24", sends_of_package),
        pytest.param(
            "sp-twophase-6x6-user-metrics", sends_of_package, marks=pytest.mark.slow
        ),
        ("ez-cg-8", sends_of_library),
    ],
)
def test_pairs_equal_a_loop_over_the_events(
    name: str,
    sends: Callable[[Path, int], list[Sent]],
    tmp_path: Path,
    real_trace: Callable[[str], Trace],
) -> None:
    trace = real_trace(name)
    known = Analysis(trace)
    rows = sends(traces.unpacked(name, tmp_path), trace.ranks)
    assert pairs_of(counted_matrix(known)) == summed(rows)
    assert pairs_of(scope_of(known).matrix()) == summed(rows)
    names = [communicator.name for communicator in trace.communicators]
    for number, communicator in enumerate(names):
        own = [row for row in rows if row.communicator == communicator]
        if own and names.count(communicator) == 1:
            found = counted_matrix(known, communicator=number)
            assert pairs_of(found) == summed(own)
    some = tuple(range(0, trace.ranks, 3))
    inside = [row for row in rows if {row.sender, row.receiver} & set(some)]
    assert pairs_of(counted_matrix(known, ranks=some)) == summed(inside)
    assert pairs_of(scope_of(known, ranks=some).matrix()) == summed(inside)
    if trace.clock.alignment is not None:
        return  # times of the archive are not those of the trace
    middle = sorted(row.time for row in rows)[len(rows) // 2]
    # A record's time, counted from the first one that the trace has.
    offset = min(row.time for row in rows) - int(trace.messages.send_time.min())
    early = [row for row in inside if row.time < middle]
    found = counted_matrix(known, window=(0, middle - offset), ranks=some)
    assert pairs_of(found) == summed(early)
