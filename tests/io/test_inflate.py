"""Archives that OTF2 compressed with zlib, and those in SIONlib containers."""

import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from traces import simulated
from writer import EVENT_CHUNK, write_trace

from topoview.base.progress import silent
from topoview.errors import TraceError
from topoview.io.archive.finding import find_anchor
from topoview.io.otf2 import read_definitions_of
from topoview.io.readers import read_trace
from topoview.model import Subset
from topoview.worker import open_trace


def deflate(path: Path, *, gap: bool) -> None:
    """Write a file again as OTF2 would have compressed it."""
    data, blocks, before = path.read_bytes(), b"", 0
    for begin in range(0, len(data), EVENT_CHUNK):
        whole = data[begin : begin + EVENT_CHUNK]
        packer = zlib.compressobj()
        block = packer.compress(whole) + packer.flush(zlib.Z_FULL_FLUSH)
        blocks += b"\xff\xff\xff\xff\0\0\0\0"
        blocks += struct.pack("<III", len(block), len(whole), before)
        blocks += block.ljust(len(whole), b"\0") if gap else block
        before = len(block)
    path.write_bytes(blocks)


@pytest.mark.parametrize("gap", [False, True])
def test_a_compressed_archive_is_read(
    long_run: Path, tmp_path: Path, gap: bool
) -> None:
    shutil.copytree(long_run, tmp_path / "run")
    (anchor,) = tmp_path.rglob("*.otf2")
    whole = open_trace(anchor)
    assert max(f.stat().st_size for f in tmp_path.rglob("*.evt")) > EVENT_CHUNK
    for path in [*tmp_path.rglob("*.def"), *tmp_path.rglob("*.evt")]:
        deflate(path, gap=gap)
    data = bytearray(anchor.read_bytes())
    data[29] = 2
    anchor.write_bytes(data)
    packed = open_trace(anchor)
    assert packed.warnings == whole.warnings
    assert packed.events == whole.events
    np.testing.assert_array_equal(packed.timeline.time, whole.timeline.time)
    np.testing.assert_array_equal(packed.messages.size, whole.messages.size)
    damaged = next(tmp_path.rglob("1.evt"))
    damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 2])
    assert open_trace(anchor).events < whole.events


def test_what_libotf2_compressed() -> None:
    """8000 messages of a rank to the other, as libotf2 2.3 with zlib wrote them.

    The k-th call begins 10 k + 1 ticks after the epoch and sends 100 + k % 50 bytes.
    """
    trace = open_trace(Path(__file__).parent / "data" / "otf2-2.3-zlib.tar.xz")
    assert trace.warnings == ()
    assert trace.health is not None
    assert trace.health.verdict == "exact"
    assert trace.producer == "old writer"
    assert trace.events == 6 * 8000
    call = np.arange(8000)
    np.testing.assert_array_equal(trace.calls.enter[:8000], 10 * call)
    np.testing.assert_array_equal(trace.messages.size, 100 + call % 50)
    np.testing.assert_array_equal(trace.messages.receive_time, 10 * call + 5)


def test_containers_are_refused(tmp_path: Path) -> None:
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    data = bytearray(anchor.read_bytes())
    data[28] = 2
    anchor.write_bytes(data)
    with pytest.raises(TraceError, match="SIONlib"):
        open_trace(anchor)


def pack(anchor: Path) -> None:
    """Compress the files of a trace, and let its anchor say so."""
    for path in [anchor.with_suffix(".def"), *anchor.with_suffix("").iterdir()]:
        deflate(path, gap=False)
    data = bytearray(anchor.read_bytes())
    data[29] = 2
    anchor.write_bytes(data)


def test_nothing_is_written_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    pack(anchor)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    files = read_definitions_of(find_anchor(anchor, tmp_path, silent)).files
    assert files.compressed
    assert read_trace(find_anchor(anchor, tmp_path, silent), silent, Subset()).events


def test_a_stretch_of_time_is_read_of_it(long_run: Path, tmp_path: Path) -> None:
    shutil.copytree(long_run, tmp_path / "run")
    (anchor,) = tmp_path.rglob("*.otf2")
    subset = Subset(begin=0.01, end=0.02)
    plain = open_trace(anchor, subset=subset)
    pack(anchor)
    packed = open_trace(anchor, subset=subset)
    assert 0 < packed.events == plain.events
    np.testing.assert_array_equal(packed.calls.enter, plain.calls.enter)


@pytest.mark.parametrize("events", [False, True])
def test_zeros_packed_to_a_thousandth_are_damage(tmp_path: Path, events: bool) -> None:
    """No more of them is inflated than a block."""
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    for path in anchor.with_suffix("").glob("*.evt" if events else "*.def"):
        path.write_bytes(bytes(1 << 24))
    pack(anchor)
    trace = open_trace(anchor)
    assert any("damaged" in line or "cut short" in line for line in trace.warnings)


def test_definitions_that_inflate_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    anchor.with_suffix(".def").write_bytes(bytes(1 << 24))
    pack(anchor)
    monkeypatch.setenv("TOPOVIEW_MEMORY", "64M")
    with pytest.raises(TraceError, match="definitions would take 16"):
        open_trace(anchor)


@pytest.mark.parametrize(
    ("size", "whole"),
    [(0, 100), (100, 0), (1 << 31, 100), (100, 1 << 31), (2**32 - 1, 2**32 - 1)],
)
def test_no_size_of_a_block_is_believed(tmp_path: Path, size: int, whole: int) -> None:
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    pack(anchor)
    damaged = anchor.with_suffix("") / "1.evt"
    data = bytearray(damaged.read_bytes())
    struct.pack_into("<II", data, 8, size, whole)
    damaged.write_bytes(data)
    trace = open_trace(anchor)
    assert any("1.evt" in line for line in trace.warnings)


@pytest.mark.parametrize("at", [0, 20, 40, -1])
def test_a_block_that_is_damaged_is_as_long_as_it_is_sound(
    tmp_path: Path, at: int
) -> None:
    anchor = write_trace(simulated("grid", (2, 1)), tmp_path / "run")
    events = open_trace(anchor).events
    pack(anchor)
    damaged = anchor.with_suffix("") / "1.evt"
    data = bytearray(damaged.read_bytes())
    data[at] ^= 0x55
    damaged.write_bytes(data)
    trace = open_trace(anchor)
    assert 0 < trace.events <= events
