"""Where the time goes."""

from dataclasses import dataclass

from topoview.model.arrays import Ints, freeze


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
