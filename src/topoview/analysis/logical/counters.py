"""What a trace's counters count while its ranks compute: by statement, and in all."""

import math
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.logical import statement_kernels
from topoview.analysis.logical.exact_sums import (
    FLOAT_BITS,
    FLOAT_DIGITS,
    added_digits,
    carried,
    whole_numbers,
)
from topoview.analysis.logical.kernels import add_numbers
from topoview.analysis.logical.statements import computed_before
from topoview.analysis.waits.states import lifetimes
from topoview.base.progress import Report, silent
from topoview.model import (
    EventRecords,
    Floats,
    Ints,
    LineSums,
    LogicalTrace,
    MetricCounter,
    MetricFigures,
    Part,
    Trace,
    UsefulWork,
    distinct,
    elements,
)

_INSTRUCTIONS: Final = re.compile(
    r"(PAPI_TOT_INS|(.*:)?INSTRUCTIONS(:.*)?|INST_RETIRED\W?ANY(_P)?|(.*:)?INSTR\w*_RETIRED)$",
    re.I,
)
_CYCLES: Final = re.compile(
    r"(PAPI_TOT_CYC|(.*:)?(CPU[-_])?CYCLES(:.*)?|CPU_CLK_UNHALTED\W?\w*)$", re.I
)
"""Names of the counters of PAPI, Linux perf and Intel that make the IPC."""


class CounterSums(NamedTuple):
    """Fields of `LineSums` of counters."""

    counters: Ints
    counted: Ints
    counts: NDArray[np.uint32]
    work: NDArray[np.uint32]


def counter_sums(
    part: Part, logical: LogicalTrace, report: Report = silent
) -> CounterSums:
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
    trace = part.trace
    records = [r for r in trace.further if r.name == "Metric" and len(r)]
    there = _recorded(trace, records, part.ranks)
    counters = tuple(trace.counters[k] for k in there.tolist())
    shape = len(counters), logical.statements
    counted = np.zeros(shape, np.int64)
    sums = np.zeros((*shape, FLOAT_DIGITS), np.int64)
    work = np.zeros((2, logical.statements, FLOAT_DIGITS), np.int64)
    wanted = [k for k in _pair_of_all(trace, records) if k in there]
    pair = np.searchsorted(there, wanted).tolist()
    for rank in range(part.ranks.start, part.ranks.stop) if counters else ():
        if rank % 16 == 0:
            report("measuring counters", rank / trace.ranks)
        own = slice(*trace.calls.offsets[rank : rank + 2].tolist())
        ends, statement = trace.calls.enter[own], logical.statement_of_call[own]
        begins = ends - computed_before(trace, own)
        growth = _rank(records, counters, rank, begins, ends)
        valid = [(statement >= 0) & np.isfinite(numbers) for numbers in growth]
        for row, numbers in enumerate(growth):
            add_numbers(statement, numbers, valid[row], sums[row])
            counted[row] += np.bincount(
                statement[valid[row]], minlength=logical.statements
            )
        if len(pair) == 2:
            both = valid[pair[0]] & valid[pair[1]]
            for row, place in enumerate(pair):
                add_numbers(statement, growth[place], both, work[row])
    return CounterSums(there, counted, carried(sums), carried(work))


def joined_counters(parts: Sequence[LineSums]) -> CounterSums:
    """Join sums of parts of a trace; each has those of counters that it recorded."""
    there = distinct(np.concatenate([one.counters for one in parts]))

    def added(field: str, kind: type[np.generic]) -> NDArray[Any]:
        like: NDArray[Any] = getattr(parts[0], field)
        sums = np.zeros((len(parts), len(there), *like.shape[1:]), kind)
        for own, one in zip(sums, parts, strict=True):
            own[np.searchsorted(there, one.counters)] = getattr(one, field)
        return added_digits(list(sums)) if kind is np.uint32 else sums.sum(axis=0)

    return CounterSums(
        there,
        added("counted", np.int64),
        added("counts", np.uint32),
        added_digits([one.work for one in parts]),
    )


def metric_figures(trace: Trace, sums: LineSums) -> MetricFigures:
    """Compute the figures of counters from what was summed up."""
    mean = [
        number / (calls << FLOAT_BITS) if calls else math.nan
        for number, calls in zip(
            whole_numbers(sums.counts.reshape(-1, FLOAT_DIGITS)),
            sums.counted.ravel().tolist(),
            strict=True,
        )
    ]
    work = map(whole_numbers, sums.work)
    ipc = [
        done / cycles if cycles > 0 else math.nan
        for done, cycles in zip(*work, strict=True)
    ]
    return MetricFigures(
        tuple(trace.counters[k] for k in sums.counters.tolist()),
        sums.counted,
        np.array(mean, np.float64).reshape(sums.counted.shape),
        np.array(ipc, np.float64),
    )


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
    there = [
        trace.counters[k]
        for k in _recorded(trace, records, slice(0, trace.ranks)).tolist()
    ]
    counters = tuple(counter for counter in there if counter.mode != "value")
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
        growth = np.array(_rank(records, counters, rank, begin, end))
        totals += np.nansum(growth, axis=1)
        if pair:
            valid = ~np.isnan(growth[list(pair)]).any(axis=0)
            both[:2] += growth[list(pair)][:, valid].sum(axis=1)
            both[2] += (end - begin)[valid].sum()
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


def _recorded(trace: Trace, records: list[EventRecords], ranks: slice) -> Ints:
    """Counters of which some ranks' main threads have records."""
    wanted = np.array([(c.metric, c.place) for c in trace.counters], np.int64)
    wanted = wanted.reshape(-1, 2)
    seen = np.zeros(len(wanted), bool)
    for some in records:
        statement_kernels.look(some.values[elements(ranks, some.offsets)], wanted, seen)
    return np.flatnonzero(seen)


def _fitting(counters: Sequence[MetricCounter]) -> list[list[int]]:
    """Places of the counters of instructions, and of those of cycles."""
    return [
        [
            k
            for k, counter in enumerate(counters)
            if names.match(counter.name) and counter.mode != "value"
        ]
        for names in (_INSTRUCTIONS, _CYCLES)
    ]


def _pair(counters: Sequence[MetricCounter]) -> list[int]:
    """Places of the first counters of instructions and of cycles; empty without."""
    fits = _fitting(counters)
    return [own[0] for own in fits] if all(fits) else []


def _pair_of_all(trace: Trace, records: list[EventRecords]) -> list[int]:
    """Places of the first that any rank recorded: the same for all parts."""
    if max(map(len, _fitting(trace.counters))) <= 1:
        return _pair(trace.counters)
    there = _recorded(trace, records, slice(0, trace.ranks)).tolist()
    return [there[k] for k in _pair([trace.counters[k] for k in there])]


def _rank(
    records: list[EventRecords],
    counters: tuple[MetricCounter, ...],
    rank: int,
    begin: Ints,
    end: Ints,
) -> list[Floats]:
    """Measure each counter in a rank's intervals; NaN where unknown."""
    result = [np.full(len(begin), np.nan) for _ in counters]
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
            statement_kernels.measure(times, values, mode, begin, end, result[row])
    return result
