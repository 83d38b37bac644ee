"""Locations of few events: columns have room for their intervals and for no more."""

import random
from pathlib import Path

import pytest
from event_files import Event, Order, library_columns, write_definitions, write_file
from writer import write_trace

from topoview.io.record_types import COLLECTIVE_END, ENTER, LEAVE, MEASUREMENT
from topoview.model import MPIState
from topoview.worker import open_trace

RANKS = 6
TEST = 20
SEND = 14
IDLE, OUTSIDE = -1, -2


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


def intervals(events: list[Event], origin: int) -> list[tuple[int, int]]:
    """Say what is shown from when on: a region, `IDLE` or `OUTSIDE`."""
    shown, stack, off = {0: OUTSIDE}, list[int](), False
    for event in events:
        if event.kind == ENTER:
            stack.append(event.fields[0])
        elif event.kind == LEAVE and event.fields[0] in stack:
            while stack.pop() != event.fields[0]:
                pass
        elif event.kind == MEASUREMENT:
            off = event.fields[0] != 1
        word = OUTSIDE if off else stack[-1] if stack else IDLE
        shown[event.time - origin] = word
    if events:
        shown[events[-1].time - origin] = OUTSIDE
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
    lines, none = trace.timeline, {int(MPIState.COMPUTE): IDLE}
    for rank in range(RANKS):
        here = slice(*lines.offsets[rank : rank + 2].tolist())
        words = [
            region if region >= 0 else none.get(state, OUTSIDE)
            for state, region in zip(
                lines.state[here].tolist(), lines.region[here].tolist(), strict=True
            )
        ]
        told = list(zip(lines.time[here].tolist(), words, strict=True))
        assert told == intervals(events[rank], first)


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
