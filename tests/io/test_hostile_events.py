"""Events that are written to take long, or all memory."""

import random
import struct
import time
from pathlib import Path

import pytest
from event_files import Event, write_file
from traces import simulated
from writer import write_trace

from topoview.errors import PartError
from topoview.io.archive.anchor import _CHUNK_SIZES_AT
from topoview.model import Subset
from topoview.worker import open_trace

ENTER, LEAVE, ISEND = 12, 13, 15
WORD = 1 << 64
MULTIPLIER = 0x9E3779B97F4A7C15
"""By which tables of all versions up to 1.0 found where a key goes."""

REQUESTS = 40_000


def colliding_keys(count: int) -> list[int]:
    """Make keys that these tables put to one place: bits 8 to 31 are those of none."""
    inverse = pow(MULTIPLIER, -1, WORD)
    keys = []
    for number in range(count):
        code = (number % 256) | (number >> 8) << 32
        mixed = code  # code = mixed ^ mixed >> 29, undone from the upper bits on
        for _ in range(3):
            mixed = code ^ mixed >> 29
        assert (mixed ^ mixed >> 29) >> 8 & 0xFFFFFF == 0
        keys.append(mixed * inverse % WORD)
    return keys


def seconds_to_read(anchor: Path, requests: list[int]) -> float:
    """Read a rank that begins as many sends, and completes none."""
    trace = open_trace(anchor)
    region = trace.regions.names.index("MPI_Isend")
    events = [Event(1000, ENTER, (region,))]
    events += [Event(1001, ISEND, (1, 0, 0, 8, request)) for request in requests]
    events.append(Event(1002, LEAVE, (region,)))
    anchor.with_suffix("").joinpath("0.evt").write_bytes(write_file(events, "little"))
    begin = time.process_time()
    assert open_trace(anchor).locations
    return time.process_time() - begin


def test_no_keys_of_a_file_all_go_to_one_place(tmp_path: Path) -> None:
    """Else each is compared with all before it: 40,000 take five times as long."""
    anchor = write_trace(simulated("torus", (4,)), tmp_path / "run")
    usual = random.Random(3).sample(range(1 << 60), REQUESTS)
    least = [
        min(seconds_to_read(anchor, keys) for _ in range(2))
        for keys in (usual, colliding_keys(REQUESTS))
    ]
    assert least[1] < 2.5 * least[0] + 0.1


@pytest.mark.parametrize("size", [(1 << 27) + 1, 1 << 40, 1 << 62, (1 << 64) - 1])
def test_chunks_that_are_too_large_are_not_loaded(tmp_path: Path, size: int) -> None:
    """Neither of a whole trace nor of a window, which begins in its middle."""
    anchor = write_trace(simulated("torus", (4,)), tmp_path / "run")
    right = open_trace(anchor)
    data = bytearray(anchor.read_bytes())
    struct.pack_into("<Q", data, _CHUNK_SIZES_AT, size)
    anchor.write_bytes(data)
    middle = right.clock.seconds(right.clock.length) / 2
    with pytest.raises(PartError, match="has nothing after"):
        open_trace(anchor, subset=Subset(begin=middle))
    for subset in (Subset(), Subset(end=middle)):
        trace = open_trace(anchor, subset=subset)
        assert trace.warnings
        assert trace.events == 0
