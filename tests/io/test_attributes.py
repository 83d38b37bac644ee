"""Attributes of events, as the otf2 package and the format's text write them."""

import random
import struct
from pathlib import Path

import otf2
import pytest
from event_files import Order, compress, framed
from otf2.enums import Type
from traces import simulated
from writer import write_trace

from topoview.io.record_types import NARROW, WIDE
from topoview.model import EventRecords, Trace
from topoview.worker import open_trace

ENTER, LEAVE = 12, 13
VALUES = {
    Type.UINT8: 200, Type.UINT16: 60000, Type.UINT32: 4000000000, Type.UINT64: 2**63,
    Type.INT8: -5, Type.INT16: -600, Type.INT32: -70000, Type.INT64: -(2**62),
    Type.FLOAT: 1.5, Type.DOUBLE: -2.25,
}  # fmt: skip


def attributes_of(trace: Trace) -> EventRecords:
    (found,) = (records for records in trace.further if records.name == "Attribute")
    return found


def test_every_type_that_the_package_writes(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with otf2.writer.open(str(path), timer_resolution=1000) as archive:
        define = archive.definitions
        node = define.system_tree_node("kn1", class_name="node")
        process = define.location_group("rank 0", system_tree_parent=node)
        main = define.location("main", group=process)
        solve = define.region("solve")
        known = {kind: define.attribute(str(kind), type=kind) for kind in VALUES}
        text = define.attribute("why", type=Type.STRING)
        place = define.attribute("line", type=Type.SOURCE_CODE_LOCATION)
        line = define.source_code_location("s.c", 12)
        writer = archive.event_writer_from_location(main)
        writer.enter(10, solve, attributes={text: "because", place: line})
        writer.leave(20, solve, attributes={known[k]: v for k, v in VALUES.items()})
        writer.enter(30, solve)
        writer.leave(40, solve)
    trace = open_trace(path)
    found = attributes_of(trace)
    names = {named.kind: named for named in trace.names}
    attributes = names["attribute"]
    told = {}
    for row, number in zip(found.values.tolist(), found.numbers(), strict=True):
        name = attributes.names[attributes.identifiers.tolist().index(row[0])]
        told[name] = (row[3], row[2] if name in ("why", "line") else float(number))
    assert trace.events == 4
    assert found.time.tolist() == [0, 0] + [10] * len(VALUES)
    assert told.pop("line") == (ENTER, 0)
    assert told.pop("why")[0] == ENTER
    assert told == {str(k): (LEAVE, float(v)) for k, v in VALUES.items()}


@pytest.mark.parametrize("order", ["little", "big"])
def test_lists_in_both_byte_orders(tmp_path: Path, order: Order) -> None:
    """Written by hand: mapped identifiers, damaged lists, further chunks."""
    path = write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    rng = random.Random(3)
    sign = "<" if order == "little" else ">"
    body, truth, events = b"", [], 0
    for time in range(100, 400):
        body += b"\x05" + time.to_bytes(8, order)
        values = []
        for _ in range(rng.randrange(3)):
            number, form = rng.randrange(4), rng.choice([1, 2, 3, 4, 7, 9, 10, 11, 77])
            value = rng.randrange(1 << (8 if form == 1 else 16))
            if form == 1:
                raw = bytes([value])
            elif form in (2, 9, 10):
                raw = struct.pack(sign + {2: "H", 9: "I", 10: "Q"}[form], value)
            else:
                raw = compress(value, NARROW if form in (3, 7, 11) else WIDE, order)
            values.append(compress(number, NARROW, order) + bytes([form]) + raw)
            truth.append((time, [number, form, value, ENTER]))
        if values:
            content = compress(len(values), NARROW, order) + b"".join(values)
            body += b"\x06" + framed(content, order)
        elif rng.random() < 0.2:
            body += b"\x06" + framed(compress(1 << 20, NARROW, order), order)
        body += bytes([ENTER]) + compress(0, NARROW, order)
        events += 1
    mark = {"little": 0x42, "big": 0x23}[order]
    head = bytes([3, mark]) + struct.pack(f"{sign}QQ", 1, events)
    folder = path.parent / path.stem
    (folder / "2.evt").write_bytes(head + body + b"\x02\x01")
    trace = open_trace(path)
    found = attributes_of(trace)
    assert found.offsets[2] == 0
    assert found.offsets[3] == len(found) == len(truth)
    times = (found.time + trace.clock.origin).tolist()
    assert list(zip(times, found.values.tolist(), strict=True)) == truth


def test_those_of_real_traces() -> None:
    """A stream of the GPU at every kernel, a thread at every team."""
    from traces import read_real

    trace = read_real("public-casita-2_cuda_simple")
    (names,) = (named for named in trace.names if named.kind == "attribute")
    found = attributes_of(trace)
    assert len(found) == 40
    streams = names.identifiers[names.names.index("CUDA_STREAM_REF")]
    assert (found.column("attribute") == streams).all()
    assert {place.id for place in trace.locations} >= set(found.column("value"))
