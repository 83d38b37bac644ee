"""Parts of a trace, against picking them from the whole by hand."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import simulated as simulate
from writer import write_trace

from topoview.errors import TraceError
from topoview.io.subset import cut_to_interval
from topoview.model import Subset, Timeline, TimeState, Trace
from topoview.store.arrays import MemoryAllocator
from topoview.worker import open_trace

LENGTHS = st.tuples(st.floats(0, 1.1), st.floats(0, 1.1)).filter(lambda w: w[0] < w[1])


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


def state_at(timeline: Timeline, row: int, ticks: int) -> tuple[int, int]:
    at = timeline.at(ticks)[row]
    return int(timeline.state[at]), int(timeline.region[at])


@settings(max_examples=25)
@given(LENGTHS)
def test_a_stretch_of_time(share: tuple[float, float]) -> None:
    whole = simulate("torus", (4, 3))
    begin, end = (round(s * whole.clock.length) for s in share)
    end = max(end, begin + 1)
    part = cut_to_interval(whole, begin, end, MemoryAllocator())
    check_timeline(whole, part, begin, end)
    check_calls(whole, part, begin, end)
    check_messages(whole, part)


def check_timeline(whole: Trace, part: Trace, begin: int, end: int) -> None:
    timeline = part.timeline
    assert np.all(np.diff(timeline.offsets) >= 1)
    for row in range(timeline.rows):
        here = slice(timeline.offsets[row], timeline.offsets[row + 1])
        assert timeline.time[here][0] == 0
        assert np.all(np.diff(timeline.time[here]) > 0)
        pairs = list(zip(timeline.state[here], timeline.region[here], strict=True))
        assert all(a != b for a, b in pairwise(pairs))
        assert pairs[-1][0] == TimeState.OUTSIDE
        for ticks in np.linspace(0, whole.clock.length + 5, 40).astype(int):
            inside = begin <= ticks < end
            wanted = state_at(whole.timeline, row, ticks)
            found = state_at(timeline, row, ticks)
            assert found == wanted if inside else found[0] == TimeState.OUTSIDE


def kept_calls(whole: Trace, begin: int, end: int) -> list[int]:
    enter = whole.calls.enter
    return [call for call in range(len(enter)) if begin <= enter[call] < end]


def check_calls(whole: Trace, part: Trace, begin: int, end: int) -> None:
    kept = kept_calls(whole, begin, end)
    new = {call: number for number, call in enumerate(kept)}
    np.testing.assert_array_equal(part.calls.enter, whole.calls.enter[kept])
    np.testing.assert_array_equal(
        part.calls.leave, np.minimum(whole.calls.leave[kept], end)
    )
    assert part.calls.completes.tolist() == [
        new.get(call, -1) for call in whole.calls.completes[kept].tolist()
    ]
    parts = [new[c] for c in whole.collectives.call.tolist() if c in new]
    assert part.collectives.call.tolist() == parts


def rows_of(trace: Trace, new: dict[int, int] | None = None) -> set[tuple[int, ...]]:
    """Sizes, tags and calls of all messages."""
    found = set()
    for row in zip(*trace.messages.columns().values(), strict=True):
        *ends, send, receive, completion, done, sent, received = map(int, row)
        if new is not None:
            send, completion = new.get(send, -1), new.get(completion, -1)
            receive = new.get(receive, completion) if completion >= 0 else -1
            done = new.get(done, -1) if send >= 0 else -1
            sent = sent if send >= 0 else -1
            received = received if completion >= 0 else -1
            if send < 0 and completion < 0:
                continue
        found.add((*ends, send, receive, completion, done, sent, received))
    return found


def check_messages(whole: Trace, part: Trace) -> None:
    first = {}
    for row in range(whole.timeline.rows):
        low, high = part.calls.offsets[row : row + 2].tolist()
        old = whole.calls.offsets[row : row + 2].tolist()
        if low < high:
            shift = old[0] + int(
                np.searchsorted(
                    whole.calls.enter[old[0] : old[1]], part.calls.enter[low]
                )
            )
            first |= {shift + k: low + k for k in range(high - low)}
    assert rows_of(part) == rows_of(whole, first)
    sends = part.messages.send_call
    assert np.all(np.diff(sends[sends >= 0]) >= 0)
    assert np.all(sends[int(np.sum(sends >= 0)) :] == -1)


def test_some_ranks(anchor: Path) -> None:
    whole = open_trace(anchor)
    part = open_trace(anchor, subset=Subset.parse(ranks="2-4,7"))
    assert part.ranks == whole.ranks
    assert part.clock.origin == whole.clock.origin
    for row in range(whole.ranks):
        old, new = whole.calls.offsets[row : row + 2], part.calls.offsets[row : row + 2]
        if row in (2, 3, 4, 7):
            np.testing.assert_array_equal(
                whole.calls.enter[slice(*old)], part.calls.enter[slice(*new)]
            )
        else:
            assert new[0] == new[1]
            assert state_at(part.timeline, row, 5)[0] == TimeState.OUTSIDE
    senders = set(part.messages.sender[part.messages.send_call >= 0].tolist())
    assert senders == {2, 3, 4, 7}
    assert "ranks 2-4, 7" in part.warnings[-1]


@pytest.mark.parametrize("name", ["sp-rowcol-6x4", "ez-cg-8", "sp-bt-16", "ez-lu-8"])
def test_some_ranks_of_real_traces(real_path: Callable[[str], Path], name: str) -> None:
    path = real_path(name)
    whole = open_trace(path)
    part = open_trace(path, subset=Subset.parse(ranks="0,3"))
    assert part.clock.origin == whole.clock.origin
    old = whole.calls.offsets[3:5]
    new = part.calls.offsets[3:5]
    apart = whole.calls.enter[slice(*old)] - part.calls.enter[slice(*new)]
    assert np.ptp(apart) == 0
    # Clocks that topoview aligns are aligned by what was read.
    assert apart[0] == 0 or whole.clock.alignment is not None


def test_what_a_trace_does_not_have(anchor: Path) -> None:
    with pytest.raises(TraceError, match="no rank 12: its ranks are 0 to 11"):
        open_trace(anchor, subset=Subset.parse(ranks="0-12"))
    with pytest.raises(TraceError, match="nothing after 100 s"):
        open_trace(anchor, subset=Subset(begin=100.0))
