"""How often numbers occur: counts in bins, evenly or logarithmically wide."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.model import Floats, Ints, freeze

BINS: Final = 48
"""Bins of a histogram; whole numbers may need fewer."""

LOG_SPAN: Final = 100.0
"""Greatest by least positive number above which the bins are logarithmic."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts of numbers in bins.

    Attributes
    ----------
    edges : float64, shape (bins + 1,)
        Bin ``i`` counts numbers from ``edges[i]`` to below ``edges[i + 1]``.
    counts : int64, shape (bins,)
    zeros
        Numbers of logarithmic bins that have no logarithm: 0 and below.
    unknown
        Numbers that are NaN.
    log
        Whether the bins are logarithmic.
    """

    edges: Floats
    counts: Ints
    zeros: int = 0
    unknown: int = 0
    log: bool = False

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def total(self) -> int:
        """All numbers."""
        return int(self.counts.sum()) + self.zeros + self.unknown

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Give the least and greatest number of some bins, both included.

        Parameters
        ----------
        first, last
            Bins; -1 is that of `zeros`.
        """
        low = 0.0 if first < 0 else float(self.edges[first])
        high = 0.0 if last < 0 else float(np.nextafter(self.edges[last + 1], -np.inf))
        return low, high


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
    known = values[~np.isnan(values)]
    unknown = len(values) - len(known)
    if not len(known):
        return Histogram(np.array([0.0, 1.0]), np.zeros(1, np.int64), 0, unknown)
    low, high = float(known.min()), float(known.max())
    positive = known[known > 0] if amount and low <= 0 else known
    least = float(positive.min()) if len(positive) else 0.0
    log = amount and least > 0 and high > LOG_SPAN * least
    if log:
        known = positive
        edges = np.geomspace(least, high, BINS + 1)
    elif whole:
        width = max(1, -int(-(high - low + 1) // BINS))
        edges = low + width * np.arange(int((high - low) // width) + 2.0)
    else:
        edges = np.linspace(low, high, BINS + 1 if high > low else 2)
    edges[0] = least if log else low
    edges[-1] = max(edges[-1], np.nextafter(high, np.inf))
    place = np.searchsorted(edges, known, side="right") - 1
    counts = np.bincount(place, minlength=len(edges) - 1)
    zeros = len(values) - unknown - len(known)
    return Histogram(edges, counts, zeros, unknown, log)
