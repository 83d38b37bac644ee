"""Damaged traces are read in part, or refused with one clear line."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from otf2_reader.chunks import scan
from writer import EVENT_CHUNK, write_trace

from topoview.errors import TraceError
from topoview.model import Trace
from topoview.worker import open_trace


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small trace, not to be changed."""
    from traces import simulated

    folder = tmp_path_factory.mktemp("pristine") / "run"
    write_trace(simulated("grid", (3, 2)), folder)
    return folder


@pytest.fixture
def run(pristine: Path, tmp_path: Path) -> Path:
    """Copy it, to be damaged."""
    return Path(shutil.copytree(pristine, tmp_path / "run"))


@pytest.fixture(scope="module")
def whole(pristine: Path) -> Trace:
    return open_trace(pristine)


def sane(trace: Trace) -> None:
    """Check what holds for any trace, whatever was lost."""
    timeline, calls, messages = trace.timeline, trace.calls, trace.messages
    assert timeline.rows == len(trace.locations) == len(calls.offsets) - 1
    assert (np.diff(timeline.offsets) >= 1).all()
    assert (timeline.time[timeline.offsets[:-1]] == 0).all()
    within = np.ones(max(len(timeline.time) - 1, 0), np.bool_)
    within[timeline.offsets[1:-1] - 1] = False
    assert (np.diff(timeline.time)[within] > 0).all()
    assert (timeline.region < len(trace.regions.names)).all()
    assert (calls.leave >= calls.enter).all()
    for column in (messages.send_call, messages.receive_call, calls.completes):
        assert ((column >= -1) & (column < len(calls))).all()
    for column in (messages.sender, messages.receiver):
        assert ((column >= 0) & (column < trace.ranks)).all()
    assert (messages.communicator < len(trace.communicators)).all()


def read_or_refuse(folder: Path) -> Trace | None:
    """Read a trace that may be refused, in one line."""
    try:
        trace = open_trace(folder)
    except TraceError as error:
        if "\n" in str(error):
            raise
        return None
    sane(trace)
    return trace


def events_of(run: Path, rank: int) -> Path:
    return run / "traces" / f"{rank}.evt"


def test_the_pristine_one(whole: Trace) -> None:
    sane(whole)
    assert whole.warnings == ()


def test_a_missing_event_file(run: Path, whole: Trace) -> None:
    events_of(run, 2).unlink()
    trace = open_trace(run)
    sane(trace)
    assert trace.ranks == whole.ranks
    assert trace.calls.offsets[2] == trace.calls.offsets[3]
    assert any("2.evt" in line and "missing" in line for line in trace.warnings)


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"garbage" * 1000])
def test_an_event_file_that_is_none(run: Path, whole: Trace, content: bytes) -> None:
    events_of(run, 2).write_bytes(content)
    trace = open_trace(run)
    sane(trace)
    assert trace.events < whole.events
    assert any("2.evt" in line for line in trace.warnings)


def test_a_cut_event_file_is_read_up_to_the_cut(run: Path, whole: Trace) -> None:
    path = events_of(run, 2)
    data, before = path.read_bytes(), -1
    theirs = whole.calls.enter[whole.calls.offsets[2] :]
    for cut in (19, len(data) // 3, len(data) // 2, len(data) - 20):
        path.write_bytes(data[:cut])
        trace = open_trace(run)
        sane(trace)
        mine = trace.calls.enter[slice(*trace.calls.offsets[2:4])]
        assert len(mine) > before
        before = len(mine)
        np.testing.assert_array_equal(mine, theirs[: len(mine)])
        assert any("2.evt" in line and "cut short" in line for line in trace.warnings)
        lost = scan(path, EVENT_CHUNK)
        assert whole.events - trace.events == lost.announced - lost.readable


def test_a_later_chunk_that_was_cut(long_run: Path, tmp_path: Path) -> None:
    """libotf2 would repeat stale events for ever."""
    shutil.copytree(long_run, tmp_path / "big")
    anchor = tmp_path / "big"
    path = events_of(tmp_path / "big", 1)
    size = path.stat().st_size
    assert size > EVENT_CHUNK
    whole = open_trace(anchor)
    for cut in (EVENT_CHUNK, EVENT_CHUNK + 10, EVENT_CHUNK + (size - EVENT_CHUNK) // 2):
        data = path.read_bytes()
        path.write_bytes(data[:cut])
        trace = open_trace(anchor)
        path.write_bytes(data)
        sane(trace)
        assert 0 < trace.events < whole.events
        count = int(trace.calls.offsets[2] - trace.calls.offsets[1])
        np.testing.assert_array_equal(
            trace.calls.enter[trace.calls.offsets[1] :],
            whole.calls.enter[whole.calls.offsets[1] :][:count],
        )


def test_missing_local_definitions_are_told(run: Path, whole: Trace) -> None:
    (run / "traces" / "3.def").unlink()
    trace = open_trace(run)
    assert trace.events == whole.events
    assert any("3.def" in line for line in trace.warnings)


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 100])
def test_without_definitions(run: Path, content: bytes | None) -> None:
    path = run / "traces.def"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TraceError, match=r"traces\.def .*damaged"):
        open_trace(run)


def test_cut_definitions(run: Path) -> None:
    path = run / "traces.def"
    data = path.read_bytes()
    told = 0
    for cut in range(20, len(data), max(len(data) // 25, 1)):
        path.write_bytes(data[:cut])
        trace = read_or_refuse(run)
        if trace is not None:
            assert any("definitions are damaged" in line for line in trace.warnings)
            told += 1
    assert told


@pytest.mark.parametrize("cut", [0, 1, 20, 45, 60])
def test_a_cut_anchor(run: Path, cut: int) -> None:
    path = run / "traces.otf2"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(TraceError, match=r"traces\.otf2 is damaged"):
        open_trace(run)


def test_an_anchor_that_announces_a_billion_properties(run: Path) -> None:
    path = run / "traces.otf2"
    data = bytearray(path.read_bytes())
    at = 46
    for _ in range(3):
        at = data.index(0, at) + 1
    data[at : at + 4] = b"\xff\xff\xff\x3f"
    path.write_bytes(data)
    with pytest.raises(TraceError, match="damaged"):
        open_trace(run)


def test_a_header_that_announces_too_many_events(run: Path, whole: Trace) -> None:
    path = events_of(run, 2)
    data = bytearray(path.read_bytes())
    for announced in (1 << 60, 1 << 32, 4000):
        data[10:18] = announced.to_bytes(8, "little")
        path.write_bytes(data)
        trace = open_trace(run)
        sane(trace)
        assert trace.events <= whole.events


def test_flipped_bytes(pristine: Path, tmp_path: Path) -> None:
    draw = random.Random(20)
    folder = Path(shutil.copytree(pristine, tmp_path / "flipped"))
    files = sorted(f for f in folder.rglob("*") if f.is_file())
    for _ in range(60):
        path = draw.choice(files)
        data = path.read_bytes()
        if not data:
            continue
        flipped = bytearray(data)
        for _ in range(draw.choice((1, 1, 4, 20))):
            flipped[draw.randrange(len(flipped))] = draw.randrange(256)
        path.write_bytes(flipped)
        read_or_refuse(folder)
        path.write_bytes(data)


def test_libotf2_keeps_quiet(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    events_of(run, 1).write_bytes(b"garbage")
    (run / "traces.def").write_bytes((run / "traces.def").read_bytes()[:-30])
    open_trace(run)
    captured: Callable[[], object] = capfd.readouterr
    assert captured() == ("", "")
