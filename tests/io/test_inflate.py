"""Archives that OTF2 compressed with zlib, and those in SIONlib containers."""

import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from traces import simulated
from writer import write_trace

from topoview.errors import TraceError
from topoview.io import archive
from topoview.worker import open_trace

CHUNK = 1 << 20


def deflate(path: Path, *, gap: bool) -> None:
    """Write a file again as OTF2 would have compressed it."""
    data, blocks, before = path.read_bytes(), b"", 0
    for begin in range(0, len(data), CHUNK):
        whole = data[begin : begin + CHUNK]
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
    assert max(f.stat().st_size for f in tmp_path.rglob("*.evt")) > CHUNK
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


def compressed_zeros(folder: Path, size: int) -> Path:
    """Write a trace whose events are so many zeros, packed to a thousandth."""
    anchor = write_trace(simulated("grid", (2, 1)), folder)
    data = bytearray(anchor.read_bytes())
    data[29] = 2
    anchor.write_bytes(data)
    deflate(anchor.with_suffix(".def"), gap=False)
    for path in folder.rglob("*.evt"):
        path.write_bytes(bytes(size))
        deflate(path, gap=False)
    return anchor


def test_what_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = compressed_zeros(tmp_path / "run", 1 << 24)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    monkeypatch.setattr(archive, "_ANY_RATIO_BELOW_BYTES", 1 << 20)
    with pytest.raises(TraceError, match=r"would take more than .* compression"):
        open_trace(anchor)
    assert not list((tmp_path / "scratch").iterdir())


def test_what_has_no_room_is_refused_before_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anchor = compressed_zeros(tmp_path / "run", 1 << 22)
    usage = shutil.disk_usage(tmp_path)._replace(free=1 << 20)
    monkeypatch.setattr(archive.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TraceError, match="not enough room; set TMPDIR"):
        open_trace(anchor)
