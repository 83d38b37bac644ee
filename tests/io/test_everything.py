"""All definitions, calling contexts, call sites and markers, as libotf2 writes them."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from event_files import Event, write_file
from everything import write_everything

from topoview.analysis.call_sites import places_of_calls
from topoview.io.definitions.markers import read_markers
from topoview.io.otf2 import add_samples_to_timeline
from topoview.live.call_facts import place_at
from topoview.model import (
    EventRecords,
    Marker,
    Regions,
    SourceLines,
    Subset,
    Timeline,
    TimeState,
    Trace,
)
from topoview.store.arrays import MemoryAllocator
from topoview.worker import open_trace, read_in_process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_everything(tmp_path / "run")


@pytest.fixture
def trace(path: Path) -> Trace:
    return open_trace(path)


def test_names_and_properties(trace: Trace) -> None:
    found = {named.kind: named.names for named in trace.names}
    assert "cluster" in found.pop("text of a parameter")  # any text can be a value
    assert found == {
        "parameter": ("cycle",),
        "RMA window": ("window",),
        "I/O file": ("data.bin",),
        "I/O handle": ("data.bin",),  # it has no name of its own
        "sampling": ("clock",),
        "source line": ("s.c:20", "s.c:7", "s.c:8", "s.c:6"),
        "property of node": ("HOST: kn1.example",),
        "property of location group": ("PID: -7",),
        "property of location": ("Core: 3",),
        "property of calling context": ("why: 1.5",),
        "property of I/O file": ("Stripes: 4",),
    }
    assert trace.warnings == ()


def test_calls_know_the_line_that_they_were_made_from(trace: Trace) -> None:
    sources = trace.sources
    assert [trace.regions.names[r] for r in sources.context_region] == [
        "main", "solve", "MPI_Send", "MPI_Send", "solve",
    ]  # fmt: skip
    assert sources.context_parent.tolist() == [-1, 0, 1, 1, 0]
    calls = np.arange(len(trace.calls))
    lines = [sources.places[place] for place in places_of_calls(trace, calls)]
    assert lines == ["s.c:7", "s.c:8", "s.c:7"]
    timeline = trace.timeline
    told = {
        (trace.regions.names[region], place_at(trace, 0, int(region), int(time)))
        for region, time in zip(timeline.region, timeline.time, strict=True)
        if region >= 0
    }
    # solve is called in line 20, however often it goes on after a call; a sample
    # found it in line 6 later
    assert told == {
        ("main", ""), ("solve", "s.c:20"), ("MPI_Send", "s.c:7"), ("MPI_Send", "s.c:8"),
    }  # fmt: skip


def test_samples_are_kept(trace: Trace) -> None:
    (samples,) = (r for r in trace.further if r.name == "CallingContextSample")
    assert samples.time.tolist() == [75]
    assert trace.sources.contexts[4] == samples.column("context")[0]


def test_a_context_is_kept_once_where_the_table_of_paths_grows(path: Path) -> None:
    """One that is entered deeper each time."""
    enter, leave = 66, 67
    records = [
        record
        for _ in range(200)
        for record in ((enter, (1, 1)), (enter, (2, 1)), (leave, (2,)))
    ]
    events = [Event(100 + at, *record) for at, record in enumerate(records)]
    (path.with_suffix("") / "0.evt").write_bytes(write_file(events, "little"))
    trace = open_trace(path)
    assert len(trace.calls.enter) == 200
    (entered,) = (r for r in trace.further if r.name == "CallingContextEnter")
    wanted = [at for at, (kind, _) in enumerate(records) if kind == enter]
    assert entered.time.tolist() == wanted


def test_samples_are_shown_where_no_call_is() -> None:
    """Against a brute force that looks up every moment."""
    rng = random.Random(5)
    regions = Regions(
        ("f", "g", "MPI_Send"),
        np.array([0, 0, 1], np.uint8),
        np.array([-1, -1, 0], np.int32),
        ("Send",),
    )
    sources = SourceLines(
        contexts=np.arange(3),
        context_region=np.arange(3, dtype=np.int32),
        context_parent=np.full(3, -1, np.int32),
        context_place=np.full(3, -1, np.int32),
    )
    outside = int(TimeState.OUTSIDE)
    for _ in range(200):
        row, now = [(0, outside, -1)], 0
        for _ in range(rng.randrange(6)):
            now += rng.randrange(1, 6)
            region = rng.randrange(-1, 3)
            row.append((now, 1 if region == 2 else 0, region))
        if len(row) > 1:
            row.append((now + 5, outside, -1))
        row = [one for k, one in enumerate(row) if not k or one[1:] != row[k - 1][1:]]
        times = sorted(rng.randrange(30) for _ in range(rng.randrange(1, 8)))
        found = [rng.randrange(5) for _ in times]  # two are not defined
        samples = EventRecords(
            "CallingContextSample",
            ("context",),
            np.array([0, len(times)]),
            np.array(times),
            np.array(found).reshape(-1, 1),
        )
        line = Timeline(
            np.array([0, len(row)]),
            np.array([one[0] for one in row]),
            np.array([one[1] for one in row], np.uint8),
            np.array([one[2] for one in row], np.int32),
        )
        merged = add_samples_to_timeline(
            line, (samples,), sources, regions, MemoryAllocator()
        )
        for moment in range(35):
            at = line.at(moment)[0]
            begin, state, region = row[at]
            alone = len(row) == 1
            if alone and moment >= times[-1]:
                pass
            elif alone or (state != outside and region != 2):
                for time, context in zip(times, found, strict=True):
                    if begin <= time <= moment and context < 3:
                        region = context
                        state = int(regions.state[region])
            here = merged.at(moment)[0]
            assert (merged.state[here], merged.region[here]) == (state, region)
        pairs = list(zip(merged.state, merged.region, strict=True))
        assert all(one != other for one, other in pairwise(pairs))
        assert np.all(np.diff(merged.time) > 0)


def test_markers(path: Path, trace: Trace) -> None:
    assert trace.markers == (
        Marker(20, 50, "Tool", "Remark", "low", "", -1, "the first step"),
        Marker(30, 0, "", "", "none", "node kn1", -1, "of no kind"),
        Marker(50, 0, "Tool", "Fault", "high", "rank 0, main", 0, "slow here"),
    )
    assert read_in_process(path).markers == trace.markers
    part = open_trace(path, subset=Subset(begin=0.025, end=0.05))
    assert [marker.text for marker in part.markers] == ["of no kind"]


def test_damaged_markers_are_told(path: Path) -> None:
    file = path.with_suffix(".marker")
    whole = file.read_bytes()
    for length in range(len(whole) - 1):
        file.write_bytes(whole[:length])
        found, fault = read_markers(file, 1 << 22)
        assert fault
        assert len(found) < 4
    file.write_bytes(whole[:80])
    (warning,) = open_trace(path).warnings
    assert warning.startswith("The file of markers is damaged or cut short")
    random = np.random.default_rng(1)
    for _ in range(500):
        data = bytearray(whole)
        data[random.integers(len(data))] ^= 1 << int(random.integers(8))
        file.write_bytes(data)
        read_markers(file, 1 << 22)
    open_trace(path)


def test_snapshots_are_told(path: Path) -> None:
    (path.with_suffix("") / "0.snap").write_bytes(b"x")
    (warning,) = open_trace(path).warnings
    assert warning.startswith("The trace has 1 file of snapshots")
