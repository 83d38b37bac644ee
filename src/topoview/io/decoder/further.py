"""Records that neither states nor messages are made of, to their own tables."""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, PLR0913 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.clock import corrected
from topoview.io.decoder.frame import CHANGED, DAMAGED, WHOLE
from topoview.io.decoder.memory import compressed, load8, load64, store64, whole
from topoview.io.decoder.regions import mapped
from topoview.io.record_types import BYTE, FORMATS, METRIC, NARROW, RECORDS

WORDS: Final = 4
"""Words of the table of tables: times, fields, next place, limit."""

METRIC_FIELDS: Final = 4
_SMALLEST: Final = 2
"""Bytes of the shortest value of a metric: its type, and an integer without bytes."""
_METRIC: Final = RECORDS[METRIC].fields[0].mapping


@numba.njit(nogil=True)
def count_values(at, size, swap):
    """Count the values of a metric, as far as its record has room for them."""
    _, values, _ = compressed(at, swap, 4, np.int64(0))
    return min(load8(values), max(at + size - values, np.int64(0)) // _SMALLEST)


@numba.njit(nogil=True)
def take_further(frame, kind, at, size, swap, now):  # noqa: C901
    """Append a record to the table of its type, if there is one."""
    table = frame.further + 8 * WORDS * kind
    times = load64(table)
    if times == 0:
        return np.int64(WHOLE)
    if kind == METRIC:
        return _take_metric(frame, table, at, size, swap, now)
    row = load64(table + 16)
    if row >= load64(table + 24):
        return np.int64(CHANGED)
    width = np.int64(0)
    while FORMATS[kind, width]:
        width += 1
    bad = np.int64(0)
    fields = load64(table + 8)
    for place in range(width):
        form = FORMATS[kind, place] & 15
        mapping = (FORMATS[kind, place] >> 4) - 1
        if form == BYTE:
            value = load8(at)
            at += 1
        elif form == NARROW:
            value, at, bad = compressed(at, swap, 4, bad)
        elif form == NARROW + 1:
            value, at, bad = compressed(at, swap, 8, bad)
        else:
            value = whole(at, swap)
            if frame.clock_count:
                value = corrected(frame, value)
            value -= frame.origin
            at += 8
        if mapping >= 0:
            value = mapped(frame, mapping, value)
        store64(fields, row * width + place, value)
    if bad:
        return np.int64(DAMAGED)
    store64(times, row, now - frame.origin)
    store64(table, 2, row + 1)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def _take_metric(frame, table, at, size, swap, now):  # noqa: ANN202
    """Append the values of a metric: metric, place in it, type, value."""
    bad = np.int64(0)
    count, end = count_values(at, size, swap), at + size
    metric, at, bad = compressed(at, swap, 4, bad)
    metric = mapped(frame, np.int64(_METRIC), metric)
    bad |= load8(at) > count
    at += 1
    row, times, fields = load64(table + 16), load64(table), load64(table + 8)
    if row + count > load64(table + 24):
        return np.int64(CHANGED)
    for place in range(count):
        kind = load8(at)
        value, at, bad = compressed(at + 1, swap, 8, bad)
        if bad or at > end:
            bad = np.int64(1)
            break
        store64(times, row, now - frame.origin)
        store64(fields, METRIC_FIELDS * row, metric)
        store64(fields, METRIC_FIELDS * row + 1, place)
        store64(fields, METRIC_FIELDS * row + 2, kind)
        store64(fields, METRIC_FIELDS * row + 3, value)
        row += 1
    store64(table, 2, row)
    return np.int64(DAMAGED if bad else WHOLE)
