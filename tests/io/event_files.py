"""Files of events written byte by byte, and read through libotf2: the truth."""

# ruff: noqa: ANN401 - arguments of C functions

import random
import struct
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import mock

import numpy as np
from otf2_reader import read_by, read_through_library
from otf2_reader.events import read_locations
from writer import EVENT_CHUNK

from topoview.io.reading.whole import decode_whole
from topoview.io.record_types import BYTE, METRIC, NARROW, RECORDS, WHOLE, WIDE
from topoview.worker import open_trace

Order = Literal["little", "big"]
_MARKS = {"little": 0x42, "big": 0x23}
_UNDEFINED = {NARROW: 0xFFFFFFFF, WIDE: 0xFFFFFFFFFFFFFFFF}


class Event(NamedTuple):
    """An event: its time, type, and fields; `extra` follows them in the record."""

    time: int
    kind: int
    fields: tuple[int, ...]
    extra: bytes = b""


def compress(value: int, form: int, order: Order, spare: int = 0) -> bytes:
    """Write an integer, with some more bytes than it needs."""
    if form == BYTE:
        return bytes([value])
    if form == WHOLE:
        return value.to_bytes(8, order)
    if value == _UNDEFINED[form]:
        return b"\xff"
    widest = 4 if form == NARROW else 8
    size = min((value.bit_length() + 7) // 8 + spare, widest)
    return bytes([size]) + value.to_bytes(size, order)


def framed(content: bytes, order: Order) -> bytes:
    """Put the length before a record's content."""
    if len(content) < 0xFF:
        return bytes([len(content)]) + content
    return b"\xff" + len(content).to_bytes(8, order) + content


def write_event(event: Event, order: Order, spare: int = 0) -> bytes:
    """Write a record, without its time."""
    kind = bytes([event.kind])
    record = RECORDS.get(event.kind)
    if record is None:
        return kind + framed(event.extra, order)
    content = b"".join(
        compress(value, field.form, order, spare)
        for field, value in zip(record.fields, event.fields, strict=True)
    )
    if record.bare:
        return kind + content
    return kind + framed(content + event.extra, order)


def write_file(events: list[Event], order: Order, size: int = EVENT_CHUNK) -> bytes:
    """Write a file of events, in chunks of some size."""
    chunks: list[tuple[int, bytes]] = []
    body, there, time = b"", 0, -1
    rng = random.Random(len(events))
    for event in events:
        record = write_event(event, order, rng.choice([0, 0, 1, 7]))
        stamp = b"\x05" + event.time.to_bytes(8, order)
        if len(body) + len(record) + 30 > size:
            chunks.append((there, body))
            body, there, time = b"", 0, -1
        body += (stamp if event.time != time else b"") + record
        there, time = there + 1, event.time
    chunks.append((there, body))
    data, first = b"", 1
    for number, (there, body) in enumerate(chunks):
        last = number == len(chunks) - 1
        head = bytes([3, _MARKS[order]]) + struct.pack(
            "<QQ" if order == "little" else ">QQ", first, first + there - 1
        )
        chunk = head + body + (b"\x02\x01" if last else b"")
        data += chunk if last else chunk.ljust(size, b"\0")
        first += there
    return data


def write_definitions(
    order: Order,
    tables: dict[int, tuple[int, list[int]]],
    offsets: list[tuple[int, int]],
) -> bytes:
    """Write local definitions: mapping tables (mode, items), clock offsets."""
    data = bytes([3, _MARKS[order]]) + bytes(16)
    for kind, (mode, items) in tables.items():
        count = len(items) // (1 + mode)
        content = bytes([kind]) + compress(count, WIDE, order) + bytes([mode])
        content += b"".join(compress(item, WIDE, order) for item in items)
        data += b"\x05" + framed(content, order)
    for time, offset in offsets:
        content = time.to_bytes(8, order)
        content += compress(offset & 0xFFFFFFFFFFFFFFFF, WIDE, order)
        content += struct.pack("<d" if order == "little" else ">d", 0.0)
        data += b"\x06" + framed(content, order)
    return data + b"\x02\x01"


def random_field(rng: random.Random, form: int) -> int:
    """Draw a value that takes any number of bytes."""
    if form == BYTE:
        return rng.randrange(256)
    widest = 4 if form == NARROW else 8
    if rng.random() < 0.1 and form in _UNDEFINED:
        return _UNDEFINED[form]
    return rng.getrandbits(8 * rng.randrange(widest + 1)) if widest else 0


def random_events(rng: random.Random, count: int) -> list[Event]:
    """Draw events of all types, and of one that nobody knows."""
    time, events = rng.randrange(1 << 40), []
    for _ in range(count):
        time += rng.choice([0, 1, 7, rng.randrange(1 << 20)])
        kind = rng.choice([*RECORDS, 200])
        extra = b""
        if kind == METRIC:
            values = rng.randrange(4)
            fields: tuple[int, ...] = (random_field(rng, NARROW), values)
            for _ in range(values):
                extra += bytes([rng.randrange(12)])
                extra += compress(random_field(rng, WIDE), WIDE, "little")
        elif kind == 200:
            fields, extra = (), rng.randbytes(rng.choice([0, 3, 254, 255, 300]))
        else:
            fields = tuple(
                random_field(rng, field.form) for field in RECORDS[kind].fields
            )
            if kind == 83:  # no arguments follow
                fields = (fields[0], 0)
            if not RECORDS[kind].bare and rng.random() < 0.1:
                extra = b"\0" * rng.randrange(9)
        if kind == 10:
            fields = (time,)
        events.append(Event(time, kind, fields, extra))
    return events


def read_with_library(anchor: Path, location: int) -> list[tuple[int, str, list[int]]]:
    """Read a location's events through libotf2: time, type, fields."""
    (found,) = read_locations(anchor, [location])
    return [
        (time, RECORDS[kind].name if kind else "Unknown", list(numbers))
        for time, kind, numbers in found.events
    ]


def _through_library(defined: Any, report: Any, allocate: Any, subset: Any) -> Any:
    """Read by libotf2, but for records of transfers: of them copies are shown."""
    events = read_through_library(defined, report, subset)
    own = decode_whole(defined, report, allocate, subset)
    return replace(events, further=own.further)


def library_columns(path: Path, *names: str) -> list[str]:
    """Names of columns that differ from those that come through libotf2.

    Rows of tables that are not in an order of their own may be in any. Sizes of
    collective operations are those that were recorded.
    """
    with mock.patch("topoview.io.reading.whole.settle_sizes"):
        own = open_trace(path)
    with read_by(_through_library):
        theirs = open_trace(path)
    found = [] if own.events == theirs.events else ["events"]
    if own.clock != theirs.clock:
        found.append("clock")
    tables = "timeline", "calls", "messages", "collectives", "paths"
    for name in names or tables:
        one, other = (_columns(getattr(trace, name)) for trace in (own, theirs))
        for title, column in one.items():
            if column.dtype != other[title].dtype:
                found.append(f"{name}.{title} (type)")
            elif not np.array_equal(column, other[title]):
                found.append(f"{name}.{title}")
    return found


def _columns(table: Any) -> dict[str, np.ndarray]:
    columns = {field.name: getattr(table, field.name) for field in fields(table)}
    if "offsets" in columns or "parent" in columns:
        return columns
    order = np.lexsort(tuple(columns.values()))
    return {name: column[order] for name, column in columns.items()}
