"""Write seeds for ``decoder_fuzz.c``, and the tables of records that it is told.

Run: ``python seeds.py FOLDER``, with the folder of tests in PYTHONPATH.
"""

import random
import shutil
import struct
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "io")]

from event_files import Event, Order, random_events, write_definitions, write_file
from test_decoder_quick import program
from test_definitions import draw_records
from test_definitions import write_file as write_globals
from traces import simulated
from writer import write_trace

from topoview.io.definitions.columns import DEFINITION_FORMATS
from topoview.io.record_types import BARE, FORMATS

MOST = 60_000
CHUNK, LARGE = 512, 1 << 20
"""Bytes of chunks, the smallest and those that producers write."""
DATA = Path(__file__).parents[1] / "data"


def tables() -> str:
    """Say in C which records have no length, and how fields are written."""
    texts = []
    every = {"bare": BARE, "forms": FORMATS, "definition_forms": DEFINITION_FORMATS}
    for name, table in every.items():
        numbers = ", ".join(str(int(n)) for n in table.ravel())
        texts.append(f"static const uint8_t {name}[] = {{{numbers}}};\n")
    return "".join(texts)


def deflate(data: bytes, chunk: int) -> bytes:
    """Compress as OTF2 does, but by the fuzzer's own toy: each byte once."""
    blocks, before = b"", 0
    for begin in range(0, len(data), chunk):
        whole = data[begin : begin + chunk]
        block = bytes(byte for value in whole for byte in (0, value))
        blocks += b"\xff\xff\xff\xff\0\0\0\0"
        blocks += struct.pack("<III", len(block), len(whole), before) + block
        before = len(block)
    return blocks


def seed(
    options: int,
    definitions: bytes,
    events: bytes,
    chunk: int = LARGE,
    *,
    packed: bool = False,
) -> bytes:
    """Put an input together."""
    head = bytes([options, (chunk // CHUNK).bit_length() - 1 + 16 * packed])
    if packed:
        definitions, events = deflate(definitions, chunk), deflate(events, chunk)
    return head + len(definitions).to_bytes(2, "little") + definitions + events


def of_producers() -> list[bytes]:
    """Take the shortest files of events of each real trace, EZTrace's and Score-P's."""
    inputs = []
    for packed in sorted(DATA.glob("*.tar.xz")):
        with TemporaryDirectory() as scratch:
            shutil.unpack_archive(packed, scratch, filter="data")
            files = sorted(Path(scratch).rglob("*.evt"), key=lambda p: p.stat().st_size)
            for number, path in enumerate(files[:3]):
                local = path.with_suffix(".def").read_bytes()[:MOST]
                options = (0, 31, 126)[number]
                inputs.append(seed(options, local, path.read_bytes()))
    return inputs


def attributes() -> bytes:
    """Write a chunk in which events have attributes of all types."""
    body = b""
    for kind in range(27):
        plain = {1: 1, 2: 2, 5: 1, 6: 2, 9: 4, 10: 8}.get(kind)
        value = b"\x81" * plain if plain else b"\x02\x01\x80"
        content = b"\x01\x02" + b"".join([b"\x01\x01", bytes([kind]), value]) * 2
        body += b"\x06" + bytes([len(content)]) + content
        body += b"\x05" + (1000 + kind).to_bytes(8, "little")
        body += b"\x0c\x01\x02" if kind % 2 else b"\x0d\x01\x02"
    head = b"\x03\x42" + (1).to_bytes(8, "little") + (27).to_bytes(8, "little")
    return head + body + b"\x02\x01"


def main() -> None:
    """Write them."""
    folder = Path(sys.argv[1])
    (folder / "tables.h").write_text("#include <stdint.h>\n" + tables())
    rng = random.Random(1)
    maps = {3: (0, [1, 4, 5, 2]), 6: (1, [1, 2, 7, 0]), 10: (0, [0, 1])}
    offsets = [(0, 5), (1 << 30, 900), (1 << 40, -7)]
    orders: tuple[Order, Order] = ("little", "big")
    inputs = []
    for number in range(24):
        order = orders[number % 2]
        options = rng.randrange(256)
        size = LARGE if options & 4 else CHUNK
        some = random_events(rng, 40) if number % 3 else program(number, 60, 0.2)
        there = write_file(some, order, size)
        local = write_definitions(
            order, maps if number % 4 else {}, offsets[: number % 4]
        )
        inputs.append(seed(options, local, there, size))
        if number % 4 == 0:
            inputs.append(seed(options, local, there, size, packed=True))
    local = write_definitions("little", maps, [])
    inputs += [seed(options, local, attributes()) for options in (4, 7)]
    with TemporaryDirectory() as scratch:
        write_trace(simulated("grid", (2, 1), iterations=5), Path(scratch) / "run")
        run = Path(scratch) / "run" / "traces"
        for options in (6, 22, 30, 126):
            both = [(run / f"0.{kind}").read_bytes() for kind in ("def", "evt")]
            inputs.append(seed(options, *both))
    for number, order in enumerate(orders * 4):
        records = draw_records(rng, 40, order)
        there = write_file([Event(5, 12, (1,))], order)
        inputs.append(seed(number, write_globals(records, order), there))
    clocks = b"".join(
        bytes([number % 5, number % 3 + 1]) + rng.getrandbits(64).to_bytes(8, "little")
        for number in range(40)
    )
    inputs.append(seed(4, b"", clocks))
    inputs += of_producers()
    for number, data in enumerate(inputs):
        if len(data) <= MOST:
            (folder / f"seed-{number:02}").write_bytes(data)


if __name__ == "__main__":
    main()
