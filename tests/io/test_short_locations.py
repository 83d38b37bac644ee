"""Locations of few events: columns have room for their intervals and for no more."""

import random
from pathlib import Path

import numpy as np
import pytest
from event_files import Event, Order, library_columns, write_definitions, write_file
from replayed import still_open
from writer import write_trace

from topoview.io.record_types import COLLECTIVE_END, ENTER, LEAVE, MEASUREMENT
from topoview.model import TimeState
from topoview.worker import open_trace

RANKS = 6
TEST = 20
SEND = 14
IDLE, OUTSIDE = -1, -2
FINALIZE = 8


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """Write a trace of six ranks whose files of events are to be replaced."""
    from traces import simulated

    write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    return tmp_path / "run"


def draw(rng: random.Random) -> list[Event]:
    """Draw few events that begin and end in any way, often at the same time."""
    time, events = 1000 + rng.choice([0, 0, 1]), []
    for _ in range(rng.randrange(6)):
        kind = rng.choice([ENTER, LEAVE, MEASUREMENT, TEST, SEND])
        fields: dict[int, tuple[int, ...]] = {
            ENTER: (rng.randrange(8),),
            LEAVE: (rng.randrange(8),),
            MEASUREMENT: (rng.randrange(1, 3),),
            TEST: (7,),
            SEND: (rng.randrange(RANKS), 0, 3, 8),
        }
        events.append(Event(time, kind, fields[kind]))
        time += rng.choice([0, 0, 1, 5])
    return events


def replace(folder: Path, rank: int, events: bytes, order: Order = "little") -> None:
    (folder / "traces" / f"{rank}.evt").write_bytes(events)
    definitions = write_definitions(order, {}, [])
    (folder / "traces" / f"{rank}.def").write_bytes(definitions)


def intervals(
    events: list[Event], origin: int, end: int, calls: set[int]
) -> list[tuple[int, int]]:
    """Say what is shown from when on: a region, `IDLE` or `OUTSIDE`.

    Parameters
    ----------
    end, calls
        The trace's end: an MPI call that is never left lasts to it; and which regions
        are such calls. One within another is a part of that.
    """
    shown, stack, off, call = {0: OUTSIDE}, list[int](), False, -1
    for place, event in enumerate(events):
        if event.kind == ENTER:
            if call < 0 and event.fields[0] in calls:
                call = len(stack)
            stack.append(event.fields[0])
        elif event.kind == LEAVE and event.fields[0] in stack:
            later = [
                (one.kind == ENTER, one.fields[0])
                for one in events[place + 1 :]
                if one.kind in (ENTER, LEAVE)
            ]
            places = still_open(stack, event.fields[0], later)
            stack = [stack[n] for n in places]
            call = places.index(call) if call in places else -1
        elif event.kind == MEASUREMENT:
            off = event.fields[0] != 1
        word = OUTSIDE if off else stack[-1] if stack else IDLE
        shown[event.time - origin] = word
    if events:
        hangs = call >= 0 and not off and stack[call] != FINALIZE
        shown[end if hangs else events[-1].time - origin] = OUTSIDE
    moments = sorted(shown.items())
    return [
        (time, word)
        for place, (time, word) in enumerate(moments)
        if not place or moments[place - 1][1] != word
    ]


@pytest.mark.parametrize("seed", range(60))
def test_any_beginning_and_end(empty: Path, seed: int) -> None:
    rng = random.Random(seed)
    events = [draw(rng) for _ in range(RANKS)]
    for rank in range(RANKS):
        replace(empty, rank, write_file(events[rank], "little"))
    trace = open_trace(empty)
    assert not [w for w in trace.warnings if "changed" in w]
    first = min((rank[0].time for rank in events if rank), default=0)
    lines, none = trace.timeline, {int(TimeState.COMPUTE): IDLE}
    calls = set(np.flatnonzero(trace.regions.operation >= 0).tolist())
    assert trace.regions.title(FINALIZE) == "Finalize"
    for rank in range(RANKS):
        here = slice(*lines.offsets[rank : rank + 2].tolist())
        words = [
            region if region >= 0 else none.get(state, OUTSIDE)
            for state, region in zip(
                lines.state[here].tolist(), lines.region[here].tolist(), strict=True
            )
        ]
        told = list(zip(lines.time[here].tolist(), words, strict=True))
        assert told == intervals(events[rank], first, trace.clock.length, calls)


@pytest.mark.parametrize("size", [5, 8])
@pytest.mark.parametrize("stamped", [True, False])
def test_a_first_event_that_holds_no_number(
    empty: Path, size: int, stamped: bool
) -> None:
    """It is left out, and those behind it are not lost for it."""
    later = [Event(1001, TEST, (7,)), Event(1002, ENTER, (3,))]
    data = bytearray(write_file([Event(1000, ENTER, (1,)), *later], "little"))
    spoilt = bytes([ENTER, size]) + b"\1" * size
    stamp = bytes(data[18:27]) if stamped else b""
    at = data.index(b"\x05", 27)
    data[18:at] = stamp + spoilt
    replace(empty, 0, bytes(data))
    for rank in range(1, RANKS):
        replace(empty, rank, write_file([Event(1000, ENTER, (2,))], "little"))
    trace = open_trace(empty)
    assert not [w for w in trace.warnings if "changed" in w]
    begin, end = trace.timeline.offsets[:2].tolist()
    assert trace.timeline.time[end - 1] == 2
    assert trace.timeline.time[begin:end].tolist() == sorted(
        set(trace.timeline.time[begin:end].tolist())
    )


@pytest.mark.parametrize("called", [True, False])
def test_a_collective_before_any_call_is_nobodys(empty: Path, called: bool) -> None:
    """Nor is it the last call's, where clocks are aligned by collectives."""
    region = next(
        place for place, name in enumerate(open_trace(empty).regions.names)
        if name.startswith("MPI_")
    )  # fmt: skip
    for rank in range(RANKS):
        events = [Event(1000 + rank, COLLECTIVE_END, (1, 0, 0, 8, 8))]
        if called:
            events += [
                Event(1010, ENTER, (region,)),
                Event(1020, COLLECTIVE_END, (1, 0, 0, 8, 8)),
                Event(1030, LEAVE, (region,)),
            ]
        replace(empty, rank, write_file(events, "little"))
    assert library_columns(empty, "collectives") == []
    trace = open_trace(empty)
    assert len(trace.collectives) == RANKS * called
    assert (trace.collectives.call >= 0).all()
