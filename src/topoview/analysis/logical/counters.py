"""What a trace's counters count while its ranks compute: by statement, and in all."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from topoview.analysis.logical.statements import computed_before
from topoview.analysis.waits.states import lifetimes
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.model import (
    Bools,
    EventRecords,
    Floats,
    Ints,
    LogicalTrace,
    MetricCounter,
    MetricFigures,
    Trace,
    UsefulWork,
)

_INSTRUCTIONS: Final = re.compile(
    r"(PAPI_TOT_INS|(.*:)?INSTRUCTIONS(:.*)?|INST_RETIRED\W?ANY(_P)?|(.*:)?INSTR\w*_RETIRED)$",
    re.I,
)
_CYCLES: Final = re.compile(
    r"(PAPI_TOT_CYC|(.*:)?(CPU[-_])?CYCLES(:.*)?|CPU_CLK_UNHALTED\W?\w*)$", re.I
)
"""Names of the counters of PAPI, Linux perf and Intel that make the IPC."""


def metric_figures(
    trace: Trace, logical: LogicalTrace, report: Report = silent
) -> MetricFigures:
    """Measure what counters counted before each statement: O(records + calls).

    A counter that grows is read when the call before ends and when the call
    begins; between two records it is taken to grow evenly. Of a counter with
    several values at one time the last one holds. Records of other locations than
    the ranks' main threads are left out.

    Raises
    ------
    Cancelled
        From `report`.
    """
    records = [r for r in trace.further if r.name == "Metric" and len(r)]
    counters = _recorded(trace, records)
    sums = np.zeros((len(counters), logical.statements))
    counts = np.zeros((len(counters), logical.statements), np.int64)
    pair = _pair(counters)
    both = np.zeros((2, logical.statements))
    if counters:
        gap = computed_before(trace)
        for rank in range(trace.ranks):
            if rank % 16 == 0:
                report("measuring counters", rank / trace.ranks)
            own = slice(
                int(trace.calls.offsets[rank]), int(trace.calls.offsets[rank + 1])
            )
            ends = trace.calls.enter[own]
            statement = logical.statement_of_call[own]
            found = _rank(records, counters, rank, ends - gap[own], ends)
            for row, numbers in enumerate(found):
                some = np.flatnonzero((statement >= 0) & ~np.isnan(numbers))
                np.add.at(sums[row], statement[some], numbers[some])
                np.add.at(counts[row], statement[some], 1)
            if pair:
                one, other = found[pair[0]], found[pair[1]]
                told = ~(np.isnan(one) | np.isnan(other)) & (statement >= 0)
                np.add.at(both[0], statement[told], one[told])
                np.add.at(both[1], statement[told], other[told])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts > 0, sums / counts, np.nan)
        ipc = np.where(both[1] > 0, both[0] / both[1], np.nan)
    return MetricFigures(counters, counts, mean, ipc)


def useful_work(
    trace: Trace,
    window: tuple[int, int] | None = None,
    ranks: Sequence[int] | None = None,
) -> UsefulWork | None:
    """Count what ranks do outside of MPI: O(records + calls).

    Parameters
    ----------
    window
        Begin and end in ticks; None: the whole run.
    ranks
        World ranks; None: all.

    Returns
    -------
    UsefulWork or None
        None where no counter that adds up has records on the ranks' main threads.
    """
    records = [r for r in trace.further if r.name == "Metric" and len(r)]
    counters = tuple(c for c in _recorded(trace, records) if c.mode != "value")
    if not counters:
        return None
    pair = _pair(counters)
    born, gone = lifetimes(trace)
    low, high = window or (int(born.min()), int(gone.max()))
    totals, both = np.zeros(len(counters)), np.zeros(3)
    for rank in range(trace.ranks) if ranks is None else ranks:
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        enter, leave = trace.calls.enter[own], trace.calls.leave[own]
        begin = np.clip(np.append(born[rank], leave), low, high)
        end = np.clip(np.append(enter, gone[rank]), low, high)
        begin, end = begin[end > begin], end[end > begin]
        found = np.array(_rank(records, counters, rank, begin, end))
        totals += np.nansum(found, axis=1)
        if pair:
            told = ~np.isnan(found[list(pair)]).any(axis=0)
            both[:2] += found[list(pair)][:, told].sum(axis=1)
            both[2] += (end - begin)[told].sum()
    if not pair:
        both[:] = np.nan
    return UsefulWork(
        instructions=float(both[0]),
        cycles=float(both[1]),
        seconds=float(both[2] / trace.clock.resolution),
        counted={
            counter.name: float(total)
            for counter, total in zip(counters, totals, strict=True)
        },
    )


def _recorded(trace: Trace, records: list[EventRecords]) -> tuple[MetricCounter, ...]:
    """Counters of which ranks' main threads have records."""
    wanted = np.array([(c.metric, c.place) for c in trace.counters], np.int64)
    wanted = wanted.reshape(-1, 2)
    seen = np.zeros(len(wanted), bool)
    for some in records:
        _look(some.values, int(some.offsets[trace.ranks]), wanted, seen)
    return tuple(c for c, there in zip(trace.counters, seen, strict=True) if there)


@kernel
def _look(values: Ints, last: int, wanted: Ints, seen: Bools) -> None:
    """Find which pairs of metric and place the first so many records have."""
    left = len(wanted) - np.sum(seen)
    for k in range(last):
        if not left:
            break
        for row in range(len(wanted)):
            if (
                not seen[row]
                and values[k, 0] == wanted[row, 0]
                and values[k, 1] == wanted[row, 1]
            ):
                seen[row] = True
                left -= 1


def _pair(counters: tuple[MetricCounter, ...]) -> tuple[int, int] | None:
    """Places of the counters of instructions and of cycles."""
    found = []
    for names in (_INSTRUCTIONS, _CYCLES):
        fits = [
            k
            for k, counter in enumerate(counters)
            if names.match(counter.name) and counter.mode != "value"
        ]
        if not fits:
            return None
        found.append(fits[0])
    return found[0], found[1]


def _rank(
    records: list[EventRecords],
    counters: tuple[MetricCounter, ...],
    rank: int,
    begin: Ints,
    end: Ints,
) -> list[Floats]:
    """Measure each counter in a rank's intervals; NaN where it is not known."""
    found = [np.full(len(begin), np.nan) for _ in counters]
    for some in records:
        own = slice(int(some.offsets[rank]), int(some.offsets[rank + 1]))
        part = EventRecords(
            some.name,
            some.fields,
            np.array([0, own.stop - own.start]),
            some.time[own],
            some.values[own],
        )
        numbers, metric, place = (
            part.numbers(),
            part.column("metric"),
            part.column("place"),
        )
        for row, counter in enumerate(counters):
            mine = np.flatnonzero((metric == counter.metric) & (place == counter.place))
            if not len(mine):
                continue
            times, values = part.time[mine], numbers[mine] * counter.scale
            if counter.mode == "change":
                values = np.cumsum(values)
            mode = 0 if counter.mode == "value" else 1 if counter.mode == "grows" else 2
            _measure(times, values, mode, begin, end, found[row])
    return found


@kernel
def _measure(  # noqa: PLR0913
    times: Ints, values: Floats, mode: int, begin: Ints, end: Ints, found: Floats
) -> None:
    """Read a counter over intervals in order: mode 0 values, 1 grows, 2 changes."""
    for k in range(len(begin)):
        last = np.searchsorted(times, end[k], side="right") - 1
        if mode == 0:
            if last >= 0:
                found[k] = values[last]
            continue
        first = np.searchsorted(times, begin[k], side="right") - 1
        if mode == 2:
            before = values[first] if first >= 0 else 0.0
            found[k] = (values[last] if last >= 0 else 0.0) - before
            continue
        if first < 0 or last < 0:
            continue
        low = _between(times, values, first, begin[k])
        high = _between(times, values, last, end[k])
        if high >= low:
            found[k] = high - low


@kernel
def _between(times: Ints, values: Floats, at: int, time: int) -> float:
    """Value at a time from the records around it; NaN after the last one."""
    if times[at] == time:
        return float(values[at])
    if at + 1 >= len(times):
        return np.nan
    span = times[at + 1] - times[at]
    return float(values[at] + (values[at + 1] - values[at]) * (time - times[at]) / span)
