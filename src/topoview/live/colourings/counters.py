"""Colourings by counters: numbers that a trace records over time."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.live.colourings.scales import Colouring, ColouringRequest, spanned
from topoview.model import (
    Analysis,
    Calls,
    EventRecords,
    Floats,
    Ints,
    MetricCounter,
    RankValues,
    Trace,
    count_before,
    freeze,
)

COUNTER_PREFIX = "counter-"
"""What the names of colourings by counters begin with; metric and place follow."""


@dataclass(frozen=True, slots=True, eq=False)
class CounterSeries:
    """The values of one counter, location after location, each by time.

    Attributes
    ----------
    offsets : int64, shape (rows + 1,)
    time : int64, shape (values,)
        Ticks.
    value : float64, shape (values,)
    """

    offsets: Ints
    time: Ints
    value: Floats

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


_SERIES_OF_CALLS: WeakKeyDictionary[Calls, dict[tuple[int, int], CounterSeries]] = (
    WeakKeyDictionary()
)


def series_of(trace: Trace, counter: MetricCounter) -> CounterSeries | None:
    """Take the values of a counter out of the records, once; None without any."""
    records = metric_records(trace)
    if records is None:
        return None
    kept = _SERIES_OF_CALLS.setdefault(trace.calls, {})
    key = counter.metric, counter.place
    if key not in kept:
        metric, place = records.column("metric"), records.column("place")
        at = _matching(metric, place, *key)
        own = EventRecords(
            records.name,
            records.fields,
            np.searchsorted(at, records.offsets).astype(np.int64),
            records.time[at],
            records.values[at],
        )
        kept[key] = CounterSeries(own.offsets, own.time, own.numbers() * counter.scale)
    return kept[key]


def metric_records(trace: Trace) -> EventRecords | None:
    """Give the records of metrics, None if the trace has none."""
    return next((r for r in trace.further if r.name == "Metric" and len(r)), None)


@numba.njit(nogil=True, cache=True)
def _matching(metric: Ints, place: Ints, wanted: int, of: int) -> Ints:
    count = 0
    for i in range(len(metric)):
        count += metric[i] == wanted and place[i] == of
    found = np.empty(count, np.int64)
    count = 0
    for i in range(len(metric)):
        if metric[i] == wanted and place[i] == of:
            found[count] = i
            count += 1
    return found


_UNITS = {"s": "s", "B": "B", "Bytes": "B", "bytes": "B"}
"""Units of counters that are written as others of the kind are."""

_RATES = {"s": "%"}
"""The same of how much they grow a second."""


def value_at(trace: Trace, series: CounterSeries, ticks: int) -> Floats:
    """Give each rank's last value at a time; NaN before its first one.

    Of a rank's locations the first that has values counts, its main thread before
    all others.

    Returns
    -------
    float64, shape (ranks,)
    """
    low, high = series.offsets[:-1], series.offsets[1:]
    at = count_before(series.time, low, high, ticks + 1) - 1
    owner = trace.rank_of_location[: len(low)]
    rows = np.flatnonzero((at >= low) & (owner >= 0))[::-1]
    found = np.full(trace.ranks, np.nan)
    found[owner[rows]] = series.value[at[rows]]  # the last, a main thread, stays
    return found


def rate_in(
    trace: Trace, series: CounterSeries, counter: MetricCounter, window: tuple[int, int]
) -> Floats:
    """Give by how much a counter grew in a window, a second, in all of a rank's rows.

    Between two values it is taken to grow evenly.

    Returns
    -------
    float64, shape (ranks,)
        NaN where no values lie around the window or in it.
    """
    rows = len(series.offsets) - 1
    growth = _growth(series.offsets, series.time, series.value, window)
    if counter.mode == "change":
        low = count_before(
            series.time, series.offsets[:-1], series.offsets[1:], window[0]
        )
        high = count_before(
            series.time, series.offsets[:-1], series.offsets[1:], window[1]
        )
        sums = np.append(0.0, np.cumsum(series.value))
        growth = np.where(high > low, sums[high] - sums[low], np.nan)
    ranks = trace.rank_of_location[:rows]
    known = ~np.isnan(growth) & (ranks >= 0)
    total = np.bincount(ranks[known], growth[known], trace.ranks)
    none = np.bincount(ranks[known], minlength=trace.ranks) == 0
    seconds = max(trace.clock.seconds(window[1] - window[0]), 1e-12)
    return np.where(none, np.nan, total / seconds)


@numba.njit(nogil=True, cache=True)
def _growth(
    offsets: Ints, time: Ints, value: Floats, window: tuple[int, int]
) -> Floats:
    found = np.full(len(offsets) - 1, np.nan)
    for row in range(len(found)):
        low, high = offsets[row], offsets[row + 1]
        if high - low < 2 or time[high - 1] <= window[0] or time[low] >= window[1]:
            continue
        ends = np.empty(2)
        for side in range(2):
            at = min(max(window[side], time[low]), time[high - 1])
            i = low + np.searchsorted(time[low:high], at, side="right") - 1
            ends[side] = value[i]
            if i + 1 < high and time[i + 1] > time[i]:
                share = (at - time[i]) / (time[i + 1] - time[i])
                ends[side] += share * (value[i + 1] - value[i])
        found[row] = ends[1] - ends[0]
    return found


def counter_rows(known: Analysis) -> dict[str, Colouring]:
    """Give a row of the table for each counter that the trace has values of."""
    if metric_records(known.trace) is None:
        return {}
    return {
        f"{COUNTER_PREFIX}{counter.metric}-{counter.place}": _row(counter)
        for counter in known.trace.counters
    }


def _row(counter: MetricCounter) -> Colouring:
    grows = counter.mode != "value"
    unit = (_RATES if grows else _UNITS).get(counter.unit, "")
    text = counter.name
    if grows:
        text += ": share of the window" if unit else " per second"
    text += f" ({counter.unit})" if counter.unit and not unit else ""

    def values(asked: ColouringRequest) -> RankValues:
        trace = asked.known.trace
        series = series_of(trace, counter)
        if series is None:
            return spanned(np.full(trace.ranks, np.nan), none="not recorded")
        if grows:
            found = rate_in(trace, series, counter, asked.window)
        else:
            found = value_at(trace, series, asked.time)
        return spanned(found, unit, "not recorded")

    return Colouring(text, "window" if grows else "time", values, _has_metrics, unit)


def _has_metrics(known: Analysis) -> bool:
    return metric_records(known.trace) is not None
