"""How numbers spread: counts in bins, and mean, median and ends of each group."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.grouping import counting_sort
from topoview.model import Column, Floats, Frozen, Ints
from topoview.model.table import Unit

BINS: Final = 48
"""Bins of a histogram; whole numbers may need fewer."""

LOG_SPAN: Final = 100.0
"""Greatest by least positive number above which the bins are logarithmic."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram(Frozen):
    """Counts of numbers in bins."""

    edges: Floats
    """float64, shape (bins + 1,): bin ``i`` counts numbers from ``edges[i]`` to below
    ``edges[i + 1]``. They have few digits: a user reads them."""
    counts: Ints
    """int64, shape (bins,)"""
    zeros: int = 0
    """Numbers of logarithmic bins that have no logarithm: 0 and below."""
    unknown: int = 0
    """Numbers that are NaN."""
    log: bool = False
    """Whether the bins are logarithmic."""

    @property
    def total(self) -> int:
        """All numbers."""
        return int(self.counts.sum()) + self.zeros + self.unknown

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return the least number of some bins, and the end of the last.

        Parameters
        ----------
        first, last
            Bins; -1 is that of `zeros`.
        """
        low = 0.0 if first < 0 else float(self.edges[first])
        return low, float(self.edges[last + 1])


def histogram(values: Floats, *, amount: bool = True, whole: bool = False) -> Histogram:
    """Count numbers.

    Parameters
    ----------
    values : float64, shape (n,)
        NaN where a number is not known.
    amount
        Whether they are amounts: such may have logarithmic bins, places and points in
        time have not.
    whole
        Whether they are whole numbers: bins are then as wide as some of them.
    """
    valid = values[~np.isnan(values)]
    unknown = len(values) - len(valid)
    if not len(valid):
        return Histogram(np.array([0.0, 1.0]), np.zeros(1, np.int64), 0, unknown)
    low, high = float(valid.min()), float(valid.max())
    positive = valid[valid > 0] if amount and low <= 0 else valid
    least = float(positive.min()) if len(positive) else 0.0
    log = amount and least > 0 and high > LOG_SPAN * least
    if log:
        valid = positive
        edges = np.geomspace(least, high, BINS + 1)
    elif whole:
        width = max(1, -int(-(high - low + 1) // BINS))
        edges = low + width * np.arange(int((high - low) // width) + 2.0)
    else:
        edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low])
    if not whole or log:
        edges = _rounded(edges, log=log)
    place = np.searchsorted(edges, valid, side="right") - 1
    counts = np.bincount(place, minlength=len(edges) - 1)
    zeros = len(values) - unknown - len(valid)
    return Histogram(edges, counts, zeros, unknown, log)


MAX_ROWS: Final = 256
"""Rows of a histogram by rank; of more ranks several share one."""


@dataclass(frozen=True, slots=True, eq=False)
class RankHistogram(Frozen):
    """Counts of numbers in bins, a row a rank or several neighbours."""

    bins: Histogram
    """Of all of them together."""
    counts: Ints
    """int64, shape (rows, bins): without those of `Histogram.zeros`."""
    first: Ints
    """int64, shape (rows + 1,): a row counts ranks from its number to below the
    next."""


def rank_histogram(values: Floats, rank: Ints, ranks: int) -> RankHistogram:
    """Count amounts by the rank that they are of.

    Parameters
    ----------
    values : float64, shape (n,)
        NaN where one is not known.
    rank : int64, shape (n,)
        From 0 to `ranks` - 1.
    """
    bins = histogram(values)
    first = np.linspace(0, ranks, min(ranks, MAX_ROWS) + 1).astype(np.int64)
    low, high = bins.edges[[0, -1]]
    inside = (values >= low) & (values < high)  # neither zeros nor NaN
    column = np.searchsorted(bins.edges, values[inside], side="right") - 1
    row = np.searchsorted(first, rank[inside], side="right") - 1
    shape = len(first) - 1, len(bins.counts)
    flat = np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1])
    return RankHistogram(bins, flat.reshape(shape), first)


DIGITS: Final = 3
"""Digits of a bin's width that its edges are written with."""

MAX_DIGITS: Final = 14
"""Digits of an edge that a floating-point number can hold for sure."""


def _rounded(edges: Floats, *, log: bool) -> Floats:
    """Write edges with few digits; all numbers stay between the first and the last."""
    size = np.floor(np.log10(np.maximum(np.abs(edges), 1e-300)))
    widths = np.append(np.diff(edges), 0.0)
    widths[-1] = widths[-2] if len(edges) > 1 else max(abs(edges[0]), 1e-9)
    if not log:
        size, widths = np.full(len(edges), size.max()), np.full(len(edges), widths[0])
    places = DIGITS - 1 - np.floor(np.log10(widths))
    places = np.minimum(places, MAX_DIGITS - 1 - size).astype(np.int64)
    rounded = [
        round(e, p) for e, p in zip(edges.tolist(), places.tolist(), strict=True)
    ]
    ends = Decimal(float(edges[0])), Decimal(float(edges[-1]))
    steps = Decimal(10) ** -int(places[0]), Decimal(10) ** -int(places[-1])
    rounded[0] = float(ends[0] // steps[0] * steps[0])
    last = float((ends[1] // steps[1] + 1) * steps[1])
    if last <= edges[-1]:  # it is the float nearest to that very number
        last = float((ends[1] // steps[1] + 2) * steps[1])
    inner = [edge for edge in rounded[1:-1] if rounded[0] < edge < last]
    return np.array([rounded[0], *dict.fromkeys(inner), last])


HIGH_SHARE: Final = 0.95
"""Share of the samples that are not above the number told beside the median."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread(Frozen):
    """How the numbers of each group spread: float64, shape (groups,) each.

    NaN where a group has no known number. The median and the number that 95 % do not
    exceed are interpolated linearly (Hyndman and Fan 1996, definition 7).
    """

    total: Floats
    mean: Floats
    least: Floats
    median: Floats
    high: Floats
    most: Floats


def spread_of(values: Floats, group: Ints, groups: int) -> Spread:
    """Find how the numbers of each group spread: linear in them.

    Parameters
    ----------
    values : float64, shape (n,)
        NaN where one is not known.
    group : int64, shape (n,)
        From 0 to `groups` - 1.
    """
    valid = ~np.isnan(values)
    if not valid.all():
        values, group = values[valid], group[valid]
    order, begins = counting_sort(group, groups)
    values = values[order]
    statistics = np.full((6, groups), np.nan)
    statistics[0] = 0.0
    for place in np.flatnonzero(np.diff(begins)).tolist():
        own = values[begins[place] : begins[place + 1]]
        total, count = float(own.sum()), len(own)
        middle, high = 0.5 * (count - 1), HIGH_SHARE * (count - 1)
        ends = {int(at) + step for at in (middle, high) for step in (0, 1)}
        own = np.partition(own, sorted(min(end, count - 1) for end in ends))
        statistics[:, place] = (
            total,
            total / count,
            own[: int(middle) + 1].min(),
            _between(own, middle),
            _between(own, high),
            own[int(high) :].max(),
        )
    return Spread(*statistics)


def correlation(one: Ints | Floats, other: Floats) -> float:
    """Correlate the known pairs of numbers (Pearson); NaN if either does not vary."""
    valid = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[valid], other[valid]
    if len(one) < 2 or not np.ptp(one) or not np.ptp(other):
        return np.nan
    return float(np.corrcoef(one, other)[0, 1])


def _between(values: Floats, at: float) -> float:
    """Interpolate between two neighbours, which are in their places."""
    low = int(at)
    one = float(values[low])
    return one + (float(values[min(low + 1, len(values) - 1)]) - one) * (at - low)


SPREAD: Final = {
    "mean": "mean",
    "min": "least",
    "median": "median",
    "p95": "high",
    "max": "most",
}
"""Ends of the names of columns, and the fields of `Spread` that they are."""

SPREAD_WORDS: Final = {
    "mean": (tr("mean"), tr("Mean")),
    "min": (tr("min"), tr("Least")),
    "median": (tr("median"), tr("Median")),
    "p95": ("95 %", tr("95 % are not above this")),
    "max": (tr("max"), tr("Greatest")),
}
"""Titles of such columns, and what they tell."""


def spread_columns(
    name: str, unit: Unit, title: str = "", of: str = tr("time")
) -> tuple[Column, ...]:
    """Return the columns that tell how a number spreads.

    Parameters
    ----------
    title, of
        What stands before their titles, and what they are of.
    """
    return tuple(
        Column(f"{name}_{key}", unit, f"{title} {word}".strip(), f"{tip}: {of}")
        for key, (word, tip) in SPREAD_WORDS.items()
    )
