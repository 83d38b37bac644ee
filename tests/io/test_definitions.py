"""Anchors and global definitions, held against libotf2 record by record."""

import contextlib
import random
import struct
import tarfile
from pathlib import Path
from typing import Any

import pytest
from event_files import Order, compress, framed
from everything import write_everything
from hypothesis import given
from hypothesis import strategies as st
from otf2_reader.definitions import (
    Record,
    definitions_through_library,
    head_through_library,
    significant,
)
from traces import EVERY_REAL, real_path, simulated
from writer import write_trace

from topoview.errors import TraceError
from topoview.io.archive.anchor import AnchorFile, read_anchor_file
from topoview.io.definitions.columns import (
    DEFINITION_TYPES,
    DefinitionColumns,
    DefinitionType,
    decode_definitions,
)
from topoview.io.definitions.records import read_records
from topoview.io.record_types import BYTE, NARROW, WIDE
from topoview.worker import open_trace

CHUNK = 1 << 18
HEAD = AnchorFile(CHUNK, CHUNK, "")
"""Bytes of a chunk: libotf2 reads no smaller ones."""

TEXT, VALUE, NARROWS, WIDES, PROPERTIES, LATER = range(4, 10)
ORDERS: tuple[Order, ...] = ("little", "big")
PLAIN_BYTES = {1: 1, 2: 2, 5: 1, 6: 2, 9: 4, 10: 8}
"""Bytes of values that are not compressed, by their OTF2_Type."""


def told(columns: DefinitionColumns) -> list[Record]:
    """List decoded definitions as the library hands them out."""
    found: list[tuple[int, Record]] = []
    for kind in DEFINITION_TYPES.values():
        titles = ("number", *kind.fields)
        for row in columns.rows(kind.name, " ".join(titles)):
            fields: dict[str, Any] = dict(zip(titles, row, strict=True))
            number = fields.pop("number")
            fields.pop("old_kind", None)
            count = fields.get("count", fields.get("size", 0))
            if kind.name == "String":
                fields["text"] = columns.text(fields["text"])
            elif "text" in fields:  # a property of old, which is a value now
                del fields["text"]
            for title in ("members", "dimensions", "place"):
                if title in fields:
                    fields[title] = list(columns.numbers_at(fields[title], count))
            if "properties" in fields:
                items = columns.numbers_at(fields["properties"], 3 * count)
                fields["properties"] = [
                    (items[at], items[at + 1], significant(*items[at + 1 : at + 3]))
                    for at in range(0, 3 * count, 3)
                ]
            if "value" in fields:
                fields["value"] = significant(fields["type"], fields["value"])
            found.append((number, (kind.name, fields)))
    return [record for _, record in sorted(found, key=lambda pair: pair[0])]


def same_as_library(anchor: Path) -> int:
    """Compare an archive's anchor and definitions; gives how many there are."""
    head = read_anchor_file(anchor, anchor)
    assert head[:3] == head_through_library(anchor)
    columns = decode_definitions(anchor.with_suffix(".def"), head)
    expected, content = definitions_through_library(anchor)
    assert content
    assert columns.whole
    assert told(columns) == expected
    return len(expected)


def unpacked_head(name: str, folder: Path) -> Path:
    """Unpack the anchor of a real trace, and its definitions."""
    with tarfile.open(real_path(name)) as archive:
        for member in archive:
            path = folder / Path(member.name).name
            content = archive.extractfile(member)
            if content and path.suffix in (".otf2", ".def"):
                path.write_bytes(content.read())
            anchors = list(folder.glob("*.otf2"))
            if anchors and anchors[0].with_suffix(".def").exists():
                return anchors[0]
    pytest.fail(f"{name} has no anchor")


@pytest.mark.parametrize("name", EVERY_REAL)
def test_real_definitions_are_what_the_library_reads(name: str, tmp_path: Path) -> None:
    assert same_as_library(unpacked_head(name, tmp_path)) > 20


def test_written_definitions_are_what_the_library_reads(tmp_path: Path) -> None:
    write_everything(tmp_path / "all")
    assert same_as_library(tmp_path / "all" / "traces.otf2") > 20
    trace = simulated("torus", (4, 3))
    assert same_as_library(write_trace(trace, tmp_path / "run")) > 20


def compressed(rng: random.Random, form: int, order: Order) -> bytes:
    """Draw a number, small ones more often, and write it."""
    if form == BYTE:
        return bytes([rng.choice([rng.randrange(8), rng.randrange(256)])])
    widest = 4 if form == NARROW else 8
    value = rng.getrandbits(rng.choice([3, 8, 8 * widest]))
    return b"\xff" if rng.random() < 0.1 else compress(value, form, order)


def write_record(  # noqa: C901 - a case a form
    rng: random.Random, kind: DefinitionType, order: Order
) -> bytes:
    """Write a record of a type: older ones lack fields, newer ones have more."""
    body, last = b"", 0

    def value(of: int) -> bytes:
        if of in PLAIN_BYTES:
            return rng.randbytes(PLAIN_BYTES[of])
        wide = of in (4, 8, 13) or not 0 < of < 26
        return compressed(rng, WIDE if wide else NARROW, order)

    for form in kind.forms:
        if form == LATER and rng.random() < 0.3:
            return body
        if form in (BYTE, NARROW, WIDE):
            piece = compressed(rng, form, order)
            if form == BYTE:
                last = piece[0] % 28
                piece = bytes([last])
            elif piece != b"\xff":
                last = int.from_bytes(piece[1:], order)
            else:
                last = -1
        elif form == TEXT:
            length = rng.choice([0, 3, 300])
            piece = bytes(rng.randrange(1, 256) for _ in range(length)) + b"\0"
        elif form == VALUE:
            piece = value(last)
        elif form in (NARROWS, WIDES):
            item = NARROW if form == NARROWS else WIDE
            piece = b"".join(compressed(rng, item, order) for _ in range(last))
        elif form == PROPERTIES:
            kinds = [rng.randrange(30) for _ in range(last)]
            piece = b"".join(bytes([7, one]) + value(one) for one in kinds)
        else:
            piece = b""
        body += piece
    return body + (rng.randbytes(5) if rng.random() < 0.1 else b"")


def draw_records(rng: random.Random, count: int, order: Order) -> list[bytes]:
    """Draw records of all types, and of one that nobody knows."""
    found = []
    while len(found) < count:
        number = rng.choice([*DEFINITION_TYPES, 200])
        if number == 200:
            body = rng.randbytes(rng.choice([0, 9, 300]))
        elif number == 18:  # a group announces its members: few of them
            size = rng.randrange(200)
            body = compressed(rng, NARROW, order) + b"\1\7" + bytes([rng.randrange(8)])
            body += compress(size, NARROW, order)
            body += b"".join(compressed(rng, WIDE, order) for _ in range(size))
            body += bytes([5, 4]) + b"\1\1" if rng.random() < 0.7 else b""
        else:
            body = write_record(rng, DEFINITION_TYPES[number], order)
        found.append(bytes([number]) + framed(body, order))
    return found


def write_file(records: list[bytes], order: Order, end: bytes = b"\2\1") -> bytes:
    """Write a file of definitions, in chunks."""
    head = bytes([3, 0x42 if order == "little" else 0x23]) + bytes(16)
    data, chunk = b"", head
    for record in records:
        if len(chunk) + len(record) + 2 > CHUNK:
            data, chunk = data + chunk.ljust(CHUNK, b"\0"), head
        chunk += record
    return data + chunk + end


@pytest.fixture(scope="module")
def anchor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an archive whose definitions are to be replaced."""
    path = write_trace(
        simulated("grid", (2, 1)), tmp_path_factory.mktemp("definitions") / "run"
    )
    data = bytearray(path.read_bytes())
    data[20:28] = CHUNK.to_bytes(8, "little")
    path.write_bytes(data)
    return path


@given(st.integers(0, 1 << 32), st.sampled_from(ORDERS), st.integers(0, 60))
def test_any_definitions_are_what_the_library_reads(
    anchor: Path, seed: int, order: Order, count: int
) -> None:
    records = draw_records(random.Random(seed), count, order)
    anchor.with_suffix(".def").write_bytes(write_file(records, order))
    unknown = sum(record[0] == 200 for record in records)
    assert same_as_library(anchor) == count - unknown


@pytest.mark.parametrize("order", ORDERS)
def test_chunks_follow_each_other(anchor: Path, order: Order) -> None:
    records = draw_records(random.Random(3), 20_000, order)
    data = write_file(records, order)
    assert len(data) > 2 * CHUNK
    anchor.with_suffix(".def").write_bytes(data + b"\r\n")
    assert same_as_library(anchor) > 19_000


@given(st.integers(0, 1 << 32), st.sampled_from(ORDERS))
def test_damage_costs_what_is_behind_it(anchor: Path, seed: int, order: Order) -> None:
    """What is before it is read; that it is not all is told."""
    rng = random.Random(seed)
    records = draw_records(rng, 30, order)
    data, path = write_file(records, order), anchor.with_suffix(".def")
    path.write_bytes(data)
    whole = told(decode_definitions(path, HEAD))
    cut = rng.randrange(len(data) - 1)
    path.write_bytes(data[:cut])
    columns = decode_definitions(path, HEAD)
    found = told(columns)
    assert not columns.whole
    assert found == whole[: len(found)]
    ends = [18]
    for record in records:
        ends.append(ends[-1] + len(record))
    before = sum(end <= cut for end in ends[1:])
    unknown = sum(record[0] == 200 for record in records[:before])
    assert len(found) == before - unknown
    flipped = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        flipped[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(flipped)
    columns = decode_definitions(path, HEAD)
    assert sum(map(len, columns.tables.values())) <= len(data) / 2
    assert len(columns.items) <= 3 * len(data)
    read_records(path, HEAD)


def promise(number: int, *body: bytes) -> bytes:
    return bytes([number]) + framed(b"".join(body), "little")


PROMISES = {
    "a group of 2^32 members": promise(
        18, b"\1\1", b"\1\0", b"\4", b"\4\xff\xff\xff\xff"
    ),
    "a group of nobody knows how many": promise(18, b"\1\1", b"\1\0", b"\4", b"\xff"),
    "a text without end": promise(10, b"\1\1", b"endless"),
    "255 dimensions": promise(31, b"\1\0", b"\1\0", b"\1\0", b"\xff", b"\1\1"),
    "255 metrics": promise(20, b"\1\0", b"\xff", b"\1\1"),
    "255 properties": promise(8, b"\0", b"\0", b"\0", b"\0", b"\0", b"\xff", b"\1\1\1"),
    "a number of 200 bytes": promise(14, b"\xc8", b"\1\1"),
    "a record of 2^40 bytes": b"\x0a\xff" + struct.pack("<Q", 1 << 40) + b"\1\1a\0",
    "a record of 2^64 - 1 bytes": b"\x0a\xff" + b"\xff" * 8 + b"\1\1a\0",
    "a record without fields": promise(15),
}


@pytest.mark.parametrize("broken", PROMISES.values(), ids=PROMISES.keys())
def test_no_promise_is_believed(anchor: Path, broken: bytes) -> None:
    path = anchor.with_suffix(".def")
    good = promise(10, b"\1\5", b"hello\0")
    path.write_bytes(write_file([good, broken, good], "little"))
    columns = decode_definitions(path, HEAD)
    assert not columns.whole
    assert told(columns) == [("String", {"self": 5, "text": "hello"})]
    assert len(columns.items) < 256


@pytest.mark.parametrize("chunk", [0, 1, 18, 19, 1 << 40, (1 << 64) - 1])
def test_any_size_of_chunks(anchor: Path, chunk: int) -> None:
    path = anchor.with_suffix(".def")
    path.write_bytes(write_file([promise(10, b"\1\5", b"hello\0")], "little"))
    columns = decode_definitions(path, HEAD._replace(definition_chunk=chunk))
    assert columns.whole == (chunk > 19)
    assert len(told(columns)) == (chunk > 19)


def test_an_end_in_the_middle_is_damage(anchor: Path) -> None:
    path = anchor.with_suffix(".def")
    good = promise(10, b"\1\5", b"hello\0")
    path.write_bytes(write_file([good, b"\2", good], "little"))
    columns = decode_definitions(path, HEAD)
    assert (len(told(columns)), columns.whole) == (1, False)


def test_definitions_are_told_to_be_damaged(tmp_path: Path) -> None:
    path = write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    definitions = path.with_suffix(".def")
    data = definitions.read_bytes()
    definitions.write_bytes(data[:-1] + b"\3\1")
    assert any("definitions are damaged" in line for line in open_trace(path).warnings)


def test_anchors_are_read_as_by_the_library(anchor: Path, tmp_path: Path) -> None:
    """With properties too; what is cut is refused."""
    data = anchor.read_bytes()
    path = tmp_path / "traces.otf2"
    at = 46
    for _ in range(3):
        at = data.index(0, at) + 1
    pairs = b"SCOREP::NAME\0any\0A::B\0more\0"
    more = data[:at] + b"\2\0\0\0" + pairs + data[at + 4 :]
    for whole in (data, more, data + b"behind"):
        path.write_bytes(whole)
        assert read_anchor_file(path, path)[:3] == head_through_library(path)
    for cut in range(len(more)):
        path.write_bytes(more[:cut])
        expected = head_through_library(path)
        if expected:
            assert read_anchor_file(path, path)[:3] == expected
            continue
        with pytest.raises(TraceError, match="is damaged or no OTF2 anchor file"):
            read_anchor_file(path, path)


@given(st.binary(max_size=200))
def test_no_bytes_are_an_anchor_by_chance(anchor: Path, data: bytes) -> None:
    path = anchor.with_name("other.otf2")
    head = anchor.read_bytes()[:46]
    for content in (data, head[:40] + data, head + data):
        path.write_bytes(content)
        with contextlib.suppress(TraceError):
            assert isinstance(read_anchor_file(path, path), AnchorFile)
