"""The own decoder, held against libotf2: every record, byte order, compression."""

import random
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from event_files import (
    Event,
    Order,
    library_columns,
    random_events,
    read_with_library,
    write_definitions,
    write_file,
)
from numpy.typing import DTypeLike, NDArray
from traces import BUNDLED_NAMES, LARGE_NAMES, MORE_NAMES, real_path, slow_tests_run
from writer import EVENT_CHUNK, write_trace

from topoview.base.progress import silent
from topoview.io.archive.finding import find_anchor
from topoview.io.decoder.blocks import TABLES
from topoview.io.reading.whole import read_anchor
from topoview.io.record_types import (
    COLLECTIVE_COMPLETE,
    COLLECTIVE_END,
    METRIC,
    RECORDS,
)
from topoview.model import COMMUNICATOR_PARENT, Subset, Trace
from topoview.store.arrays import MemoryAllocator
from topoview.worker import open_trace

ORDERS: tuple[Order, ...] = ("little", "big")

MANY_EVENTS = (
    *("app-amg-12", "app-hpcg8-18", "app-lammps-lj-24", "app-lulesh-27"),
    *("app-miniamr-16", "app-minife", "app-snap-24", "ez-bt-16", "ez-cg-16"),
    *("ez-halo3d7-3x4x4", "ez-jacobi2d-6x6-idlewave"),
    *("ez-jacobi2d-8x4-periodic-idlewave", "ez-lu-16", "ez-mg-16", "ez-mg-8"),
    *("ez-ring24-idlewave", "ez-sp-16", "ez-stencil4d-3x3x3x3"),
    *("public-casita-2_jacobi_blame_cpu_050", "public-casita-2_jacobi_blame_gpu_005"),
    *("sp-bt-16", "sp-cg-32", "sp-halo3d27-3x3x4", "sp-halo3d7-3x4x4-permuted"),
    *("sp-jacobi2d-6x6-idlewave", "sp-lu-32", "sp-lu-32-functions", "sp-lu-8-flush"),
    *("app-ai-g3-16", "app-ai-moe-24", "ez-bt-9", "ez-cg-8", "ez-lu-8"),
    "public-casita-2_cloverleaf_cuda",
)
"""Real traces of which plain loops read for longest: 150,000 events a second.

Others have the same types of records, make the same calls, and are warned of alike.
"""

BY_PLAIN_LOOPS = [
    pytest.param(
        name, marks=[pytest.mark.slow] * (name in {*MANY_EVENTS, *LARGE_NAMES})
    )
    for name in [*BUNDLED_NAMES, *MORE_NAMES]
]


def test_the_fuzzer_allocates_every_column_that_the_decoder_fills() -> None:
    source = (Path(__file__).parents[1] / "fuzz" / "decoder_fuzz.c").read_text("utf-8")
    allocated = set(re.findall(r"COLUMN\((\w+), \d\)", source))
    fields = {column.field for table in TABLES for column in table}
    assert allocated == fields | {"posted"}  # where several rows are of a rank


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a trace of six ranks whose files of events are to be replaced."""
    from traces import simulated

    folder = tmp_path_factory.mktemp("decoder") / "run"
    write_trace(simulated("grid", (3, 2)), folder)
    return folder


def replace(folder: Path, rank: int, events: bytes, definitions: bytes) -> None:
    (folder / "traces" / f"{rank}.evt").write_bytes(events)
    (folder / "traces" / f"{rank}.def").write_bytes(definitions)


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


CREATE_HANDLE = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE
MADE = {RECORDS[kind].name for kind in (COLLECTIVE_END, COLLECTIVE_COMPLETE)}
"""Records that may be of what makes a communicator."""


def told(trace: Trace, row: int) -> dict[str, list[tuple[int, list[int]]]]:
    """Tell what the model has of a row's further records: times and fields by type."""
    found: dict[str, list[tuple[int, list[int]]]] = {}
    for records in trace.further:
        here = slice(records.offsets[row], records.offsets[row + 1])
        times = (records.time[here] + trace.clock.origin).tolist()
        found[records.name] = list(
            zip(times, records.values[here].tolist(), strict=True)
        )
    return found


def expected(
    truth: list[tuple[int, str, list[int]]], names: set[str], origin: int
) -> dict[str, list[tuple[int, list[int]]]]:
    """Make the same of what the library reads."""
    found: dict[str, list[tuple[int, list[int]]]] = {name: [] for name in names}
    for time, name, fields in truth:
        if name in MADE and fields[0] == CREATE_HANDLE:
            found[COMMUNICATOR_PARENT].append(
                (time, [0])
            )  # of the world: no other is defined
        if name not in names:
            continue
        if name == "Metric":
            metric, count, *rest = fields
            for place in range(count):
                kind, value = rest[2 * place : 2 * place + 2]
                row = [metric, place, kind, signed(value)]
                found[name].append((time, row))
        else:
            moved = origin if name == "BufferFlush" else 0
            found[name].append((time, [signed(value) - moved for value in fields]))
    return found


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(4))
def test_every_record_is_what_the_library_reads(
    empty: Path, order: Order, seed: int
) -> None:
    rng = random.Random(seed)
    events = random_events(rng, 3000)
    events.insert(0, Event(events[0].time, 12, (3,)))
    if order == "big":  # their values are written in one byte order only
        events = [event for event in events if event.kind != METRIC]
    tables = {
        3: (0, [rng.randrange(40) for _ in range(20)]),
        6: (1, [3, 1, 9, 0, 2**32 - 1, 5, 77, 2]),
        5: (0, [7, 5, 3]),
        8: (1, [250, 3, 5, 4, 250, 9]),
        0: (0, [11]),
    }
    first = events[0].time
    offsets = [(first + 1000, 5000), (first + 10**7, -300), (first + 10**8, 2**33)]
    definitions = write_definitions(order, tables, offsets)
    replace(empty, 2, write_file(events, order), definitions)
    trace = open_trace(empty)
    truth = read_with_library(empty / "traces.otf2", 2)
    assert len(truth) == len(events)
    assert dict(trace.counts)["type 200"] == sum(e.kind == 200 for e in events)
    names = {records.name for records in trace.further}
    assert names >= {RECORDS[kind].name for kind in (20, 31, 46, 60, 72, 84)} - (
        {"Metric"} if order == "big" else set()
    )
    assert told(trace, 2) == expected(truth, names, trace.clock.origin)
    assert library_columns(empty, "timeline") == []


_SIZES = {"region": 12, "receiver": 6, "sender": 6, "communicator": 3, "tag": 3}
_SIZES |= {"request": 9, "mode": 3, "root": 6, "operation": 20}


def draw(rng: random.Random, kind: int, first_request: int) -> tuple[int, ...]:
    """Draw small fields, so that they meet those of other events."""
    return tuple(
        rng.randrange(_SIZES.get(field.name, 1 << 40))
        + (first_request if field.name == "request" else 0)
        for field in RECORDS[kind].fields
    )


@pytest.mark.parametrize("order", ORDERS)
def test_regions_messages_and_collectives_by_the_library(
    empty: Path, order: Order
) -> None:
    """Well-formed programs of events that make states and messages."""
    for seed in range(5):
        rng = random.Random(seed)
        for rank in range(6):
            events, time = [Event(1000, 12, (8,)), Event(1000, 13, (8,))], 1000
            for _ in range(rng.randrange(400)):
                time += rng.randrange(3)
                kind = rng.choice([12, 12, 13, 13, 10, *range(14, 20), 23, 85, 86])
                # Requests of sends, receives and collectives are never the same.
                first = {15: 0, 16: 0, 17: 10, 19: 10}.get(kind, 20)
                events.append(Event(time, kind, draw(rng, kind, first)))
            definitions = write_definitions(order, {}, [])
            replace(empty, rank, write_file(events, order), definitions)
        assert library_columns(empty) == []


def test_chunks_follow_each_other(empty: Path) -> None:
    rng = random.Random(7)
    events = random_events(rng, 40_000)
    events.insert(0, Event(events[0].time, 12, (3,)))
    data = write_file(events, "little")
    assert len(data) > 2 * EVENT_CHUNK
    replace(empty, 2, data, write_definitions("little", {}, []))
    trace = open_trace(empty)
    assert not [line for line in trace.warnings if "2.evt" in line]
    assert library_columns(empty, "timeline") == []


@pytest.mark.parametrize("seed", range(60 if slow_tests_run() else 20))
def test_flipped_bytes_do_no_harm(empty: Path, seed: int) -> None:
    """No crash, no endless loop, no more events than there were."""
    rng = random.Random(seed)
    events = random_events(rng, 400)
    data = bytearray(write_file(events, rng.choice(ORDERS)))
    tables = {3: (0, [1, 2, 3]), 6: (1, [3, 1, 9, 0])}
    definitions = bytearray(write_definitions("little", tables, [(1, 2), (3, 4)]))
    for _ in range(rng.randrange(1, 8)):
        data[rng.randrange(len(data))] = rng.randrange(256)
        definitions[rng.randrange(len(definitions))] = rng.randrange(256)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    replace(empty, 2, bytes(data), bytes(definitions))
    trace = open_trace(empty)
    assert trace.counts == () or sum(n for _, n in trace.counts) == trace.events
    assert (trace.calls.leave >= trace.calls.enter).all()
    for column in (trace.messages.sender, trace.messages.receiver):
        assert ((column >= 0) & (column < trace.ranks)).all()
    for records in trace.further:
        assert np.all(np.diff(records.offsets) >= 0)


@pytest.mark.parametrize("length", [2**62, 2**63 + 5, 2**64 - 1, 2**64 - 300])
@pytest.mark.parametrize("order", ORDERS)
def test_a_length_that_leads_anywhere(empty: Path, length: int, order: Order) -> None:
    """Of a list of attributes, and of a record, behind the last whole event."""
    for kind in (6, 46, 200):
        data = write_file([Event(5, 12, (1,)), Event(9, 13, (1,))], order)
        data = data[:-2] + bytes([kind, 255]) + length.to_bytes(8, order) + b"\x02\x01"
        replace(empty, 2, data, write_definitions(order, {}, []))
        trace = open_trace(empty)
        at = trace.timeline.offsets[2]
        assert trace.timeline.region[at : at + 2].tolist() != [-1, -1]


def test_offsets_of_the_clock_that_are_too_short(empty: Path) -> None:
    """Many of them would not fit into the table that their file can fill."""
    head = write_definitions("little", {}, [])[:-2]
    body = b"".join(bytes([6, 0]) for _ in range(5000))
    replace(
        empty, 2, write_file([Event(5, 12, (1,))], "little"), head + body + b"\x02\x01"
    )
    assert any("2.def" in line for line in open_trace(empty).warnings)


def test_metrics_are_numbers(empty: Path) -> None:
    def metric(time: int, kind: int, bits: int) -> Event:
        value = bits.to_bytes(8, "little")
        return Event(time, METRIC, (3, 1), bytes([kind, 8]) + value)

    real = int.from_bytes(struct.pack("<d", 2.5), "little")
    events = [metric(5, 4, 2**64 - 2), metric(6, 8, 2**64 - 3), metric(7, 10, real)]
    definitions = write_definitions("little", {5: (0, [0, 0, 0, 9])}, [])
    replace(empty, 2, write_file(events, "little"), definitions)
    (metrics,) = (r for r in open_trace(empty).further if r.name == "Metric")
    assert metrics.numbers().tolist() == [2.0**64, -3.0, 2.5]
    assert metrics.column("metric").tolist() == [9, 9, 9]


def test_metrics_get_no_more_room_than_their_records_have(empty: Path) -> None:
    """A record of a few bytes may say that it holds 255 values of 32 bytes."""
    events = [Event(n, METRIC, (3, 255), bytes([4, 0])) for n in range(1000)]
    definitions = write_definitions("little", {}, [])
    replace(empty, 2, write_file(events, "little"), definitions)
    rooms: dict[str, int] = {}
    memory = MemoryAllocator()

    def allocate(
        name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        rooms[name] = length
        return memory(name, length, dtype, scratch=scratch)

    trace = read_anchor(find_anchor(empty, empty, silent), silent, Subset(), allocate)
    assert rooms[f"further.{METRIC}.time"] <= len(events)
    assert not any(len(r.time) for r in trace.further if r.name == "Metric")
    assert any("1000" in line for line in trace.warnings)


def test_a_probed_message_is_received(empty: Path) -> None:
    """MPI_Mprobe, MPI_Mrecv and MPI_Imrecv: the sender is that of the probe."""
    send = [
        Event(10, 14, (1, 0, 5, 100)),
        Event(20, 14, (1, 0, 5, 200)),
    ]
    receive = [
        Event(30, 89, (0, 0, 5, 77)),
        Event(31, 89, (0, 0, 5, 78)),
        Event(40, 91, (78, 900)),
        Event(41, 90, (77, 100)),
        Event(50, 92, (900, 200)),
    ]
    for rank in range(6):
        events = {0: send, 1: receive}.get(rank, [])
        data = write_file(events or [Event(1, 83, (0, 0))], "little")
        replace(empty, rank, data, write_definitions("little", {}, []))
    messages = open_trace(empty).messages
    assert messages.sender.tolist() == [0, 0]
    assert messages.receiver.tolist() == [1, 1]
    assert (messages.receive_time + 1).tolist() == [41, 50]


@pytest.mark.parametrize("name", BY_PLAIN_LOOPS)
def test_real_traces_are_what_the_library_reads(name: str) -> None:
    """But for partners in other groups: the library does not look for those."""
    differ = library_columns(real_path(name))
    assert bool(differ) == (name == "app-futures-9"), differ
