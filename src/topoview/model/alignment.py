"""How clocks that the producer had not aligned were aligned."""

from dataclasses import dataclass

import numpy as np

from topoview.model.arrays import Ints, freeze


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """What was added to the times of ranks, and how well that is known.

    Attributes
    ----------
    offset : int64, shape (ranks,)
        Ticks added to the times of each rank, of which the first event was time 0.
    half_width : int64, shape (ranks,)
        The offset against the rank that has 0 is uncertain by that many ticks to
        both sides; -1 for ranks that nothing bounds, and for silent ones.
    slack
        Ticks by which no constant offsets fit what was recorded: clocks drift, or
        records are wrong.
    before, after
        Messages received before they were sent, with each rank's first event as
        time 0, and with the offsets.
    worst
        By how many ticks at most, with the offsets.
    unbounded
        Ranks with events that nothing bounds.
    """

    offset: Ints
    half_width: Ints
    slack: int
    before: int
    after: int
    worst: int
    unbounded: int = 0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def typical(self) -> int:
        """Median half width of the ranks that are bounded, in ticks."""
        known = self.half_width[self.half_width >= 0]
        return int(np.median(known)) if len(known) else -1

    @property
    def widest(self) -> int:
        """Largest half width of the ranks that are bounded, in ticks."""
        return int(self.half_width.max(initial=-1))
