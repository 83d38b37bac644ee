"""Colourings by counters: numbers that a trace records over time."""

import numpy as np

from topoview.live.colourings.scales import Colouring, ColouringRequest, spanned
from topoview.live.counters import metric_records, rate_in, value_at
from topoview.model import (
    Analysis,
    MetricCounter,
    RankValues,
)

COUNTER_PREFIX = "counter-"
"""What the names of colourings by counters begin with; metric and place follow."""


_UNITS = {"s": "s", "B": "B", "Bytes": "B", "bytes": "B"}
"""Units of counters that are written as others of the kind are."""

_RATES = {"s": "%"}
"""The same of how much they grow a second."""


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
        text += ", % of window" if unit else " per second"
    text += f" ({counter.unit})" if counter.unit and not unit else ""

    def values(asked: ColouringRequest) -> RankValues:
        trace = asked.known.trace
        series = asked.look.series(counter)
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
