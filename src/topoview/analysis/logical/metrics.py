"""What a trace's metrics count while ranks compute, by statement."""

import math
import re
from dataclasses import dataclass
from typing import Final

import numba
import numpy as np

from topoview.analysis.logical.figures import computed_before
from topoview.logical.words import duration_text
from topoview.model import (
    Bools,
    Counter,
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    Records,
    Trace,
    freeze,
)
from topoview.progress import Report, silent

_INSTRUCTIONS: Final = re.compile(
    r"(PAPI_TOT_INS|(.*:)?INSTRUCTIONS(:.*)?|INST_RETIRED\W?ANY(_P)?|(.*:)?INSTR\w*_RETIRED)$",
    re.I,
)
_CYCLES: Final = re.compile(
    r"(PAPI_TOT_CYC|(.*:)?(CPU[-_])?CYCLES(:.*)?|CPU_CLK_UNHALTED\W?\w*)$", re.I
)
"""Names of the counters of PAPI, Linux perf and Intel that make the IPC."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricFigures:
    """What each counter counted before the calls of each statement.

    Attributes
    ----------
    counters
        The counters, in the order of the rows of the arrays.
    calls : int64, shape (counters, statements)
        Calls of which the trace tells it.
    mean : float64, shape (counters, statements)
        On average over those calls, in the counter's unit; NaN where there are
        none. Of a counter that grows or tells changes: how much came between the
        rank's call before and this one. Of others: the value when the call begins.
    ipc : float64, shape (statements,)
        Instructions per cycle of that computation; NaN where not recorded.
    """

    counters: tuple[Counter, ...]
    calls: Ints
    mean: Floats
    ipc: Floats

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def has_ipc(self) -> bool:
        """Whether the IPC of any statement is known."""
        return bool(np.any(~np.isnan(self.ipc)))

    @property
    def names(self) -> tuple[str, ...]:
        """Titles of `texts`: of the IPC where it is known, of each counter."""
        return (*(["IPC"] if self.has_ipc else []), *(c.name for c in self.counters))

    def texts(self, statement: int) -> tuple[str, ...]:
        """Write what is known of a statement, an empty text for what is not."""
        ipc, means = float(self.ipc[statement]), self.mean[:, statement].tolist()
        return (
            *([f"{ipc:.2f}" if ipc == ipc else ""] if self.has_ipc else []),
            *(map(number_text, means, (c.unit for c in self.counters))),
        )

    @property
    def absent(self) -> str:
        """Say that there is nothing, empty if there is something."""
        return "" if self.counters else ABSENT


ABSENT: Final = "no metrics are recorded on the main threads of ranks"


_BYTES: Final = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def number_text(number: float, unit: str) -> str:
    """Write a counter's number with its unit; empty for NaN."""
    if math.isnan(number):
        return ""
    if unit in ("s", "seconds"):
        return duration_text(number) if number >= 0 else f"{number:.3g} s"
    if unit.lower() in ("b", "byte", "bytes"):
        scale, name = next((s, n) for s, n in _BYTES if abs(number) >= s or n == "B")
        return f"{number / scale:.4g} {name}"
    return f"{number:.4g}" if unit in ("", "#") else f"{number:.4g} {unit}"


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
                _sum(statement, numbers, sums[row], counts[row])
            if pair:
                _sum_both(statement, found[pair[0]], found[pair[1]], both)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts > 0, sums / counts, np.nan)
        ipc = np.where(both[1] > 0, both[0] / both[1], np.nan)
    return MetricFigures(counters, counts, mean, ipc)


def _recorded(trace: Trace, records: list[Records]) -> tuple[Counter, ...]:
    """Counters of which ranks' main threads have records."""
    wanted = np.array([(c.metric, c.place) for c in trace.counters], np.int64)
    wanted = wanted.reshape(-1, 2)
    seen = np.zeros(len(wanted), bool)
    for some in records:
        _look(some.values, int(some.offsets[trace.ranks]), wanted, seen)
    return tuple(c for c, there in zip(trace.counters, seen, strict=True) if there)


@numba.njit(nogil=True, cache=True)
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


def _pair(counters: tuple[Counter, ...]) -> tuple[int, int] | None:
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
    records: list[Records],
    counters: tuple[Counter, ...],
    rank: int,
    begin: Ints,
    end: Ints,
) -> list[Floats]:
    """Measure each counter in a rank's intervals; NaN where it is not known."""
    found = [np.full(len(begin), np.nan) for _ in counters]
    for some in records:
        own = slice(int(some.offsets[rank]), int(some.offsets[rank + 1]))
        part = Records(
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


@numba.njit(nogil=True, cache=True)
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


@numba.njit(nogil=True, cache=True)
def _between(times: Ints, values: Floats, at: int, time: int) -> float:
    """Value at a time from the records around it; NaN after the last one."""
    if times[at] == time:
        return float(values[at])
    if at + 1 >= len(times):
        return np.nan
    span = times[at + 1] - times[at]
    return float(values[at] + (values[at + 1] - values[at]) * (time - times[at]) / span)


@numba.njit(nogil=True, cache=True)
def _sum(statement: Indices, numbers: Floats, sums: Floats, counts: Ints) -> None:
    for k in range(len(statement)):
        if statement[k] >= 0 and not np.isnan(numbers[k]):
            sums[statement[k]] += numbers[k]
            counts[statement[k]] += 1


@numba.njit(nogil=True, cache=True)
def _sum_both(statement: Indices, one: Floats, other: Floats, sums: Floats) -> None:
    """Sum two counters over the calls that both are known of."""
    for k in range(len(statement)):
        if statement[k] >= 0 and not np.isnan(one[k]) and not np.isnan(other[k]):
            sums[0, statement[k]] += one[k]
            sums[1, statement[k]] += other[k]
