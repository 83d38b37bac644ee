"""The account of time: each tick in one class, as a plain loop over events tells it."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade import handmade
from hypothesis import given, settings
from otf2_reader import read_by, read_through_library
from parts import parts_of
from traces import EVERY_REAL, programs, read_real, real_path, simulate, simulated
from writer import write_trace

from topoview.analysis.account.account import account, class_ticks
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.states import lateness, receives_of, wait_states
from topoview.io.archive.finding import open_trace as open_archive
from topoview.model import (
    CLASS_NAMES,
    CLASSES,
    FIRST_WAIT,
    STATE_OF_CLASS,
    WAIT_KINDS,
    Ints,
    TimeState,
    Trace,
    WaitStates,
    class_name,
    group_of_class,
    joined_states,
    whole_part,
)

OWN_STATES = {
    TimeState.OUTSIDE,
    TimeState.MEASUREMENT,
    TimeState.WAIT_FOR_GPU,
    TimeState.WAIT_FOR_THREADS,
}
"""What no call around it changes."""

CALLED = {TimeState.GPU_CALL, TimeState.KERNEL, TimeState.COPY, TimeState.IO}
"""What a call around it changes only by waiting."""


def pieces(
    trace: Trace,
    waits: WaitStates | None,
    row: int,
    received: set[int],
    window: tuple[int, int],
) -> Iterator[tuple[int, int, int]]:
    """Tell begin, end and class of what a row does: a plain loop over its events."""
    line, calls, regions = trace.timeline, trace.calls, trace.regions
    first, stop = map(int, line.offsets[row : row + 2])
    own = range(*map(int, calls.offsets[row : row + 2]))
    edges = set(line.time[first:stop].tolist()) | {trace.clock.length}
    for call in own:
        edges |= {int(calls.enter[call]), int(calls.leave[call])}
        if waits is not None and waits.until[call] >= 0:
            edges.add(int(waits.until[call]))
    edges = {*window, *(edge for edge in edges if window[0] <= edge <= window[1])}
    ordered = sorted(edges)
    near = [
        c for c in own if calls.enter[c] <= window[1] and calls.leave[c] > window[0]
    ]
    for begin, end in itertools.pairwise(ordered):
        at = int(np.searchsorted(line.time[first:stop], begin, side="right"))
        code = int(line.state[first + at - 1])
        within = [c for c in near if calls.enter[c] <= begin < calls.leave[c]]
        if within and code not in OWN_STATES:
            still = [
                call
                for call in within
                if waits is not None and waits.until[call] > begin
            ]
            state = int(regions.state[calls.region[within[-1]]])
            if code not in CALLED:
                code = state
            if any(regions.state[calls.region[c]] == TimeState.IO for c in within):
                code = TimeState.IO
            if code == TimeState.WAIT:
                code = TimeState.RECEIVE if within[-1] in received else TimeState.SEND
            if still:
                assert waits is not None
                code = FIRST_WAIT + int(waits.kind[still[-1]])
        yield begin, end, code


def by_hand(
    trace: Trace, waits: WaitStates | None, window: tuple[int, int]
) -> list[Counter[int]]:
    """Sum up the classes of each row within a window."""
    part = whole_part(trace)
    received = {
        int(call)
        for _, done in receives_of(part, deduced_ends(part))
        for call in done[done >= 0]
    }
    result = []
    for row in range(trace.timeline.rows):
        spent: Counter[int] = Counter()
        for begin, end, code in pieces(trace, waits, row, received, window):
            spent[code] += end - begin
        result.append(spent)
    return result


def summed(trace: Trace, window: tuple[int, int]) -> tuple[Ints, Ints]:
    part = whole_part(trace)
    spans = np.array([window], np.int64)
    classes, ticks = class_ticks(part, wait_states(trace), deduced_ends(part), spans)
    return classes, ticks[0]


def check(trace: Trace, window: tuple[int, int]) -> None:
    classes, ticks = summed(trace, window)
    assert (ticks.sum(axis=1) == window[1] - window[0]).all()
    for row, expected in enumerate(by_hand(trace, wait_states(trace), window)):
        found = dict(zip(classes.tolist(), ticks[row].tolist(), strict=True))
        assert {code: n for code, n in found.items() if n} == dict(expected)


@settings(max_examples=30, deadline=None)
@given(programs())
def test_classes_are_those_of_a_plain_loop(program: object) -> None:
    trace = simulate(program)  # type: ignore[arg-type]
    check(trace, (0, trace.clock.length))
    check(trace, (trace.clock.length // 3, trace.clock.length // 2 + 1))


@pytest.mark.parametrize(
    "name",
    ["ez-threads-halo", "public-casita-4_mpi_ls_barr", "public-casita-2_cuda_simple"],
)
def test_real_traces_are_accounted_for_as_by_a_plain_loop(name: str) -> None:
    trace = read_real(name)
    length = trace.clock.length
    check(trace, (length // 2, length // 2 + max(length // 50, 1)))


@pytest.mark.parametrize(
    "name", ["sp-jacobi2d-8x4-periodic-idlewave", "app-pennant-12", "ez-cg-8"]
)
def test_waits_of_the_account_are_the_waits(name: str) -> None:
    trace = read_real(name)
    waits = wait_states(trace)
    assert waits is not None
    classes, ticks = summed(trace, (0, trace.clock.length))
    late = np.maximum(lateness(trace, waits), 0)
    for kind in range(len(WAIT_KINDS)):
        expected = int(late[waits.kind == kind].sum())
        assert int(ticks[:, classes == FIRST_WAIT + kind].sum()) == expected
    assert (ticks.sum(axis=1) == trace.clock.length).all()


def test_the_timeline_of_the_account_has_the_same_sums() -> None:
    """And so has the account of a timeline that is one already."""
    trace = read_real("sp-twophase-6x6-user-metrics")
    part, waits = whole_part(trace), wait_states(trace)
    line = account(part, waits, deduced_ends(part)).timeline
    classes, ticks = summed(trace, (0, trace.clock.length))
    found = np.zeros((line.rows, len(TimeState)), np.int64)
    for row in range(line.rows):
        own = slice(*map(int, line.offsets[row : row + 2]))
        ends = np.append(line.time[own][1:], trace.clock.length)
        np.add.at(found[row], line.state[own], ends - line.time[own])
        new = (np.diff(line.state[own]) != 0) | (np.diff(line.region[own]) != 0)
        assert new.all()
        assert (np.diff(line.time[own]) > 0).all()
    np.testing.assert_array_equal(found, joined_states(classes, ticks))

    again = replace(trace, timeline=line)
    same = account(whole_part(again), waits, deduced_ends(part)).timeline
    for name in ("offsets", "time", "state", "region"):
        np.testing.assert_array_equal(getattr(same, name), getattr(line, name))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_parts_account_for_their_own_rows(count: int) -> None:
    trace = read_real("ez-threads-halo")
    whole, waits = whole_part(trace), wait_states(trace)
    deduced = deduced_ends(whole)
    spans = np.array([[0, trace.clock.length], [5, 10]], np.int64)
    classes, expected = class_ticks(whole, waits, deduced, spans)
    total = np.zeros_like(expected)
    for part in parts_of(trace, count):
        own, ticks = class_ticks(part, waits, deduced, spans)
        total[:, :, np.searchsorted(classes, own)] += ticks
    np.testing.assert_array_equal(total, expected)


def test_a_wait_is_the_begin_of_its_call() -> None:
    """Rank 1 waits in a Recv for the Send, then in a barrier for rank 0."""
    trace = handmade(
        [
            [("Send", 50, 60), ("Barrier", 90, 100)],
            [("Recv", 20, 70), ("Barrier", 75, 100)],
        ],
        messages=[((0, 0), (1, 0), (1, 0))],
        collectives=[(0, -1, [(0, 1), (1, 1)])],
    )
    classes, ticks = summed(trace, (0, 100))
    found = [
        {CLASS_NAMES[c]: n for c, n in zip(classes.tolist(), row, strict=True) if n}
        for row in ticks.tolist()
    ]
    assert found == [
        {"compute": 80, "send": 10, "barrier": 10},
        {
            "compute": 25,
            "late_sender": 30,
            "receive": 20,
            "wait_at_barrier": 15,
            "barrier": 10,
        },
    ]


def test_without_aligned_clocks_nothing_waits_for_ranks() -> None:
    trace = handmade([[("Barrier", 10, 50)], [("Barrier", 40, 50)]])
    part = whole_part(trace)
    line = account(part, None, deduced_ends(part)).timeline
    assert set(line.state.tolist()) == {
        TimeState.OUTSIDE,
        TimeState.COMPUTE,
        TimeState.BARRIER,
    }


def test_every_class_has_a_state_and_a_group() -> None:
    used = [
        code
        for code in range(CLASSES)
        if code >= FIRST_WAIT or CLASS_NAMES.count(CLASS_NAMES[code]) == 1
    ]
    assert [group_of_class(code) for code in used].count("useful") == 2
    for code in range(FIRST_WAIT, CLASSES):
        assert group_of_class(code) == "waiting"
        assert TimeState(int(STATE_OF_CLASS[code])) not in {
            TimeState.COMPUTE,
            TimeState.WAIT,
        }
    assert class_name(TimeState.OUTSIDE) == "not_recorded"
    assert class_name(TimeState.OUTSIDE, device=True) == "idle"


EIGHT = {
    "ez-cg-8": "EZTrace",
    "ez-threads-halo": "EZTrace",
    "sp-rowcol-6x4": "Score-P 8",
    "sp-masterworker-24": "Score-P 8",
    "public-casita-4_mpi_ls_barr": "Score-P 1",
    "public-casita-2_cuda_simple": "Score-P 1",
    "public-tracer-stencil4d-32": "TraCER",
    "public-sstmacro-10": "SST/macro",
}
"""Real traces, and what wrote them."""


def read_by_library(name: str) -> Trace:
    """Read a real trace's raw events by libotf2, record by record."""

    def read(defined: Any, report: Any, _: Any, subset: Any) -> Any:  # noqa: ANN401
        return read_through_library(defined, report, subset)

    with read_by(read):
        return open_archive(real_path(name))


def check_raw(raw: Trace, trace: Trace, window: tuple[int, int]) -> None:
    """Compare the account of what was read with a plain loop over what was recorded."""
    classes, ticks = summed(trace, window)
    assert (ticks.sum(axis=1) == window[1] - window[0]).all()
    for row, expected in enumerate(by_hand(raw, wait_states(raw), window)):
        found = dict(zip(classes.tolist(), ticks[row].tolist(), strict=True))
        assert {code: n for code, n in found.items() if n} == dict(expected)


# the loop over the first takes as long as those over all others
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name == "ez-cg-8"))
        for name in EIGHT
    ],
)
def test_accounts_of_eight_traces_are_a_loop_over_raw_events(name: str) -> None:
    trace = read_real(name)
    length = trace.clock.length
    window = length // 2, length // 2 + max(length // 20, 1)
    check_raw(read_by_library(name), trace, window)


def test_the_account_of_our_own_writer_is_a_loop_over_raw_events(
    tmp_path: Path,
) -> None:
    anchor = write_trace(simulated("torus", (3, 3), iterations=4), tmp_path)

    def read(defined: Any, report: Any, _: Any, subset: Any) -> Any:  # noqa: ANN401
        return read_through_library(defined, report, subset)

    with read_by(read):
        raw = open_archive(anchor)
    trace = open_archive(anchor)
    check_raw(raw, trace, (0, trace.clock.length))


@pytest.mark.parametrize("name", EVERY_REAL)
def test_every_tick_of_a_real_trace_is_in_one_class(name: str) -> None:
    """And waits are the waits, also of sp-lu-8-flush, which is flushed within one."""
    trace = read_real(name)
    waits, length = wait_states(trace), trace.clock.length
    classes, ticks = summed(trace, (0, length))
    assert (ticks.sum(axis=1) == length).all()
    if waits is None:
        return
    late = np.maximum(lateness(trace, waits), 0)
    for kind in range(len(WAIT_KINDS)):
        expected = int(late[waits.kind == kind].sum())
        assert int(ticks[:, classes == FIRST_WAIT + kind].sum()) == expected
