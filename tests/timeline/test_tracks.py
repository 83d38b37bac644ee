"""Tracks below the rows, against loops over what happened."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gpu_program
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot
from timelines import LENGTH, Row, Window, timelines, trace_of
from traces import analysis_of_real, examples

from topoview.analysis.message_index import message_index
from topoview.live.timeline.call_stack import stack_spans
from topoview.live.timeline.device_waits import MIN_COLUMNS, window_device_waits
from topoview.live.timeline.orders import order_by_rank
from topoview.live.timeline.raster import raster
from topoview.live.timeline.rows import place_rows
from topoview.live.timeline.tracks import (
    Curve,
    Heat,
    StateStack,
    TrackRequest,
    track_rows,
    under_way,
)
from topoview.live.waits.delays import changes_at_first
from topoview.model import (
    Analysis,
    CallPaths,
    Calls,
    EventRecords,
    Messages,
    MetricCounter,
    Regions,
    Timeline,
    TimeState,
    Trace,
)
from topoview.session import Session, State
from topoview.ui.panels.timeline.content import timeline_picture
from topoview.ui.panels.timeline.labels import functions_seen, kernel_name
from topoview.ui.panels.timeline.paint import device_wait_lines
from topoview.ui.panels.timeline.tracks import track_words
from topoview.ui.panels.timeline.view import TimelineView
from topoview.worker import open_trace

windows = st.tuples(st.integers(0, LENGTH - 2), st.integers(1, LENGTH)).filter(
    lambda w: w[0] < w[1]
)
widths = st.integers(1, 30)
flights = st.lists(
    st.tuples(st.integers(-1, LENGTH), st.integers(-1, LENGTH), st.integers(0, 99)),
    max_size=20,
)


def with_messages(trace: Trace, sent: list[tuple[int, int, int]]) -> Trace:
    table = np.array(sent, np.int64).reshape(-1, 3)
    none, zero = np.full(len(table), -1), np.zeros(len(table), np.int32)
    return replace(
        trace,
        messages=Messages(
            *(zero, zero + 1, table[:, 2].copy(), zero, zero),
            none,
            none,
            none,
            none,
            *(table[:, 0].copy(), table[:, 1].copy()),
        ),
    )


def asked(known: Analysis, name: str, window: Window, width: int) -> TrackRequest:
    ranks = np.arange(known.trace.ranks, dtype=np.int32).tobytes()
    return TrackRequest(name, known, window, width, ranks, 0, 50)


def shown(known: Analysis, name: str, window: Window, width: int) -> Any:  # noqa: ANN401
    return track_rows(known)[name].find(asked(known, name, window, width))


@given(flights, windows, widths, st.sampled_from([0, 30, 52]))
def test_what_is_under_way_sums_to_the_true_times(
    sent: list[tuple[int, int, int]], window: Window, width: int, bits: int
) -> None:
    """In coarser ticks, too, where times are too long for the kernel."""

    def far(time: int) -> int:
        return time << bits if time >= 0 else time

    flown = [(far(begin), far(end), size) for begin, end, size in sent]
    trace = with_messages(trace_of([[(0, 1)]] * 2, far(LENGTH)), flown)
    known = Analysis(trace, message_index=message_index(trace.messages))
    count, size = under_way(known, (far(window[0]), far(window[1])), width)
    edges = np.linspace(*window, width + 1)
    for x in range(width):
        overlaps = [
            (max(0.0, min(received, edges[x + 1]) - max(begin, edges[x])), bytes_)
            for begin, received, bytes_ in sent
            if begin >= 0 and received >= 0
        ]
        long = edges[x + 1] - edges[x]
        assert count[x] == pytest.approx(sum(o for o, _ in overlaps) / long)
        assert size[x] == pytest.approx(sum(o * b for o, b in overlaps) / long)


@given(timelines, windows, widths)
def test_ranks_by_state_are_the_mean_of_their_rows(
    rows: list[Row], window: Window, width: int
) -> None:
    trace = trace_of(rows, LENGTH)
    found = shown(Analysis(trace), "states", window, width)
    assert isinstance(found, StateStack)
    assert found.ranks == len(rows)
    np.testing.assert_allclose(found.shares.sum(axis=0), 1)
    if width == window[1] - window[0]:  # a tick a column
        everything = np.arange(len(rows), dtype=np.int32)
        codes = raster(trace.timeline, everything, *window, width)
        for state in TimeState:
            mean = (codes == state).mean(axis=0)
            np.testing.assert_allclose(found.shares[state], mean)


# A program of regions within each other, whose calls are those of MPI.

DEPTHS, MPI = 3, 9
programs = st.recursive(
    st.just([]),
    lambda inner: st.lists(
        st.tuples(st.integers(0, 2), st.one_of(st.just("call"), inner)), max_size=4
    ),
    max_leaves=12,
)


def traced(
    program: list[Any],
) -> tuple[Trace, list[tuple[int, int, int, int]]]:
    """Run a program of nested regions: its trace, and the true spans."""
    spans: list[tuple[int, int, int, int]] = []
    events: list[tuple[int, int]] = [(0, -1)]
    calls: list[tuple[int, int, int]] = []
    parents, regions = [-1], [-1]
    clock = 0

    def path_of(stack: list[int]) -> int:
        path = 0
        for region in stack:
            found = [
                p
                for p in range(len(parents))
                if parents[p] == path and regions[p] == region
            ]
            if not found:
                parents.append(path)
                regions.append(region)
                found = [len(parents) - 1]
            path = found[0]
        return path

    def run(body: list[Any], stack: list[int]) -> None:
        nonlocal clock
        for kind, inner in body:
            clock += 1
            begin, depth = clock, len(stack)
            region = MPI if inner == "call" else min(depth, DEPTHS - 1) * 3 + kind
            if region in stack:
                continue  # no recursion: which of both is left is not recorded
            events.append((begin, region))
            clock += 1
            if inner == "call":
                calls.append((begin, clock, path_of(stack)))
            else:
                run(inner, [*stack, region])
                clock += 1
            spans.append((begin, clock, depth, region))
            events.append((clock, stack[-1] if stack else -1))

    run(program, [])
    length = clock + 2
    time, region = np.array(events, np.int64).reshape(-1, 2).T
    kept = np.append(np.diff(time) > 0, True)
    time, region = time[kept].copy(), region[kept].astype(np.int32)
    table = np.array(calls, np.int64).reshape(-1, 3)
    base = trace_of([[(0, 1)]], length)
    names = (*(f"r{k}" for k in range(MPI)), "MPI_Wait")
    states = np.array([1] * MPI + [4], np.uint8)
    operation = np.array([-1] * MPI + [0], np.int32)
    trace = replace(
        base,
        regions=Regions(names, states, operation, ("Wait",)),
        timeline=Timeline(
            np.array([0, len(time)]),
            time,
            np.where(region == MPI, 4, 1).astype(np.uint8),
            region,
        ),
        calls=Calls(
            np.array([0, len(table)]),
            np.full(len(table), MPI, np.int32),
            table[:, 0].copy(),
            table[:, 1].copy(),
            np.full(len(table), -1),
            table[:, 2].astype(np.int32),
            np.zeros(len(table), np.uint8),
        ),
        paths=CallPaths(np.array(parents, np.int32), np.array(regions, np.int32)),
    )
    return trace, spans


HELPER = [(2, [(0, "call")])]
"""A function that calls MPI."""


@given(programs, st.floats(0, 0.9), st.floats(0.05, 1))
@example([(0, HELPER), (1, HELPER)], 0.0, 1.0)
@example([(0, [(0, HELPER), (1, HELPER)]), (1, [(0, HELPER)])], 0.0, 1.0)
def test_call_stacks_are_put_together_again(
    program: list[Any], begin: float, long: float
) -> None:
    trace, spans = traced(program)
    length = trace.clock.length
    whole = stack_spans(trace, 0, (0, length))
    assert whole is not None
    columns = whole.begin, whole.end, whole.depth, whole.region
    assert sorted(zip(*(c.tolist() for c in columns), strict=True)) == sorted(spans)
    first = int(begin * length)
    window = first, min(first + max(1, int(long * length)), length)
    part = stack_spans(trace, 0, window)
    assert part is not None
    leaves = {
        (max(b, window[0]), min(e, window[1]), region)
        for b, e, _, region in spans
        if region == MPI and e > window[0] and b < window[1]
    }
    found = zip(part.begin.tolist(), part.end.tolist(), part.region.tolist())  # noqa: B905
    assert {each for each in found if each[2] == MPI} == leaves


def counted(mode: str, values: list[tuple[int, int]]) -> Analysis:
    """One rank that records values of a counter."""
    trace = trace_of([[(0, 1)]] * 2, LENGTH)
    rows = [[0, 0, 8, value] for _, value in values]
    records = EventRecords(
        "Metric",
        ("metric", "place", "type", "value"),
        np.array([0, len(values), len(values)]),
        np.array([t for t, _ in values], np.int64),
        np.array(rows, np.int64).reshape(-1, 4),
    )
    counter = MetricCounter(0, 0, "loads", "", mode)
    return Analysis(replace(trace, further=(records,), counters=(counter,)))


VALUES = [(10, 4), (20, 9), (21, 2), (40, 6)]


def test_a_counter_is_least_and_largest_of_what_holds_in_a_column() -> None:
    found = shown(counted("value", VALUES), "counter-0-0", (0, 60), 6)
    assert isinstance(found, Curve)
    np.testing.assert_array_equal(found.low, [np.nan, 4, 2, 2, 6, 6])
    np.testing.assert_array_equal(found.high, [np.nan, 4, 9, 2, 6, 6])
    heat = shown(counted("value", VALUES), "counter-heat-0-0", (0, 60), 6)
    assert isinstance(heat, Heat)
    np.testing.assert_array_equal(heat.values[0], found.high)
    assert np.isnan(heat.values[1]).all()


def test_growth_is_a_second() -> None:
    known = counted("grows", [(10, 0), (30, 40), (50, 40)])
    found = shown(known, "counter-0-0", (0, 60), 6)
    rate = found.high / known.trace.clock.resolution
    np.testing.assert_allclose(rate, [np.nan, 2, 2, 0, 0, np.nan])
    total = np.nansum(rate) * 10
    assert total == pytest.approx(40)


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 3))
@examples(20)
def test_how_busy_devices_are(
    tmp_path_factory: pytest.TempPathFactory, seed: int, ranks: int, streams: int
) -> None:
    """Against every tick: a device is busy when any of its streams is."""
    rng = np.random.default_rng(seed)
    programs = [gpu_program.run(rng, streams, 12) for _ in range(ranks)]
    anchor = gpu_program.write(
        programs, streams, tmp_path_factory.mktemp("gpu") / "run"
    )
    known = Analysis(open_trace(anchor))
    end = max(program.end for program in programs)
    begin, width = int(rng.integers(0, end)), 6 * int(rng.integers(1, 20))
    found = shown(known, "gpu-busy", (begin, end), width)
    ticks = [
        sum(one.running(tick) != gpu_program.NOTHING for one in programs)
        for tick in range(begin, end)
    ]
    of_all = 100 * sum(ticks) / (ranks * (end - begin))
    assert found.high.mean() == pytest.approx(of_all)
    half = 6 * (width // 12)
    part = np.interp(
        (end - begin) * half / width,
        np.arange(len(ticks) + 1),
        np.append(0, np.cumsum(ticks)),
    )
    assert found.high[:half].sum() * (end - begin) / width == pytest.approx(
        100 * part / ranks
    )


@given(st.integers(0, 2**32), st.integers(1, 3), st.floats(0, 0.9), st.floats(0.1, 1))
@examples(20)
def test_which_functions_hosts_of_devices_are_in(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    ranks: int,
    first: float,
    share: float,
) -> None:
    """Against the program, at every tick of a window."""
    rng = np.random.default_rng(seed)
    programs = [gpu_program.run(rng, 2, 12) for _ in range(ranks)]
    folder = tmp_path_factory.mktemp("functions")
    trace = open_trace(gpu_program.write(programs, 2, folder / "run"))
    bands = place_rows(trace, order_by_rank(ranks), 600, 1.0)
    hosts = np.flatnonzero(bands.strip)
    assert bands.rows[hosts].tolist() == list(range(ranks))
    below = bands.bottom[hosts] + bands.strip[hosts]
    assert (below <= bands.top[hosts + 1]).all()
    assert not place_rows(trace, order_by_rank(ranks), 30 * ranks, 1.0).strip.any()
    for row, program in enumerate(programs):
        end = program.end
        begin = int(first * end)
        window = begin, begin + max(int(share * (end - begin)), 1)
        edges, region = functions_seen(trace, row, window)
        assert (edges[0], edges[-1]) == window
        assert (region[1:] != region[:-1]).all()
        for tick in range(*window):
            here = int(np.searchsorted(edges, tick, side="right")) - 1
            assert trace.regions.names[region[here]] == program.host_at(tick)


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 3))
@examples(20)
def test_what_ends_waits_for_devices(
    tmp_path_factory: pytest.TempPathFactory, seed: int, ranks: int, streams: int
) -> None:
    """Against the program: of the streams that a call waits for the last to end."""
    rng = np.random.default_rng(seed)
    programs = [gpu_program.run(rng, streams, 12) for _ in range(ranks)]
    folder = tmp_path_factory.mktemp("waits")
    trace = open_trace(gpu_program.write(programs, streams, folder / "run"))
    end = max(program.end for program in programs)
    window = int(rng.integers(0, end)), end
    width = int(rng.integers(1, 20 * end))
    found = window_device_waits(trace, window, width)
    expected = []
    for rank, program in enumerate(programs):
        for call in program.waits():
            ends = [
                one.end
                for one in program.operations
                if one.end <= call.end and call.stream in (-1, one.stream)
            ]
            last = max(ends, default=-1)
            wide = (call.end - call.begin) * width / (end - window[0])
            if last > call.begin and call.end >= window[0] and wide >= MIN_COLUMNS:
                expected.append((rank, call.end, last))
    columns = found.row, found.end, found.operation_end
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == expected
    owner = trace.rank_of_location[found.stream]
    assert owner.tolist() == found.row.tolist()
    assert np.isin(found.stream, trace.further_rows("accelerator")).all()


def test_waits_and_messages_join_rows_of_hosts_and_devices() -> None:
    state = State(analysis=analysis_of_real("public-casita-2_cuda_simple"))
    state = replace(state, **changes_at_first(state))
    picture = timeline_picture(state, 900, 420)
    assert picture.lines is not None
    assert picture.lines.total == 2
    assert picture.device_waits is not None
    waits, bands, frame = picture.device_waits, picture.bands, picture.frame
    lines = device_wait_lines(waits, frame, bands)
    assert len(lines) == len(waits.row) > 0
    for line, row, stream in zip(lines, waits.row, waits.stream, strict=True):
        for y, end in (line.y1(), stream), (line.y2(), row):
            (place,) = np.flatnonzero(bands.rows == end)
            assert frame.y(bands.top[place]) < y < frame.y(bands.bottom[place])
        assert line.x1() <= line.x2()


@pytest.mark.parametrize(
    ("name", "shown_as"),
    [
        ("_Z13jacobi_kernelPKfPfiiS1_", "jacobi_kernel"),
        ("_ZN5amrex6launchILi256EZNS_11ParallelFor", "launch"),
        ("heavy_kernel(float*, float const*)", "heavy_kernel"),
        ("flux_calc_kernel_59_gpu", "flux_calc_kernel_59_gpu"),
        ("$rot13", "$rot13"),
        ("(anonymous namespace)::f()", "(anonymous namespace)::f()"),
    ],
)
def test_names_of_kernels(name: str, shown_as: str) -> None:
    assert kernel_name(name) == shown_as


def test_tracks_are_shown_below_the_rows(
    qtbot: QtBot, session: Session, view: TimelineView
) -> None:
    view.resize(890, 420)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    lines = view.frame.lines
    session.change("timeline", tracks=("states", "stack", "marks", "gone"))
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    assert [each.request.name for each in view.tracks] == ["states", "stack", "marks"]
    assert all(each.done for each in view.tracks)
    frame = view.frame
    assert frame.lines < lines
    assert frame.bottom <= frame.strip.top()
    for number in range(3):
        box = frame.track_box(number)
        assert frame.track_at(box.center().y()) == number
        assert box.top() > frame.rows.bottom()
    assert frame.track_at(frame.rows.center().y()) is None
    told = track_words(session.state, frame, view.tracks, frame.track_box(0).center())
    assert "compute" in told
    before = view.grab().toImage()
    session.change("timeline", tracks=())
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    assert view.frame.lines == lines
    assert view.grab().toImage() != before


def test_a_real_call_stack_holds_every_call(real_path: Any) -> None:  # noqa: ANN401
    """Calls lie where they were recorded, below the regions of their paths."""
    from traces import read_real

    path: Path = real_path("sp-twophase-6x6-user-metrics")
    assert path.exists()
    trace = read_real("sp-twophase-6x6-user-metrics")
    found = stack_spans(trace, 13, (0, trace.clock.length))
    assert found is not None
    low, high = trace.calls.offsets[13:15].tolist()
    for call in range(low, high, 7):
        begin, end = int(trace.calls.enter[call]), int(trace.calls.leave[call])
        path_of = trace.paths.regions_of(int(trace.calls.path[call]))
        for depth, region in enumerate((*path_of, int(trace.calls.region[call]))):
            for ticks in (begin, end - 1):
                at = found.at(ticks, depth)
                assert at is not None
                assert found.region[at] == region


def test_hosts_have_strips_of_functions_where_names_have_room() -> None:
    """Also below rows that are not as high: a strip of names, and the row as high."""
    known = analysis_of_real("public-casita-2_cuda_simple")
    order = order_by_rank(known.trace.ranks)
    least, heights = 14.0, {}
    for height in range(40, 400, 4):
        bands = place_rows(known.trace, order, height, 1.0)
        host = bands.rows == bands.rank
        strips = bands.strip[host]
        if heights:
            assert strips.min() >= max(heights.values()) - 1e-9, "more room, no less"
        heights[height] = float(strips.min())
        if strips.any():
            assert strips.min() >= least - 1e-9
            assert (bands.bottom - bands.top)[host].min() >= least - 1
    first = min(height for height, strip in heights.items() if strip)
    tallest = [height for height, strip in heights.items() if strip > least + 1e-6]
    assert first < 0.8 * min(tallest)
