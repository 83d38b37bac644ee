"""Values of the counters that a trace records, at a time and in a window."""

from dataclasses import dataclass

import numpy as np

from topoview.model import (
    EventRecords,
    Floats,
    Frozen,
    Ints,
    MetricCounter,
    Trace,
    count_before,
)


@dataclass(frozen=True, slots=True, eq=False)
class CounterSeries(Frozen):
    """The values of one counter, location after location, each by time."""

    offsets: Ints
    """int64, shape (rows + 1,)"""
    time: Ints
    """int64, shape (values,): ticks."""
    value: Floats
    """float64, shape (values,)"""


def series_of(trace: Trace, counter: MetricCounter) -> CounterSeries | None:
    """Return the values of a counter out of the records; None without any."""
    records = metric_records(trace)
    if records is None:
        return None
    metric, place = records.column("metric"), records.column("place")
    at = np.flatnonzero((metric == counter.metric) & (place == counter.place))
    own = EventRecords(
        records.name,
        records.fields,
        np.searchsorted(at, records.offsets).astype(np.int64),
        records.time[at],
        records.values[at],
    )
    return CounterSeries(own.offsets, own.time, own.numbers() * counter.scale)


def metric_records(trace: Trace) -> EventRecords | None:
    """Return the records of metrics, None if the trace has none."""
    return next((r for r in trace.further if r.name == "Metric" and len(r)), None)


def value_at(trace: Trace, series: CounterSeries, ticks: int) -> Floats:
    """Return each rank's last value at a time; NaN before its first one.

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
    result = np.full(trace.ranks, np.nan)
    result[owner[rows]] = series.value[at[rows]]  # the last, a main thread, stays
    return result


def rate_in(
    trace: Trace, series: CounterSeries, counter: MetricCounter, window: tuple[int, int]
) -> Floats:
    """Compute a counter's growth in a window, a second, in all of a rank's rows.

    Between two values it is taken to grow evenly.

    Returns
    -------
    float64, shape (ranks,)
        NaN where no values lie around the window or in it.
    """
    rows = len(series.offsets) - 1
    growth = _growth(series, window)
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
    valid = ~np.isnan(growth) & (ranks >= 0)
    total = np.bincount(ranks[valid], growth[valid], trace.ranks)
    none = np.bincount(ranks[valid], minlength=trace.ranks) == 0
    seconds = max(trace.clock.seconds(window[1] - window[0]), 1e-12)
    return np.where(none, np.nan, total / seconds)


def _growth(series: CounterSeries, window: tuple[int, int]) -> Floats:
    """Compute the growth of each row: float64, (rows,), NaN where it is unknown."""
    low, high = series.offsets[:-1], series.offsets[1:]
    result = np.full(len(low), np.nan)
    time, value = series.time, series.value
    rows = np.flatnonzero(high - low >= 2)
    first, last = low[rows], high[rows] - 1
    around = (time[last] > window[0]) & (time[first] < window[1])
    rows, first, last = rows[around], first[around], last[around]
    ends = []
    for ticks in window:
        at = np.clip(ticks, time[first], time[last])
        i = (count_before(time, first, last + 1, ticks + 1) - 1).clip(first, last)
        after = np.minimum(i + 1, last)
        share = (at - time[i]) / np.maximum(time[after] - time[i], 1)
        ends.append(value[i] + share * (value[after] - value[i]))
    result[rows] = ends[1] - ends[0]
    return result
