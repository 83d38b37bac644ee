"""Numbers for each rank: what colours them, and the profile of their time and calls."""

from dataclasses import dataclass, replace

import numpy as np

from topoview.model.arrays import Floats, Ints, freeze


@dataclass(frozen=True, slots=True, eq=False)
class RankValues:
    """A number for each rank, or the category that it belongs to.

    Attributes
    ----------
    values : float64, shape (ranks,)
        Numbers, or indices into `names`; NaN where there is none.
    low, high
        Numbers that have the first and the last colour.
    unit
        ``s``, ``B``, ``%`` (numbers are fractions then) or empty for counts.
    log
        Whether colours follow the logarithm; `low` is above 0 then.
    middle
        Whether the middle between `low` and `high` is what differs from nothing.
    names
        Names of categories; empty for numbers.
    none
        What it means to have no number.
    """

    values: Floats
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    log: bool = False
    middle: bool = False
    names: tuple[str, ...] = ()
    none: str = ""

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def stretched(self) -> "RankValues":
        """The same numbers with colours from the least to the greatest of them."""
        known = self.values[~np.isnan(self.values)]
        if self.log:
            known = known[known > 0]
        if self.names or not len(known):
            return self
        low, high = float(known.min()), float(known.max())
        if self.middle:
            high = max(abs(low), abs(high))
            low = -high
        return replace(self, low=low, high=high)

    def spanning(self, low: float, high: float) -> "RankValues":
        """Take the same numbers with colours from one number to another."""
        if self.names:
            return self
        return replace(self, low=low, high=high)._logarithmic(log=self.log)

    def stepping(self, *, log: bool) -> "RankValues":
        """Take the same numbers with colours that follow the logarithm, or not."""
        if self.names or self.middle:
            return self
        return self._logarithmic(log=log)

    def _logarithmic(self, *, log: bool) -> "RankValues":
        """Begin above 0 if colours follow the logarithm."""
        if not log or self.low > 0:
            return replace(self, log=log)
        above = self.values[self.values > 0]
        least = float(above.min()) if len(above) else 1.0
        low = max(min(least, self.high), self.high / 1e6)
        return replace(self, low=low or 1.0, high=max(self.high, low, 1e-300), log=log)

    @property
    def shares(self) -> Floats:
        """Place of it from `low` to `high`: in [0, 1], shape (ranks,); NaN if none."""
        values, low, high = self.values, self.low, self.high
        if self.log:
            values = np.log(np.maximum(values, self.low))
            low, high = np.log(low), np.log(max(high, low))
        if high <= low:
            return np.where(np.isnan(values), np.nan, 0.5 if self.middle else 0.0)
        return np.clip((values - low) / (high - low), 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Time and calls by MPI operation and by state, for each rank.

    Attributes
    ----------
    operations
        Names of the operations that were called.
    calls : int64, shape (ranks, operations)
        Number of calls.
    ticks : int64, shape (ranks, operations)
        Time in them.
    state_ticks : int64, shape (ranks, len(MPIState))
        Time in each state, over the main thread's timeline.
    """

    operations: tuple[str, ...]
    calls: Ints
    ticks: Ints
    state_ticks: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
