"""Archives that we write are what the `otf2` package reads."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import otf2
import pytest
from hypothesis import HealthCheck, given, settings
from simulation import Delay, Program, simulate
from traces import programs
from writer import write_trace

from topoview.base.progress import Cancelled
from topoview.errors import ExportError
from topoview.model import Timeline, Trace
from topoview.topology import lattice

Archive = Callable[[Trace], Path]


@pytest.fixture
def trace() -> Trace:
    order = np.array([3, 5, 0, 1, 4, 2], np.int32)
    torus = lattice((3, 2), (True, False))
    delays = (Delay(4, 1, 5e-3),)
    return simulate(Program(torus, numbering=order, delays=delays, allreduce_every=2))


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(programs())
def test_records_are_those_of_the_tables(
    tmp_path_factory: pytest.TempPathFactory, program: Program
) -> None:
    trace = simulate(program)
    anchor = write_trace(trace, tmp_path_factory.mktemp("archive"))
    with otf2.reader.open(str(anchor)) as reader:
        events = [event for _, event in reader.events]
    kinds = Counter(type(event).__name__ for event in events)
    assert len(events) == trace.events
    assert kinds["Enter"] == kinds["Leave"] == len(trace.calls) + trace.ranks
    for kind in ("MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiIrecv"):
        assert kinds[kind] == len(trace.messages)
    for kind in ("MpiCollectiveBegin", "MpiCollectiveEnd"):
        assert kinds[kind] == len(trace.collectives)
    sizes = Counter(e.msg_length for e in events if isinstance(e, otf2.events.MpiIsend))
    assert sizes == Counter(trace.messages.size.tolist())


def test_every_event_is_where_it_belongs(trace: Trace, archive: Archive) -> None:
    """Replay the archive rank by rank, against the tables."""
    calls, messages = trace.calls, trace.messages
    names = trace.regions.names
    seen: dict[int, list[tuple[str, int, int]]] = {r: [] for r in range(trace.ranks)}
    open_calls: dict[int, list[tuple[str, int]]] = {r: [] for r in range(trace.ranks)}
    sent, received = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    with otf2.reader.open(str(archive(trace))) as reader:
        ranks = {place: i for i, place in enumerate(reader.definitions.locations)}
        for place, event in reader.events:
            rank = ranks[place]
            if isinstance(event, otf2.events.Enter):
                open_calls[rank].append((event.region.name, event.time))
            elif isinstance(event, otf2.events.Leave):
                name, begin = open_calls[rank].pop()
                assert name == event.region.name
                if name.startswith("MPI_"):
                    seen[rank].append((name, begin, event.time))
            elif isinstance(event, otf2.events.MpiIsend):
                assert open_calls[rank][-1][0] == "MPI_Isend"
                peer = event.communicator.group.members[event.receiver]
                sent[rank, ranks[peer], event.msg_tag, event.time] += 1
            elif isinstance(event, otf2.events.MpiIrecv):
                assert open_calls[rank][-1][0] == "MPI_Waitall"
                peer = event.communicator.group.members[event.sender]
                received[ranks[peer], rank, event.msg_tag, event.time] += 1
    for rank in range(trace.ranks):
        here = slice(calls.offsets[rank], calls.offsets[rank + 1])
        columns = (calls.region[here], calls.enter[here], calls.leave[here])
        expected = [(names[g], a, b) for g, a, b in zip(*columns, strict=True)]
        assert seen[rank] == expected
    pairs = (messages.sender, messages.receiver, messages.tag)
    assert sent == Counter(zip(*pairs, messages.send_time, strict=True))
    assert received == Counter(zip(*pairs, messages.receive_time, strict=True))


def test_definitions(trace: Trace, archive: Archive) -> None:
    trace = replace(
        trace, clock=replace(trace.clock, origin=10**15), metrics=("power",)
    )
    with otf2.reader.open(str(archive(trace))) as reader:
        known = reader.definitions
        assert known.clock_properties.timer_resolution == trace.clock.resolution
        assert known.clock_properties.global_offset == 10**15
        assert known.clock_properties.trace_length == trace.clock.length
        assert min(event.time for _, event in reader.events) == 10**15
        assert [region.name for region in known.regions] == list(trace.regions.names)
        assert {region.paradigm for region in known.regions} == {
            otf2.Paradigm.USER,
            otf2.Paradigm.MPI,
        }
        assert [place.group.name for place in known.locations] == [
            f"MPI Rank {r}" for r in range(6)
        ]
        assert {place.group.system_tree_parent.name for place in known.locations} == {
            "node0"
        }
        world, cart = known.comms
        places = list(known.locations)
        assert [places.index(m) for m in world.group.members] == list(range(6))
        assert [places.index(m) for m in cart.group.members] == [3, 5, 0, 1, 4, 2]
        (declared,) = known.cart_topologies
        assert [axis.size for axis in declared.dimensions] == [2, 3]
        assert [axis.cart_periodicity for axis in declared.dimensions] == [
            otf2.CartPeriodicity.FALSE,
            otf2.CartPeriodicity.TRUE,
        ]
        coordinates = {c.rank: c.coordinates for c in known.cart_coordinates}
        # rank in the Cartesian communicator: row-major, the last one fastest
        assert coordinates == {i: divmod(i, 3) for i in range(6)}
        assert [metric.name for metric in known.metric_members] == ["power"]


def test_measurement_is_switched_where_there_is_no_region(
    trace: Trace, archive: Archive
) -> None:
    """Rank 0: nothing, outside any region, off, in main, outside any region."""
    line = trace.timeline
    first = int(line.offsets[1])
    time = np.concatenate([[0, 10, 20, 30, 40, 50], line.time[first:]])
    state = np.concatenate([[0, 1, 0, 1, 1, 0], line.state[first:]]).astype(np.uint8)
    region = np.concatenate([[-1, -1, -1, 0, -1, -1], line.region[first:]])
    offsets = np.concatenate([[0], line.offsets[1:] - first + 6])
    calls, messages, parts = trace.calls, trace.messages, trace.collectives
    none = slice(0, 0)
    trace = replace(
        trace,
        timeline=Timeline(offsets, time, state, region.astype(np.int32)),
        calls=replace(
            calls,
            offsets=np.zeros_like(calls.offsets),
            region=calls.region[none],
            enter=calls.enter[none],
            leave=calls.leave[none],
            completes=calls.completes[none],
        ),
        messages=replace(
            messages, **{f: getattr(messages, f)[none] for f in messages.__slots__}
        ),
        collectives=replace(
            parts, **{f: getattr(parts, f)[none] for f in parts.__slots__}
        ),
    )
    with otf2.reader.open(str(archive(trace))) as reader:
        first_place = next(iter(reader.definitions.locations))
        found = [
            (type(e).__name__, e.time, getattr(e, "measurement_mode", None))
            for place, e in reader.events
            if place is first_place
        ]
    on, off = otf2.MeasurementMode.ON, otf2.MeasurementMode.OFF
    assert found == [
        ("MeasurementOnOff", 10, on),
        ("MeasurementOnOff", 20, off),
        ("MeasurementOnOff", 30, on),
        ("Enter", 30, None),
        ("Leave", 40, None),
        ("MeasurementOnOff", 50, off),
    ]


def test_nothing_is_overwritten(trace: Trace, tmp_path: Path) -> None:
    anchor = write_trace(trace, tmp_path / "new" / "folder")
    before = anchor.read_bytes()
    with pytest.raises(ExportError, match="holds a trace already") as caught:
        write_trace(trace, anchor.parent)
    assert "\n" not in str(caught.value)
    assert anchor.read_bytes() == before


def test_a_folder_that_cannot_be_made(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="choose another folder") as caught:
        write_trace(trace, tmp_path / "file" / "archive")
    assert "\n" not in str(caught.value)


def test_cancelled_leaves_nothing_behind(trace: Trace, tmp_path: Path) -> None:
    def report(stage: str, fraction: float) -> None:
        if stage == "writing events" and fraction > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_trace(trace, tmp_path, report)
    assert list(tmp_path.iterdir()) == []
