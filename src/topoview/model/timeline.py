"""What every location does at every time."""

from dataclasses import dataclass

import numpy as np

from topoview.model.arrays import Bytes, Indices, Ints, freeze
from topoview.model.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Timeline(Table):
    """States of all locations over time, row after row.

    Row ``r`` owns the intervals ``offsets[r]`` to ``offsets[r + 1]``. Each
    interval lasts from its `time` to that of the next one; they leave no gap.
    The first begins at time 0, the last (``OUTSIDE``) where the location ends
    and lasts for ever. So every row has at least one interval. Neighbouring
    intervals differ in state or region, and none is empty (events at equal
    times leave the last one's state).

    Attributes
    ----------
    offsets : int64, shape (rows + 1,)
    time : int64, shape (intervals,)
        Begin of the interval in ticks, ascending within a row.
    state : uint8, shape (intervals,)
        `MPIState` of the interval.
    region : int32, shape (intervals,)
        Innermost region, -1 if none.
    """

    offsets: Ints
    time: Ints
    state: Bytes
    region: Indices

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1

    def at(self, ticks: int) -> Ints:
        """Index of the interval that each row is in at a time.

        One binary search for all rows at once: O(rows log intervals).

        Returns
        -------
        int64, shape (rows,)
        """
        low = self.offsets[:-1].copy()
        high = self.offsets[1:].copy()
        while np.any(high - low > 1):
            middle = (low + high) >> 1
            after = self.time[middle] > ticks
            high = np.where(after, middle, high)
            low = np.where(after, low, middle)
        return low
