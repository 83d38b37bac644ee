"""Counters before statements, against sums made call by call."""

from dataclasses import replace

import numpy as np
import pytest
import traces
from parts import measure_lines

from topoview.analysis.comparing.scaling import scaling
from topoview.analysis.comparing.series import run_of
from topoview.analysis.logical.counters import useful_work
from topoview.analysis.logical.positions import call_positions
from topoview.analysis.waits.states import lifetimes
from topoview.base.text import write
from topoview.model import EventRecords, MeasuredLines, MetricCounter, Trace, whole_part
from topoview.pipeline import analyse
from topoview.report.logical.as_html import page
from topoview.report.logical.as_json import program_record
from topoview.report.logical.lines import timed_listing

COUNTERS = (
    MetricCounter(7, 0, "PAPI_TOT_CYC", "#", "grows"),
    MetricCounter(7, 1, "PAPI_TOT_INS", "#", "grows"),
    MetricCounter(9, 0, "power", "W", "value"),
    MetricCounter(9, 1, "misses", "#", "change", 2, 1),
)


def counted(cycles: int = 3, instructions: int = 6) -> Trace:
    """Make a trace whose ranks count 3 cycles a tick, and two instructions a cycle.

    Each begin and end of a call has its records; a record of power and of 5 misses
    stands at each call's begin.
    """
    trace = traces.simulated("grid", (3, 2))
    rows, offsets = [], [0]
    for rank in range(trace.ranks):
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        enter, leave = trace.calls.enter[own], trace.calls.leave[own]
        rows.append((0, 7, 0, 4, 0))
        rows.append((0, 7, 1, 4, 0))
        for times in zip(enter.tolist(), leave.tolist(), strict=True):
            for time in times:
                rows.append((time, 7, 0, 4, cycles * time))
                rows.append((time, 7, 1, 4, instructions * time))
            power = int(np.float64(10 * rank + 0.5).view(np.int64))
            rows.append((times[0], 9, 0, 10, power))
            rows.append((times[0], 9, 1, 4, 5))
        rows[offsets[-1] :] = sorted(rows[offsets[-1] :], key=lambda row: row[0])
        offsets.append(len(rows))
    offsets += [len(rows)] * (len(trace.calls.offsets) - len(offsets))
    table = np.array(rows, np.int64)
    fields = ("metric", "place", "type", "value")
    records = EventRecords(
        "Metric", fields, np.array(offsets), table[:, 0].copy(), table[:, 1:].copy()
    )
    return replace(trace, further=(records,), counters=COUNTERS)


@pytest.fixture(scope="module")
def known() -> MeasuredLines:
    *_, found = analyse(counted())
    assert found.measured is not None
    return found.measured


def test_counters_are_those_of_the_computation_before(known: MeasuredLines) -> None:
    figures, before = known.metrics, known.statements.before
    assert figures.counters == COUNTERS
    np.testing.assert_array_equal(figures.calls[2], known.statements.calls)
    np.testing.assert_allclose(figures.mean[0], 3 * before.mean)
    np.testing.assert_allclose(figures.mean[1], 6 * before.mean)
    computes = before.total > 0
    np.testing.assert_allclose(figures.ipc[computes], 2.0)
    assert np.isnan(figures.ipc[~computes]).all()
    np.testing.assert_allclose(figures.mean[3][computes], 10.0)


def test_values_are_those_at_the_begin_of_calls(known: MeasuredLines) -> None:
    logical, trace = known.logical, known.trace
    rank = np.repeat(
        np.arange(trace.ranks), np.diff(trace.calls.offsets[: trace.ranks + 1])
    )
    for statement in range(logical.statements):
        own = rank[logical.statement_of_call[: len(rank)] == statement]
        mean = known.metrics.mean[2, statement]
        assert mean == pytest.approx(np.mean(10.0 * own + 0.5))


def test_sparse_counters_grow_evenly_between_records(known: MeasuredLines) -> None:
    trace = known.trace
    times = np.array([0, trace.clock.length])
    values = np.zeros((2, 4), np.int64)
    values[:, 0], values[:, 2], values[1, 3] = 7, 4, 3 * trace.clock.length
    records = EventRecords(
        "Metric",
        ("metric", "place", "type", "value"),
        2 * np.arange(len(trace.calls.offsets)),
        np.tile(times, len(trace.calls.offsets) - 1),
        np.tile(values, (len(trace.calls.offsets) - 1, 1)),
    )
    few = replace(trace, further=(records,))
    positions = call_positions(whole_part(few), known.logical)
    figures = measure_lines(few, known.logical, None, positions).metrics
    assert figures.counters == COUNTERS[:1]
    np.testing.assert_allclose(figures.mean[0], 3 * known.statements.before.mean)


def test_counters_are_told_in_all_forms(known: MeasuredLines) -> None:
    head, *rows = timed_listing(known).splitlines()
    assert head.split()[9:] == ["IPC", *(c.name for c in COUNTERS), "statement"]
    for row, line in zip(rows, known.lines, strict=True):
        assert row.endswith(line.text)
    assert any(" 2.00 " in row for row in rows)
    record = program_record(known)
    assert [each["name"] for each in record["metrics"]] == [c.name for c in COUNTERS]
    calls = [line for line in record["lines"] if line["kind"] == "call"]
    assert any(line["metrics"].get("IPC", {}).get("mean") == 2 for line in calls)
    assert "<th>PAPI_TOT_INS</th>" in page(known)


def test_useful_work_is_that_outside_of_calls() -> None:
    trace = counted()
    window = trace.clock.length // 4, trace.clock.length // 2
    for part, ranks in ((None, None), (window, None), (window, [1, 4])):
        low, high = part or (0, trace.clock.length)
        computed = 0
        for rank in range(trace.ranks) if ranks is None else ranks:
            own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
            enter, leave = trace.calls.enter[own], trace.calls.leave[own]
            inside = np.minimum(leave, high) - np.maximum(enter, low)
            # a rank begins with its first state, its counters end with its last call
            begin = max(low, int(lifetimes(trace)[0][rank]))
            end = min(high, max(int(leave[-1]), begin))
            computed += end - begin - int(np.maximum(inside, 0).sum())
        found = useful_work(trace, part, ranks)
        assert found is not None
        assert found.instructions == pytest.approx(6 * computed)
        assert found.cycles == pytest.approx(3 * computed)
        assert found.ipc == pytest.approx(2)
        assert found.frequency == pytest.approx(3 * trace.clock.resolution)
        assert found.counted["PAPI_TOT_INS"] == pytest.approx(6 * computed)
        assert "power" not in found.counted
    assert useful_work(replace(trace, further=(), counters=())) is None


def test_scalability_of_computation_is_that_of_its_factors() -> None:
    """Twice the instructions, three a cycle and not two, four cycles and not three."""
    runs = []
    for trace in (counted(), counted(4, 12)):
        *_, known = analyse(trace)
        assert known.identification is not None
        assert known.logical is not None
        assert known.positions is not None
        told = known.identification, known.logical, known.positions, known.waits
        runs.append(run_of(trace, *told))
    _, (first, second) = scaling(runs, ["a", "b"])
    assert (first.instructions, first.ipc, first.frequency) == pytest.approx((1, 1, 1))
    assert second.instructions == pytest.approx(1 / 2)
    assert second.ipc == pytest.approx(3 / 2)
    assert second.frequency == pytest.approx(4 / 3)
    product = second.instructions * second.ipc * second.frequency
    assert second.computation == pytest.approx(product)


def test_absence_is_told(known: MeasuredLines) -> None:
    found = measure_lines(
        replace(known.trace, further=(), counters=()),
        known.logical,
        None,
        call_positions(whole_part(known.trace), known.logical),
    )
    assert found.metrics.counters == ()
    assert found.metrics.absent in page(found)
    assert not known.metrics.absent
    assert all(
        not line["metrics"]
        for line in program_record(found)["lines"]
        if line["kind"] == "call"
    )


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (0.002, "s", "2 ms"),
        (1.5 * 1024**2, "Bytes", "1.5 MiB"),
        (-3.0, "B", "\u22123 B"),
        (12.0, "#", "12"),
        (12.0, "W", "12 W"),
        (np.nan, "W", ""),
    ],
)
def test_numbers_have_their_units(number: float, unit: str, text: str) -> None:
    assert write(number, unit) == text


def test_metrics_of_a_real_trace_are_named_and_scaled() -> None:
    trace = traces.read_real("sp-twophase-6x6-user-metrics")
    time, memory = trace.counters
    assert (time.name, time.unit, time.mode) == ("ru_utime", "s", "grows")
    assert time.scale == pytest.approx(1e-6)
    assert (memory.name, memory.mode, memory.scale) == ("ru_maxrss", "value", 1024.0)
